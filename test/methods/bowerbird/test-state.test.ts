/** The test pictures' side of bowerbird's estimate against the same formulas written out. */
import { describe, expect, it } from 'vitest';
import { MemoryError } from '../../../src/errors.js';
import { createBackend } from '../../../src/linalg/create.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { Random } from '../../../src/linalg/random.js';
import { WhitenedSpace } from '../../../src/methods/blocks/whitened-space.js';
import { countsAtFirstSight } from '../../../src/methods/bowerbird/first-sight.js';
import { layGround, place } from '../../../src/methods/bowerbird/ground.js';
import { Neighbours } from '../../../src/methods/bowerbird/neighbours.js';
import { shareTerms } from '../../../src/methods/bowerbird/shares.js';
import { BowerbirdSolver } from '../../../src/methods/bowerbird/solver.js';
import { sumsAbout } from '../../../src/methods/bowerbird/sums.js';
import { type TestSide, TestState } from '../../../src/methods/bowerbird/test-state.js';
import { generateProblem } from '../../../src/problem/generate.js';
import { unanswered } from '../../../src/problem/index.js';
import { asBlocks } from '../streamed-rows.js';

const backend = await createBackend({ threads: 1 });
const problem = generateProblem({ seed: 8, dimensions: 5, webPerCategory: 6, scaling: 'l2' });
const space = await WhitenedSpace.learn(problem, backend, { power: 1, shrinkage: 0.1 });
const ground = layGround(backend, space, problem, { trust: -1, smoothing: 200 });
const sharpness = 0.7;
const options = { sharpness, tails: 0.4, caution: 1, evidence: { slope: 1, intercept: 0, text: 0 } };
const { known, dimension: d } = ground;
const pictures = place(space, problem.testFeatures);
const n = pictures.rows.rows;
const random = new Random(5);
/** Chances that the pictures show a listed category at all. */
const listed = Float64Array.from({ length: n }, () => 0.2 + 0.8 * random.uniform());

const solver = new BowerbirdSolver(ground, options);
solver.learnFromWeb();
const categories = solver.categories;

/** The same where the known categories are candidates. */
const general = solver.fork(options, { ...ground, generalized: true });

function stateOf(side: Partial<TestSide> = {}, of = solver): TestState {
  return new TestState(of, {
    ...{ pictures, neighbourWeight: 0, shares: 'equal', listed, answerWeight: 1 },
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

/** The mean of a listed category at the length that it is expected to have. */
function stretched(c: number): Float64Array {
  const row = Float64Array.from(solver.means.row(c));
  const square = row.reduce((sum, value) => sum + value ** 2, 0);
  return row.map((value) => value * Math.sqrt((square + d * solver.meanVariances[c]) / square));
}

describe('the test pictures in the estimate of bowerbird', () => {
  it.each([false, true])(
    'are scored by their distance from the shifted means; known categories as well: %s',
    (generalized) => {
      const state = stateOf({}, generalized ? general : solver);
      state.shift = Float64Array.from({ length: d }, () => random.normal());
      state.variance = 1.3;
      state.heat = 0.6;
      state.score();
      expect(state.scores.cols).toBe(categories + (generalized ? known.means.rows : 0));
      for (let j = 0; j < n; j++)
        for (let c = 0; c < state.scores.cols; c++) {
          const centre = c < categories ? stretched(c) : known.means.row(c - categories);
          const variance = 1.3 + leftInMeans;
          const logarithm = -distance(state, j, centre) / (2 * variance) - (d / 2) * Math.log(variance);
          expect(state.scores.at(j, c)).toBeCloseTo(0.6 * sharpness * logarithm, 8);
        }
    },
  );

  it.each([1, 7])('need not be in memory: %i at a time give the same', (atOnce) => {
    const read = { ...pictures, rows: asBlocks(pictures.rows, atOnce) };
    const known = new Int32Array(n).fill(unanswered);
    known[2] = 1;
    for (const generalized of [false, true]) {
      const side = { generalized, known, shares: 'unknown' as const };
      const [whole, found] = [pictures, read].map((given) => {
        const state = stateOf({ ...side, pictures: given, neighbours: new Neighbours(backend, given, 3) });
        state.assign(true);
        state.updateShift(solver);
        state.updateVariance();
        state.assign(false);
        const { sums, totals } = state.sums();
        const counts = countsAtFirstSight(solver, state.side);
        return [state.decisions().data, state.shift, [state.variance], sums.data, totals, counts];
      });
      for (const [k, values] of whole.entries())
        values.forEach((value, i) => {
          expect(found[k][i]).toBeCloseTo(value, 8);
        });
    }
  });

  it('pull the means by what they are assigned and how likely they are listed', () => {
    const state = stateOf();
    state.shift = Float64Array.from({ length: d }, () => random.normal());
    const about = Matrix.zeros(categories, d);
    const { sums, totals: precisions } = sumsAbout(backend, about, [state.sums()]);
    for (let c = 0; c < categories; c++) {
      const weights = Array.from(
        listed,
        (weight, j) => (weight * state.assignments.at(j, c)) / (state.variance + leftInMeans),
      );
      expect(precisions[c]).toBeCloseTo(n * mean(weights), 8);
      for (let k = 0; k < d; k++) {
        const pulled = weights.map((weight, j) => weight * (pictures.rows.at(j, k) - state.shift[k]));
        expect(sums.at(c, k)).toBeCloseTo(n * mean(pulled), 8);
      }
    }
  });

  it('lie at the stretched means once the folder is described, which then fit them best', () => {
    const held = solver.fork();
    const state = new TestState(held, { ...stateOf().side });
    held.hold();
    const about = Matrix.zeros(categories, d);
    const before = sumsAbout(backend, about, [stateOf().sums()]).sums;
    const { sums, totals: precisions } = sumsAbout(backend, about, [state.sums()]);
    for (let c = 0; c < categories; c++) {
      const factor = stretched(c)[0] / solver.means.at(c, 0);
      expect(factor).toBeGreaterThan(1);
      expect(precisions[c]).toBeCloseTo((factor ** 2 * state.counts[c]) / (state.variance + leftInMeans), 8);
      for (let k = 0; k < d; k++) expect(sums.at(c, k)).toBeCloseTo(factor * before.at(c, k), 8);
    }
  });

  it('are compared with no mean that is stretched more than fourfold, nor with one that has no direction', () => {
    const vague = solver.fork();
    vague.means.row(0).fill(0);
    for (let k = 0; k < d; k++) vague.means.row(1)[k] *= 1e-6;
    const means = new TestState(vague, { ...stateOf().side }).candidates.means();
    expect(Array.from(means.row(0))).toEqual(new Array(d).fill(0));
    expect(means.at(1, 0)).toBeCloseTo(4 * vague.means.at(1, 0), 14);
    expect(vague.means.at(1, 0)).toBe(1e-6 * solver.means.at(1, 0));
  });

  it('have a variance half way between the last one and their spread about the means, with ten pictures said before', () => {
    const state = stateOf();
    state.shift = Float64Array.from({ length: d }, () => 0.3 * random.normal());
    const before = state.variance;
    let [squares, weight] = [10 * 0.8 * known.within * d, 10];
    for (let j = 0; j < n; j++)
      for (let c = 0; c < categories; c++) {
        const chance = listed[j] * state.assignments.at(j, c);
        squares += chance * (distance(state, j, stretched(c)) + d * leftInMeans);
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
      const own = generalized ? general : solver;
      const { side, counts } = stateOf({ pictures: { rows, squaredLengths }, listed: weights, known: answers }, own);
      countsAtFirstSight(own, side).forEach((count, c) => {
        expect(count).toBeCloseTo(counts[c], 8);
      });
    },
  );

  const entropy = (p: number) => (p > 0 ? -p * Math.log(p) : 0);
  const neighbours = new Neighbours(backend, pictures, 3);
  const named = Int32Array.from({ length: n }, (_, j) => (j === 2 ? 1 : j === 4 ? -1 : unanswered));
  const stated = Float64Array.from({ length: categories }, (_, c) => (c + 1) / ((categories * (categories + 1)) / 2));

  it.each([
    ['equal', false],
    ['unknown', true],
    [stated, true],
  ] as const)(
    'have their part in the objective: scores, how unsure answers are, neighbours, shares (%s)',
    (shares, joined) => {
      const side = { shares, known: named, answerWeight: 4, ...(joined && { neighbours, neighbourWeight: 0.6 }) };
      const state = stateOf(side);
      state.assign(true);
      const { assignments: q, scores, counts } = state;
      const rows = Array.from({ length: n }, (_, j) =>
        Array.from(q.row(j)).reduce((sum, p, c) => sum + p * scores.at(j, c) + entropy(p), 0),
      );
      let expected = rows.reduce((sum, value, j) => sum + listed[j] * value, 0);
      const voices = listed.map((weight, j) => (named[j] >= 0 ? 4 * weight : weight));
      if (joined) expected += 0.3 * neighbours.agreement(q, voices);
      expected +=
        typeof shares === 'string'
          ? shareTerms(counts, state.shareModel)
          : counts.reduce((sum, count, c) => sum + count * Math.log(shares[c]), 0);
      expect(state.terms()).toBeCloseTo(expected, 7);
      counts.forEach((count, c) => {
        expect(count).toBeCloseTo(n * mean(listed.map((weight, j) => weight * q.at(j, c))), 8);
      });
    },
  );

  it('are answered by all that speaks for a category, and as people said', () => {
    const state = stateOf({ shares: stated, known: named, answerWeight: 4, neighbours, neighbourWeight: 0.6 });
    const before = state.assignments.copy('float64');
    state.assign(false);
    const voices = listed.map((weight, j) => (named[j] >= 0 ? 4 * weight : weight));
    const evidence = state.scores.copy('float64');
    neighbours.add(evidence, 0.6, before, voices);
    const decisions = state.decisions();
    for (let j = 0; j < n; j++)
      for (let c = 0; c < categories; c++) {
        const said = Math.log(c === 1 ? 0.99 : 0.01 / (categories - 1));
        const expected = j === 2 ? said : evidence.at(j, c) + Math.log(stated[c]);
        expect(decisions.at(j, c)).toBeCloseTo(expected, 7);
      }
    const { columns, leads } = state.answers();
    for (let j = 0; j < n; j++) {
      const [first, second] = [...decisions.row(j)].sort((a, b) => b - a);
      expect(decisions.at(j, columns[j])).toBe(first);
      expect(leads[j]).toBeCloseTo(first - second, 9);
    }
  });

  it('move by the mean change of their chances, and never lower the objective once the folder is described', () => {
    const state = stateOf({ shares: 'unknown', neighbours, neighbourWeight: 5 });
    for (let k = 0; k < 3; k++) state.assign(true);
    // From another place than where the last step led.
    for (let j = 0; j < n; j++) state.assignments.row(j).fill(1 / categories);
    state.goOnFrom(state);
    for (let round = 0; round < 6; round++) {
      const before = state.assignments.copy('float64');
      const start = state.terms();
      const change = state.assign(false);
      expect(state.terms()).toBeGreaterThanOrEqual(start);
      const moved = Array.from(before.data, (value, k) => Math.abs(value - state.assignments.data[k]));
      expect(change).toBeCloseTo(categories * mean(moved), 9);
    }
  });

  it('stay where they are where every step lowers the objective', () => {
    const state = stateOf();
    const before = state.assignments.copy('float64');
    const counts = state.counts.slice();
    let asked = 0;
    // All later values are lower than the first.
    state.terms = () => -asked++;
    state.shift = Float64Array.from({ length: d }, () => 2);
    expect(state.assign(false)).toBe(0);
    expect([...state.assignments.data]).toEqual([...before.data]);
    state.counts.forEach((count, c) => {
      expect(count).toBeCloseTo(counts[c], 9);
    });
  });

  it('go on from where another estimate came to rest, but for what people said since', () => {
    const last = stateOf({ shares: 'unknown' });
    last.shift = Float64Array.from({ length: d }, () => 0.2);
    last.assign(true);
    last.updateVariance();
    const next = stateOf({ shares: 'unknown', known: named });
    next.goOnFrom(last);
    expect(next.shift).toEqual(last.shift);
    expect([next.variance, next.shareModel]).toEqual([last.variance, last.shareModel]);
    expect(next.offsets).toEqual(last.offsets);
    expect(next.offsets).not.toBe(last.offsets);
    for (let j = 0; j < n; j++)
      if (j === 2) expect(next.assignments.at(j, 1)).toBe(0.99);
      else expect([...next.assignments.row(j)]).toEqual([...last.assignments.row(j)]);
    next.counts.forEach((count, c) => {
      expect(count).toBeCloseTo(n * mean(listed.map((weight, j) => weight * next.assignments.at(j, c))), 8);
    });
  });

  it('come to the same answers where a GPU has no room for both scores and evidence', () => {
    let made = 0;
    const other: Record<string | symbol, unknown> = {
      device: 'cuda',
      matrix: (...[rows, cols, dtype]: Parameters<typeof Matrix.zeros>) => {
        // The fourth matrix of a number for each picture and candidate.
        if (rows === n && ++made === 4) throw new MemoryError(8 * rows * cols, 'a matrix on the GPU');
        return Matrix.zeros(rows, cols, dtype);
      },
    };
    const small = new Proxy(backend, {
      get(target, name) {
        const own = other[name] ?? Reflect.get(target, name, target);
        return typeof own === 'function' ? own.bind(target) : own;
      },
    });
    const side = { ...stateOf().side, shares: 'unknown', neighbours, neighbourWeight: 0.6 } as const;
    const states = [backend, small].map(
      (where) => new TestState(solver.fork(solver.options, { ...ground, backend: where }), side),
    );
    expect(made).toBe(4);
    const found = states.map((state) => {
      const seen: unknown[] = [state.answers()];
      for (const learning of [true, true, false, false]) {
        state.updateVariance();
        seen.push(state.variance, state.assign(learning), state.terms(), [...state.assignments.data]);
        seen.push(state.answers(), [...state.decisions().data]);
      }
      return seen;
    });
    expect(found[1]).toEqual(found[0]);
  });

  it('are never shifted where known categories are candidates', () => {
    const state = stateOf({}, general);
    state.updateShift(general);
    expect([...state.shift]).toEqual([...new Float64Array(d)]);
  });

  it('tell of the looks of known categories that are candidates: a labelled picture counts for one of them', () => {
    const state = stateOf({}, general);
    const before = state.assignments.copy('float64');
    state.assign(true);
    const means = state.candidates.means();
    for (let c = 0; c < known.means.rows; c++) {
      const weights = Float64Array.from(listed, (weight, j) => weight * before.at(j, categories + c));
      const total = known.counts[c] + weights.reduce((sum, weight) => sum + weight, 0);
      for (let k = 0; k < d; k++) {
        const sum = weights.reduce((all, weight, j) => all + weight * pictures.rows.at(j, k), 0);
        const wanted = (known.counts[c] * known.means.at(c, k) + sum) / total;
        expect(means.at(categories + c, k)).toBeCloseTo(wanted, 10);
      }
    }
  });

  it('have an objective that no step lowers where known categories are candidates', () => {
    const held = general.fork();
    held.learnFromWeb();
    const state = stateOf({ shares: 'unknown' }, held);
    state.assign(true);
    held.hold();
    let last = Number.NEGATIVE_INFINITY;
    for (let round = 0; round < 6; round++) {
      held.updateMeans(state);
      state.assign(false);
      const now = held.webTerms() + state.terms();
      expect(now).toBeGreaterThanOrEqual(last - 1e-9 * Math.abs(last));
      last = now;
    }
  });

  it('count in full where nobody doubts them, and are many from a million scores on', () => {
    const state = stateOf({ listed: undefined });
    expect(state.counts.reduce((sum, count) => sum + count, 0)).toBeCloseTo(n, 8);
    expect(state.large).toBe(false);
    const many = Object.create(TestState.prototype);
    const large = (cols: number) => Object.assign(many, { scores: { rows: 2 ** 18, cols } }).large;
    expect([4, 5].map(large)).toEqual([false, true]);
  });
});
