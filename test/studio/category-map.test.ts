/** The map of categories, in score space of two categories: there the plane keeps all distances, which are known by hand. */
import { beforeEach, describe, expect, it } from 'vitest';
import { saveModel } from '../../src/fit/model-file.js';
import { writeNpy } from '../../src/formats/index.js';
import { Matrix } from '../../src/linalg/index.js';
import { categoryMap, type MapSetting } from '../../src/studio/category-map.js';
import { openWorkspace } from '../../src/workspace/index.js';
import { folder, path, useFolder, write } from './written-workspace.js';

useFolder();

/** Features of pictures, a row each, which the model hands on as scores: the first, and twice the second. */
async function writeFeatures(set: string, rows: Record<string, [number, number]>) {
  const index = Object.keys(rows).map((id, row) => `${id},${id}.jpg,,0,${row}`);
  write(`features/${set}/index.csv`, `id,path,category,shard,row\n${index.join('\n')}\n`);
  await writeNpy(path('features', set, 'shard-00000.npy'), Matrix.from(Object.values(rows), 'float32'));
}
const test = { a: [1, 0], b: [0, 1], c: [3, 2], d: [-1, 4] } satisfies Record<string, [number, number]>;
const web = { w1: [1, 1], w2: [5, 1], w3: [0, 3], w4: [9, 9], w5: [7, 7] } satisfies Record<string, [number, number]>;
const scores = ([x, y]: number[]) => [x, 2 * y];
const found: Record<string, string> = { w1: 'wren', w2: 'wren', w3: 'finch', w4: 'jay' };
const names = ['wren', 'finch'];

async function settingOf(more: object = {}): Promise<MapSetting> {
  const fit = {
    rows: { test: Object.keys(test), web: Object.keys(web) },
    weights: new Map([
      ['w1', 3],
      ['w2', 1],
      ['w3', 0.5],
    ]),
    predictions: new Map([
      ['a', { name: 'finch' }],
      ['b', { name: 'wren' }],
    ]),
    ...more,
  };
  const workspace = await openWorkspace(folder);
  const truths = new Map([['a', 'wren']]);
  return { workspace, fit, names, truths, categoryOf: (id: string) => found[id] } as unknown as MapSetting;
}

const distance = (a: { x: number; y: number }, b: { x: number; y: number }) => Math.hypot(a.x - b.x, a.y - b.y);
const apart = (a: number[], b: number[]) => Math.hypot(a[0] - b[0], a[1] - b[1]);

describe('the map of categories', () => {
  beforeEach(async () => {
    const weights = new Matrix(Float64Array.of(1, 0, 0, 2), 2, 2);
    const scorer = { weights, bias: new Float64Array(2), names, normalize: 'none' as const };
    write('run/run.json', JSON.stringify({ schema: 'bowerbird-fit-1', categories: ['finch', 'wren'] }));
    await saveModel(path('run', 'model.safetensors'), { scorer, method: 'lr', kind: 'linear' });
    await writeFeatures('test', test);
    await writeFeatures('web', web);
  });

  it('shows scores of pictures, and each category at the weighted mean of its web pictures', async () => {
    const map = (await categoryMap(await settingOf()))!;
    expect(map.kind).toBe('scores');
    expect(map.pictures.map(({ id, category, truth }) => [id, category, truth])).toEqual([
      ['a', 1, 0],
      ['b', 0, -1],
      ['c', -1, -1],
      ['d', -1, -1],
    ]);
    const wren = [(3 * 1 + 5) / 4, 2];
    const finch = [0, 6];
    const known = [...Object.values(test).map(scores), wren, finch];
    const shown = [...map.pictures, map.categories[0]!, map.categories[1]!];
    for (const [i, one] of shown.entries())
      for (const [j, other] of shown.entries()) expect(distance(one, other)).toBeCloseTo(apart(known[i], known[j]), 6);
    expect(map.shares[0] + map.shares[1]).toBeCloseTo(1, 9);
    expect(map.shares[0]).toBeGreaterThan(map.shares[1]);
  });

  it('counts web pictures alike where the method weighs none, and leaves out a category without any', async () => {
    const setting = await settingOf({ weights: new Map() });
    const map = (await categoryMap({ ...setting, categoryOf: (id) => (id === 'w3' ? undefined : found[id]) }))!;
    expect(map.categories[1]).toBeUndefined();
    expect(distance(map.categories[0]!, map.pictures[0])).toBeCloseTo(apart([3, 2], scores(test.a)), 6);
  });

  it('places a category by the sixty pictures that are trusted most', async () => {
    const many = Object.fromEntries(Array.from({ length: 70 }, (_, k) => [`m${k}`, [k, 0] as [number, number]]));
    await writeFeatures('web', many);
    const rows = { test: Object.keys(test), web: Object.keys(many) };
    const weights = new Map(Object.keys(many).map((id, k) => [id, k < 10 ? 1 : 2]));
    const setting = await settingOf({ rows, weights });
    const map = (await categoryMap({ ...setting, categoryOf: () => 'wren' }))!;
    // Those from 10 to 69, of the same weight.
    expect(distance(map.categories[0]!, map.pictures[0])).toBeCloseTo(39.5 - 1, 6);
  });

  it('shows learnt vectors instead, where there is one for every picture', async () => {
    const vectors = Object.values(test).map(([x, y]) => [10 * x, y]);
    await writeNpy(path('run', 'semantics.npy'), Matrix.from(vectors));
    const categories = [
      [0, 0],
      [20, 5],
    ];
    await writeNpy(path('run', 'category-semantics.npy'), Matrix.from(categories));
    const map = (await categoryMap(await settingOf()))!;
    expect(map.kind).toBe('semantics');
    // The record of the fit names them in another order.
    expect(distance(map.categories[0]!, map.pictures[2])).toBeCloseTo(apart(categories[1], vectors[2]), 9);
    expect(distance(map.categories[1]!, map.pictures[1])).toBeCloseTo(apart(categories[0], vectors[1]), 9);
    await writeNpy(path('run', 'semantics.npy'), Matrix.from(vectors.slice(1)));
    expect((await categoryMap(await settingOf()))!.kind).toBe('scores');
  });

  it('is none of a single picture, and none without a model', async () => {
    expect(await categoryMap(await settingOf({ rows: { test: ['a'], web: [] } }))).toBeUndefined();
    write('run/model.safetensors', '');
    await expect(categoryMap(await settingOf())).rejects.toThrow();
  });

  it('shows three thousand pictures at most, evenly chosen', async () => {
    const many = Object.fromEntries(Array.from({ length: 3001 }, (_, k) => [`t${k}`, [k, 1] as [number, number]]));
    await writeFeatures('test', many);
    const rows = { test: Object.keys(many), web: Object.keys(web) };
    const { pictures } = (await categoryMap(await settingOf({ rows })))!;
    expect(pictures).toHaveLength(1501);
    expect(pictures.slice(0, 3).map(({ id }) => id)).toEqual(['t0', 't2', 't4']);
  });
});
