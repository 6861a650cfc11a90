import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pickedRows } from '../../../src/crawl/dedupe/feature-set.js';
import { type NearbyOptions, nearbyRows } from '../../../src/crawl/index.js';
import type { ArrayRows } from '../../../src/formats/index.js';
import { type Backend, createBackend } from '../../../src/linalg/index.js';
import { generator } from '../web/pictures.js';

let backend: Backend;
beforeAll(async () => {
  backend = await createBackend({ device: 'wasm', threads: 1 });
});
afterAll(() => backend.dispose());

function memoryRows(rows: number[][]): ArrayRows {
  const rowLength = rows[0].length;
  return {
    shape: [rows.length, rowLength],
    dtype: 'float32',
    rowLength,
    async readRows(start, end, into = new Float32Array((end - start) * rowLength)) {
      for (let i = start; i < end; i++) into.set(rows[i], (i - start) * rowLength);
      return into;
    },
    async close() {},
  };
}

/** Clusters of vectors at all sorts of distances from one another. */
function vectors(count: number, dimensions: number, seed: number): number[][] {
  const random = generator(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const rows: number[][] = [];
  for (let i = 0; i < count; i++) {
    const base = i > 0 && random() < 0.4 ? rows[Math.floor(random() * i)] : undefined;
    const spread = random() * 0.04;
    rows.push(Array.from({ length: dimensions }, (_, j) => (base ? base[j] + spread * normal() : normal())));
  }
  return rows;
}

const unit = (row: number[]) => {
  const single = row.map(Math.fround);
  const length = Math.hypot(...single);
  return single.map((value) => value / length);
};
const apart = (a: number[], b: number[]) => Math.hypot(...a.map((value, j) => value - b[j]));

/** In order, a row goes when an earlier row that stays is near. */
function bruteForce(rows: number[][], threshold: number, reference = (_: number) => false): [number, number][] {
  const units = rows.map(unit);
  const stays: number[] = [];
  const pairs: [number, number][] = [];
  for (let i = 0; i < rows.length; i++) {
    const near = stays.filter((j) => apart(units[i], units[j]) <= threshold);
    if (reference(i)) {
      pairs.push(...near.map((j): [number, number] => [i, j]));
      stays.push(i);
    } else if (near.length > 0) pairs.push([i, near[0]]);
    else stays.push(i);
  }
  return pairs;
}

async function found(rows: ArrayRows, options: Partial<NearbyOptions>): Promise<[number, number][]> {
  const pairs: [number, number][] = [];
  for await (const { row, of } of nearbyRows(rows, { backend, ...options })) pairs.push([row, of]);
  return pairs.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
}

describe('near rows', () => {
  it.each([
    [0.05, 64],
    [0.2, 64],
    [0.2, 3],
    [0.5, 8],
    [0, 8],
  ])('at distance %f with %i components are those that comparing all pairs finds', async (threshold, components) => {
    const rows = vectors(1500, 24, 9);
    const expected = bruteForce(rows, threshold);
    if (threshold >= 0.2) expect(expected.length).toBeGreaterThan(300);
    expect(await found(memoryRows(rows), { threshold, components })).toEqual(expected);
  });

  it('are the same across the borders of blocks and tiles', async () => {
    const rows = vectors(5200, 12, 4);
    expect(await found(memoryRows(rows), { threshold: 0.15 })).toEqual(bruteForce(rows, 0.15));
  }, 60_000);

  it('never remove a reference, and report all its matches', async () => {
    const rows = vectors(1200, 16, 5);
    const reference = (row: number) => row < 400;
    expect(await found(memoryRows(rows), { threshold: 0.2, isReference: reference })).toEqual(
      bruteForce(rows, 0.2, reference),
    );
  });

  it('are not merged over a chain', async () => {
    const angle = (degrees: number) => [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180), 0];
    // 10 degrees are a distance of 0.174: neighbours match, the ends do not.
    const rows = [angle(0), angle(10), angle(20), angle(30)];
    expect(await found(memoryRows(rows), { threshold: 0.18 })).toEqual([
      [1, 0],
      [3, 2],
    ]);
  });

  it('that are all the same leave one', async () => {
    const rows = Array.from({ length: 3000 }, () => [1, 2, 3, 4]);
    expect(await found(memoryRows(rows), {})).toEqual(Array.from({ length: 2999 }, (_, i) => [i + 1, 0]));
  });

  it('can be picked from several arrays in any order', async () => {
    const [a, b] = [vectors(300, 8, 1), vectors(300, 8, 1)];
    const places = [...a.keys()].flatMap((i) => [
      { rows: memoryRows(a), row: i },
      { rows: memoryRows(b), row: 299 - i },
    ]);
    const combined = [...a.keys()].flatMap((i) => [a[i], b[299 - i]]);
    expect(await found(pickedRows(places), { threshold: 0.1 })).toEqual(bruteForce(combined, 0.1));
    expect(() =>
      pickedRows([
        { rows: memoryRows([[1, 2]]), row: 0 },
        { rows: memoryRows([[1]]), row: 0 },
      ]),
    ).toThrow(/2 and of 1 dimensions/);
  });

  it('name the row that is not finite, and the memory that is not there', async () => {
    await expect(
      found(
        memoryRows([
          [1, 2],
          [Number.NaN, 1],
        ]),
        {},
      ),
    ).rejects.toThrow(/row 1 holds a value that is not finite/);
    await expect(found(memoryRows(vectors(2, 4000, 1)), { memoryLimit: 64 })).rejects.toMatchObject({
      code: 'BOWERBIRD_MEMORY',
    });
    await expect(found(memoryRows([[1], [2]]), { threshold: 3 })).rejects.toThrow(/between 0 and 2/);
  });
});
