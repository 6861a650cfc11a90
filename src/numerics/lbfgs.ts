/**
 * Limited-memory BFGS (Nocedal 1980) for smooth functions of many variables, with a bisecting line search for the weak
 * Wolfe conditions (Lewis and Overton 2013): f falls by at least 1e-4 of what the slope promises and the slope rises to
 * at least 0.9 of itself. Stops when the largest entry of the gradient is at most `tolerance`, or a
 * step lowers f by no more than `valueTolerance` of itself.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { dot } from './products.js';

/**
 * Writes the gradient at `point` and returns the value there. Above `bound`, or where the value is not a number, the gradient is
 * not looked at and need not be written.
 */
export type Objective = (point: Float64Array, gradient: Float64Array, bound: number) => number;

export interface LbfgsOptions {
  /** @default 1e-6 */
  tolerance?: number;
  /** @default 0 */
  valueTolerance?: number;
  /** @default 200 */
  maxIterations?: number;
  /** Pairs of steps and gradient changes that are remembered. @default 10 */
  memory?: number;
  /** Replaces a vector by an approximate inverse Hessian (symmetric, positive definite) times it. @default identity */
  precondition?: (vector: Float64Array) => void;
  signal?: AbortSignal;
  onIteration?: (iteration: number, value: number) => void;
}

export interface LbfgsResult {
  value: number;
  iterations: number;
  converged: boolean;
}

interface Pair {
  step: Float64Array;
  change: Float64Array;
  curvature: number;
  /** change' H₀ change, the squared length that scales H₀. */
  scaled: number;
}

/** Minimizes in place: `point` is where it starts and where the answer is left. */
export async function minimize(
  objective: Objective,
  point: Float64Array,
  {
    tolerance = 1e-6,
    valueTolerance = 0,
    maxIterations = 200,
    memory = 10,
    precondition,
    signal,
    onIteration,
  }: LbfgsOptions = {},
): Promise<LbfgsResult> {
  const n = point.length;
  const gradient = new Float64Array(n);
  const trial = new Float64Array(n);
  const trialGradient = new Float64Array(n);
  const direction = new Float64Array(n);
  const image = new Float64Array(n);
  const pairs: Pair[] = [];
  let value = objective(point, gradient, Number.POSITIVE_INFINITY);
  for (let iteration = 0; ; iteration++) {
    signal?.throwIfAborted();
    if (largest(gradient) <= tolerance) return { value, iterations: iteration, converged: true };
    if (iteration >= maxIterations) return { value, iterations: iteration, converged: false };
    descentDirection(direction, gradient, pairs, precondition);
    const slope = dot(direction, gradient);
    let length = pairs.length === 0 && !precondition ? Math.min(1, 1 / Math.sqrt(dot(gradient, gradient))) : 1;
    let low = 0;
    let high = Number.POSITIVE_INFINITY;
    let next = value;
    let found = false;
    for (let probe = 0; probe < 60; probe++) {
      for (let k = 0; k < n; k++) trial[k] = point[k] + length * direction[k];
      const bound = value + 1e-4 * length * slope;
      next = objective(trial, trialGradient, bound);
      if (!(next <= bound)) high = length;
      else if (dot(direction, trialGradient) < 0.9 * slope) low = length;
      else {
        found = true;
        break;
      }
      length = high === Number.POSITIVE_INFINITY ? 2 * low : (low + high) / 2;
    }
    if (!found) {
      // Rounding hides any further descent; the memory may be what misleads, so it is dropped once before giving up.
      if (pairs.length === 0) return { value, iterations: iteration, converged: false };
      pairs.length = 0;
      continue;
    }
    remember(pairs, memory, precondition, [point, trial], [gradient, trialGradient], image);
    point.set(trial);
    gradient.set(trialGradient);
    const still = valueTolerance > 0 && value - next <= valueTolerance * Math.abs(value);
    value = next;
    onIteration?.(iteration + 1, value);
    await yieldToEventLoop();
    if (still) return { value, iterations: iteration + 1, converged: true };
  }
}

/** Adds the pair of a step between two points; that of the oldest one gives its arrays to it. `image` is room for a vector. */
function remember(
  pairs: Pair[],
  memory: number,
  precondition: LbfgsOptions['precondition'],
  points: readonly [Float64Array, Float64Array],
  gradients: readonly [Float64Array, Float64Array],
  image: Float64Array,
): void {
  const n = image.length;
  const curvature = dotOfDifferences(points, gradients);
  if (!(curvature > 1e-300)) return;
  const oldest = pairs.length >= memory ? pairs.shift() : undefined;
  const { step, change } = oldest ?? { step: new Float64Array(n), change: new Float64Array(n) };
  for (let k = 0; k < n; k++) step[k] = points[1][k] - points[0][k];
  for (let k = 0; k < n; k++) change[k] = gradients[1][k] - gradients[0][k];
  image.set(change);
  precondition?.(image);
  pairs.push({ step, change, curvature, scaled: dot(change, image) });
}

/** (b₁ − a₁)'(b₂ − a₂) */
function dotOfDifferences(
  [a1, b1]: readonly [Float64Array, Float64Array],
  [a2, b2]: readonly [Float64Array, Float64Array],
): number {
  let total = 0;
  for (let k = 0; k < a1.length; k++) total += (b1[k] - a1[k]) * (b2[k] - a2[k]);
  return total;
}

/** The two-loop recursion: minus the approximate inverse Hessian times the gradient, into `direction`. */
function descentDirection(
  direction: Float64Array,
  gradient: Float64Array,
  pairs: readonly Pair[],
  precondition: LbfgsOptions['precondition'],
): void {
  for (let k = 0; k < direction.length; k++) direction[k] = -gradient[k];
  const factors = new Float64Array(pairs.length);
  for (let p = pairs.length - 1; p >= 0; p--) {
    factors[p] = dot(pairs[p].step, direction) / pairs[p].curvature;
    add(direction, -factors[p], pairs[p].change);
  }
  precondition?.(direction);
  if (pairs.length > 0) {
    const { curvature, scaled } = pairs[pairs.length - 1];
    const scale = curvature / scaled;
    for (let k = 0; k < direction.length; k++) direction[k] *= scale;
  }
  for (let p = 0; p < pairs.length; p++) {
    const correction = factors[p] - dot(pairs[p].change, direction) / pairs[p].curvature;
    add(direction, correction, pairs[p].step);
  }
}

function add(out: Float64Array, factor: number, vector: Float64Array): void {
  for (let k = 0; k < out.length; k++) out[k] += factor * vector[k];
}

function largest(vector: Float64Array): number {
  let most = 0;
  for (let k = 0; k < vector.length; k++) most = Math.max(most, Math.abs(vector[k]));
  return most;
}
