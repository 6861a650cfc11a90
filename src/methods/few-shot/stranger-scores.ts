/**
 * How likely a picture shows no listed category, by scores that are compared with `unlisted` probabilities: larger is stranger.
 *
 * From decision values, taken as logits: minus the largest one (Vaze, Han, Vedaldi and Zisserman, "Open-set recognition: a good closed-set
 * classifier is all you need?", ICLR 2022) and minus log Σ exp, the energy (Liu, Wang, Owens and Li, "Energy-based out-of-distribution
 * detection", NeurIPS 2020). From features in the whitened space, with the means of the web pictures: the relative Mahalanobis
 * distance min_c ‖x − m_c‖² − ‖x − m‖²_background, the background being all auxiliary pictures and their total
 * covariance (Ren, Fort, Liu, Roy, Padhy and Lakshminarayanan, "A simple fix to Mahalanobis distance for improving near-OOD detection", 2021); the cosine to
 * the nearest listed mean; and that less the cosine to the nearest auxiliary mean.
 */
import type { Backend, Matrix } from '../../linalg/index.js';
import {
  labelCounts,
  labelSums,
  squaredDistances,
  timesTransposed,
  toUnitRows,
  withScratch,
} from '../../numerics/index.js';
import type { Problem } from '../../problem/index.js';
import { requireWeb } from '../blocks/web-problem.js';
import { WhitenedSpace, type WhitenedSpaceOptions } from '../blocks/whitened-space.js';

export function maximumLogit(values: Matrix): Float64Array {
  return largest(values).map((value) => -value);
}

export function energy(values: Matrix): Float64Array {
  const most = largest(values);
  return most.map((value, i) => {
    let total = 0;
    for (const entry of values.row(i)) total += Math.exp(entry - value);
    return -value - Math.log(total);
  });
}

export interface FeatureScores {
  relativeMahalanobis: Float64Array;
  nearestCosine: Float64Array;
  cosineContrast: Float64Array;
}

/** Of the test pictures of the problem, measured from the mean of the web pictures. */
export async function featureScores(
  problem: Problem,
  backend: Backend,
  options: WhitenedSpaceOptions = { power: 0.75, shrinkage: 0.3 },
): Promise<FeatureScores> {
  requireWeb(problem, 'featureScores');
  const space = await WhitenedSpace.learn(problem, backend, options);
  const centre = space.centreOf(problem.webFeatures);
  const categories = problem.testNames.length;
  const means = labelSums(backend, space.place(problem.webFeatures, centre), problem.webLabels, categories);
  backend.scaleRows(
    means,
    labelCounts(problem.webLabels, categories).map((count) => 1 / count),
  );
  const test = space.place(problem.testFeatures, centre);
  const fromAuxiliary = space.place(problem.testFeatures, space.auxiliaryCentre);
  const nearest = largest(squaredDistances(backend, test, means), -1).map((value) => -value);
  const background = await backgroundDistances(backend, space, fromAuxiliary);
  const listed = largest(timesTransposed(backend, toUnitRows(test), toUnitRows(means)));
  const known = toUnitRows(space.auxiliaryMeans.copy('float64'));
  const auxiliary = largest(timesTransposed(backend, toUnitRows(fromAuxiliary), known));
  return {
    relativeMahalanobis: nearest.map((value, i) => value - background[i]),
    nearestCosine: listed.map((value) => -value),
    cosineContrast: listed.map((value, i) => auxiliary[i] - value),
  };
}

/** x'T⁻¹x with the total covariance of the auxiliary pictures: I within categories, and what their means add. */
function backgroundDistances(
  backend: Backend,
  space: WhitenedSpace,
  rows: Matrix<Float64Array>,
): Promise<Float64Array> {
  const { auxiliaryMeans, auxiliaryCounts } = space;
  const total = auxiliaryCounts.reduce((sum, count) => sum + count, 0);
  return withScratch(backend, async (scratch) => {
    const weighted = auxiliaryMeans.copy('float64');
    backend.scaleRows(
      weighted,
      auxiliaryCounts.map((count) => Math.sqrt(count / total)),
    );
    const covariance = scratch.matrix(rows.cols, rows.cols);
    backend.syrk(covariance, weighted, { transpose: true });
    backend.addDiagonal(covariance, 1);
    backend.cholesky(covariance);
    const solved = scratch.copy(rows);
    backend.choleskySolve(covariance, solved, 'rows');
    const result = new Float64Array(rows.rows);
    backend.rowDots(result, rows, solved);
    return result;
  });
}

/** Largest entry of each row times `sign`. */
function largest(values: Matrix, sign = 1): Float64Array {
  return Float64Array.from({ length: values.rows }, (_, i) => {
    let most = Number.NEGATIVE_INFINITY;
    for (const value of values.row(i)) most = Math.max(most, sign * value);
    return most;
  });
}
