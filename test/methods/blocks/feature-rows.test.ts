/** Features that stay in a file, against the same in memory. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Backend } from '../../../src/linalg/backend.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { contentOrderOf, featuresAt, rowsAtOnce, visitFeatures } from '../../../src/methods/blocks/feature-rows.js';
import { WhitenedSpace } from '../../../src/methods/blocks/whitened-space.js';
import { contentOrder } from '../../../src/numerics/index.js';
import { generateProblem } from '../../../src/problem/generate.js';
import type { FeatureRows } from '../../../src/problem/index.js';
import { selectIntegers, selectRows } from '../../../src/problem/rows.js';
import { backends } from '../../linalg/backends.js';
import { asFile, unread } from '../streamed-rows.js';

const matrix = Matrix.from(Array.from({ length: 23 }, (_, i) => [i, 100 - i, Math.sin(i)]));

describe('features in a file', () => {
  it.each([1, 4, 23, undefined])('are seen once each and in their order, %s rows at a time', async (atOnce) => {
    const seen: number[] = [];
    let longest = 0;
    await visitFeatures(asFile(matrix, atOnce), (block, place) => {
      expect(place).toBe(seen.length);
      longest = Math.max(longest, block.rows);
      for (let i = 0; i < block.rows; i++) seen.push(block.at(i, 0));
    });
    expect(seen).toEqual(Array.from({ length: 23 }, (_, i) => i));
    expect(longest).toBe(atOnce ?? 23);
  });

  it('are read a bounded number of bytes at a time', () => {
    const wide = { rows: 1e6, cols: 1024, dtype: 'float32' as const, read: async () => {} };
    expect(rowsAtOnce(wide) * 1024 * 4).toBeLessThanOrEqual(2 ** 25);
    expect(rowsAtOnce({ ...wide, cols: 1e9 })).toBe(1);
  });

  it('are gathered in the order asked for, so many together', async () => {
    const rows = Int32Array.from({ length: 23 }, (_, i) => (i * 7) % 23);
    for (const atOnce of [1, 3, undefined]) {
      const sizes: number[] = [];
      const see = (block: Matrix, place: number) => {
        sizes.push(block.rows);
        expect(block.copy()).toEqual(selectRows(matrix, rows.subarray(place, place + block.rows)).copy());
      };
      await visitFeatures(asFile(matrix, atOnce), see, { rows, together: 5 });
      expect(sizes).toEqual([5, 5, 5, 5, 3]);
    }
  });

  it('are found by number, in any order', async () => {
    const rows = Int32Array.of(3, 4, 5, 20, 0, 1, 22);
    const found = await featuresAt(asFile(matrix, 2), rows);
    expect(found).toEqual(selectRows(matrix, rows));
  });

  it('are put in the order of their content, where the first columns, all columns and labels leave it open too', async () => {
    const cols = 19;
    const rows = Array.from({ length: 60 }, (_, i) =>
      Array.from({ length: cols }, (_, j) => (j < 3 || (j < 10 && i % 2) ? 0 : ((i * 37 + j * (i % 5)) % 7) - 3)),
    );
    // Some twice, one of them three times.
    const features = Matrix.from([...rows, ...rows.slice(0, 20), rows[7]]);
    const labels = Int32Array.from({ length: features.rows }, (_, i) => (i * 5) % 3);
    const expected = contentOrder(features, labels);
    for (const atOnce of [1, 7, 81]) expect(await contentOrderOf(asFile(features, atOnce), labels)).toEqual(expected);
    expect(await contentOrderOf(features, labels)).toEqual(expected);
  });
});

describe.each(backends)('the space of auxiliary pictures in a file, on the $name backend', ({ name, create }) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await create(1);
  });
  afterAll(() => backend.dispose());

  it.skipIf(name === 'cuda')('is the same to the last bit where pictures can be read in any order', async () => {
    const sizes = { auxiliaryCategories: 9, auxiliaryPerCategory: 300, dimensions: 500 };
    const drawn = generateProblem({ seed: 4, ...sizes, testPerCategory: 3, webPerCategory: 3, dtype: 'float32' });
    const mixed = Int32Array.from({ length: 2700 }, (_, i) => (i * 37) % 2700);
    const problem = {
      ...drawn,
      auxiliaryFeatures: selectRows(drawn.auxiliaryFeatures, mixed),
      auxiliaryLabels: selectIntegers(drawn.auxiliaryLabels, mixed),
    };
    const { auxiliaryFeatures } = problem;
    const streamed = { ...problem, auxiliaryFeatures: unread(auxiliaryFeatures) };
    for (const chosen of [undefined, [0, 2, 3, 5, 6, 7, 8]]) {
      const learn = (given: typeof problem, source?: FeatureRows) =>
        WhitenedSpace.learn(given, backend, { power: 0.75, shrinkage: 0.2 }, chosen, source);
      const [found, expected] = [await learn(streamed, asFile(auxiliaryFeatures, 1000)), await learn(problem)];
      expect(found.within).toBe(expected.within);
      expect(found.auxiliaryMeans.data).toEqual(expected.auxiliaryMeans.data);
      const [placed, wanted] = [found, expected].map((space) => space.placeRows(problem.testFeatures, 'float32'));
      expect(placed.data).toEqual(wanted.data);
    }
  });

  it('is that of the same pictures in memory, in whatever order they lie', async () => {
    const problem = generateProblem({ seed: 2, auxiliaryCategories: 7, auxiliaryPerCategory: 9, dimensions: 11 });
    const mixed = Int32Array.from({ length: 63 }, (_, i) => (i * 10) % 63);
    const options = { power: 0.75, shrinkage: 0.2 };
    for (const order of [mixed, Int32Array.from(mixed).sort()])
      for (const chosen of [undefined, [5, 1, 2]]) {
        const features = selectRows(problem.auxiliaryFeatures, order);
        const auxiliaryLabels = selectIntegers(problem.auxiliaryLabels, order);
        const whole = { ...problem, auxiliaryFeatures: features, auxiliaryLabels };
        const streamed = { ...whole, auxiliaryFeatures: unread(features) };
        const expected = await WhitenedSpace.learn(whole, backend, options, chosen);
        const found = await WhitenedSpace.learn(streamed, backend, options, chosen, asFile(features, 4, true));
        expect(found.within).toBeCloseTo(expected.within, 10);
        expect(found.auxiliaryCounts).toEqual(expected.auxiliaryCounts);
        found.auxiliaryMeans.data.forEach((value, k) => {
          expect(value).toBeCloseTo(expected.auxiliaryMeans.data[k], 8);
        });
        const [placed, wanted] = [found, expected].map((space) => space.placeRows(problem.testFeatures, 'float64'));
        placed.copy().data.forEach((value, k) => {
          expect(value).toBeCloseTo(wanted.copy().data[k], 8);
        });
      }
  });
});
