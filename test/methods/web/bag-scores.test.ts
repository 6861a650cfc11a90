/** Scores of bags by products of bags with bags, against the weights themselves. */
import { describe, expect, it } from 'vitest';
import { createBackend, Matrix, Random } from '../../../src/linalg/index.js';
import type { BagProblem } from '../../../src/methods/web/bag-machine.js';
import { BagScores, type SelectedBags } from '../../../src/methods/web/bag-scores.js';

const backend = await createBackend({ threads: 1 });
const [bagCount, d, words] = [6, 5, 4];

describe.each([
  [1, false],
  [1, true],
  [2, false],
  [3, true],
])('scores of bags, %i domains, text: %s', (m, hasText) => {
  const random = new Random(m);
  const matrix = (rows: number, cols: number) => new Matrix(random.normalArray(rows * cols), rows, cols);
  const problem = {
    bags: Array.from({ length: bagCount }, (_, l) => ({ category: l % 3, rows: [] })),
    ...{ categories: 3, domainCount: m, selected: 0.5, cost: 2, textPenalty: 0.7 },
    ...(hasText && { text: matrix(1, words) }),
  } as unknown as BagProblem;
  const selections = Array.from({ length: 2 }, (): SelectedBags => {
    const parts = matrix(bagCount * m, d);
    const wholes = Matrix.zeros(bagCount, d);
    for (let l = 0; l < bagCount; l++)
      for (let k = 0; k < m; k++) for (let j = 0; j < d; j++) wholes.row(l)[j] += parts.at(l * m + k, j);
    const texts = Array.from({ length: bagCount }, (_, l) => ({
      places: Int32Array.of(l % 2, 2, 3),
      values: random.normalArray(3),
    }));
    return { parts, wholes, texts: hasText ? texts : undefined };
  });
  const alphas = matrix(bagCount, 3 * m);
  const betas = random.normalArray(bagCount);
  const mixture = [0.3, 0.7];
  const dot = (a: ArrayLike<number>, b: ArrayLike<number>) =>
    Array.from(a).reduce((sum, value, j) => sum + value * b[j], 0);

  /** Weights of every selection written out, and what they say of a bag. */
  function literal(l: number) {
    const [others, own, slack] = [new Float64Array(3 * m), [0], [0]];
    selections.forEach(({ parts, wholes, texts }, t) => {
      const weights = Matrix.zeros(3 * m, d);
      const textWeights = Matrix.zeros(3, words);
      problem.bags.forEach(({ category }, b) => {
        const total = alphas.row(b).reduce((x, y) => x + y, 0);
        for (let k = 0; k < 3 * m; k++)
          for (let j = 0; j < d; j++) weights.row(k)[j] -= mixture[t] * alphas.at(b, k) * wholes.at(b, j);
        for (let k = 0; k < m; k++)
          for (let j = 0; j < d; j++) weights.row(category * m + k)[j] += mixture[t] * total * parts.at(b * m + k, j);
        const pull = (mixture[t] * (total + betas[b] - problem.cost)) / problem.textPenalty!;
        texts?.[b].places.forEach((place, k) => {
          textWeights.row(category)[place] += pull * texts[b].values[k];
        });
      });
      const { category } = problem.bags[l];
      for (let k = 0; k < 3 * m; k++) others[k] += dot(weights.row(k), wholes.row(l));
      for (let k = 0; k < m; k++) own[0] += dot(weights.row(category * m + k), parts.row(l * m + k));
      texts?.[l].places.forEach((place, k) => {
        slack[0] += textWeights.at(category, place) * texts[l].values[k];
      });
      others.fill(Number.NEGATIVE_INFINITY, category * m, (category + 1) * m);
    });
    return { own: own[0], slack: slack[0], others };
  }

  function expectLiteral(scores: BagScores) {
    for (let l = 0; l < bagCount; l++) {
      const others = new Float64Array(3 * m);
      const { own, slack } = scores.look(l, others);
      const wanted = literal(l);
      expect(own).toBeCloseTo(wanted.own, 10);
      expect(slack).toBeCloseTo(wanted.slack, 10);
      others.forEach((value, k) => {
        if (Number.isFinite(value)) expect(value).toBeCloseTo(wanted.others[k], 10);
        else expect(wanted.others[k]).toBe(value);
      });
    }
  }

  it('are those of the weights, at first and after every move of a bag', () => {
    const scores = new BagScores(backend, problem, selections, { alphas, betas, mixture });
    expectLiteral(scores);
    for (const l of [0, 4, 5, 0]) {
      const moves = new Float64Array(3 * m);
      const { category } = problem.bags[l];
      for (let k = 0; k < 3 * m; k += 2) if (Math.floor(k / m) !== category) moves[k] = random.normal();
      const betaMove = random.normal();
      scores.move(l, moves, betaMove);
      moves.forEach((by, k) => {
        alphas.row(l)[k] += by;
      });
      betas[l] += betaMove;
      expectLiteral(scores);
    }
  });

  it('change with a dual variable by what its squares say', () => {
    const l = 2;
    const { category } = problem.bags[l];
    const k = ((category + 1) % 3) * m;
    const scores = new BagScores(backend, problem, selections, { alphas, betas, mixture });
    const [before, after] = [new Float64Array(3 * m), new Float64Array(3 * m)];
    const first = scores.look(l, before);
    const moves = new Float64Array(3 * m);
    moves[k] = 1;
    scores.move(l, moves, 0);
    const second = scores.look(l, after);
    const { own, other, text } = scores.squares(l);
    expect(second.own - first.own).toBeCloseTo(own, 10);
    expect(before[k] - after[k]).toBeCloseTo(other, 10);
    expect(second.slack - first.slack).toBeCloseTo(text, 10);
  });
});
