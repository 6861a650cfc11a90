/** What the studio shows of comparisons, searches and experiments, read from files that are written down here. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { comparison } from '../../src/studio/comparison.js';
import { fitIds } from '../../src/studio/history.js';
import type { Library } from '../../src/studio/library.js';
import { layout, openWorkspace, type Workspace } from '../../src/workspace/index.js';
import { temporaryFolder } from '../temporary-folder.js';

const folder = temporaryFolder();
let workspace: Workspace;
beforeAll(async () => {
  writeFileSync(join(folder, 'bowerbird.yaml'), 'categories: [a, b]\nauxiliary: x\ntest: y\n');
  workspace = await openWorkspace(folder);
});
const view = (trace?: Record<string, number[]>) =>
  comparison({ workspace: async () => workspace, fit: async () => trace && { trace } } as unknown as Library);
function write(path: string, content: unknown): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
}

describe('the page of comparisons', () => {
  it('is empty in a workspace where nothing was compared', async () => {
    expect(await view()).toEqual({ experiments: [], runs: [] });
    expect(await view({ objective: [3, 2] })).toMatchObject({ trace: { objective: [3, 2] } });
  });

  it('has the methods of a table, the best first, with what they are held against', async () => {
    const score = (mean: number) => ({ mean, deviation: 0, low: mean - 0.1, high: mean + 0.1 });
    const row = (method: string, mean: number) => ({
      ...{
        method,
        title: method.toUpperCase(),
        uses: ['web'],
        accuracy: score(mean),
        meanCategoryAccuracy: score(mean),
      },
      ...{ seconds: 1, chosenBy: 'search', categories: {} },
    });
    const againstReference = { method: 'lr', difference: 0.2, low: 0.1, high: 0.3, wins: 3, losses: 1, mcnemar: 0.04 };
    const table = {
      ...{ schema: 'bowerbird-compare-1', reference: 'lr', best: 'knn', skipped: [{ method: 'gfk', reason: 'why' }] },
      rows: [row('lr', 0.4), { ...row('knn', 0.6), againstReference }, row('sje', 0.5)],
    };
    write(`${layout.compare}/table.json`, table);
    const shown = (await view()).table!;
    expect(shown.rows.map(({ method }) => method)).toEqual(['knn', 'sje', 'lr']);
    expect(shown.rows[0].against).toEqual({ method: 'lr', difference: 0.2, low: 0.1, high: 0.3, p: 0.04 });
    expect(shown.rows[1].against).toBeUndefined();
    expect(shown).toMatchObject({ reference: 'lr', best: 'knn', skipped: [{ method: 'gfk', reason: 'why' }] });
    write(`${layout.compare}/table.json`, { ...table, schema: 'another' });
    expect(await view()).not.toHaveProperty('table');
  });

  it('has the trials of a search on all validation pictures, and the parameters that differ among them', async () => {
    const trial = (parameters: object, outcome: object, more: object = {}) =>
      JSON.stringify({ job: { split: 'validation', parameters, ...more }, outcome });
    const lines = [
      trial({ ridge: 1, kind: 'a', fixed: 7 }, { meanCategoryAccuracy: 0.5, accuracy: 0.1 }),
      trial({ ridge: 2, kind: true, fixed: 7 }, { accuracy: 0.6 }),
      trial({ ridge: 3, kind: 'a', fixed: 7 }, {}),
      trial({ ridge: 4, kind: 'a', fixed: 7 }, { accuracy: 0.7 }, { change: { share: 0.3 } }),
      trial({ ridge: 5, kind: 'a', fixed: 7 }, { accuracy: 0.8 }, { split: 'test' }),
      JSON.stringify({ job: { split: 'validation', parameters: { ridge: 6 } }, failure: { message: 'odd' } }),
      '{"cut',
    ];
    write(`${layout.tune}/trials.jsonl`, lines.join('\n'));
    expect(await view()).not.toHaveProperty('trials');
    write(layout.chosen, { method: 'lr' });
    expect((await view()).trials).toEqual({
      method: 'lr',
      parameters: ['ridge', 'kind'],
      points: [
        { values: { ridge: 1, kind: 'a', fixed: 7 }, accuracy: 0.5 },
        { values: { ridge: 2, kind: 'true', fixed: 7 }, accuracy: 0.6 },
      ],
    });
    write(`${layout.tune}/trials.jsonl`, '');
    expect(await view()).not.toHaveProperty('trials');
  });

  it('has the curves of experiments that lie in the workspace, and looks through no folder of pictures', async () => {
    const experiment = (title: string, scale = 'linear') => ({
      ...{ schema: 'bowerbird-experiment-1', title },
      plots: [
        {
          title: 'curve',
          x: { label: 'λ', scale },
          y: { label: '%' },
          series: [{ name: 's', points: [{ x: 1, y: 2 }] }],
        },
      ],
    });
    write('b/experiment.json', experiment('B'));
    write('a/deeper/experiment.json', experiment('A', 'log'));
    for (const path of ['pictures', '.hidden', 'a/deeper/still']) write(`${path}/experiment.json`, experiment(path));
    write('c/experiment.json', { ...experiment('C'), schema: 'another' });
    const { experiments } = await view();
    expect(experiments.map(({ title, x }) => [title, x.log])).toEqual([
      ['A: curve', true],
      ['B: curve', false],
    ]);
    expect(experiments[0].series).toEqual([{ name: 's', points: [{ x: 1, y: 2 }] }]);
  });
});

describe('fits that were kept', () => {
  it('are in the order in which they were made, whatever the clock said', async () => {
    for (const [id, about] of [
      ['2026-01-03T00-00-00Z', { sequence: 1 }],
      ['2026-01-01T00-00-00Z', { sequence: 2 }],
      ['2026-01-02T00-00-00Z', '{"cut'],
      ['.new-abc', { sequence: 9 }],
    ] as const)
      write(`.bowerbird/fits/${id}/about.json`, about);
    expect(await fitIds(workspace)).toEqual(['2026-01-01T00-00-00Z', '2026-01-03T00-00-00Z', '2026-01-02T00-00-00Z']);
    // None of them is a fit that can be shown.
    expect((await view()).runs).toEqual([]);
  });
});
