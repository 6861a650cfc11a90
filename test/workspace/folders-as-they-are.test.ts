/** Workspaces with strangers, known shares, auxiliary categories among the answers, or hardly any auxiliary categories. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FitMetrics } from '../../src/fit/index.js';
import { readCsv } from '../../src/formats/index.js';
import { readProblem } from '../../src/problem/index.js';
import { Categories } from '../../src/studio/categories.js';
import { Library } from '../../src/studio/library.js';
import { classify, exportClassifier, openWorkspace, runWorkspace } from '../../src/workspace/index.js';
import {
  auxiliaryNames,
  bowerbird,
  drawPicture,
  makeWorld,
  testNames,
  type World,
  writeConfiguration,
} from './world.js';

const learner = { method: 'bowerbird', device: 'wasm', threads: 1 } as const;

async function run(world: World, change = {}) {
  writeConfiguration(world, { learner, report: true, ...change });
  const notes: string[] = [];
  await runWorkspace(await openWorkspace(world.folder), { onNote: (note) => notes.push(note) });
  return { notes, metrics: metricsOf(world) };
}

const metricsOf = (world: World) => JSON.parse(readFileSync(world.path('run', 'metrics.json'), 'utf8')) as FitMetrics;

describe('a folder with strangers', () => {
  let world: World;
  beforeAll(async () => {
    world = await makeWorld();
    mkdirSync(world.path('test', 'unlisted', 'amber jays'), { recursive: true });
    for (let i = 0; i < 5; i++)
      writeFileSync(world.path('test', 'unlisted', 'amber jays', `${i}.png`), await drawPicture('amber jay', 900 + i));
    await run(world);
  }, 60_000);
  afterAll(() => world.remove());

  it('scores categories on the others and counts how many strangers were recognized', async () => {
    const metrics = metricsOf(world);
    expect(metrics.strangers).toMatchObject({ pictures: 5 });
    expect(metrics.accuracy).toBeGreaterThan(0.5);
    const { header = [], rows } = await readCsv(world.path('run', 'answers.csv'));
    const truths = rows.map((cells) => cells[header.indexOf('truth')]);
    expect(truths.filter((truth) => truth === 'none of these')).toHaveLength(5);
    for (const cells of rows) expect(Number(cells[header.indexOf('unlisted')])).toBeGreaterThanOrEqual(0);
    expect(readFileSync(world.path('report.html'), 'utf8')).toContain('None of these');
    expect(existsSync(world.path('run', 'groups.csv'))).toBe(true);
  });

  it('is answered in the same words by classify, and exported with an output for it', async () => {
    const workspace = await openWorkspace(world.folder);
    const { pictures } = await classify(workspace, [world.path('test', 'unlisted')]);
    for (const { unlisted, confidence } of pictures) expect(unlisted! + confidence!).toBeLessThanOrEqual(1 + 1e-9);
    const files = await exportClassifier(workspace, world.path('out'), ['onnx', 'safetensors']);
    expect(files).toContain('classifier.onnx');
    expect(readFileSync(world.path('out', 'MODEL_CARD.md'), 'utf8')).toContain('`unlisted`: the chance');
    expect(readFileSync(world.path('out', 'classifier.onnx')).includes('unlisted')).toBe(true);
    await expect(exportClassifier(workspace, world.path('out'), ['xlsa17'])).rejects.toThrow(/not all listed/);
    const { stdout } = await bowerbird(['classify', world.path('test', 'unlisted'), '-w', world.folder]);
    for (const [i, line] of stdout.trim().split('\n').entries())
      expect(line.includes('none of these')).toBe(pictures[i].unlisted! > 0.5);
  });

  it('is shown in the studio with its groups', async () => {
    const { strangers } = await new Categories(new Library(world.folder)).view();
    const { header = [], rows } = await readCsv(world.path('run', 'predictions.csv'));
    const called = rows.filter((cells) => Number(cells[header.indexOf('unlisted')]) > 0.5);
    expect(strangers).toMatchObject({ pictures: called.length, of: rows.length });
    expect(strangers!.groups.reduce((sum, { count }) => sum + count, 0)).toBe(called.length);
  });

  it('still refuses a sub-folder that is a misspelt category', async () => {
    mkdirSync(world.path('test', 'blue fnich'));
    copyFileSync(world.path('test', 'unlisted', 'amber jays', '0.png'), world.path('test', 'blue fnich', '0.png'));
    await expect(run(world)).rejects.toThrow(/"blue fnich", which is none of the categories/);
    rmSync(world.path('test', 'blue fnich'), { recursive: true });
  });
});

describe('a workspace', () => {
  let world: World;
  beforeAll(async () => {
    world = await makeWorld();
  });
  afterAll(() => world.remove());

  it('tells the method the shares that its user knows', async () => {
    await run(world, { shares: { 'blue finch': 2, 'red wren': 0, 'green jay': 2 }, report: false });
    const { testShares } = await readProblem(world.path('problem.npz'));
    expect([...testShares!]).toEqual([0.5, 0, 0.5]);
    const { rows } = await readCsv(world.path('run', 'predictions.csv'));
    expect(new Set(rows.map(([, name]) => name))).not.toContain('red wren');
    const { notes } = await run(world, { shares: 'equal', learner: { ...learner, method: 'lr' }, report: false });
    expect(notes.join()).toContain('lr takes no account of the shares');
  }, 60_000);

  it.each([
    [{ shares: { 'blue finch': 2, 'red wren': 1 } }, /shares does not say how frequent "green jay" is/],
    [
      { shares: { ...Object.fromEntries(testNames.map((name) => [name, 1])), owl: 1 } },
      /shares.owl is none of the categories/,
    ],
    [{ shares: 'even' }, /shares is "even"; one of unknown, equal or keys with values was expected/],
    [{ answers: 'some' }, /answers is "some"; one of listed, all was expected/],
    [{ answers: 'all', learner: { method: 'knn' } }, /knn chooses among the listed categories only/],
    [{ learner: { method: 'chao' } }, /chao, which chooses among the auxiliary categories too/],
  ])('says what is wrong with %j', async (change, message) => {
    writeConfiguration(world, change as never);
    await expect(openWorkspace(world.folder)).rejects.toThrow(message);
  });

  it('chooses among auxiliary categories too where it is told to, and scores both kinds', async () => {
    mkdirSync(world.path('test', 'pale jay'));
    for (let i = 0; i < 6; i++)
      writeFileSync(world.path('test', 'pale jay', `${i}.png`), await drawPicture('pale jay', 700 + i));
    const compare = { methods: ['bowerbird', 'lr-mix', 'knn'], tune: 0 };
    const { metrics, notes } = await run(world, { answers: 'all', compare });
    const { seen, unseen, harmonic } = metrics;
    expect(harmonic).toBeCloseTo((2 * seen! * unseen!) / (seen! + unseen!), 12);
    expect(seen).toBeGreaterThan(0.5);
    const { names } = { names: readFileSync(world.path('run', 'run.json'), 'utf8') };
    for (const name of [...testNames, ...auxiliaryNames]) expect(names).toContain(name);
    const answers = await readCsv(world.path('run', 'answers.csv'));
    const unlisted = answers.rows.map((cells) => cells[answers.header!.indexOf('unlisted')]);
    for (const chance of unlisted) expect(chance).toMatch(/^[01](\.\d+)?(e-\d+)?$/);
    const { header = [], rows } = await readCsv(world.path('compare', 'table.csv'));
    expect(rows.map(([method]) => method)).toEqual(['bowerbird', 'lr-mix']);
    for (const cells of rows) expect(cells[header.indexOf('harmonic')]).toMatch(/^[01](\.\d+)?$/);
    // Without a search the workspace's own method is compared as it is fitted.
    expect(rows.map((cells) => cells[header.indexOf('chosen_by')])).toEqual(['given', 'defaults']);
    expect(Number(rows[0][header.indexOf('harmonic')])).toBeCloseTo(harmonic!, 6);
    expect(notes.join()).toContain('knn is left out');
    const { stages } = JSON.parse(readFileSync(world.path('.bowerbird', 'stages.json'), 'utf8'));
    expect(stages.compare.summary).toMatch(/^2 methods, best \S+ with \d+\.\d\d %$/);
    expect(readFileSync(world.path('report.html'), 'utf8')).toContain('Harmonic mean');
    rmSync(world.path('test', 'pale jay'), { recursive: true });
  }, 60_000);
});

describe.each([2, 3])('a workspace with %i auxiliary categories', (count) => {
  it('keeps default parameters, and says so', async () => {
    const world = await makeWorld({ auxiliary: 4, test: 3, web: 4, validation: false });
    try {
      for (const name of auxiliaryNames.slice(count)) rmSync(world.path('auxiliary', name), { recursive: true });
      const compare = { methods: ['lr', 'bowerbird'], tune: 2 };
      const { notes, metrics } = await run(world, { tune: { trials: 2 }, compare });
      if (count === 2) expect(notes.join('\n')).toMatch(/parameters keep their defaults/);
      if (count === 2) expect(notes.join('\n')).toMatch(/methods keep their default parameters/);
      expect(notes.join('\n')).toMatch(/too few to rehearse with/);
      expect(metrics.accuracy).toBeGreaterThan(0.3);
      const { header = [], rows } = await readCsv(world.path('run', 'answers.csv'));
      for (const cells of rows) expect(Number(cells[header.indexOf('confidence')])).toBeLessThan(0.99);
      const { pictures } = await classify(await openWorkspace(world.folder), [world.path('test')]);
      for (const { confidence } of pictures) expect(confidence ?? 0).toBeLessThan(0.99);
      expect(existsSync(world.path('report.html'))).toBe(true);
    } finally {
      world.remove();
    }
  }, 60_000);
});
