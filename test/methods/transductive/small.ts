// A small problem and its parts as transductive methods see them, for tests against literal computations.
import type { Matrix } from '../../../src/linalg/matrix.js';
import { gatherAuxiliary } from '../../../src/methods/zero-shot/auxiliary.js';
import { contentOrder } from '../../../src/numerics/content-order.js';
import { Scratch } from '../../../src/numerics/scratch.js';
import { directions } from '../../../src/numerics/unit-rows.js';
import { selectRows } from '../../../src/problem/rows.js';
import { backend, rowsOf, small } from '../zero-shot/small.js';

export { backend, dot, rowsOf, small, steepest } from '../zero-shot/small.js';

/** Auxiliary and test pictures less the auxiliary mean, labels, and unit vectors, all in the order of their content. */
export function plainParts() {
  const scratch = new Scratch(backend);
  const data = gatherAuxiliary(scratch, small, 'test');
  const categories = contentOrder(data.candidates);
  const { learnt, candidates } = directions(data.classVectors, selectRows(data.candidates, categories));
  const testOrder = contentOrder(small.testFeatures);
  const parts = {
    pictures: rowsOf(data.features),
    labels: Array.from(data.labels),
    test: rowsOf(selectRows(small.testFeatures, testOrder)).map((row) => row.map((value, j) => value - data.mean[j])),
    learnt: rowsOf(learnt),
    candidates: rowsOf(candidates),
    categories,
    testOrder,
  };
  scratch.release();
  return parts;
}

export const rowsFrom = (point: ArrayLike<number>, rows: number, cols: number) =>
  Array.from({ length: rows }, (_, i) => Array.from({ length: cols }, (_, j) => point[i * cols + j]));

export const flat = (matrix: Matrix<Float64Array>) => Float64Array.from(rowsOf(matrix).flat());

export const squares = (row: ArrayLike<number>) => Array.from(row).reduce((sum, value) => sum + value * value, 0);

export const gap = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((sum, value, k) => sum + (value - b[k]) ** 2, 0);

/** Whether no value is above the one before it, but for rounding. */
export function neverRises(values: readonly number[], tolerance = 1e-9): boolean {
  return values.slice(1).every((value, k) => value <= values[k] + tolerance * (1 + Math.abs(values[k])));
}
