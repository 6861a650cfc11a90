/** Fits that the studio keeps and lays side by side, from files that are written by hand. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { mcnemarP } from '../../src/evaluation/index.js';
import { accuracyIntervals } from '../../src/fit/index.js';
import { writeNpy } from '../../src/formats/index.js';
import { compareRuns, lastChange, takeBackSince } from '../../src/studio/comparison.js';
import { keepFit, listFits, openFit, openStandingFit } from '../../src/studio/history.js';
import { Library } from '../../src/studio/library.js';
import { openWorkspace, recordActs, resultOf } from '../../src/workspace/index.js';
import { folder, path, useFolder, write, writeListing } from './written-workspace.js';

useFolder();

const metrics = {
  ...{ accuracy: 0.75, meanCategoryAccuracy: 0.7, thetaArea: 0.9 },
  ...{ categories: { wren: 0.5, finch: 0.9 }, categoryPictures: { wren: 4, finch: 8 } },
};

interface Written {
  finished?: string;
  /** Answer by test picture. */
  answers?: Record<string, string>;
  /** By web picture. */
  weights?: Record<string, number>;
  states?: { fit?: object; problem?: object };
}

/** A fit in `run/`, and a record that the stages before it are done. */
async function writeFit({ finished = '2026-01-01T10:00:00.000Z', answers = {}, weights, states = {} }: Written = {}) {
  const problem = { state: 'done', inputs: {}, output: 'p', finished: '2026-01-01T09:00:10.000Z', seconds: 10 };
  const fit = { state: 'done', inputs: { [resultOf('problem')]: 'p' }, finished };
  const stages = { fit: { ...fit, ...states.fit }, problem: { ...problem, ...states.problem } };
  write('.bowerbird/stages.json', JSON.stringify({ version: 1, stages }));
  write('run/run.json', JSON.stringify({ schema: 'bowerbird-fit-1', seconds: 12.5, categories: ['wren', 'finch'] }));
  write('run/metrics.json', JSON.stringify(metrics));
  const rows = Object.values(answers).map((name, row) => `${row},${name},0,1,0.5,wren,1`);
  write('run/predictions.csv', `row,name,category,score,confidence,runner_up,margin\n${rows.join('\n')}\n`);
  write('run/trace.csv', 'iteration,objective\n1,3\n2,2.5\n');
  const web = Object.keys(weights ?? {});
  write('problem-pictures.json', JSON.stringify({ web, test: Object.keys(answers) }));
  if (weights)
    await writeNpy(path('run', 'weights.npy'), {
      dtype: 'float64',
      shape: [web.length],
      data: Float64Array.from(Object.values(weights)),
    });
}

describe('a fit that ended', () => {
  it('is kept with the names of its pictures, when it ended, how, and what was decided before', async () => {
    const workspace = await openWorkspace(folder);
    await recordActs(workspace, [
      { ids: ['x', 'y'], decision: 'drop' },
      { ids: ['z'], decision: 'keep' },
    ]);
    await writeFit({ answers: { a: 'wren', b: 'finch' }, weights: { w1: 0.25, w2: 2 } });
    expect(await keepFit(workspace)).toBe(true);
    const id = '2026-01-01T10-00-00-000Z';
    expect(readdirSync(path('.bowerbird', 'fits'))).toEqual([id]);
    expect(JSON.parse(readFileSync(path('.bowerbird', 'fits', id, 'about.json'), 'utf8'))).toEqual({
      ...{ finished: '2026-01-01T10:00:00.000Z', method: 'bowerbird', dropped: 2, sequence: 1 },
      decidedBefore: '2026-01-01T09:00:00.000Z',
    });
    const [view] = await listFits(workspace);
    const { accuracy, meanCategoryAccuracy } = accuracyIntervals(metrics as never);
    expect(view).toEqual({
      ...{ id, finished: '2026-01-01T10:00:00.000Z', method: 'bowerbird', seconds: 12.5, droppedByHand: 2 },
      ...{ accuracy: 0.75, meanCategoryAccuracy: 0.7, thetaArea: 0.9, webPictures: 2, current: true },
      intervals: { accuracy, meanCategoryAccuracy },
    });
    const kept = await openFit(workspace, id);
    expect([...kept.predictions].map(([picture, { name }]) => [picture, name])).toEqual([
      ['a', 'wren'],
      ['b', 'finch'],
    ]);
    expect([...kept.weights]).toEqual([
      ['w1', 0.25],
      ['w2', 2],
    ]);
    expect(kept).toMatchObject({ id, metrics, strangerGroups: [], trace: { iteration: [1, 2], objective: [3, 2.5] } });
  });

  it('is the current one while its stage stands, and only then', async () => {
    const workspace = await openWorkspace(folder);
    await writeFit();
    await keepFit(workspace);
    await writeFit({ finished: '2026-01-02T10:00:00.000Z' });
    await keepFit(workspace);
    const current = async () => (await listFits(workspace)).map((view) => [view.id.slice(8, 10), view.current]);
    expect(await current()).toEqual([
      ['02', true],
      ['01', false],
    ]);
    await writeFit({ finished: '2026-01-02T10:00:00.000Z', states: { fit: { state: 'running' } } });
    expect(await current()).toEqual([
      ['02', false],
      ['01', false],
    ]);
  });

  it('is not taken for one where it does not belong to the problem, or has not ended', async () => {
    const workspace = await openWorkspace(folder);
    const kept = async (states: Written['states']) => {
      await writeFit({ states });
      expect(await keepFit(workspace)).toBe(true);
      return [existsSync(path('.bowerbird', 'fits')), (await openStandingFit(workspace)) !== undefined];
    };
    expect(await kept({ fit: { state: 'failed' } })).toEqual([false, false]);
    expect(await kept({ problem: { state: 'failed' } })).toEqual([false, false]);
    expect(await kept({ problem: { output: 'another' } })).toEqual([false, false]);
    expect(await kept({ fit: { finished: undefined } })).toEqual([false, false]);
    expect(await kept({})).toEqual([true, true]);
  });

  it('of another version is not kept, and leaves nothing behind; one without weights has none', async () => {
    const workspace = await openWorkspace(folder);
    await writeFit({ answers: { a: 'wren' } });
    const standing = await openStandingFit(workspace);
    expect([standing!.id, standing!.weights.size, standing!.predictions.get('a')!.name]).toEqual([
      'standing',
      0,
      'wren',
    ]);
    write('run/run.json', JSON.stringify({ schema: 'older' }));
    expect(await keepFit(workspace)).toBe(false);
    expect(readdirSync(path('.bowerbird', 'fits'))).toEqual([]);
    rmSync(path('run', 'metrics.json'));
    expect(await openStandingFit(workspace)).toBeUndefined();
  });

  it('takes the place of the oldest when twenty are kept', async () => {
    const workspace = await openWorkspace(folder);
    for (let k = 1; k <= 20; k++)
      write(
        `.bowerbird/fits/2025-01-${String(k).padStart(2, '0')}T00Z/about.json`,
        JSON.stringify({ sequence: k + 5 }),
      );
    await writeFit();
    await keepFit(workspace);
    const kept = readdirSync(path('.bowerbird', 'fits')).sort();
    expect(kept).toHaveLength(20);
    expect([kept[0], kept.at(-1)]).toEqual(['2025-01-02T00Z', '2026-01-01T10-00-00-000Z']);
    const about = JSON.parse(readFileSync(path('.bowerbird', 'fits', kept.at(-1)!, 'about.json'), 'utf8'));
    expect(about.sequence).toBe(26);
  });
});

describe('two fits side by side', () => {
  /** Pictures in the folders of their categories, one of them without an answer that is known. */
  const first = { 'wren/1': 'wren', 'wren/2': 'wren', 'wren/3': 'finch', 'finch/1': 'wren', odd: 'wren', gone: 'wren' };
  const second = {
    'wren/1': 'wren',
    'wren/2': 'finch',
    'wren/3': 'wren',
    'finch/1': 'finch',
    odd: 'finch',
    new: 'wren',
  };

  async function writeBoth() {
    writeListing();
    const rows = Object.keys(first).map(
      (id, row) => `${id},${id}.jpg,${id.includes('/') ? id.split('/')[0] : ''},0,${row}`,
    );
    write('features/test/index.csv', `id,path,category,shard,row\n${rows.join('\n')}\n`);
    const library = new Library(folder);
    await writeFit({ answers: first, weights: { w1: 1, w2: 0.5, w3: 0.5, lost: 3 } });
    await library.fit();
    await writeFit({
      ...{ finished: '2026-01-02T10:00:00.000Z', answers: second, weights: { w2: 0.2, w1: 1.004, w3: 1.5 } },
      states: { problem: { finished: '2026-01-02T09:00:00.000Z', seconds: 0 } },
    });
    await lastChange(library);
    return library;
  }
  const [one, two] = ['2026-01-01T10-00-00-000Z', '2026-01-02T10-00-00-000Z'];

  it('differ in the pictures that both answered, and by who was right', async () => {
    const library = await writeBoth();
    const found = (await lastChange(library))!;
    expect([found.first.id, found.second.id]).toEqual([one, two]);
    expect(found).toMatchObject({ testPictures: 5, agreeing: 1, changes: 4, onlyFirstRight: 1, onlySecondRight: 2 });
    expect(found.p).toBeCloseTo(mcnemarP(1, 2), 12);
    expect(found.changed).toEqual([
      ...[
        { id: 'wren/2', label: '2', category: 'wren', first: 'wren', second: 'finch', truth: 'wren' },
        { id: 'wren/3', label: '3', category: 'wren', first: 'finch', second: 'wren', truth: 'wren' },
        { id: 'finch/1', label: '1', category: 'finch', first: 'wren', second: 'finch', truth: 'finch' },
        { id: 'odd', label: 'odd', category: 'finch', first: 'wren', second: 'finch', truth: undefined },
      ].map((picture) => ({ set: 'test', ...picture })),
    ]);
    const share = { share: 0.5, interval: accuracyIntervals(metrics as never).categories.wren };
    expect(found.categories[0]).toEqual({ name: 'wren', first: share, second: share });
    expect(found.categories[1].first!.share).toBe(0.9);
    expect(await compareRuns(library, one, 'none')).toBeUndefined();
    expect(await compareRuns(library, 'none', two)).toBeUndefined();
  });

  it('say whose right answers are known only where some are', async () => {
    const library = await writeBoth();
    write('features/test/index.csv', 'id,path,category,shard,row\n');
    const found = (await lastChange(library))!;
    expect(found).not.toHaveProperty('p');
    expect(found).not.toHaveProperty('onlyFirstRight');
  });

  it('differ in the weights of web pictures, those that changed most first, small changes left out', async () => {
    const library = await writeBoth();
    const { weights, moves } = (await compareRuns(library, one, two))!;
    expect(weights).toEqual([
      { id: 'w1', first: 1, second: 1.004 },
      { id: 'w2', first: 0.5, second: 0.2 },
      { id: 'w3', first: 0.5, second: 1.5 },
    ]);
    expect(moves).toMatchObject([
      { set: 'web', id: 'w3', label: '', category: 'jay', first: 0.5, second: 1.5 },
      { set: 'web', id: 'w2', category: 'wren', first: 0.5, second: 0.2 },
    ]);
    expect(moves).toHaveLength(2);
  });

  it('tell how many decisions were made after the first, which can be taken back', async () => {
    const library = await writeBoth();
    await recordActs(await library.workspace(), [{ ids: ['w1'], decision: 'drop' }]);
    await recordActs(await library.workspace(), [{ ids: ['w2'], decision: 'drop' }]);
    expect((await compareRuns(library, one, two))!.decisionsSince).toBe(2);
    expect(await takeBackSince(library, 'none')).toBe(0);
    expect(await takeBackSince(library, one)).toBe(2);
    expect((await library.decisions()).of.size).toBe(0);
    expect(await takeBackSince(library, one)).toBe(0);
  });
});
