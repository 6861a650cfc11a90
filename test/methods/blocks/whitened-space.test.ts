import { describe, expect, it } from 'vitest';
import { createBackend } from '../../../src/linalg/create.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { WhitenedSpace } from '../../../src/methods/blocks/whitened-space.js';
import { generateProblem } from '../../../src/problem/generate.js';

const backend = await createBackend({ threads: 1 });
const problem = generateProblem({ seed: 6, dimensions: 8, noise: 0.7 });
const options = { power: 0.75, shrinkage: 1e-9 };

const covariance = (rows: Matrix, labels: Int32Array, categories: number) => {
  const means = Matrix.zeros(categories, rows.cols);
  const counts = new Float64Array(categories);
  labels.forEach((label, i) => {
    counts[label]++;
    for (let j = 0; j < rows.cols; j++) means.set(label, j, means.at(label, j) + rows.at(i, j));
  });
  const result = Matrix.zeros(rows.cols, rows.cols);
  labels.forEach((label, i) => {
    for (let j = 0; j < rows.cols; j++)
      for (let k = 0; k < rows.cols; k++) {
        const product =
          (rows.at(i, j) - means.at(label, j) / counts[label]) * (rows.at(i, k) - means.at(label, k) / counts[label]);
        result.set(j, k, result.at(j, k) + product / (labels.length - categories));
      }
  });
  return result;
};

describe('the whitened space', () => {
  it('makes the covariance within auxiliary categories the identity', async () => {
    const space = await WhitenedSpace.learn(problem, backend, options);
    const placed = space.place(problem.auxiliaryFeatures, space.auxiliaryCentre);
    const found = covariance(placed, problem.auxiliaryLabels, problem.auxiliaryNames.length);
    for (let j = 0; j < 8; j++) for (let k = 0; k < 8; k++) expect(found.at(j, k)).toBeCloseTo(j === k ? 1 : 0, 5);
  });

  it('places pictures by their differences from any centre', async () => {
    const space = await WhitenedSpace.learn(problem, backend, options);
    const zero = new Float64Array(8);
    const centre = space.centreOf(problem.testFeatures);
    const [from, plain] = [space.place(problem.testFeatures, centre), space.place(problem.testFeatures, zero)];
    for (let j = 0; j < 8; j++) {
      let sum = 0;
      for (let i = 0; i < from.rows; i++) sum += from.at(i, j);
      expect(sum).toBeCloseTo(0, 9);
      expect(plain.at(3, j) - plain.at(0, j)).toBeCloseTo(from.at(3, j) - from.at(0, j), 9);
    }
  });

  it('is learnt anew, and pictures placed anew, where a matrix holds other numbers than before', async () => {
    const features = problem.auxiliaryFeatures.copy('float64');
    const changing = { ...problem, auxiliaryFeatures: features };
    const before = await WhitenedSpace.learn(changing, backend, options);
    expect(await WhitenedSpace.learn(changing, backend, options)).toBe(before);
    const pictures = problem.testFeatures.copy('float64');
    const first = before.place(pictures, before.auxiliaryCentre);
    pictures.row(0).set(pictures.row(1));
    const again = before.place(pictures, before.auxiliaryCentre).row(0);
    again.forEach((value, j) => {
      expect(value).toBeCloseTo(first.at(1, j), 9);
    });
    features.set(0, 0, features.at(0, 0) + 0.5);
    expect(await WhitenedSpace.learn(changing, backend, options)).not.toBe(before);
    expect(await WhitenedSpace.learn(changing, backend, { ...options, power: 1 })).not.toBe(before);
  });
});
