/**
 * What TransCLIP and StatA share: distributions z of the test pictures and Gaussians of the categories in turn, with
 *   −(1/t) Σⱼ zⱼ·log pⱼ − ½ Σ_jk A_jk zⱼ·z_k + Σⱼ (zⱼ·log zⱼ − λ zⱼ·log ŷⱼ) + what holds the Gaussians
 * never rising: some rounds of z = softmax(log p/t + λ log ŷ + A z), then Gaussians in closed form.
 */
import type { Matrix } from '../../linalg/index.js';
import { affinities, assignmentObjective, smoothed } from './affinities.js';
import { scaledProducts, softmaxRows, supportDirections } from './cosines.js';
import { type DiagonalGaussians, logDensities, type WithSquares, withSquares } from './diagonal-gaussians.js';
import type { FewShotData } from './few-shot-method.js';

/** Rounds of z between two updates of the Gaussians. */
const innerRounds = 5;

export interface TemperedOptions {
  sharpness: number;
  lambda: number;
  temper: number;
  neighbours: number;
  rounds: number;
}

/** The Gaussians of one method. */
export interface GaussianBlock {
  first: DiagonalGaussians;
  /** Those that are best for the distributions of the test pictures. */
  update(assignments: Matrix<Float64Array>): DiagonalGaussians;
  /** What holds them, as part of the objective. */
  penalty(gaussians: DiagonalGaussians): number;
}

/** `onObjective` is told the objective after every block. */
export async function alternateGaussians(
  data: FewShotData,
  { sharpness, lambda, temper, neighbours, rounds }: TemperedOptions,
  block: (test: WithSquares, assignments: Matrix<Float64Array>, directions: Matrix<Float64Array>) => GaussianBlock,
  onObjective?: (value: number) => void,
) {
  const { backend, signal, onRound } = data;
  const test = withSquares(data.test);
  const directions = supportDirections(data);
  const firstScores = (pictures: Matrix<Float64Array>) => scaledProducts(backend, pictures, directions, sharpness);
  const scores = firstScores(data.test);
  const logPriors = logSoftmax(scores);
  const graph = affinities(backend, data.test, neighbours, (cosine) => Math.max(0, cosine) / neighbours, signal);
  let state = { scores, assignments: softmaxRows(scores) };
  const { first, update, penalty } = block(test, state.assignments, directions);
  let gaussians = first;
  const evidence = () => tempered(logDensities(backend, gaussians, test), temper, logPriors, lambda);
  const report = () => onObjective?.(assignmentObjective(evidence(), graph, state.assignments) + penalty(gaussians));
  for (let round = 0; round <= rounds; round++) {
    signal?.throwIfAborted();
    state = smoothed(evidence(), graph, state.assignments, innerRounds);
    report();
    if (round === rounds) break;
    gaussians = update(state.assignments);
    report();
    onRound(round + 1, rounds);
  }
  return {
    values: state.scores,
    score: (pictures: Matrix<Float64Array>) =>
      tempered(
        logDensities(backend, gaussians, withSquares(pictures)),
        temper,
        logSoftmax(firstScores(pictures)),
        lambda,
      ),
  };
}

/** densities/temper + λ · priors */
function tempered(
  densities: Matrix<Float64Array>,
  temper: number,
  priors: Matrix<Float64Array>,
  lambda: number,
): Matrix<Float64Array> {
  for (let k = 0; k < densities.data.length; k++)
    densities.data[k] = densities.data[k] / temper + lambda * priors.data[k];
  return densities;
}

/** log softmax of every row. */
function logSoftmax(scores: Matrix<Float64Array>): Matrix<Float64Array> {
  const result = scores.copy('float64');
  for (let i = 0; i < result.rows; i++) {
    const row = result.row(i);
    let most = Number.NEGATIVE_INFINITY;
    for (let c = 0; c < row.length; c++) most = Math.max(most, row[c]);
    let total = 0;
    for (let c = 0; c < row.length; c++) total += Math.exp(row[c] - most);
    for (let c = 0; c < row.length; c++) row[c] -= most + Math.log(total);
  }
  return result;
}
