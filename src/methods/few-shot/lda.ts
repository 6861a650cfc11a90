/**
 * Linear discriminant analysis (Fisher 1936; Friedman, "Regularized discriminant analysis", JASA 1989): Gaussian categories with one
 * covariance, log π_c + x'Σ⁻¹m_c − ½ m_c'Σ⁻¹m_c. Means m_c are those of the labelled pictures (web pictures and, where
 * auxiliary categories are candidates, theirs), π_c their shares. Σ mixes how pictures differ within auxiliary categories, which is I in the whitened
 * space, and how the labelled pictures of all candidates differ within their labels: Σ = (1 − own) I + own S_own. Pictures keep their lengths.
 */
import { Matrix } from '../../linalg/index.js';
import { labelCounts, labelSums, linearDecisions, withScratch } from '../../numerics/index.js';
import { linear, number } from '../../parameters.js';
import { type FewShotData, fewShotSpec } from './few-shot-method.js';

export const ldaSpec = fewShotSpec({
  name: 'lda',
  title: 'Linear discriminant analysis',
  citation: 'Friedman, Regularized discriminant analysis, JASA 1989',
  uses: ['web', 'auxiliary'],
  parameters: {
    own: number('share of the covariance that comes from the pictures of the candidates, from 0 to below 1', 0.3, {
      least: 0,
      below: 1,
      range: linear(0, 0.9),
    }),
  },
  anyLength: true,
  learn: async (data, { own }) => {
    const model = await discriminants(data, own);
    const score = (pictures: Matrix<Float64Array>) => linearDecisions(data.backend, model, pictures);
    return { values: score(data.test), score };
  },
});

/** The linear functions of all categories; exported for tests. */
export function discriminants({ backend, support, labels, categories }: FewShotData, own: number) {
  const counts = labelCounts(labels, categories);
  const means = labelSums(backend, support, labels, categories);
  backend.scaleRows(
    means,
    counts.map((count) => 1 / count),
  );
  return withScratch(backend, async (scratch) => {
    const weights = Matrix.zeros(categories, support.cols).copyFrom(means);
    if (own > 0) {
      const residuals = scratch.copy(support);
      for (let i = 0; i < residuals.rows; i++) {
        const [row, mean] = [residuals.row(i), means.row(labels[i])];
        for (let j = 0; j < row.length; j++) row[j] -= mean[j];
      }
      const covariance = scratch.matrix(support.cols, support.cols);
      backend.syrk(covariance, residuals, { transpose: true, alpha: own / Math.max(1, labels.length - categories) });
      backend.addDiagonal(covariance, 1 - own);
      backend.cholesky(covariance);
      backend.choleskySolve(covariance, weights, 'rows');
    }
    const lengths = new Float64Array(categories);
    backend.rowDots(lengths, means, weights);
    const intercepts = lengths.map((length, c) => Math.log(counts[c] / labels.length) - length / 2);
    return { weights, intercepts };
  });
}
