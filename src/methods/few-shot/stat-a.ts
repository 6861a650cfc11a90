/**
 * StatA (Zanella, Fuchs, De Vleeschouwer and Ben Ayed, "Realistic test-time adaptation of vision-language models", CVPR 2025), made for folders in
 * which few of the categories occur. As TransCLIP without web pictures in the estimate, but each category has a diagonal covariance of its own and
 * is held to an anchor N(μ'_k, Σ'): minimizes
 *   (1/t) [−Σⱼ zⱼ·log pⱼ + α Σ_k KL(N(μ'_k, Σ') ‖ N(μ_k, Σ_k))] − ½ Σ_jk A_jk zⱼ·z_k + Σⱼ (zⱼ·log zⱼ − zⱼ·log ŷⱼ).
 * With N_k = Σⱼ z_jk the closed forms are μ_k = (Σⱼ z_jk xⱼ + α μ'_k)/(N_k + α) and
 * Σ_k = (Σⱼ z_jk (xⱼ − μ_k)² + α (Σ' + (μ'_k − μ_k)²))/(N_k + α): a category without pictures stays at its anchor. Anchors are the whitened means of the
 * web pictures (there: sentences) and the spread of the test pictures about them under the first predictions. Deviation: N_k are
 * sums of z, as in the objective, not counts of the largest entries.
 */
import { Matrix } from '../../linalg/index.js';
import { changed, log, number } from '../../parameters.js';
import { affinities, assignmentObjective, smoothed } from './affinities.js';
import { scaledProducts, softmaxRows, webDirections } from './cosines.js';
import { type DiagonalGaussians, logDensities, type Moments, moments, withSquares } from './diagonal-gaussians.js';
import { type FewShotData, fewShotSpec } from './few-shot-method.js';
import { logSoftmax, tempered, transclipParameters } from './transclip.js';

const innerRounds = 5;

export const statASpec = fewShotSpec({
  name: 'stat-a',
  title: 'StatA',
  citation:
    'Zanella, Fuchs, De Vleeschouwer and Ben Ayed, Realistic test-time adaptation of vision-language models, CVPR 2025',
  parameters: {
    ...transclipParameters,
    lambda: changed(transclipParameters.lambda, { default: 1 }),
    anchor: number('how many pictures the anchor of a category counts for, α', 1, { above: 0, range: log(0.1, 30) }),
  },
  learn: (data, parameters) => statA(data, parameters),
});

export interface StatAOptions {
  sharpness: number;
  lambda: number;
  temper: number;
  neighbours: number;
  rounds: number;
  anchor: number;
}

/** `onObjective` is told the objective after every block. */
export async function statA(
  data: FewShotData,
  { sharpness: beta, lambda, temper, neighbours, rounds, anchor }: StatAOptions,
  onObjective?: (value: number) => void,
) {
  const { backend, signal, onRound } = data;
  const test = withSquares(data.test);
  const directions = webDirections(data);
  const first = (pictures: Matrix<Float64Array>) => scaledProducts(backend, pictures, directions, beta);
  const firstScores = first(data.test);
  const logPriors = logSoftmax(firstScores);
  const graph = affinities(backend, data.test, neighbours, (cosine) => Math.max(0, cosine) / neighbours, signal);
  let state = { scores: firstScores, assignments: softmaxRows(firstScores) };
  const anchors: DiagonalGaussians = {
    means: directions,
    variances: spreadAbout(directions, moments(backend, state.assignments, test)),
  };
  let gaussians = anchors;
  const evidence = () => tempered(logDensities(backend, gaussians, test), temper, logPriors, lambda);
  const report = () =>
    onObjective?.(
      assignmentObjective(evidence(), graph, state.assignments) + (anchor / temper) * divergence(anchors, gaussians),
    );
  for (let round = 0; round <= rounds; round++) {
    signal?.throwIfAborted();
    state = smoothed(evidence(), graph, state.assignments, innerRounds);
    report();
    if (round === rounds) break;
    gaussians = anchored(moments(backend, state.assignments, test), anchors, anchor);
    report();
    onRound(round + 1, rounds);
  }
  return {
    values: state.scores,
    score: (pictures: Matrix<Float64Array>) =>
      tempered(logDensities(backend, gaussians, withSquares(pictures)), temper, logSoftmax(first(pictures)), lambda),
  };
}

function anchored(
  { masses, sums, squareSums }: Moments,
  anchors: DiagonalGaussians,
  weight: number,
): DiagonalGaussians {
  const [means, variances] = [sums.copy('float64'), squareSums.copy('float64')];
  for (let k = 0; k < means.rows; k++) {
    const [mean, variance] = [means.row(k), variances.row(k)];
    const [held, spread] = [anchors.means.row(k), anchors.variances.row(k)];
    const mass = masses[k] + weight;
    for (let j = 0; j < mean.length; j++) {
      mean[j] = (mean[j] + weight * held[j]) / mass;
      // Σ z (x − μ)² + α (μ' − μ)² = Σ z x² + α μ'² − (N + α) μ² at this μ.
      const squares = (variance[j] + weight * (spread[j] + held[j] ** 2)) / mass - mean[j] ** 2;
      variance[j] = Math.max(squares, 1e-12);
    }
  }
  return { means, variances };
}

/** Mean squared deviation of all pictures from the means they are assigned to, the same for all categories. */
function spreadAbout(means: Matrix<Float64Array>, { masses, sums, squareSums }: Moments): Matrix<Float64Array> {
  const shared = new Float64Array(means.cols);
  let total = 0;
  for (let k = 0; k < means.rows; k++) {
    const [mean, sum, squares] = [means.row(k), sums.row(k), squareSums.row(k)];
    for (let j = 0; j < shared.length; j++) shared[j] += squares[j] - 2 * mean[j] * sum[j] + masses[k] * mean[j] ** 2;
    total += masses[k];
  }
  const variances = Matrix.zeros(means.rows, means.cols);
  for (let k = 0; k < variances.rows; k++) variances.row(k).set(shared.map((value) => Math.max(value / total, 1e-9)));
  return variances;
}

/** Σ_k KL(N(μ', Σ') ‖ N(μ, Σ)) */
function divergence(from: DiagonalGaussians, to: DiagonalGaussians): number {
  let total = 0;
  for (let k = 0; k < from.means.data.length; k++) {
    const ratio = from.variances.data[k] / to.variances.data[k];
    const distance = (from.means.data[k] - to.means.data[k]) ** 2 / to.variances.data[k];
    total += (ratio + distance - 1 - Math.log(ratio)) / 2;
  }
  return total;
}
