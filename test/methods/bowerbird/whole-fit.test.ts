/** What a fit of the default method says of itself, of the folder, and of pictures that come later. */
import { beforeAll, describe, expect, it } from 'vitest';
import { unlistedChances } from '../../../src/fit/scorer.js';
import { createBackend } from '../../../src/linalg/create.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { Bowerbird, bowerbirdSpec } from '../../../src/methods/bowerbird/bowerbird.js';
import { strangerSigns } from '../../../src/numerics/index.js';
import { generateProblem } from '../../../src/problem/generate.js';
import { keepTest, type Problem } from '../../../src/problem/index.js';

const backend = await createBackend({ threads: 1 });
const sizes = { testCategories: 4, auxiliaryCategories: 12, testPerCategory: 8, dimensions: 10 };
const problem: Problem = generateProblem({
  ...sizes,
  noise: 1.2,
  text: false,
  validation: false,
  scaling: 'l2',
  seed: 5,
});
const { testFeatures } = problem;
/** Features that the folder does not hold: those of web pictures. */
const later = problem.webFeatures.view(0, 9).copy('float64');
const learn = (given: Problem, options = {}) => new Bowerbird({ power: 1, ...options }).fit(given, { backend });

/** (1 − doubt) softmax(factor · values) + doubt / C, of what is not strange. */
function chances(values: ArrayLike<number>, factor: number, doubt: number, unlisted: number): number[] {
  const largest = Math.max(...Array.from(values));
  const powers = Array.from(values, (value) => Math.exp(factor * (value - largest)));
  const sum = powers.reduce((total, value) => total + value, 0);
  return powers.map((value) => (1 - unlisted) * (((1 - doubt) * value) / sum + doubt / powers.length));
}

let method: Bowerbird;
beforeAll(async () => {
  method = await learn(problem);
});

describe('before a fit', () => {
  it('the default method answers nothing', () => {
    const fresh = new Bowerbird();
    for (const ask of [
      () => fresh.decisionValues(testFeatures),
      () => fresh.probabilities(testFeatures),
      () => fresh.sureness(),
      () => fresh.strangers(),
    ])
      expect(ask).toThrow(/fit/);
    expect([fresh.groups(), fresh.neighbours()]).toEqual([undefined, undefined]);
  });
});

describe('a fit of the default method', () => {
  it('looks at everything that a problem has, in both settings, and at pictures that do not fit in memory', () => {
    expect([...bowerbirdSpec.uses].sort()).toEqual(['auxiliary', 'semantics', 'test', 'text', 'web']);
    expect(bowerbirdSpec).toMatchObject({ name: 'bowerbird', setting: 'both' });
    expect([...bowerbirdSpec.streams!].sort()).toEqual(['auxiliary', 'test', 'web']);
    expect(bowerbirdSpec.create({ rounds: 7 }, 1)).toMatchObject({ options: { rounds: 7 } });
  });

  it('answers pictures that come later by one linear formula', () => {
    const { power, weights, bias } = method.linear();
    expect(power).toBe(1);
    const found = method.decisionValues(later);
    for (let j = 0; j < later.rows; j++)
      for (let c = 0; c < 4; c++) {
        const sum = Array.from(later.row(j)).reduce((total, x, k) => total + x * weights.at(k, c), bias[c]);
        expect(found.at(j, c)).toBeCloseTo(sum, 8);
      }
  });

  it('gives chances of later pictures that follow from its decisions, its sureness and its detector', () => {
    const { listed, unlisted } = method.probabilities(later);
    const { factor, doubt } = method.sureness();
    const decisions = method.decisionValues(later);
    const strangers = method.strangers()!;
    expect(strangers.power).toBe(1);
    for (let j = 0; j < later.rows; j++) {
      const scores = Array.from(strangers.bias, (bias, c) =>
        Array.from(later.row(j)).reduce((total, x, k) => total + x * strangers.weights.at(k, c), bias),
      );
      const signs = strangerSigns(scores.slice(0, 4), scores.slice(4));
      const odds = signs.reduce((sum, sign, k) => sum + sign * strangers.coefficients[k], strangers.intercept);
      expect(unlisted[j]).toBeCloseTo(1 / (1 + Math.exp(-odds)), 8);
      chances(decisions.row(j), factor, doubt, unlisted[j]).forEach((chance, c) => {
        expect(listed.at(j, c)).toBeCloseTo(chance, 8);
      });
    }
  });

  it('gives chances of the folder that add up to one with those of being a stranger', () => {
    const { listed, unlisted } = method.probabilities(testFeatures);
    expect(unlisted).toHaveLength(testFeatures.rows);
    for (let j = 0; j < testFeatures.rows; j++) {
      const sum = Array.from(listed.row(j)).reduce((total, chance) => total + chance, 0);
      expect(sum + unlisted[j]).toBeCloseTo(1, 9);
    }
    // What it hands out is a copy.
    unlisted.fill(7);
    expect(Math.max(...method.probabilities(testFeatures).unlisted)).toBeLessThanOrEqual(1);
  });

  it('tells its shares, rounds and warnings', async () => {
    expect(method.shares_.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
    expect(method.neighbours()!.count).toBe(method.options.neighbours);
    const details = method.details();
    expect(details.iterations).toBe(method.rounds_);
    expect(details.converged).toBe(method.converged_);
    expect(details.trace!.objective).toHaveLength(method.objective_.length);
    expect(details.warnings).toBeUndefined();
    const short = await learn(problem, { rounds: 2 });
    expect(short.details()).toMatchObject({ iterations: 2, converged: false });
  });

  it('trusts web pictures in the order they were given', async () => {
    const order = Int32Array.from({ length: problem.webLabels.length }, (_, i) => (i * 7) % problem.webLabels.length);
    const shuffled = {
      ...problem,
      webFeatures: Matrix.from(Array.from(order, (row) => [...problem.webFeatures.row(row)])),
      webLabels: Int32Array.from(order, (row) => problem.webLabels[row]),
    };
    const weights = (await learn(shuffled)).webWeights();
    expect(new Set(order).size).toBe(order.length);
    order.forEach((row, i) => {
      expect(weights[i]).toBeCloseTo(method.webWeights()[row], 6);
    });
  });

  it('of one picture alone is at rest, with no more said than its scores', async () => {
    const one = await learn(keepTest(problem, Int32Array.of(3)));
    expect(one.converged_).toBe(true);
    expect([one.rounds_, one.details().trace]).toEqual([0, undefined]);
  });

  it('with known categories as candidates tells strangers of later pictures by a formula', async () => {
    const general = await learn({ ...problem, generalized: true });
    const formula = general.strangers()!;
    expect(general.decisionValues(testFeatures).cols).toBe(16);
    // One more for what is of the middle of all categories.
    expect([formula.candidates, formula.weights.cols]).toEqual([16, 17]);
    const { listed, unlisted } = general.probabilities(later);
    const told = unlistedChances(formula, 'none', later, backend);
    unlisted.forEach((chance, j) => {
      expect(chance).toBeCloseTo(told[j], 9);
      expect(Array.from(listed.row(j)).reduce((sum, each) => sum + each, chance)).toBeCloseTo(1, 9);
    });
  });

  it('with too few categories to rehearse with says so, and judges by what is usual', async () => {
    const few = await learn(
      generateProblem({ ...sizes, auxiliaryCategories: 3, text: false, validation: false, seed: 5 }),
    );
    expect(few.details().warnings![0]).toMatch(/^3 auxiliary categories are too few/);
    expect(few.strangers()).toBeUndefined();
    expect(few.sureness().doubt).toBeGreaterThan(0);
  });

  it('stops when it is told to', async () => {
    const stop = new AbortController();
    const fit = new Bowerbird().fit(problem, {
      backend,
      signal: stop.signal,
      onProgress: () => stop.abort(new Error('enough')),
    });
    await expect(fit).rejects.toThrow('enough');
    await expect(
      new Bowerbird().fit(problem, { backend, signal: AbortSignal.abort(new Error('never')) }),
    ).rejects.toThrow('never');
  });
});
