/**
 * StatA (Zanella, Fuchs, De Vleeschouwer and Ben Ayed, "Realistic test-time adaptation of vision-language models", CVPR 2025), made for folders in
 * which few of the categories occur. As TransCLIP without labelled pictures in the estimate, but each category has a diagonal covariance of its own and
 * is held to an anchor N(μ'_k, Σ'): minimizes
 *   (1/t) [−Σⱼ zⱼ·log pⱼ + α Σ_k KL(N(μ'_k, Σ') ‖ N(μ_k, Σ_k))] − ½ Σ_jk A_jk zⱼ·z_k + Σⱼ (zⱼ·log zⱼ − zⱼ·log ŷⱼ).
 * With N_k = Σⱼ z_jk the closed forms are μ_k = (Σⱼ z_jk xⱼ + α μ'_k)/(N_k + α) and
 * Σ_k = (Σⱼ z_jk (xⱼ − μ_k)² + α (Σ' + (μ'_k − μ_k)²))/(N_k + α): a category without pictures stays at its anchor. Anchors are the whitened means of the
 * labelled pictures (there: sentences) and the spread of the test pictures about them under the first predictions. Deviation: N_k are
 * sums of z, as in the objective, not counts of the largest entries.
 */
import { Matrix } from '../../linalg/index.js';
import { changed, log, number } from '../../parameters.js';
import { type DiagonalGaussians, type Moments, moments, type WithSquares } from './diagonal-gaussians.js';
import { type FewShotData, fewShotSpec } from './few-shot-method.js';
import { alternateGaussians, type GaussianBlock, type TemperedOptions } from './tempered-gaussians.js';
import { transclipParameters } from './transclip.js';

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

export interface StatAOptions extends TemperedOptions {
  anchor: number;
}

/** `onObjective` is told the objective after every block. */
export function statA(data: FewShotData, { anchor, ...options }: StatAOptions, onObjective?: (value: number) => void) {
  const { backend } = data;
  const block = (
    test: WithSquares,
    assignments: Matrix<Float64Array>,
    directions: Matrix<Float64Array>,
  ): GaussianBlock => {
    const variances = spreadAbout(directions, moments(backend, assignments, test));
    const anchors: DiagonalGaussians = { means: directions, variances };
    return {
      first: anchors,
      update: (now) => anchored(moments(backend, now, test), anchors, anchor),
      penalty: (gaussians) => (anchor / options.temper) * divergence(anchors, gaussians),
    };
  };
  return alternateGaussians(data, options, block, onObjective);
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
