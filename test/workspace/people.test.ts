/** What several people said of test pictures: who is believed, how far they agree, how right the folder is. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agreementOf, estimateFromAnswers } from '../../src/workspace/answer-estimate.js';
import {
  type Act,
  agreedLabel,
  type Decisions,
  decisionInputs,
  keptDuplicatesInput,
  orphanedDecisions,
  type PersonAnswer,
  readDecisions,
  recordActs,
  undoDecision,
  webDuplicates,
} from '../../src/workspace/decisions.js';
import { openWorkspace, type Workspace } from '../../src/workspace/workspace.js';

const said = (by: string, label: string | null, at = '2026-01-01', asked?: PersonAnswer['asked']): PersonAnswer => ({
  ...{ by, label, at },
  ...(asked && { asked }),
});
const answersOf = (pictures: Record<string, PersonAnswer[]>) =>
  ({ answers: new Map(Object.entries(pictures)) }) as unknown as Decisions;

describe('the label that people agree on', () => {
  it('is what most of them said, and the last word where as many said another', () => {
    expect(agreedLabel([said('a', 'x'), said('b', 'y'), said('c', 'x')])).toBe('x');
    expect(agreedLabel([said('a', 'x'), said('b', 'y')])).toBe('y');
    expect(agreedLabel([said('a', 'x'), said('b', 'y'), said('c', 'z'), said('d', 'x'), said('e', 'y')])).toBe('y');
    expect(agreedLabel([said('a', null), said('b', null), said('c', 'x')])).toBeNull();
  });
});

describe('the agreement of people', () => {
  it('is undefined where no two of them answered one picture', () => {
    expect(agreementOf(answersOf({ p: [said('a', 'x')], q: [said('b', 'x')] }))).toBeUndefined();
  });

  it('is counted over all pairs of answers to one picture, and beyond chance', () => {
    const found = agreementOf(
      answersOf({
        p: [said('b', 'x'), said('a', 'x'), said('c', 'y')],
        q: [said('a', 'y'), said('b', 'y')],
        r: [said('d', 'z')],
      }),
    )!;
    expect(found.people).toEqual(['a', 'b', 'c', 'd']);
    expect(found.pictures).toBe(2);
    // Pairs: xx, xy, xy, yy. Of the eight answers in them four are x, four y.
    expect(found.agreeing).toBe(0.5);
    expect(found.kappa).toBeCloseTo((0.5 - 0.5) / (1 - 0.5), 12);
    expect(found.disputed.map(({ id, answers }) => [id, answers.length])).toEqual([['p', 3]]);
  });

  it('is entire where all say the same, though they say nothing else', () => {
    const found = agreementOf(answersOf({ p: [said('a', 'x'), said('b', 'x')] }))!;
    expect([found.agreeing, found.kappa, found.disputed]).toEqual([1, 1, []]);
    const none = agreementOf(answersOf({ p: [said('a', 'x'), said('b', null)] }))!;
    expect([none.agreeing, none.kappa]).toEqual([0, -1]);
  });
});

describe('how right a folder is', () => {
  const drawn = (place: number) => ({ weight: 1, open: 10, place });
  const check = (predicted: string | null, place: number) => ({
    why: 'check' as const,
    predicted,
    drawn: drawn(place),
  });

  it('is what pictures drawn at random say, each by what was predicted when it was first asked', () => {
    const pictures = {
      right: [said('a', 'x', '2026-01-02', check('x', 0.2)), said('b', 'x', '2026-01-05', check('y', 0.2))],
      wrong: [said('a', 'x', '2026-01-01', check('y', 0.6))],
      stranger: [said('a', null, '2026-01-03', check(null, 0.8))],
      unasked: [said('a', 'x')],
    };
    const found = estimateFromAnswers(answersOf(pictures), 12)!;
    expect(found).toMatchObject({ checked: 3, answered: 4, pictures: 12 });
    // Of ten open pictures a third is wrong; one mistake was found, by the first of three checks.
    expect(found.accuracy).toBeCloseTo(1 - (10 / 3 - 1 / 3) / 12, 9);
  });

  it('is not known where nothing was drawn', () => {
    const asked = { why: 'gain' as const, predicted: 'x' };
    expect(estimateFromAnswers(answersOf({ p: [said('a', 'x', '2026-01-01', asked)] }), 5)).toBeUndefined();
  });
});

describe('what is done to pictures', () => {
  let folder: string;
  let workspace: Workspace;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'bowerbird-people-'));
    writeFileSync(join(folder, 'bowerbird.yaml'), 'categories: [a, b]\nauxiliary: aux\ntest: test\n');
    workspace = await openWorkspace(folder);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const act = (acts: Act[], by?: string) => recordActs(workspace, acts, by);

  it('can be taken back by the one who did it, the last first, and nothing where there is nothing', async () => {
    expect(await undoDecision(workspace)).toBeUndefined();
    await act([{ ids: ['p'], label: 'a' }], 'ada');
    await act([{ ids: ['p'], label: 'b' }], 'bob');
    expect(await undoDecision(workspace, 'eve')).toBeUndefined();
    expect(await undoDecision(workspace, 'ada')).toMatchObject({ by: 'ada', label: 'a' });
    const { answers, undoable } = await readDecisions(workspace);
    expect(answers.get('p')).toEqual([{ by: 'bob', label: 'b', at: expect.any(String) }]);
    expect(undoable).toBe(1);
    await undoDecision(workspace);
    expect((await readDecisions(workspace)).answers.size).toBe(0);
    const lines = readFileSync(join(folder, '.bowerbird', 'decisions.jsonl'), 'utf8')
      .split('\n')
      .filter(Boolean);
    expect(lines.map((line) => JSON.parse(line).undo)).toEqual([undefined, undefined, true, true]);
  });

  it('needs a picture', async () => {
    await expect(act([{ ids: [], decision: 'keep' }])).rejects.toMatchObject({ name: 'ArgumentError' });
  });

  it('keeps a moved picture under its new category until another decision', async () => {
    await act([{ ids: ['w', 'v'], move: 'b' }]);
    let found = await readDecisions(workspace);
    expect([found.of.get('w'), found.moved.get('w')]).toEqual(['keep', 'b']);
    await act([{ ids: ['w'], decision: 'drop' }]);
    await act([{ ids: ['v'], decision: 'none' }]);
    found = await readDecisions(workspace);
    expect([found.of.get('w'), found.moved.has('w'), found.of.has('v')]).toEqual(['drop', false, false]);
  });

  it('remembers the last answer of each person, and pictures nobody could tell', async () => {
    await act([{ ids: ['p', 'q'], label: 'a' }], 'ada');
    await act([{ ids: ['p'], label: null, asked: { why: 'gain' } }], 'ada');
    await act([{ ids: ['p'], label: 'b' }]);
    await act([{ ids: ['r'], unsure: true }]);
    const { answers, unsure } = await readDecisions(workspace);
    expect(answers.get('p')!.map(({ by, label, asked }) => [by, label, asked?.why])).toEqual([
      ['ada', null, 'gain'],
      ['', 'b', undefined],
    ]);
    expect(answers.get('q')!).toHaveLength(1);
    expect([...unsure]).toEqual(['r']);
  });

  it('is an input of stages, each kind by itself, whatever the order', async () => {
    await act([
      { ids: ['p'], label: 'a' },
      { ids: ['q'], label: 'b' },
      { ids: ['v'], move: 'b' },
      { ids: ['w'], move: 'a' },
    ]);
    const inputs = await decisionInputs(workspace);
    expect(Object.keys(inputs).sort()).toEqual([
      'the answers about test pictures',
      'the pictures kept by hand',
      'the pictures moved by hand',
    ]);
    for (let k = 0; k < 4; k++) await undoDecision(workspace);
    await act([
      { ids: ['w'], move: 'a' },
      { ids: ['v'], move: 'b' },
      { ids: ['q'], label: 'b' },
      { ids: ['p'], label: 'a' },
    ]);
    expect(await decisionInputs(workspace)).toEqual(inputs);
    await act([{ ids: ['p'], label: 'b' }]);
    expect((await decisionInputs(workspace))['the answers about test pictures']).not.toBe(
      inputs['the answers about test pictures'],
    );
  });

  it('about duplicates is an input where some are kept', async () => {
    const [kept, other] = ['a'.repeat(24), 'b'.repeat(24)];
    expect(await keptDuplicatesInput(workspace)).toEqual({});
    await act([{ ids: [kept], decision: 'drop' }]);
    writeFileSync(
      join(folder, '.bowerbird', 'merges.jsonl'),
      `${JSON.stringify({ removed: kept, stays: other })}\n${JSON.stringify({ removed: 'c', stays: `x${other}` })}\n`,
    );
    expect([...(await webDuplicates(workspace))]).toEqual([kept]);
    expect(await keptDuplicatesInput(workspace)).toEqual({});
    await act([{ ids: [kept], decision: 'keep' }]);
    expect(Object.keys(await keptDuplicatesInput(workspace))).toEqual(['the duplicates kept by hand']);
    expect(await orphanedDecisions(workspace)).toBe(1);
  });
});
