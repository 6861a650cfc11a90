/**
 * TransCLIP (Zanella, Gérin and Ben Ayed, "Boosting vision-language models with transduction", NeurIPS 2024), few-shot: distributions zⱼ of the
 * n test pictures, means μ_k and one diagonal covariance minimize
 *   −(1/t) Σⱼ zⱼ·log pⱼ − (γ n/S t) Σ over the S labelled pictures log p_{i yᵢ} − ½ Σ_jk A_jk zⱼ·z_k + Σⱼ (zⱼ·log zⱼ − λ zⱼ·log ŷⱼ),
 * with p the Gaussian densities, t = 50 their temper, A the cosines of nearest neighbours over their number and ŷ the predictions that one starts from.
 * Blocks in turn: five rounds of z = softmax(log p/t + λ log ŷ + A z), then means and covariance in closed form; ten times. Deviations: ŷ is
 * softmax(sharpness · cosine with the whitened means), where that paper has sentences, and an edge that both ends chose counts once.
 */
import { Matrix } from '../../linalg/index.js';
import { labelTargets } from '../../numerics/index.js';
import { integers, linear, log, number, whole } from '../../parameters.js';
import {
  type DiagonalGaussians,
  logDensities,
  type Moments,
  moments,
  type WithSquares,
  withSquares,
} from './diagonal-gaussians.js';
import { type FewShotData, fewShotSpec, sharpness } from './few-shot-method.js';
import { alternateGaussians, type GaussianBlock, type TemperedOptions } from './tempered-gaussians.js';

export const transclipParameters = {
  sharpness,
  lambda: number('how much the first predictions count', 0.5, { least: 0, range: linear(0, 1.5) }),
  temper: number('what log densities are divided by', 50, { above: 0, range: log(15, 200) }),
  neighbours: whole('nearest test pictures that each is joined with', 3, { range: integers(1, 10) }),
  rounds: whole('rounds of assigning and re-estimating', 10),
} as const;

export const transclipSpec = fewShotSpec({
  name: 'transclip',
  title: 'TransCLIP',
  citation: 'Zanella, Gérin and Ben Ayed, Boosting vision-language models with transduction, NeurIPS 2024',
  parameters: {
    ...transclipParameters,
    support: number('weight of all labelled pictures together against all test pictures, γ', 1, {
      above: 0,
      range: log(0.1, 10),
    }),
  },
  learn: (data, parameters) => transclip(data, parameters),
});

export interface TransclipOptions extends TemperedOptions {
  support: number;
}

/** `onObjective` is told the objective after every block. */
export function transclip(
  data: FewShotData,
  { support, ...options }: TransclipOptions,
  onObjective?: (value: number) => void,
) {
  const { backend, labels, categories } = data;
  const labelled = withSquares(data.support);
  const targets = labelTargets(labels, categories);
  const labelledFactor = (support * data.test.rows) / labels.length;
  const ofLabelled = moments(backend, targets, labelled, labelledFactor);
  const block = (test: WithSquares): GaussianBlock => ({
    first: {
      means: meansOf([ofLabelled]),
      variances: Matrix.zeros(categories, data.support.cols).fill(1 / data.support.cols),
    },
    update: (assignments) => sharedCovariance([ofLabelled, moments(backend, assignments, test)]),
    penalty: (gaussians) =>
      -(labelledFactor / options.temper) * backend.dot(targets, logDensities(backend, gaussians, labelled)),
  });
  return alternateGaussians(data, options, block, onObjective);
}

function meansOf(parts: readonly Moments[]): Matrix<Float64Array> {
  const means = parts[0].sums.copy('float64');
  for (const { sums } of parts.slice(1)) for (let k = 0; k < means.data.length; k++) means.data[k] += sums.data[k];
  for (let k = 0; k < means.rows; k++) {
    const row = means.row(k);
    const mass = parts.reduce((total, { masses }) => total + masses[k], 0);
    for (let j = 0; j < row.length; j++) row[j] /= mass;
  }
  return means;
}

/** Means of all parts together, and the mean squared deviation from them, the same for all categories. */
function sharedCovariance(parts: readonly Moments[]): DiagonalGaussians {
  const means = meansOf(parts);
  const shared = new Float64Array(means.cols);
  let total = 0;
  for (let k = 0; k < means.rows; k++) {
    const mean = means.row(k);
    for (const { masses, squareSums } of parts) {
      const squares = squareSums.row(k);
      for (let j = 0; j < shared.length; j++) shared[j] += squares[j] - masses[k] * mean[j] ** 2;
      total += masses[k];
    }
  }
  const variances = Matrix.zeros(means.rows, means.cols);
  for (let k = 0; k < variances.rows; k++) variances.row(k).set(shared.map((value) => Math.max(value / total, 1e-12)));
  return { means, variances };
}
