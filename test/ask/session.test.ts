/** Questions about a small workspace, answers, and what becomes of them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AskSession, importLabels, type Question, readLabels, writeLabels } from '../../src/ask/index.js';
import { loadProblem, unanswered } from '../../src/problem/index.js';
import {
  addCategory,
  agreementOf,
  estimateFromAnswers,
  layout,
  openWorkspace,
  type ProblemRows,
  readDecisions,
  recordActs,
  runWorkspace,
  type Workspace,
} from '../../src/workspace/index.js';
import { makeWorld, testNames, type World, writeConfiguration } from '../workspace/world.js';

let world: World;
let workspace: Workspace;
const truthOf = (id: string) => id.split('/')[0];
const rows = () => JSON.parse(readFileSync(workspace.path(layout.rows), 'utf8')) as ProblemRows;

beforeAll(async () => {
  world = await makeWorld({ test: 8 });
  world.configuration.learner = { method: 'bowerbird', device: 'wasm', threads: 1 };
  writeConfiguration(world);
  workspace = await openWorkspace(world.folder);
  await runWorkspace(workspace, { until: 'fit' });
}, 60_000);
afterAll(() => world.remove());

const isPicture = ({ kind }: Question) => kind === 'picture';

describe('a session of questions', () => {
  it('asks, learns, measures, and takes back', async () => {
    const session = await AskSession.open(workspace, { by: 'Ana', check: 0.25 });
    try {
      const questions = await session.questions(12);
      expect(new Set(questions.map(({ key }) => key)).size).toBe(questions.length);
      expect(questions.some(({ why }) => why === 'check')).toBe(true);
      expect(questions.filter(({ why }) => why === 'check').every(({ drawn }) => drawn!.weight > 0)).toBe(true);
      for (const question of questions.filter(isPicture)) {
        expect(question.choices!.reduce((sum, { chance }) => sum + chance, 0)).toBeLessThanOrEqual(1 + 1e-9);
        await session.answer(question, { label: truthOf(question.ids[0]) });
      }
      const count = questions.filter(isPicture).length;
      await session.refit();
      const standing = session.standing();
      expect(standing).toMatchObject({ answered: count, answeredNow: count });
      expect(standing.expected).toBeGreaterThan(count / standing.pictures);
      expect(standing.estimate!.checked).toBeGreaterThan(0);
      expect(standing.estimate!.low).toBeLessThanOrEqual(standing.estimate!.high);
      for (const question of questions.filter(isPicture))
        expect(session.predicted(question.ids[0])).toBe(truthOf(question.ids[0]));

      const last = questions.filter(isPicture).at(-1)!;
      expect(await session.undo()).toEqual(last.ids);
      await session.refit();
      expect(session.standing().answered).toBe(count - 1);
      expect((await session.questions(50)).flatMap(({ ids }) => ids)).toContain(last.ids[0]);
    } finally {
      session.close();
    }
    const { answers } = await readDecisions(workspace);
    expect([...answers.values()].flat().every(({ by, at }) => by === 'Ana' && at.startsWith('20'))).toBe(true);
  });

  it('becomes part of the workspace with the next run, and scores leave out what people answered', async () => {
    const { answers } = await readDecisions(workspace);
    await runWorkspace(workspace, { until: 'fit', quick: true });
    const { testKnown } = await loadProblem(workspace.path(layout.problem));
    rows().test.forEach((id, j) => {
      expect(testKnown![j]).toBe(answers.has(id) ? testNames.indexOf(truthOf(id)) : unanswered);
    });
    const metrics = JSON.parse(readFileSync(world.path('run', 'metrics.json'), 'utf8'));
    expect(metrics.answered).toBe(answers.size);
    expect(metrics.estimate).toEqual(
      JSON.parse(JSON.stringify(estimateFromAnswers(await readDecisions(workspace), rows().test.length))),
    );
  });

  it('keeps answers of several people apart, shows where they differ, and repeats questions by choice', async () => {
    const { answers: before } = await readDecisions(workspace);
    const [agreed, disputed] = [...before.keys()];
    const session = await AskSession.open(workspace, { by: 'Ben', repeat: 0.5 });
    try {
      const repeated = (await session.questions(4)).filter(({ why }) => why === 'repeat');
      expect(repeated.length).toBe(2);
      expect(repeated.every(({ ids }) => before.has(ids[0]))).toBe(true);
    } finally {
      session.close();
    }
    await recordActs(
      workspace,
      [
        { ids: [agreed], label: truthOf(agreed) },
        { ids: [disputed], label: null },
      ],
      'Ben',
    );
    const agreement = agreementOf(await readDecisions(workspace))!;
    expect(agreement).toMatchObject({ people: ['Ana', 'Ben'], pictures: 2, agreeing: 0.5 });
    expect(agreement.disputed.map(({ id }) => id)).toEqual([disputed]);
    const estimate = estimateFromAnswers(await readDecisions(workspace), rows().test.length);
    expect(estimate!.pictures).toBe(rows().test.length);
  });

  it('writes decisions as a table, and takes labels from tables and Label Studio', async () => {
    const file = world.path('answers.csv');
    const decisions = await readDecisions(workspace);
    expect(await writeLabels(file, decisions)).toBe(decisions.standing.flatMap(({ ids }) => ids).length);
    expect(readFileSync(file, 'utf8')).toContain('Ben');
    const [first, second, third] = rows().test;
    writeFileSync(
      world.path('labels.csv'),
      `image,label,annotator\n${first},red wren,Cy\nelsewhere/${second},unlisted,\nnowhere.png,red wren,\n`,
    );
    const found = importLabels(await readLabels(world.path('labels.csv')), rows().test, testNames, () => 'green jay');
    expect(found.unknown).toEqual(['nowhere.png']);
    expect(found.acts).toEqual([
      { act: { ids: [first], label: 'red wren', asked: { why: 'import', predicted: 'green jay' } }, by: 'Cy' },
      { act: { ids: [second], label: null, asked: { why: 'import', predicted: 'green jay' } } },
    ]);
    writeFileSync(
      world.path('labels.json'),
      JSON.stringify([
        {
          data: { image: `/data/local-files/?d=${encodeURIComponent(`photos/${third}`)}` },
          annotations: [{ completed_by: { email: 'di@example.org' }, result: [{ value: { choices: ['Red Wren'] } }] }],
        },
      ]),
    );
    const studio = importLabels(await readLabels(world.path('labels.json')), rows().test, testNames, () => undefined);
    expect(studio.acts).toEqual([
      { act: { ids: [third], label: 'red wren', asked: { why: 'import' } }, by: 'di@example.org' },
    ]);
    writeFileSync(world.path('wrong.csv'), 'a,b\n1,2\n');
    await expect(readLabels(world.path('wrong.csv'))).rejects.toThrow('"picture" and "label" were expected');
  });

  it('refuses names that are taken and adds one that is not, comments kept', async () => {
    await expect(addCategory(workspace, 'Red Wren')).rejects.toThrow('one of the categories already');
    await expect(addCategory(workspace, 'amber wren')).rejects.toThrow('auxiliary categories');
    await expect(addCategory(workspace, 'a/b')).rejects.toThrow('no name');
    const file = workspace.path('bowerbird.yaml');
    writeFileSync(file, `# mine\n${readFileSync(file, 'utf8')}`);
    const changed = await addCategory(await openWorkspace(world.folder), ' dark  finch ');
    expect(changed.configuration.categories.map(({ name }) => name)).toEqual([...testNames, 'dark finch']);
    expect(readFileSync(file, 'utf8').startsWith('# mine\n')).toBe(true);
  });
});
