/**
 * Accelerated projected gradient for the weights, without forming H. All θ have the same sum, so that X'(θ − θ') is
 * X̃'(θ − θ') with X̃ the centred features. In the metric M = diag(curvature) + coupling·σ², σ the largest singular value
 * of X̃, we have H ≼ M between feasible points, so a step of length one always descends, and brings θ closer to the
 * solution by the factor κ = max coupling·σ²/Mᵢ. In practice the coupling is small beside the curvature, κ is tiny and
 * two or three plain steps are enough; otherwise momentum is added, restarted when it points uphill (O'Donoghue and
 * Candès 2015). Stops when the distance left, at most κ/(1 − κ) times the last plain step (1/(1 − κ) times one with
 * momentum), is below `tolerance`, or when a step is no longer than the rounding of its gradient.
 */
import { projectCappedSimplex } from '../../numerics/index.js';
import { type ThetaProblem, thetaGradient, type WebProducts } from './problem.js';

export interface ProjectedGradientOptions {
  /** Square of the largest singular value of the centred features, or an upper bound of it. */
  spectralBound: number;
  /** @default 1e-11 */
  tolerance?: number;
  /** @default 5000 */
  maxSteps?: number;
}

/** The vectors of the method, wherever they are kept: θ, the point y that steps start from, and the trial point. */
export interface GradientSteps {
  /** κ */
  readonly contraction: number;
  /** Whether weights depend on each other at all; if not M = H and the first projection is the exact answer. */
  readonly coupled: boolean;
  /** X'y */
  sumUp(): Promise<void>;
  /** Trial ← the projection of y − M⁻¹∇(y), given X'y. */
  project(): Promise<ProjectedStep>;
  /** y ← trial + push (trial − θ), θ ← trial */
  advance(push: number): void;
}

export interface ProjectedStep {
  /** Largest |trialᵢ − yᵢ| */
  moved: number;
  /** Σ Mᵢ (yᵢ − trialᵢ)(trialᵢ − θᵢ): positive when the momentum points uphill. */
  uphill: number;
  /** Largest rounding error of a step. */
  rounding: number;
}

/** Steps from y = θ to the solution; afterwards X'y is that of the solution too. Returns the number of steps. */
export async function descend(
  steps: GradientSteps,
  { tolerance = 1e-11, maxSteps = 5000 }: Omit<ProjectedGradientOptions, 'spectralBound'> = {},
): Promise<number> {
  const { contraction, coupled } = steps;
  const accelerate = contraction > 0.3;
  const distanceLeft = (accelerate ? 1 : contraction) / (1 - contraction);
  let momentum = 1;
  for (let step = 1; ; step++) {
    if (coupled && step > 1) await steps.sumUp();
    const { moved, uphill, rounding } = await steps.project();
    const restart = !accelerate || uphill > 0;
    const nextMomentum = restart ? 1 : (1 + Math.sqrt(1 + 4 * momentum * momentum)) / 2;
    steps.advance(restart ? 0 : (momentum - 1) / nextMomentum);
    momentum = nextMomentum;
    if (!coupled) {
      await steps.sumUp();
      return step;
    }
    if (distanceLeft * moved <= tolerance || moved <= rounding || step >= maxSteps) return step;
  }
}

/**
 * Solves in place, starting from the given θ and its X'θ; both are replaced by those of the solution. Returns the
 * number of steps.
 */
export function solveProjectedGradient(
  theta: Float64Array,
  weightedSum: Float64Array,
  problem: ThetaProblem,
  products: WebProducts,
  options: ProjectedGradientOptions,
): Promise<number> {
  const n = theta.length;
  const { spectralBound } = options;
  const metric = stepMetric(problem, spectralBound);
  const { coupling, bound } = problem;
  const { roundoff = Number.EPSILON } = products;
  const extrapolated = theta.slice();
  const gradient = new Float64Array(n);
  const trial = new Float64Array(n);
  let tau = 0;
  const steps: GradientSteps = {
    contraction: metric.reduce((worst, value) => Math.max(worst, (coupling * spectralBound) / value), 0),
    coupled: coupling > 0,
    async sumUp() {
      await products.transposedTimes(weightedSum, extrapolated);
    },
    async project() {
      await thetaGradient(gradient, extrapolated, weightedSum, problem, products);
      for (let i = 0; i < n; i++) trial[i] = extrapolated[i] - gradient[i] / metric[i];
      tau = projectCappedSimplex(trial, trial, metric, n, bound, tau);
      const step = { moved: 0, uphill: 0, rounding: 0 };
      for (let i = 0; i < n; i++) {
        const own = problem.curvature[i] * extrapolated[i];
        const terms = Math.abs(gradient[i]) + own + Math.abs(problem.linear[i]);
        const coupled = Math.abs(gradient[i] - own + problem.linear[i]);
        const rounding = 16 * (Number.EPSILON * terms + roundoff * coupled);
        step.rounding = Math.max(step.rounding, rounding / metric[i]);
        step.moved = Math.max(step.moved, Math.abs(trial[i] - extrapolated[i]));
        step.uphill += metric[i] * (extrapolated[i] - trial[i]) * (trial[i] - theta[i]);
      }
      return step;
    },
    advance(push) {
      for (let i = 0; i < n; i++) {
        extrapolated[i] = trial[i] + push * (trial[i] - theta[i]);
        theta[i] = trial[i];
      }
    },
  };
  return descend(steps, options);
}

/** diag(M); a picture that sits exactly on its prototype has no curvature and still needs a positive entry. */
function stepMetric({ curvature, coupling }: ThetaProblem, spectralBound: number): Float64Array {
  const metric = curvature.map((value) => value + coupling * spectralBound);
  let largest = 0;
  for (const value of metric) largest = Math.max(largest, value);
  const floor = largest > 0 ? largest * 1e-14 : 1;
  return metric.map((value) => Math.max(value, floor));
}

/**
 * An upper bound of σ² = ‖X̃‖₂², X̃ the centred features, by power iteration from a fixed start, raised by a tenth for
 * what it falls short of where the largest singular values are close together.
 */
export async function spectralBound(products: WebProducts, iterations = 30): Promise<number> {
  const vector = new Float64Array(products.cols).fill(1 / Math.sqrt(products.cols));
  for (let j = 0; j < vector.length; j++) vector[j] *= 1 + 1e-3 * ((j * 2654435761) % 97);
  const image = new Float64Array(products.rows);
  let square = 0;
  for (let k = 0; k < iterations; k++) {
    const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
    if (length === 0) return 0;
    for (let j = 0; j < vector.length; j++) vector[j] /= length;
    await products.times(image, vector);
    const mean = image.reduce((sum, value) => sum + value, 0) / image.length;
    for (let i = 0; i < image.length; i++) image[i] -= mean;
    const next = image.reduce((sum, value) => sum + value * value, 0);
    await products.transposedTimes(vector, image);
    if (Math.abs(next - square) <= 1e-4 * next && k > 2) {
      square = next;
      break;
    }
    square = next;
  }
  return square * 1.1;
}
