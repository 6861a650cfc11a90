/**
 * Support vector machines whose slack is a function of privileged text (SVM+, Vapnik and Vashist 2009), one category
 * against the rest, with the hinge loss:
 * min ½(‖w‖² + b²/s²) + γ/2 ‖w̃‖² + Σᵢ Cᵢ ξᵢ  with  ξᵢ = w̃'(x̃ᵢ, 1) ≥ 0  and  yᵢ (w'xᵢ + b) ≥ 1 − ξᵢ
 * for all pictures of either sign that have text; the others keep a free ξᵢ ≥ 0. With one function for all pictures this is
 * the machine of 2009, with one for either sign that of Vapnik 2006, whose groups are here the two signs. The dual is
 * min ½‖Σ αᵢyᵢ(xᵢ, s)‖² + 1/2γ ‖Σ (αᵢ + βᵢ − Cᵢ)(x̃ᵢ, 1)‖² − Σ αᵢ over α, β ≥ 0, and α ≤ C where there is no text. Both
 * intercepts lie inside the penalty (Li, Dai, Tan, Xu and Van Gool 2016), so no equality ties the variables, and
 * coordinate descent in blocks solves it (blocked-descent.ts). Text is kept sparse.
 */
import { ArgumentError } from '../errors.js';
import type { Backend } from '../linalg/index.js';
import { Matrix } from '../linalg/index.js';
import { type DescentOptions, descend, type Visit } from './blocked-descent.js';
import { splitIntercepts } from './linear-model.js';
import type { SvmResult } from './linear-svm.js';
import { Scratch } from './scratch.js';
import { augmentedRows, inOldOrder, visitingOrder } from './visiting-order.js';

export interface PrivilegedSvmOptions extends DescentOptions {
  /** n×d̃; rows of pictures without text are not read. */
  text: Matrix;
  /** 1 for pictures that have text. @default all */
  hasText?: Uint8Array;
  /** Cᵢ of negatives. */
  cost: number;
  /** How much larger Cᵢ of positives is. */
  positiveWeight: number;
  /** γ. */
  textPenalty: number;
  /** Slack functions of a machine. @default 'one' */
  functions?: 'one' | 'by-sign';
  /** s. @default 1 */
  interceptScale?: number;
}

export interface PrivilegedSvm extends SvmResult {
  /** βᵢ of every category, n×K. */
  readonly slackDuals: Matrix<Float64Array>;
  /** w̃ of every category and slack function, K×G(d̃ + 1); negatives have the second of two functions. */
  readonly slackWeights: Matrix<Float64Array>;
}

/** Features n×d, targets n×K of +1, −1, and 0 where a picture takes no part in a machine. */
export async function privilegedSvm(
  backend: Backend,
  features: Matrix,
  targets: Matrix,
  options: PrivilegedSvmOptions,
): Promise<PrivilegedSvm> {
  const { cost, textPenalty, positiveWeight, hasText, functions = 'one', interceptScale = 1 } = options;
  if (!(cost > 0 && textPenalty > 0 && positiveWeight > 0))
    throw new ArgumentError(
      `privilegedSvm: cost is ${cost}, positiveWeight ${positiveWeight} and textPenalty ${textPenalty}; all must be above 0`,
    );
  const [n, categories] = [features.rows, targets.cols];
  const order = visitingOrder(features);
  const words = sparseRows(options.text, order, hasText);
  const groups = functions === 'one' ? 1 : 2;
  const machines = Array.from({ length: categories }, (_, c): Machine => {
    const signs = Float64Array.from(order, (row) => targets.at(row, c));
    const costs = signs.map((sign) => (sign > 0 ? cost * positiveWeight : cost));
    return {
      signs,
      costs,
      alphas: new Float64Array(n),
      // Begins with β = C, where no text has any slack.
      betas: costs.map((value, i) => (signs[i] !== 0 && words.described[i] ? value : 0)),
      slackWeights: Array.from({ length: groups }, () => new Float64Array(words.width)),
    };
  });
  const scratch = new Scratch(backend);
  try {
    const x = augmentedRows(scratch, features, order, interceptScale);
    const weights = scratch.matrix(categories, x.cols);
    const visitOne = (part: Visit) => visit(part, machines[part.category], words, textPenalty);
    const descent = await descend(backend, scratch, weights, x, visitOne, options);
    const gathered = (of: (machine: Machine) => Float64Array) =>
      inOldOrder(Matrix.from(machines.map(of)) as Matrix<Float64Array>, order);
    return {
      ...splitIntercepts(weights, interceptScale),
      duals: gathered(({ alphas }) => alphas),
      slackDuals: gathered(({ betas }) => betas),
      slackWeights: Matrix.from(
        machines.map(({ slackWeights }) =>
          Float64Array.from(slackWeights.flatMap((each) => [...words.numbers].map((number) => each[number]))),
        ),
      ) as Matrix<Float64Array>,
      ...descent,
    };
  } finally {
    scratch.release();
  }
}

/** One category against the rest; arrays are in visiting order. */
interface Machine {
  signs: Float64Array;
  costs: Float64Array;
  alphas: Float64Array;
  betas: Float64Array;
  slackWeights: Float64Array[];
}

/** Text in visiting order, with a 1 behind every row, as places and values. */
interface SparseRows {
  /** Entries of row i are starts[i] … starts[i + 1] − 1. */
  starts: Int32Array;
  places: Int32Array;
  values: Float64Array;
  squares: Float64Array;
  described: Uint8Array;
  /** d̃ + 1. */
  width: number;
  /** Place of every word among the weights. */
  numbers: Int32Array;
}

/** One pass over the block's coordinates for one category; returns the largest projected gradient met. */
function visit(
  { block: { first, rows, gram }, values, moves }: Visit,
  machine: Machine,
  text: SparseRows,
  penalty: number,
) {
  const { signs, costs, alphas, betas, slackWeights } = machine;
  const { described: describes, squares, starts, places, values: words } = text;
  const count = rows.rows;
  const { data, stride } = gram;
  let worst = 0;
  for (let i = 0; i < count; i++) {
    const at = first + i;
    const sign = signs[at];
    if (sign === 0) continue;
    const described = describes[at] === 1;
    const weights = slackWeights[sign < 0 ? slackWeights.length - 1 : 0];
    const [begin, end] = [starts[at], starts[at + 1]];
    const bend = described ? squares[at] / penalty : 0;
    let slack = 0;
    if (described) {
      for (let k = begin; k < end; k++) slack += weights[places[k]] * words[k];
      const beta = betas[at];
      // β keeps the slack from falling below 0.
      const least = beta <= 0 ? Math.min(slack, 0) : slack;
      worst = Math.max(worst, Math.abs(least));
      const next = Math.max(0, beta - slack / bend);
      const move = next - beta;
      if (move !== 0) {
        betas[at] = next;
        const factor = move / penalty;
        for (let k = begin; k < end; k++) weights[places[k]] += factor * words[k];
        slack += move * bend;
      }
    }
    const alpha = alphas[at];
    const bound = described ? Number.POSITIVE_INFINITY : costs[at];
    const gradient = sign * values[i] + slack - 1;
    const projected = alpha <= 0 ? Math.min(gradient, 0) : alpha >= bound ? Math.max(gradient, 0) : gradient;
    if (projected === 0) continue;
    worst = Math.max(worst, Math.abs(projected));
    const next = Math.min(bound, Math.max(0, alpha - gradient / (data[i * stride + i] + bend)));
    const move = next - alpha;
    if (move === 0) continue;
    alphas[at] = next;
    const signed = sign * move;
    moves[i] += signed;
    // Those before have been visited, and are found anew in the next sweep.
    for (let j = i + 1, entry = i * stride + j; j < count; j++, entry++) values[j] += signed * data[entry];
    if (described) {
      const factor = move / penalty;
      for (let k = begin; k < end; k++) weights[places[k]] += factor * words[k];
    }
  }
  return worst;
}

/**
 * Words are numbered anew: those of many pictures first, then the others as they come up, so that what is read together lies
 * together.
 */
function sparseRows(text: Matrix, order: Int32Array, hasText: Uint8Array | undefined): SparseRows {
  const [places, values]: number[][] = [[], []];
  const starts = new Int32Array(order.length + 1);
  const squares = new Float64Array(order.length);
  const described = new Uint8Array(order.length);
  order.forEach((row, position) => {
    if (hasText?.[row] !== 0) {
      described[position] = 1;
      const words = text.row(row);
      for (let j = 0; j < words.length; j++)
        if (words[j] !== 0) {
          places.push(j);
          values.push(words[j]);
          squares[position] += words[j] ** 2;
        }
      places.push(text.cols);
      values.push(1);
      squares[position]++;
    }
    starts[position + 1] = places.length;
  });
  const width = text.cols + 1;
  const numbers = wordNumbers(places, width);
  return {
    ...{ starts, squares, described, width, numbers },
    places: Int32Array.from(places, (place) => numbers[place]),
    values: Float64Array.from(values),
  };
}

/** Pictures that a word must be in to be among the first. */
const usual = 16;

/** The new number of every word. */
function wordNumbers(places: readonly number[], width: number): Int32Array {
  const counts = new Int32Array(width);
  for (const place of places) counts[place]++;
  const words = [...counts.keys()];
  const often = words.filter((word) => counts[word] >= usual).sort((a, b) => counts[b] - counts[a] || a - b);
  const numbers = new Int32Array(width);
  [...new Set([...often, ...places, ...words])].forEach((word, number) => {
    numbers[word] = number;
  });
  return numbers;
}
