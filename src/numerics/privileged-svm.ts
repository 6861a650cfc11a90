/**
 * Support vector machines whose slack is a function of privileged text (SVM+, Vapnik and Vashist 2009), with the squared
 * loss and the intercepts inside the penalty (Li, Dai, Tan, Xu and Van Gool 2016), one category against the rest:
 * min ½(‖w‖² + b²/s²) + γ/2 ‖w̃‖² + C Σᵢ pᵢ ξᵢ²  with  yᵢ (w'xᵢ + b) ≥ 1 − ξᵢ.
 * Where all positives of a machine have text, their slack is ξᵢ = w̃'(x̃ᵢ, 1): words, not the picture, decide which of them
 * may be misclassified. Negatives keep a free ξᵢ ≥ 0, and so do positives without text. The dual is
 * min ½ Σ αᵢαⱼ (yᵢyⱼ (xᵢ'xⱼ + s²) + Qᵢⱼ) − Σ αᵢ over α ≥ 0, where Q is x̃ᵢ'A⁻¹x̃ⱼ among positives with text,
 * A = γI + 2C Σ pᵢ x̃ᵢx̃ᵢ' over them, and diag(1/2Cpᵢ) elsewhere. It is solved by coordinate descent in blocks
 * (blocked-descent.ts).
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
  /** C. */
  cost: number;
  /** pᵢ of positives; negatives have 1. */
  positiveWeight: number;
  /** γ. */
  textPenalty: number;
  /** s. @default 1 */
  interceptScale?: number;
}

/** Features n×d, targets n×K of +1, −1, and 0 where a picture takes no part in a machine. */
export async function privilegedSvm(
  backend: Backend,
  features: Matrix,
  targets: Matrix,
  options: PrivilegedSvmOptions,
): Promise<SvmResult> {
  const { cost, textPenalty, interceptScale = 1 } = options;
  if (!(cost > 0 && textPenalty > 0))
    throw new ArgumentError(`privilegedSvm: cost is ${cost} and textPenalty ${textPenalty}; both must be above 0`);
  const [n, categories] = [features.rows, targets.cols];
  const order = visitingOrder(features);
  const groups = slackGroups(backend, targets, order, options);
  const alphas = Matrix.zeros(categories, n);
  const scratch = new Scratch(backend);
  try {
    const x = augmentedRows(scratch, features, order, interceptScale);
    const weights = scratch.matrix(categories, x.cols);
    const visitOne = (part: Visit) => visit(part, groups[part.category], options, alphas.row(part.category));
    const descent = await descend(backend, scratch, weights, x, visitOne, options);
    return { ...splitIntercepts(weights, interceptScale), duals: inOldOrder(alphas, order), ...descent };
  } finally {
    scratch.release();
  }
}

/** The two sides of one machine. */
interface SlackGroup {
  /** Place of each instance (in visiting order) among the positives, −1 for negatives, −2 for those left out. */
  place: Int32Array;
  /** x̃ᵢ'A⁻¹x̃ⱼ, where the positives have text. */
  gram: Matrix<Float64Array> | undefined;
  /** w̃'x̃ᵢ of the positives, kept up to date. */
  slacks: Float64Array;
}

/** One pass over the block's coordinates for one category; returns the largest projected gradient met. */
function visit(
  { block: { first, rows, gram }, values, moves }: Visit,
  group: SlackGroup,
  { cost, positiveWeight }: PrivilegedSvmOptions,
  alphas: Float64Array,
): number {
  const count = rows.rows;
  const { data, stride } = gram;
  let worst = 0;
  for (let i = 0; i < count; i++) {
    const at = first + i;
    const place = group.place[at];
    if (place === -2) continue;
    const sign = place < 0 ? -1 : 1;
    const privileged = place >= 0 ? group.gram : undefined;
    const bend = privileged ? privileged.at(place, place) : 1 / (2 * cost * (place < 0 ? 1 : positiveWeight));
    const slack = privileged ? group.slacks[place] : bend * alphas[at];
    const gradient = sign * values[i] + slack - 1;
    const projected = alphas[at] <= 0 ? Math.min(gradient, 0) : gradient;
    if (projected === 0) continue;
    worst = Math.max(worst, Math.abs(projected));
    const next = Math.max(0, alphas[at] - gradient / (data[i * stride + i] + bend));
    const move = next - alphas[at];
    if (move === 0) continue;
    alphas[at] = next;
    moves[i] += sign * move;
    const row = i * stride;
    for (let j = 0; j < count; j++) values[j] += sign * move * data[row + j];
    if (privileged) {
      const explained = privileged.row(place);
      for (let j = 0; j < explained.length; j++) group.slacks[j] += move * explained[j];
    }
  }
  return worst;
}

function slackGroups(
  backend: Backend,
  targets: Matrix,
  order: Int32Array,
  { text, hasText, cost, positiveWeight, textPenalty }: PrivilegedSvmOptions,
): SlackGroup[] {
  return Array.from({ length: targets.cols }, (_, c) => {
    const place = new Int32Array(order.length);
    const members: number[] = [];
    order.forEach((row, position) => {
      const target = targets.at(row, c);
      place[position] = target > 0 ? members.length : target < 0 ? -1 : -2;
      if (target > 0) members.push(row);
    });
    const described = members.length > 0 && members.every((row) => hasText?.[row] !== 0);
    const gram = described ? explainedSlack(backend, text, members, textPenalty, 2 * cost * positiveWeight) : undefined;
    return { place, gram, slacks: new Float64Array(members.length) };
  });
}

/** T (γI + κT'T)⁻¹ T' = (γI + κK)⁻¹ K with K = TT', T the members' text with a 1 behind it: the smaller system. */
function explainedSlack(
  backend: Backend,
  text: Matrix,
  members: readonly number[],
  textPenalty: number,
  stiffness: number,
): Matrix<Float64Array> {
  const scratch = new Scratch(backend);
  try {
    const t = augmentedRows(scratch, text, Int32Array.from(members), 1);
    const kernel = scratch.matrix(members.length, members.length);
    backend.syrk(kernel, t);
    const system = scratch.copy(kernel);
    backend.axpby(system, 0, kernel, stiffness);
    backend.addDiagonal(system, textPenalty);
    backend.cholesky(system);
    backend.choleskySolve(system, kernel, 'columns');
    return kernel.copy('float64');
  } finally {
    scratch.release();
  }
}
