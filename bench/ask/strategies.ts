/** Which pictures to ask about next: the questions of src/ask, and what the literature would ask. */
import { type Asking, beliefsOf, rankQuestions } from '../../src/ask/index.js';
import { type Matrix, Random } from '../../src/linalg/index.js';
import { type Method, type Problem, unanswered } from '../../src/problem/index.js';

export interface Standing {
  readonly method: Method;
  readonly problem: Problem;
  readonly known: Int32Array;
  /** Groups that turned out to be mixed, by their first row. */
  readonly mixed: ReadonlySet<number>;
  readonly seed: number;
}

export type Strategy = (standing: Standing, wanted: number) => Asking[];

export const strategies: Record<string, Strategy> = {
  gain(standing, wanted) {
    const { method, problem, known, mixed } = standing;
    const beliefs = { ...beliefsOf(method, problem, known), groups: method.groups?.() };
    return rankQuestions(beliefs, wanted + mixed.size)
      .filter((asking) => asking.kind !== 'group' || !asking.rows.some((row) => mixed.has(row)))
      .slice(0, wanted);
  },
  random: ({ known, seed }, wanted) => {
    const order = new Random(seed, 7).permutation(known.length);
    return byScore(known, wanted, (j) => -order[j]);
  },
  'least confidence': (standing, wanted) => byRow(standing, wanted, ([first]) => -first),
  margin: (standing, wanted) => byRow(standing, wanted, ([first, second]) => second - first),
  bald: (standing, wanted) => {
    const { method, problem, known, seed } = standing;
    const scores = mutualInformation(beliefsOf(method, problem, known).chances, new Random(seed, 11));
    return byScore(known, wanted, (j) => scores[j]);
  },
  coreset: ({ problem, known, seed }, wanted) => farthest(problem.testFeatures, known, wanted, new Random(seed, 13)),
};

function byScore(known: Int32Array, wanted: number, score: (row: number) => number): Asking[] {
  return [...known.keys()]
    .filter((row) => known[row] === unanswered)
    .map((row) => ({ row, value: score(row) }))
    .sort((a, b) => b.value - a.value)
    .slice(0, wanted)
    .map(({ row }) => ({ kind: 'picture', row, gain: 0 }));
}

function byRow(
  { method, problem, known }: Standing,
  wanted: number,
  score: (sorted: Float64Array) => number,
): Asking[] {
  const { chances } = beliefsOf(method, problem, known);
  return byScore(known, wanted, (row) => score(chances.row(row).slice().sort().reverse()));
}

/**
 * BALD (Houlsby et al. 2011): mutual information of the answer and the parameters. Twenty draws of the log chances stand
 * for draws of the parameters; their deviation falls with the root of the number of pictures a category has.
 */
function mutualInformation(chances: Matrix<Float64Array>, random: Random): Float64Array {
  const counts = new Float64Array(chances.cols);
  for (let j = 0; j < chances.rows; j++) for (let c = 0; c < chances.cols; c++) counts[c] += chances.at(j, c);
  const deviations = counts.map((count) => 4 / Math.sqrt(1 + count));
  const draws = 20;
  return Float64Array.from({ length: chances.rows }, (_, j) => {
    const mean = new Float64Array(chances.cols);
    let expected = 0;
    for (let draw = 0; draw < draws; draw++) {
      const drawn = chances.row(j).map((p, c) => Math.log(p + 1e-9) + deviations[c] * random.normal());
      const most = drawn.reduce((a, b) => Math.max(a, b));
      const exponentials = drawn.map((value) => Math.exp(value - most));
      const total = exponentials.reduce((a, b) => a + b);
      for (let c = 0; c < mean.length; c++) mean[c] += exponentials[c] / total / draws;
      expected += entropy(exponentials.map((value) => value / total)) / draws;
    }
    return entropy(mean) - expected;
  });
}

function entropy(values: Float64Array): number {
  return values.reduce((sum, p) => (p > 0 ? sum - p * Math.log(p) : sum), 0);
}

/** Core-set (Sener and Savarese 2018): always the picture farthest from all answered ones. */
function farthest(features: Matrix, known: Int32Array, wanted: number, random: Random): Asking[] {
  const rows = features.copy('float64');
  const lengths = Float64Array.from({ length: rows.rows }, (_, j) => Math.hypot(...rows.row(j)));
  const nearest = new Float64Array(rows.rows).fill(Number.POSITIVE_INFINITY);
  const take = (centre: number) => {
    const own = rows.row(centre);
    for (let j = 0; j < rows.rows; j++) {
      const other = rows.row(j);
      let product = 0;
      for (let k = 0; k < own.length; k++) product += own[k] * other[k];
      nearest[j] = Math.min(nearest[j], 1 - product / (lengths[centre] * lengths[j] || 1));
    }
  };
  for (let j = 0; j < known.length; j++) if (known[j] !== unanswered) take(j);
  const asked: Asking[] = [];
  const free = new Set([...known.keys()].filter((j) => known[j] === unanswered));
  while (asked.length < wanted && free.size > 0) {
    const first = nearest[0] === Number.POSITIVE_INFINITY ? [...free][random.integer(free.size)] : undefined;
    const row = first ?? [...free].reduce((best, j) => (nearest[j] > nearest[best] ? j : best));
    asked.push({ kind: 'picture', row, gain: 0 });
    free.delete(row);
    take(row);
  }
  return asked;
}
