/**
 * Losses of linear machines as functions of their n×C scores z: logistic log(1 + exp(−tz)) and squared hinge
 * max(0, 1 − tz)² with t = ±1, each machine on its own, and softmax −z_y + log Σ_c exp z_c, which couples the machines.
 */
import type { Matrix, RealArray } from '../linalg/index.js';
import { softmaxInPlace } from './softmax.js';

export interface MachineLoss {
  readonly machines: number;
  /** Whether a picture's loss depends on the scores of several machines together. */
  readonly coupled: boolean;
  /** A second derivative that is typical of the loss near its optimum; guides the preconditioner only. */
  readonly typicalCurvature: number;
  /** Writes dLoss/dz. */
  differentiate(slopes: Matrix<Float64Array>, scores: Matrix<Float64Array>): void;
  /** Adds the first and second derivative of the loss along `change`, at scores + steps · change, machine by machine. */
  along(slopes: Float64Array, curvatures: Float64Array, move: Move): void;
}

interface Move {
  scores: Matrix<Float64Array>;
  change: Matrix<Float64Array>;
  /** One a machine. */
  steps: Float64Array;
}

/** Each machine on its own: t = +1 where `positive` (categories × machines) says so for a picture's label, −1 elsewhere. */
abstract class SeparateLoss {
  readonly machines: number;
  readonly coupled = false;
  readonly #labels: Int32Array;
  readonly #positive: Matrix;

  constructor(labels: Int32Array, positive: Matrix) {
    this.machines = positive.cols;
    this.#labels = labels;
    this.#positive = positive;
  }

  /** Above 0 where a picture's t is +1. */
  protected targets(picture: number): RealArray {
    return this.#positive.row(this.#labels[picture]);
  }
}

export class LogisticLoss extends SeparateLoss implements MachineLoss {
  readonly typicalCurvature: number;

  constructor(labels: Int32Array, positive: Matrix) {
    super(labels, positive);
    this.typicalCurvature = meanVariance(labels, positive);
  }

  differentiate(slopes: Matrix<Float64Array>, scores: Matrix<Float64Array>): void {
    for (let i = 0; i < scores.rows; i++) {
      const [out, z, t] = [slopes.row(i), scores.row(i), this.targets(i)];
      for (let c = 0; c < z.length; c++) out[c] = 1 / (1 + Math.exp(-z[c])) - (t[c] > 0 ? 1 : 0);
    }
  }

  along(slopes: Float64Array, curvatures: Float64Array, { scores, change, steps }: Move): void {
    for (let i = 0; i < scores.rows; i++) {
      const [z, d, t] = [scores.row(i), change.row(i), this.targets(i)];
      for (let c = 0; c < z.length; c++) {
        const probability = 1 / (1 + Math.exp(-(z[c] + steps[c] * d[c])));
        slopes[c] += (probability - (t[c] > 0 ? 1 : 0)) * d[c];
        curvatures[c] += probability * (1 - probability) * d[c] * d[c];
      }
    }
  }
}

export class SquaredHingeLoss extends SeparateLoss implements MachineLoss {
  /** Two where a picture lies within its margin; about half of them do. */
  readonly typicalCurvature = 1;

  differentiate(slopes: Matrix<Float64Array>, scores: Matrix<Float64Array>): void {
    for (let i = 0; i < scores.rows; i++) {
      const [out, z, t] = [slopes.row(i), scores.row(i), this.targets(i)];
      for (let c = 0; c < z.length; c++) out[c] = t[c] > 0 ? -2 * Math.max(0, 1 - z[c]) : 2 * Math.max(0, 1 + z[c]);
    }
  }

  along(slopes: Float64Array, curvatures: Float64Array, { scores, change, steps }: Move): void {
    for (let i = 0; i < scores.rows; i++) {
      const [z, d, t] = [scores.row(i), change.row(i), this.targets(i)];
      for (let c = 0; c < z.length; c++) {
        const sign = t[c] > 0 ? 1 : -1;
        const slack = 1 - sign * (z[c] + steps[c] * d[c]);
        if (slack <= 0) continue;
        slopes[c] -= 2 * sign * slack * d[c];
        curvatures[c] += 2 * d[c] * d[c];
      }
    }
  }
}

export class SoftmaxLoss implements MachineLoss {
  readonly machines: number;
  readonly coupled = true;
  readonly typicalCurvature: number;
  readonly #labels: Int32Array;

  constructor(labels: Int32Array, categories: number) {
    this.machines = categories;
    // A fifth of the variance of uniform chances: most pictures are sure of most categories in the end.
    this.typicalCurvature = (0.2 * (1 - 1 / categories)) / categories;
    this.#labels = labels;
  }

  differentiate(slopes: Matrix<Float64Array>, scores: Matrix<Float64Array>): void {
    for (let i = 0; i < scores.rows; i++) {
      const row = slopes.row(i);
      row.set(scores.row(i));
      softmaxInPlace(row);
      row[this.#labels[i]] -= 1;
    }
  }

  along(slopes: Float64Array, curvatures: Float64Array, { scores, change, steps }: Move): void {
    const p = new Float64Array(this.machines);
    for (let i = 0; i < scores.rows; i++) {
      const [z, d] = [scores.row(i), change.row(i)];
      for (let c = 0; c < z.length; c++) p[c] = z[c] + steps[c] * d[c];
      softmaxInPlace(p);
      let mean = 0;
      for (let c = 0; c < z.length; c++) mean += p[c] * d[c];
      // Machines step together, so only the sums over them matter; they are put under the first one's name.
      slopes[0] += mean - d[this.#labels[i]];
      for (let c = 0; c < z.length; c++) curvatures[0] += p[c] * (d[c] - mean) ** 2;
    }
  }
}

/** Mean over machines of the variance of their targets: the second derivative of a logistic loss that knows only those. */
function meanVariance(labels: Int32Array, positive: Matrix): number {
  const shares = new Float64Array(positive.cols);
  for (let i = 0; i < labels.length; i++) {
    const t = positive.row(labels[i]);
    for (let c = 0; c < t.length; c++) if (t[c] > 0) shares[c] += 1 / labels.length;
  }
  return Math.max(1e-3, shares.reduce((sum, share) => sum + share * (1 - share), 0) / positive.cols);
}
