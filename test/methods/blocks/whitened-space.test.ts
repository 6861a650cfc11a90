import { describe, expect, it } from 'vitest';
import { createBackend } from '../../../src/linalg/create.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { fingerprint } from '../../../src/methods/blocks/preparation.js';
import { powerAndLength, WhitenedSpace } from '../../../src/methods/blocks/whitened-space.js';
import { generateProblem } from '../../../src/problem/generate.js';
import { restrictToCategories } from '../../../src/problem/subset.js';

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

  it('of some auxiliary categories is the one of a problem that has no others', async () => {
    const chosen = [3, 0, 4];
    const smaller = restrictToCategories({ ...problem, testLabels: undefined }, { auxiliary: chosen });
    const [some, alone] = [
      await WhitenedSpace.learn(problem, backend, options, chosen),
      await WhitenedSpace.learn(smaller, backend, options),
    ];
    expect(some.auxiliaryCounts).toEqual(alone.auxiliaryCounts);
    expect(some.within).toBeCloseTo(alone.within, 9);
    const [placed, expected] = [some, alone].map((space) => space.placeRows(problem.testFeatures, 'float64'));
    for (const [found, other] of [
      [some.auxiliaryMeans, alone.auxiliaryMeans],
      [placed, expected],
    ])
      found.data.forEach((value, k) => {
        expect(value).toBeCloseTo(other.data[k], 7);
      });
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

  it('has the means of the auxiliary categories, and how far pictures lie from them', async () => {
    // A noticeable shrinkage, so that pictures lie nearer than 1.
    const space = await WhitenedSpace.learn(problem, backend, { power: 0.75, shrinkage: 0.5 });
    const placed = space.place(problem.auxiliaryFeatures, space.auxiliaryCentre);
    const { auxiliaryLabels: labels, auxiliaryNames } = problem;
    const found = covariance(placed, labels, auxiliaryNames.length);
    let variance = 0;
    for (let j = 0; j < 8; j++) variance += found.at(j, j) / 8;
    expect(space.within).toBeCloseTo(variance, 9);
    expect(space.within).toBeLessThan(0.9);
    space.centreOf(problem.auxiliaryFeatures).forEach((value, j) => {
      expect(space.auxiliaryCentre[j]).toBeCloseTo(value, 9);
    });
    auxiliaryNames.forEach((_, c) => {
      const rows = Array.from(labels.keys()).filter((i) => labels[i] === c);
      expect(space.auxiliaryCounts[c]).toBe(rows.length);
      for (let j = 0; j < 8; j++)
        expect(space.auxiliaryMeans.at(c, j)).toBeCloseTo(
          rows.reduce((sum, i) => sum + placed.at(i, j), 0) / rows.length,
          9,
        );
    });
  });

  it('pulls vectors back to features, and carries them into the space again', async () => {
    const space = await WhitenedSpace.learn(problem, backend, options);
    const vectors = Matrix.from([
      Array.from({ length: 8 }, (_, j) => j - 3),
      Array.from({ length: 8 }, (_, j) => j ** 2),
    ]);
    const pulled = space.pullBack(vectors as Matrix<Float64Array>);
    const placed = space.place(problem.testFeatures, space.auxiliaryCentre);
    const plain = powerAndLength(backend, problem.testFeatures.copy('float64'), options.power);
    const dot = (a: ArrayLike<number>, b: ArrayLike<number>) =>
      Array.from(a).reduce((sum, value, j) => sum + value * b[j], 0);
    for (const r of [0, 1]) {
      const measured = plain.row(4).map((value, j) => value - space.auxiliaryCentre[j]);
      expect(dot(pulled.row(r), measured)).toBeCloseTo(dot(vectors.row(r), placed.row(4)), 8);
      space
        .carry(pulled)
        .row(r)
        .forEach((value, j) => {
          expect(value).toBeCloseTo(vectors.at(r, j), 8);
        });
    }
  });

  it('is refused by pictures that do not show how those of one category differ', async () => {
    const learn = (auxiliaryFeatures: Matrix, labels: number[]) =>
      WhitenedSpace.learn(
        { ...problem, auxiliaryFeatures, auxiliaryLabels: Int32Array.from(labels), auxiliaryNames: ['crow', 'owl'] },
        backend,
        options,
      );
    const three = Matrix.from([
      [1, 0],
      [0, 1],
      [1, 1],
    ]);
    await expect(learn(three, [0, 1, 1])).resolves.toBeDefined();
    await expect(learn(three.view(0, 2), [0, 1])).rejects.toMatchObject({ array: 'aux_labels' });
    await expect(learn(three, [1, 1, 1])).rejects.toMatchObject({ array: 'aux_labels' });
    const alike = Matrix.from([
      [1, 0],
      [0, 1],
      [0, 1],
    ]);
    await expect(learn(alike, [0, 1, 1])).rejects.toMatchObject({ array: 'aux_features' });
  });
});

describe('power and length', () => {
  it.each([0.75, 0.5, 1, 2])('keep signs and give unit length: power %s', (power) => {
    const row = powerAndLength(backend, Matrix.from([[-4, 9, 0]]) as Matrix<Float64Array>, power).row(0);
    const [a, b] = [4 ** power, 9 ** power];
    const length = Math.hypot(a, b);
    expect([...row]).toEqual([-a / length, b / length, 0].map((value) => expect.closeTo(value, 12)));
  });
});

describe('a fingerprint', () => {
  it('tells matrices apart by shape, by numbers and by their places', () => {
    const some = [
      [[1, 2, 3, 4]],
      [
        [1, 2],
        [3, 4],
      ],
      [
        [1, 2],
        [4, 3],
      ],
      [
        [2, 1],
        [3, 4],
      ],
      [
        [3, 2],
        [1, 4],
      ],
      [
        [1, 2],
        [3, 5],
      ],
    ].map((rows) => fingerprint(Matrix.from(rows)));
    expect(new Set(some).size).toBe(some.length);
    expect(fingerprint(Matrix.from([[1, 2, 3, 4]]))).toBe(some[0]);
  });
});
