import { expect, it } from 'vitest';
import { MemoryWeb } from '../../src/learner/web-features.js';
import { StreamedWeb } from '../../src/learner/web-streamed.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { Random } from '../../src/linalg/random.js';
import { backend } from './backend.js';

const [rows, cols, categories] = [23, 5, 4];
const random = new Random(12);
const features = new Matrix(random.normalArray(rows * cols), rows, cols);
/** Unsorted, in short runs, and none of the third category. */
const labels = Int32Array.from({ length: rows }, (_, i) => [3, 0, 0, 1, 1, 1, 0][i % 7]);
const order = Array.from({ length: rows }, (_, i) => i).sort((a, b) => labels[a] - labels[b] || a - b);
const at = (position: number) => features.row(order[position]);
const dot = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((sum, value, j) => sum + value * b[j], 0);

const source = {
  rows,
  cols,
  dtype: 'float64' as const,
  async read(into: Matrix, start: number, end: number) {
    into.view(0, end - start).copyFrom(features.view(start, end));
  },
};

it.each([
  ['in memory', () => new MemoryWeb(backend, features, labels, categories, 'float64'), rows],
  ['in blocks of one row', () => new StreamedWeb(backend, source, labels, categories, 'float64', 8), 1],
  ['in blocks of three rows', () => new StreamedWeb(backend, source, labels, categories, 'float64', 3 * cols * 8), 3],
  ['in one block', () => new StreamedWeb(backend, source, labels, categories, 'float64'), rows],
] as const)('web features %s are multiplied and summed in the order of their categories', async (_, open, longest) => {
  const web = open();
  const [vector, weights] = [random.normalArray(cols), random.normalArray(rows)];
  const onPictures = new Float64Array(rows);
  const expectAll = (found: ArrayLike<number>, expected: (i: number) => number) => {
    Array.from(found).forEach((value, i) => {
      expect(value).toBeCloseTo(expected(i), 10);
    });
  };
  await web.times(onPictures, vector);
  expectAll(onPictures, (i) => dot(at(i), vector));
  const onFeatures = new Float64Array(cols);
  await web.transposedTimes(onFeatures, weights);
  expectAll(onFeatures, (j) => weights.reduce((sum, weight, i) => sum + weight * at(i)[j], 0));
  await web.squaredNorms(onPictures);
  expectAll(onPictures, (i) => dot(at(i), at(i)));

  const directions = new Matrix(random.normalArray(categories * cols), categories, cols);
  await web.dotsWithCategory(onPictures, directions);
  expectAll(onPictures, (i) => dot(at(i), directions.row(labels[order[i]])));
  const sums = Matrix.zeros(categories, cols);
  await web.sumsByCategory(sums, weights);
  expectAll(sums.data, (k) =>
    weights.reduce(
      (sum, weight, i) => sum + (labels[order[i]] === Math.floor(k / cols) ? weight * at(i)[k % cols] : 0),
      0,
    ),
  );
  const both = new Matrix(random.normalArray(rows * 2), rows, 2);
  const product = Matrix.zeros(cols, 2);
  await web.transposedProduct(product, both);
  expectAll(product.data, (k) => order.reduce((sum, _row, i) => sum + at(i)[Math.floor(k / 2)] * both.at(i, k % 2), 0));

  // Runs cover every picture once, in order, within one category and no longer than a block.
  let next = 0;
  for (const { category, start, end } of web.runs()) {
    expect(start).toBe(next);
    expect(end - start).toBeLessThanOrEqual(longest);
    const read = await web.read(start, end);
    for (let i = start; i < end; i++) {
      expect(labels[order[i]]).toBe(category);
      expect([...read.row(i - start)]).toEqual([...at(i)]);
    }
    next = end;
  }
  expect(next).toBe(rows);
  web.release();
});
