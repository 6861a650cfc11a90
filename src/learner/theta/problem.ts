/**
 * The problem of the importance weights: min ½ θ'Hθ − f'θ over 1'θ = n, 0 ≤ θ ≤ b, with
 * H = coupling · X X' + diag(curvature), X the n×d web features.
 */
import type { Vector } from '../../linalg/index.js';

export interface ThetaProblem {
  /** diag part of H, μ‖bᵢ‖². */
  curvature: Float64Array;
  /** f. */
  linear: Float64Array;
  /** λ3/nw². */
  coupling: number;
  bound: number;
}

/** Products with the web features, from memory or from a file. */
export interface WebProducts {
  readonly rows: number;
  readonly cols: number;
  /** Relative rounding error of one number in the products. @default that of float64 */
  readonly roundoff?: number;
  /** out (n) ← X vector (d) */
  times(out: Vector, vector: Vector): Promise<void> | void;
  /** out (d) ← X' weights (n) */
  transposedTimes(out: Vector, weights: Vector): Promise<void> | void;
}

/** g = Hθ − f given X'θ. */
export async function thetaGradient(
  out: Float64Array,
  theta: Float64Array,
  mean: Float64Array,
  problem: ThetaProblem,
  products: WebProducts,
): Promise<void> {
  if (problem.coupling > 0) await products.times(out, mean);
  else out.fill(0);
  for (let i = 0; i < theta.length; i++)
    out[i] = problem.coupling * out[i] + problem.curvature[i] * theta[i] - problem.linear[i];
}

/**
 * How far θ is from optimal, in units of the gradient: the largest gap between a weight that could grow and one that
 * could shrink, max over i with θᵢ < b of −gᵢ minus min over j with θⱼ > 0 of −gⱼ. Zero or less at an optimum.
 */
export function violation(theta: Float64Array, gradient: Float64Array, bound: number): number {
  let grow = Number.NEGATIVE_INFINITY;
  let shrink = Number.POSITIVE_INFINITY;
  for (let i = 0; i < theta.length; i++) {
    if (theta[i] < bound) grow = Math.max(grow, -gradient[i]);
    if (theta[i] > 0) shrink = Math.min(shrink, -gradient[i]);
  }
  return Math.max(0, grow - shrink);
}
