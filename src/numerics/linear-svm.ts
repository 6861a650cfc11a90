/**
 * Linear support vector machines for many categories over the same instances, one against the rest:
 * min ½(‖w‖² + b²/s²) + Σᵢ Cᵢ ℓ(1 − yᵢ (w'xᵢ + b)), ℓ(z) = max(0, z) or its square, by dual coordinate descent (Hsieh,
 * Chang, Lin, Keerthi and Sundararajan 2008) in blocks (blocked-descent.ts).
 */
import { ArgumentError } from '../errors.js';
import type { Backend } from '../linalg/index.js';
import { Matrix } from '../linalg/index.js';
import { type DescentOptions, descend, type Visit } from './blocked-descent.js';
import { type LinearModel, splitIntercepts } from './linear-model.js';
import { Scratch } from './scratch.js';
import { augmentedRows, inOldOrder, transposed, visitingOrder } from './visiting-order.js';

export interface SvmOptions extends DescentOptions {
  /** Cᵢ: one for all, one per instance, or one per instance and category (n×C). */
  cost: number | ArrayLike<number> | Matrix;
  /** @default 'hinge' */
  loss?: 'hinge' | 'squared-hinge';
  /** Dual variables to start from, n×C; they are cut to the bounds. @default all zero */
  start?: Matrix<Float64Array>;
  /** s, the constant feature that carries the intercept; smaller converges faster. @default 1 */
  interceptScale?: number;
}

export interface SvmResult extends LinearModel {
  /** αᵢ of every category, n×C; w_c = Σᵢ α_ic y_ic xᵢ. */
  readonly duals: Matrix<Float64Array>;
  readonly sweeps: number;
  readonly converged: boolean;
}

/** Features n×d, targets n×C of +1, −1, and 0 where an instance takes no part in a category's problem. */
export async function linearSvm(
  backend: Backend,
  features: Matrix,
  targets: Matrix,
  { cost, loss = 'hinge', start, interceptScale = 1, ...options }: SvmOptions,
): Promise<SvmResult> {
  if (features.rows !== targets.rows)
    throw new ArgumentError(`linearSvm: ${features.rows} rows of features, ${targets.rows} rows of targets`);
  const [n, categories] = [features.rows, targets.cols];
  const order = visitingOrder(features);
  // Category by instance, so that a category's part of a block lies together.
  const signs = transposed(targets, order);
  const costs = checkCosts(costMatrix(cost, order, categories));
  const alphas = start ? transposed(start, order) : Matrix.zeros(categories, n);
  clip(alphas, signs, costs, loss);
  const scratch = new Scratch(backend);
  try {
    const x = augmentedRows(scratch, features, order, interceptScale);
    const weights = scratch.matrix(categories, x.cols);
    const signed = scratch.matrix(categories, n);
    for (let k = 0; k < signed.data.length; k++) signed.data[k] = alphas.data[k] * signs.data[k];
    backend.gemm(weights, signed, x);
    const visitOne = (part: Visit) => {
      const c = part.category;
      return visit(part, signs.row(c), costs.row(c), alphas.row(c), loss);
    };
    const descent = await descend(backend, scratch, weights, x, visitOne, options);
    return { ...splitIntercepts(weights, interceptScale), duals: inOldOrder(alphas, order), ...descent };
  } finally {
    scratch.release();
  }
}

/** One pass over the block's coordinates for one category; returns the largest projected gradient met. */
function visit(
  { block: { first, rows, gram }, values, moves }: Visit,
  signs: Float64Array,
  costs: Float64Array,
  alphas: Float64Array,
  loss: 'hinge' | 'squared-hinge',
): number {
  const count = rows.rows;
  const squared = loss === 'squared-hinge';
  const { data, stride } = gram;
  let worst = 0;
  for (let i = 0; i < count; i++) {
    const sign = signs[first + i];
    const cost = costs[first + i];
    if (sign === 0 || cost === 0) continue;
    const alpha = alphas[first + i];
    const bound = squared ? Number.POSITIVE_INFINITY : cost;
    const bend = squared ? 1 / (2 * cost) : 0;
    const gradient = sign * values[i] - 1 + bend * alpha;
    const projected = alpha <= 0 ? Math.min(gradient, 0) : alpha >= bound ? Math.max(gradient, 0) : gradient;
    if (projected === 0) continue;
    worst = Math.max(worst, Math.abs(projected));
    const next = Math.min(bound, Math.max(0, alpha - gradient / (data[i * stride + i] + bend)));
    const move = sign * (next - alpha);
    if (move === 0) continue;
    alphas[first + i] = next;
    moves[i] += move;
    // Those before have been visited, and are found anew in the next sweep.
    for (let j = i + 1, entry = i * stride + j; j < count; j++, entry++) values[j] += move * data[entry];
  }
  return worst;
}

function clip(alphas: Matrix, signs: Matrix, costs: Matrix, loss: 'hinge' | 'squared-hinge'): void {
  for (let k = 0; k < alphas.data.length; k++) {
    const bound = loss === 'hinge' || costs.data[k] === 0 ? costs.data[k] : Number.POSITIVE_INFINITY;
    alphas.data[k] = signs.data[k] === 0 ? 0 : Math.min(bound, Math.max(0, alphas.data[k]));
  }
}

/** C×n costs from any of the forms they are given in, instances in visiting order. */
function costMatrix(cost: SvmOptions['cost'], order: Int32Array, categories: number): Matrix<Float64Array> {
  if (cost instanceof Matrix) return transposed(cost, order);
  const costs = Matrix.zeros(categories, order.length);
  if (typeof cost === 'number') return costs.fill(cost);
  if (cost.length !== order.length)
    throw new ArgumentError(`linearSvm: ${cost.length} costs for ${order.length} instances`);
  const inOrder = Float64Array.from(order, (row) => cost[row]);
  for (let c = 0; c < categories; c++) costs.row(c).set(inOrder);
  return costs;
}

function checkCosts(costs: Matrix<Float64Array>): Matrix<Float64Array> {
  const wrong = costs.data.find((value) => !(value >= 0 && Number.isFinite(value)));
  if (wrong !== undefined) throw new ArgumentError(`linearSvm: a cost is ${wrong}; it must be a number of at least 0`);
  return costs;
}
