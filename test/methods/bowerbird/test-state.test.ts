/** The test pictures' side of bowerbird's estimate against the same formulas written out. */
import { describe, expect, it } from 'vitest';
import { createBackend } from '../../../src/linalg/create.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { Random } from '../../../src/linalg/random.js';
import { WhitenedSpace } from '../../../src/methods/blocks/whitened-space.js';
import { layGround, place } from '../../../src/methods/bowerbird/ground.js';
import { BowerbirdSolver } from '../../../src/methods/bowerbird/solver.js';
import { countsAtFirstSight, type TestSide, TestState } from '../../../src/methods/bowerbird/test-state.js';
import { generateProblem } from '../../../src/problem/generate.js';

const backend = await createBackend({ threads: 1 });
const problem = generateProblem({ seed: 8, dimensions: 5, webPerCategory: 6, scaling: 'l2' });
const space = await WhitenedSpace.learn(problem, backend, { power: 1, shrinkage: 0.1 });
const ground = layGround(backend, space, problem, { trust: -1, smoothing: 200 });
const sharpness = 0.7;
const options = { sharpness, tails: 0.4, evidence: { slope: 1, intercept: 0, text: 0 } };
const { known, dimension: d } = ground;
const pictures = place(space, problem.testFeatures);
const n = pictures.rows.rows;
const random = new Random(5);
/** Chances that the pictures show a listed category at all. */
const listed = Float64Array.from({ length: n }, () => 0.2 + 0.8 * random.uniform());

const solver = new BowerbirdSolver(ground, options);
solver.learnFromWeb();
const categories = solver.categories;

function stateOf(side: Partial<TestSide> = {}): TestState {
  return new TestState(solver, {
    ...{ pictures, neighbourWeight: 0, generalized: false, shares: 'equal', listed, answerWeight: 1 },
    variance: 0.8 * known.within,
    ...side,
  });
}

const mean = (values: ArrayLike<number>) => Array.from(values).reduce((sum, value) => sum + value, 0) / values.length;
const leftInMeans = mean(solver.meanVariances);

/** ‖x_j − δ − μ‖² */
function distance(state: TestState, j: number, centre: ArrayLike<number>): number {
  return Array.from(pictures.rows.row(j)).reduce((sum, x, k) => sum + (x - state.shift[k] - centre[k]) ** 2, 0);
}

describe('the test pictures in the estimate of bowerbird', () => {
  it.each([false, true])(
    'are scored by their distance from the shifted means; known categories as well: %s',
    (generalized) => {
      const state = stateOf({ generalized });
      state.shift = Float64Array.from({ length: d }, () => random.normal());
      state.variance = 1.3;
      state.heat = 0.6;
      state.score();
      expect(state.scores.cols).toBe(categories + (generalized ? known.means.rows : 0));
      for (let j = 0; j < n; j++)
        for (let c = 0; c < state.scores.cols; c++) {
          const centre = c < categories ? solver.means.row(c) : known.means.row(c - categories);
          const left = c < categories ? leftInMeans : known.within / known.counts[c - categories];
          const variance = 1.3 + left;
          const logarithm = -distance(state, j, centre) / (2 * variance) - (d / 2) * Math.log(variance);
          expect(state.scores.at(j, c)).toBeCloseTo(0.6 * sharpness * logarithm, 8);
        }
    },
  );

  it('pull the means by what they are assigned and how likely they are listed', () => {
    const state = stateOf();
    state.shift = Float64Array.from({ length: d }, () => random.normal());
    const sums = Matrix.zeros(categories, d);
    const precisions = new Float64Array(categories).fill(0.5);
    state.addTo(sums, precisions);
    for (let c = 0; c < categories; c++) {
      const weights = Array.from(
        listed,
        (weight, j) => (weight * state.assignments.at(j, c)) / (state.variance + leftInMeans),
      );
      expect(precisions[c]).toBeCloseTo(0.5 + n * mean(weights), 8);
      for (let k = 0; k < d; k++) {
        const pulled = weights.map((weight, j) => weight * (pictures.rows.at(j, k) - state.shift[k]));
        expect(sums.at(c, k)).toBeCloseTo(n * mean(pulled), 8);
      }
    }
  });

  it('have a variance half way between the last one and their spread about the means, with ten pictures said before', () => {
    const state = stateOf();
    state.shift = Float64Array.from({ length: d }, () => 0.3 * random.normal());
    const before = state.variance;
    let [squares, weight] = [10 * 0.8 * known.within * d, 10];
    for (let j = 0; j < n; j++)
      for (let c = 0; c < categories; c++) {
        const chance = listed[j] * state.assignments.at(j, c);
        squares += chance * (distance(state, j, solver.means.row(c)) + d * leftInMeans);
        weight += chance;
      }
    state.updateVariance();
    expect(state.variance).toBeCloseTo((before + squares / weight / d) / 2, 8);
  });

  it('are shifted by their mean difference from what web pictures say, less what chance explains', () => {
    const elsewhere = pictures.rows.copy();
    for (let k = 0; k < elsewhere.data.length; k++) elsewhere.data[k] += k % 2 ? 0.5 : 3;
    const squaredLengths = Float64Array.from({ length: n }, (_, j) =>
      backend.dot(elsewhere.view(j, j + 1), elsewhere.view(j, j + 1)),
    );
    const state = stateOf({ pictures: { rows: elsewhere, squaredLengths } });
    const total = n * mean(listed);
    const { concentration } = state.shareModel;
    let chance = (known.between * (concentration + 1)) / (categories * concentration + 1);
    const difference = new Float64Array(d);
    for (let c = 0; c < categories; c++) {
      const count = n * mean(listed.map((weight, j) => weight * state.assignments.at(j, c)));
      chance += (count / total) ** 2 * (solver.meanVariances[c] + state.variance / count);
      for (let k = 0; k < d; k++) difference[k] -= (count / total) * solver.means.at(c, k);
    }
    for (let k = 0; k < d; k++) for (let j = 0; j < n; j++) difference[k] += (listed[j] * elsewhere.at(j, k)) / total;
    const real = mean(difference.map((value) => value ** 2)) - chance;
    expect(real).toBeGreaterThan(chance);
    state.updateShift(solver);
    for (let k = 0; k < d; k++) expect(state.shift[k]).toBeCloseTo((difference[k] * real) / (real + chance), 8);
  });

  it.each([false, true])(
    'are counted at first sight as in a whole state; known categories as well: %s',
    (generalized) => {
      const many = 5000;
      const rows = Matrix.zeros(many, d);
      for (let k = 0; k < rows.data.length; k++) rows.data[k] = random.normal();
      const squaredLengths = Float64Array.from({ length: many }, (_, j) =>
        backend.dot(rows.view(j, j + 1), rows.view(j, j + 1)),
      );
      const weights = Float64Array.from({ length: many }, () => random.uniform());
      const answers = new Int32Array(many).fill(-2);
      answers[4500] = 1;
      const { side, counts } = stateOf({
        pictures: { rows, squaredLengths },
        listed: weights,
        known: answers,
        generalized,
      });
      countsAtFirstSight(solver, side).forEach((count, c) => {
        expect(count).toBeCloseTo(counts[c], 8);
      });
    },
  );
});
