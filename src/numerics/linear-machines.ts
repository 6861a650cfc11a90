/**
 * Many linear machines over the same pictures, min over W of Σᵢ loss(W xᵢ) + decay/2 ‖W‖², by nonlinear conjugate
 * gradients (Polak and Ribière, restarted when β < 0) preconditioned with κX'X + decay I. All machines share the one
 * factorization, so a dozen iterations of two matrix products do. Stops when ‖gradient‖ in the norm of the inverse
 * preconditioner has fallen to `tolerance` of its start for every machine.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Backend, Matrix } from '../linalg/index.js';
import type { MachineLoss } from './machine-losses.js';
import { withScratch } from './scratch.js';

export interface MachineOptions {
  /** Penalty on the squared weights, above 0. */
  decay: number;
  /** @default 3e-2, where accuracies no longer change */
  tolerance?: number;
  /** @default 40 */
  maxIterations?: number;
  /** κX'X with the loss's typical curvature κ, where it is known already. */
  products?: Matrix<Float64Array>;
  signal?: AbortSignal;
  onIteration?: (iteration: number) => void;
}

/** Weights C×d, one row a machine. Features are n×d, without intercept. */
export async function trainMachines(
  backend: Backend,
  features: Matrix<Float64Array>,
  loss: MachineLoss,
  { decay, tolerance = 3e-2, maxIterations = 40, products, signal, onIteration }: MachineOptions,
): Promise<Matrix<Float64Array>> {
  return withScratch(backend, async (scratch) => {
    const [n, d, machines] = [features.rows, features.cols, loss.machines];
    const factor = products ? scratch.copy(products) : scratch.matrix(d, d);
    if (!products) backend.syrk(factor, features, { transpose: true, alpha: loss.typicalCurvature });
    backend.addDiagonal(factor, decay);
    backend.cholesky(factor);

    const weights = scratch.matrix(machines, d);
    const gradient = scratch.matrix(machines, d);
    const solved = scratch.matrix(machines, d);
    const previous = scratch.matrix(machines, d);
    const direction = scratch.matrix(machines, d);
    const scores = scratch.matrix(n, machines);
    const change = scratch.matrix(n, machines);
    const slopes = scratch.matrix(n, machines);

    const groups = new Groups(loss.coupled, machines);
    let squares: Float64Array = new Float64Array(machines);
    let start: Float64Array | undefined;
    for (let iteration = 0; ; iteration++) {
      signal?.throwIfAborted();
      loss.differentiate(slopes, scores);
      backend.copy(gradient, weights);
      backend.gemm(gradient, slopes, features, { transposeA: true, beta: decay });
      backend.copy(solved, gradient);
      backend.choleskySolve(factor, solved, 'rows');
      const next = groups.dots(gradient, solved);
      start ??= next;
      if (iteration >= maxIterations || next.every((value, c) => value <= tolerance ** 2 * start![c])) break;
      if (iteration === 0) for (let c = 0; c < machines; c++) addRow(direction, c, solved, -1, 0);
      else {
        const overlap = groups.dots(gradient, previous);
        for (let c = 0; c < machines; c++) {
          const beta = squares[c] > 0 ? Math.max(0, (next[c] - overlap[c]) / squares[c]) : 0;
          addRow(direction, c, solved, -1, beta);
        }
        const descent = groups.dots(gradient, direction);
        for (let c = 0; c < machines; c++) if (descent[c] >= 0) addRow(direction, c, solved, -1, 0);
      }
      squares = next;
      backend.copy(previous, solved);
      backend.gemm(change, features, direction, { transposeB: true });
      const steps = lineSearch(loss, groups, scores, change, {
        slope: groups.dots(gradient, direction),
        penaltySlope: groups.dots(weights, direction).map((value) => decay * value),
        penaltyCurvature: groups.dots(direction, direction).map((value) => decay * value),
      });
      for (let c = 0; c < machines; c++) addRow(weights, c, direction, steps[c], 1);
      moveColumns(scores, change, steps);
      onIteration?.(iteration + 1);
      await yieldToEventLoop();
    }
    return weights.copy('float64');
  });
}

/** Machines that take steps of their own, or all together where the loss couples them. */
class Groups {
  readonly #coupled: boolean;
  readonly #machines: number;

  constructor(coupled: boolean, machines: number) {
    this.#coupled = coupled;
    this.#machines = machines;
  }

  /** Row by row a·b; the sum over all rows in every entry where machines are coupled. */
  dots(a: Matrix<Float64Array>, b: Matrix<Float64Array>): Float64Array {
    const result = new Float64Array(this.#machines);
    for (let c = 0; c < a.rows; c++) {
      const [x, y] = [a.row(c), b.row(c)];
      let sum = 0;
      for (let j = 0; j < x.length; j++) sum += x[j] * y[j];
      result[c] = sum;
    }
    return this.shared(result);
  }

  shared(values: Float64Array): Float64Array {
    return this.#coupled ? values.fill(values.reduce((sum, value) => sum + value, 0)) : values;
  }
}

interface Along {
  slope: Float64Array;
  penaltySlope: Float64Array;
  penaltyCurvature: Float64Array;
}

/**
 * Newton's method on the slope of each machine's objective along its direction, kept within the bracket that earlier
 * slopes give; done when every slope is a tenth of what it was.
 */
function lineSearch(
  loss: MachineLoss,
  groups: Groups,
  scores: Matrix<Float64Array>,
  change: Matrix<Float64Array>,
  along: Along,
): Float64Array {
  const machines = loss.machines;
  const steps = new Float64Array(machines);
  const low = new Float64Array(machines);
  const high = new Float64Array(machines).fill(Number.POSITIVE_INFINITY);
  const slopes = new Float64Array(machines);
  const curvatures = new Float64Array(machines);
  for (let evaluation = 0; evaluation < 6; evaluation++) {
    slopes.fill(0);
    curvatures.fill(0);
    loss.along(slopes, curvatures, { scores, change, steps });
    groups.shared(slopes);
    groups.shared(curvatures);
    let done = evaluation > 0;
    for (let c = 0; c < machines; c++) {
      const slope = slopes[c] + along.penaltySlope[c] + steps[c] * along.penaltyCurvature[c];
      const curvature = curvatures[c] + along.penaltyCurvature[c];
      if (!(curvature > 0) || Math.abs(slope) <= 0.1 * Math.abs(along.slope[c])) continue;
      done = false;
      if (slope < 0) low[c] = steps[c];
      else high[c] = steps[c];
      const newton = steps[c] - slope / curvature;
      if (newton > low[c] && newton < high[c]) steps[c] = newton;
      else steps[c] = high[c] === Number.POSITIVE_INFINITY ? 2 * low[c] : (low[c] + high[c]) / 2;
    }
    if (done) break;
  }
  return steps;
}

/** Row c of `target` ← keep · itself + factor · row c of `source`. */
function addRow(
  target: Matrix<Float64Array>,
  c: number,
  source: Matrix<Float64Array>,
  factor: number,
  keep: number,
): void {
  const [x, y] = [target.row(c), source.row(c)];
  for (let j = 0; j < x.length; j++) x[j] = keep * x[j] + factor * y[j];
}

function moveColumns(scores: Matrix<Float64Array>, change: Matrix<Float64Array>, steps: Float64Array): void {
  for (let i = 0; i < scores.rows; i++) {
    const [z, d] = [scores.row(i), change.row(i)];
    for (let c = 0; c < z.length; c++) z[c] += steps[c] * d[c];
  }
}
