import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { rocArea } from '../../src/fit/index.js';
import { PaperLearner } from '../../src/learner/paper-learner.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { Random } from '../../src/linalg/random.js';
import { generateProblem } from '../../src/problem/generate.js';
import { loadProblem } from '../../src/problem/load.js';
import type { Problem } from '../../src/problem/problem.js';
import { backend } from './backend.js';
import { rowsOf } from './columns.js';
import { multiply, type Rows } from './plain.js';

const problem = generateProblem({
  seed: 5,
  auxiliaryCategories: 9,
  testCategories: 4,
  dimensions: 20,
  semanticDimensions: 8,
  auxiliaryPerCategory: 8,
  webPerCategory: 12,
  testPerCategory: 9,
});
const parameters = { lambda1: 10, lambda2: 0.1, lambda3: 1, lambda4: 0.2, bound: 2 };
const learn = (given: Problem) => new PaperLearner(parameters).fit(given, { backend });
const reference = await learn(problem);

const pick = (matrix: Matrix, order: Int32Array) => Matrix.from([...order].map((i) => matrix.row(i)));
const largestGap = (a: ArrayLike<number>, b: ArrayLike<number>) => {
  let gap = 0;
  for (let i = 0; i < a.length; i++) gap = Math.max(gap, Math.abs(a[i] - b[i]));
  return gap;
};

/** A random orthogonal matrix: Gram–Schmidt on normal vectors. */
function rotation(n: number, seed: number): Rows {
  const random = new Random(seed);
  const rows: Rows = [];
  for (let i = 0; i < n; i++) {
    const vector = [...random.normalArray(n)];
    for (let sweep = 0; sweep < 2; sweep++)
      for (const other of rows) {
        const along = vector.reduce((sum, value, j) => sum + value * other[j], 0);
        for (let j = 0; j < n; j++) vector[j] -= along * other[j];
      }
    const length = Math.hypot(...vector);
    rows.push(vector.map((value) => value / length));
  }
  return rows;
}
const rotated = (matrix: Matrix, by: Rows) => Matrix.from(multiply(rowsOf(matrix), by));

describe('the answer depends on the content of a problem, not on its form', () => {
  it('permuting test and web pictures permutes predictions and weights', async () => {
    const random = new Random(8);
    const test = random.permutation(problem.testFeatures.rows);
    const web = random.permutation(problem.webFeatures.rows);
    const other = await learn({
      ...problem,
      testFeatures: pick(problem.testFeatures, test),
      webFeatures: pick(problem.webFeatures, web),
      webLabels: web.map((i) => problem.webLabels[i]),
    });
    expect(largestGap(other.semantics_.data, pick(reference.semantics_, test).data)).toBeLessThan(1e-8);
    expect(
      largestGap(
        other.webWeights_,
        Float64Array.from(web, (i) => reference.webWeights_[i]),
      ),
    ).toBeLessThan(1e-7);
  });

  it('renumbering the categories renumbers the predictions', async () => {
    const order = Int32Array.of(2, 0, 3, 1);
    const other = await learn({
      ...problem,
      testSemantics: pick(problem.testSemantics, order),
      testNames: [...order].map((c) => problem.testNames[c]),
      webLabels: problem.webLabels.map((c) => order.indexOf(c)),
    });
    const names = (learner: PaperLearner) =>
      [...learner.predict(problem.testFeatures)].map((c) => learner.model_.names[c]);
    expect(names(other)).toEqual(names(reference));
    expect(largestGap(other.webWeights_, reference.webWeights_)).toBeLessThan(1e-7);
  });

  it('rotating the features changes neither semantic vectors nor weights', async () => {
    const by = rotation(problem.testFeatures.cols, 1);
    const other = await learn({
      ...problem,
      auxiliaryFeatures: rotated(problem.auxiliaryFeatures, by),
      webFeatures: rotated(problem.webFeatures, by),
      testFeatures: rotated(problem.testFeatures, by),
    });
    expect(largestGap(other.semantics_.data, reference.semantics_.data)).toBeLessThan(1e-8);
    expect(largestGap(other.webWeights_, reference.webWeights_)).toBeLessThan(1e-7);
  });

  it('rotating the semantic space rotates the semantic vectors and leaves the predictions', async () => {
    const by = rotation(problem.testSemantics.cols, 2);
    const other = await learn({
      ...problem,
      auxiliarySemantics: rotated(problem.auxiliarySemantics, by),
      testSemantics: rotated(problem.testSemantics, by),
    });
    expect(largestGap(other.semantics_.data, rotated(reference.semantics_, by).data)).toBeLessThan(1e-8);
    expect([...other.predict(problem.testFeatures)]).toEqual([...reference.predict(problem.testFeatures)]);
  });
});

describe('the weights', () => {
  it('rank planted wrong web pictures below right ones', async () => {
    const noisy = generateProblem({
      seed: 2,
      testCategories: 8,
      auxiliaryCategories: 20,
      dimensions: 60,
      webPerCategory: 40,
      wrong: 0.3,
      noise: 0.6,
    });
    const learner = await new PaperLearner({ lambda1: 1, lambda2: 0.1, lambda3: 0.01, lambda4: 0.1, bound: 1.5 }).fit(
      noisy,
      {
        backend,
      },
    );
    expect(
      rocArea(
        learner.webWeights_,
        noisy.webKinds!.map((kind) => kind === 'clean'),
      ),
    ).toBeGreaterThanOrEqual(0.9);
  });

  const photographs = new URL('../../../shared/data/cub-web.npz', import.meta.url);
  it.skipIf(!existsSync(photographs))('tell clean from wrong photographs of birds (needs ../shared/data)', async () => {
    const birds = await loadProblem(photographs.pathname, { semantics: 'attributes' });
    const learner = await new PaperLearner({
      lambda1: 0.001,
      lambda2: 10,
      lambda3: 0.001,
      lambda4: 0.1,
      bound: 2.5,
    }).fit(birds, { backend });
    expect(
      rocArea(
        learner.webWeights_,
        birds.webKinds!.map((kind) => kind === 'clean'),
      ),
    ).toBeGreaterThanOrEqual(0.72);
  });
});
