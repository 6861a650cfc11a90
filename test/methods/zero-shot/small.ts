// A small problem and its auxiliary part written out as plain arrays, for tests against literal computations.
import { createBackend } from '../../../src/linalg/create.js';
import type { Matrix } from '../../../src/linalg/matrix.js';
import { gatherAuxiliary } from '../../../src/methods/zero-shot/auxiliary.js';
import { Scratch } from '../../../src/numerics/scratch.js';
import { directions } from '../../../src/numerics/unit-rows.js';
import { generateProblem } from '../../../src/problem/generate.js';

export const backend = await createBackend({ threads: 1 });

export const small = generateProblem({
  seed: 41,
  auxiliaryCategories: 7,
  testCategories: 4,
  dimensions: 9,
  semanticDimensions: 5,
  auxiliaryPerCategory: 8,
  testPerCategory: 6,
});

export const rowsOf = (matrix: Matrix) => Array.from({ length: matrix.rows }, (_, i) => Array.from(matrix.row(i)));

/** Pictures in the order methods see them, centred or not, with labels, and unit directions of the categories. */
export function plainAuxiliary(centre = true) {
  const scratch = new Scratch(backend);
  const data = gatherAuxiliary(scratch, small, 'test', { centre });
  const { learnt, candidates } = directions(data.classVectors, data.candidates);
  const plain = {
    pictures: rowsOf(data.features),
    mean: Array.from(data.mean),
    labels: Array.from(data.labels),
    learnt: rowsOf(learnt),
    candidates: rowsOf(candidates),
    data: { ...data, features: data.features.copy('float64') },
  };
  scratch.release();
  return plain;
}

/** Largest derivative of `objective` at `point` by central differences. */
export function steepest(objective: (point: Float64Array) => number, point: Float64Array, by = 1e-5): number {
  let most = 0;
  for (let k = 0; k < point.length; k++) {
    const moved = (shift: number) => {
      const copy = Float64Array.from(point);
      copy[k] += shift;
      return objective(copy);
    };
    most = Math.max(most, Math.abs(moved(by) - moved(-by)) / (2 * by));
  }
  return most;
}

export const dot = (a: ArrayLike<number>, b: ArrayLike<number>) => {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k];
  return sum;
};
