/**
 * Mixture of spherical Gaussians whose means are expected near given places, by expectation-maximization (Dempster, Laird
 * and Rubin 1977): maximizes over means θ_c and one variance σ²
 * Σᵢ log Σ_c exp(u_ic) N(zᵢ; θ_c, σ²I) + Σ_c log N(θ_c; μ_c, σ²/strength I), where u_ic is what is known of picture i and
 * component c beforehand. E: p_ic ∝ exp(u_ic) N(zᵢ; θ_c, σ²I). M: θ_c = (Σᵢ p_ic zᵢ + strength μ_c)/(Σᵢ p_ic + strength)
 * and σ² the mean squared deviation, both in closed form, so that the objective never falls.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Backend } from '../linalg/index.js';
import { Matrix } from '../linalg/index.js';
import { squaredLengths } from './distances.js';

export interface Mixture {
  /** θ, C×r. */
  readonly means: Matrix<Float64Array>;
  /** σ². */
  readonly variance: number;
}

export interface MixtureFit extends Mixture {
  /** The objective at the start and after every step. */
  readonly objectives: readonly number[];
}

export interface MixturePrior {
  /** μ, C×r. */
  readonly means: Matrix<Float64Array>;
  /** How many pictures the expected mean counts for. */
  readonly strength: number;
}

export interface MixtureOptions {
  /** Gain of the objective, as a share of it, at which it stops. @default 1e-6 */
  tolerance?: number;
  /** @default 100 */
  maxIterations?: number;
  signal?: AbortSignal;
  onIteration?: (iteration: number) => void;
}

/** Points n×r, evidence u n×C, first responsibilities n×C. */
export async function fitMixture(
  backend: Backend,
  points: Matrix<Float64Array>,
  evidence: Matrix<Float64Array>,
  prior: MixturePrior,
  start: Matrix<Float64Array>,
  { tolerance = 1e-6, maxIterations = 100, signal, onIteration }: MixtureOptions = {},
): Promise<MixtureFit> {
  let responsibilities = start;
  let mixture = maximize(backend, points, responsibilities, prior);
  const objectives: number[] = [];
  for (let iteration = 0; ; iteration++) {
    signal?.throwIfAborted();
    const joint = jointDensities(backend, mixture, points, evidence);
    const logs = logSums(joint);
    objectives.push(logs.reduce((sum, value) => sum + value, 0) + logPrior(mixture, prior));
    const [last, before] = [objectives[iteration], objectives[iteration - 1]];
    if (iteration >= maxIterations || last - before <= tolerance * Math.abs(last)) return { ...mixture, objectives };
    for (let i = 0; i < joint.rows; i++) {
      const row = joint.row(i);
      for (let c = 0; c < row.length; c++) row[c] = Math.exp(row[c] - logs[i]);
    }
    responsibilities = joint;
    mixture = maximize(backend, points, responsibilities, prior);
    onIteration?.(iteration + 1);
    await yieldToEventLoop();
  }
}

/** u_ic + log N(zᵢ; θ_c, σ²I), n×C. */
export function jointDensities(
  backend: Backend,
  { means, variance }: Mixture,
  points: Matrix<Float64Array>,
  evidence: Matrix<Float64Array>,
): Matrix<Float64Array> {
  const result = Matrix.zeros(points.rows, means.rows);
  backend.gemm(result, points, means, { transposeB: true });
  const [pointSquares, meanSquares] = [squaredLengths(points), squaredLengths(means)];
  const constant = (-points.cols / 2) * Math.log(2 * Math.PI * variance);
  for (let i = 0; i < result.rows; i++) {
    const [row, u] = [result.row(i), evidence.row(i)];
    for (let c = 0; c < row.length; c++) {
      const squared = Math.max(0, pointSquares[i] - 2 * row[c] + meanSquares[c]);
      row[c] = u[c] + constant - squared / (2 * variance);
    }
  }
  return result;
}

function maximize(
  backend: Backend,
  points: Matrix<Float64Array>,
  responsibilities: Matrix<Float64Array>,
  prior: MixturePrior,
): Mixture {
  const [components, r] = [prior.means.rows, points.cols];
  const means = prior.means.copy('float64');
  backend.gemm(means, responsibilities, points, { transposeA: true, beta: prior.strength });
  const masses = new Float64Array(components);
  for (let i = 0; i < responsibilities.rows; i++) {
    const row = responsibilities.row(i);
    for (let c = 0; c < components; c++) masses[c] += row[c];
  }
  for (let c = 0; c < components; c++) {
    const row = means.row(c);
    for (let j = 0; j < r; j++) row[j] /= masses[c] + prior.strength;
  }
  // Σ p‖z − θ‖² + strength Σ‖θ − μ‖² = Σ‖z‖² + strength Σ‖μ‖² − Σ_c (mass_c + strength)‖θ_c‖² at these means.
  const meanSquares = squaredLengths(means);
  let total = 0;
  for (const square of squaredLengths(points)) total += square;
  squaredLengths(prior.means).forEach((square, c) => {
    total += prior.strength * square - (masses[c] + prior.strength) * meanSquares[c];
  });
  const variance = Math.max(total, Number.EPSILON) / (r * (points.rows + components));
  return { means, variance };
}

function logPrior({ means, variance }: Mixture, prior: MixturePrior): number {
  let squares = 0;
  for (let c = 0; c < means.rows; c++) {
    const [a, b] = [means.row(c), prior.means.row(c)];
    for (let j = 0; j < a.length; j++) squares += (a[j] - b[j]) ** 2;
  }
  const constant = ((means.rows * means.cols) / 2) * Math.log((2 * Math.PI * variance) / prior.strength);
  return -constant - (prior.strength * squares) / (2 * variance);
}

/** log Σ_c exp of every row. */
function logSums(values: Matrix<Float64Array>): Float64Array {
  return Float64Array.from({ length: values.rows }, (_, i) => {
    const row = values.row(i);
    let most = Number.NEGATIVE_INFINITY;
    for (let c = 0; c < row.length; c++) most = Math.max(most, row[c]);
    let total = 0;
    for (let c = 0; c < row.length; c++) total += Math.exp(row[c] - most);
    return most + Math.log(total);
  });
}
