/**
 * Quadratic programme on a box with a bounded sum: min ½ x'Hx − f'x over 0 ≤ xᵢ ≤ bound, low ≤ Σx ≤ high, for a
 * positive semidefinite H. Accelerated projected gradient (Beck and Teboulle 2009), restarted when momentum points uphill
 * (O'Donoghue and Candès 2015); the projection is a clip to the box or, where that breaks a limit of the sum, the
 * learner's projection on the capped simplex at that limit. Stops when a step moves no variable by more than
 * `tolerance` · bound.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Backend, Matrix } from '../linalg/index.js';
import { projectCappedSimplex } from './capped-simplex.js';

export interface BoxProgramme {
  /** H, n×n. */
  quadratic: Matrix<Float64Array>;
  /** f. */
  linear: Float64Array;
  bound: number;
  /** Limits of the sum; `low` is at most n · bound, `high` at least 0. */
  low: number;
  high: number;
}

export interface BoxProgrammeOptions {
  /** @default 1e-5 */
  tolerance?: number;
  /** @default 2000 */
  maxSteps?: number;
  signal?: AbortSignal;
}

/** The minimizer. */
export async function solveBoxProgramme(
  backend: Backend,
  programme: BoxProgramme,
  { tolerance = 1e-5, maxSteps = 2000, signal }: BoxProgrammeOptions = {},
): Promise<Float64Array> {
  const { quadratic, linear, bound } = programme;
  const n = linear.length;
  const metric = new Float64Array(n).fill(largestEigenvalue(backend, quadratic));
  const rate = metric[0] > 0 ? 1 / metric[0] : 0;
  const x = project(new Float64Array(n).fill(Math.min(1, bound)), programme, metric);
  const extrapolated = x.slice();
  const gradient = new Float64Array(n);
  const trial = new Float64Array(n);
  let momentum = 1;
  for (let step = 0; step < maxSteps; step++) {
    if (step % 20 === 0) {
      signal?.throwIfAborted();
      await yieldToEventLoop();
    }
    backend.gemv(gradient, quadratic, extrapolated);
    for (let i = 0; i < n; i++) trial[i] = extrapolated[i] - rate * (gradient[i] - linear[i]);
    project(trial, programme, metric);
    let uphill = 0;
    let moved = 0;
    for (let i = 0; i < n; i++) {
      uphill += (extrapolated[i] - trial[i]) * (trial[i] - x[i]);
      moved = Math.max(moved, Math.abs(trial[i] - extrapolated[i]));
    }
    const next = uphill > 0 ? 1 : (1 + Math.sqrt(1 + 4 * momentum * momentum)) / 2;
    const push = uphill > 0 ? 0 : (momentum - 1) / next;
    for (let i = 0; i < n; i++) {
      extrapolated[i] = trial[i] + push * (trial[i] - x[i]);
      x[i] = trial[i];
    }
    momentum = next;
    if (moved <= tolerance * bound) break;
  }
  return x;
}

/** The nearest feasible point, in place. */
function project(
  point: Float64Array,
  { bound, low, high }: BoxProgramme,
  metric: Float64Array,
): Float64Array<ArrayBufferLike> {
  let sum = 0;
  for (let i = 0; i < point.length; i++) sum += Math.min(bound, Math.max(0, point[i]));
  if (sum > high || sum < low) projectCappedSimplex(point, point, metric, sum > high ? high : low, bound);
  else for (let i = 0; i < point.length; i++) point[i] = Math.min(bound, Math.max(0, point[i]));
  return point;
}

/** By power iteration from a fixed start, raised by two per cent so that a step of its inverse descends. */
function largestEigenvalue(backend: Backend, matrix: Matrix<Float64Array>): number {
  let vector = Float64Array.from({ length: matrix.cols }, (_, i) => 1 + 1e-3 * ((i * 2654435761) % 97));
  let value = 0;
  for (let k = 0; k < 60; k++) {
    const length = Math.sqrt(vector.reduce((sum, entry) => sum + entry * entry, 0));
    if (!(length > 0)) return 0;
    const unit = vector.map((entry) => entry / length);
    const image = new Float64Array(matrix.rows);
    backend.gemv(image, matrix, unit);
    const before = value;
    value = Math.sqrt(image.reduce((sum, entry) => sum + entry * entry, 0));
    vector = image;
    if (Math.abs(value - before) <= 1e-4 * value) break;
  }
  return value * 1.02;
}
