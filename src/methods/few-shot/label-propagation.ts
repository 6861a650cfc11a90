/**
 * Label propagation (Zhou, Bousquet, Lal, Weston and Schölkopf, "Learning with local and global consistency", NeurIPS 2003) over labelled
 * and test pictures: F minimizes ½ Σ_ij W_ij ‖Fᵢ/√dᵢ − Fⱼ/√dⱼ‖² + (1/α − 1) ‖F − Y‖², which is F = (1 − α)(I − αS)⁻¹Y with
 * S = D^-½ W D^-½, up to a factor. W joins nearest neighbours with Gaussian weights. A test
 * picture's posterior is its row of F, scaled to sum one. Other pictures take the mean of their nearest neighbours' rows
 * (Delalleau, Bengio and Le Roux, "Efficient non-parametric function induction", AISTATS 2005), here with equal weights.
 */
import { Matrix } from '../../linalg/index.js';
import { labelTargets, neighbourGraph, propagate, smallest, timesTransposed } from '../../numerics/index.js';
import { integers, linear, number, whole } from '../../parameters.js';
import { stackRows } from '../../problem/index.js';
import { logarithms } from './cosines.js';
import { type FewShotData, fewShotSpec } from './few-shot-method.js';

export const labelPropagationSpec = fewShotSpec({
  name: 'label-propagation',
  title: 'Label propagation',
  citation: 'Zhou, Bousquet, Lal, Weston and Schölkopf, Learning with local and global consistency, NeurIPS 2003',
  parameters: {
    alpha: number('how far labels travel: the weight of the neighbours against that of the own label', 0.9, {
      above: 0,
      below: 1,
      range: linear(0.5, 0.99),
    }),
    neighbours: whole('nearest pictures that each is joined with', 10, { range: integers(3, 40) }),
  },
  learn: async (data, { alpha, neighbours }) => {
    const { backend, support, categories } = data;
    const { points, flow } = labelFlow(data, alpha, neighbours);
    return {
      values: logarithms(flow.view(support.rows, flow.rows).copy('float64')),
      score: (pictures) => {
        const result = Matrix.zeros(pictures.rows, categories);
        const cosines = timesTransposed(backend, pictures, points);
        for (let i = 0; i < result.rows; i++) {
          const row = result.row(i);
          const nearest = smallest(
            cosines.row(i).map((cosine) => -cosine),
            Math.min(neighbours, points.rows),
          );
          for (const j of nearest) for (let c = 0; c < categories; c++) row[c] += flow.at(j, c) / nearest.length;
        }
        return logarithms(result);
      },
    };
  },
});

/** F of labelled and test pictures, and what it was found from. */
export function labelFlow(
  { backend, support, test, labels, categories, signal }: FewShotData,
  alpha: number,
  neighbours: number,
) {
  const points = stackRows(support, test).copy('float64');
  const graph = neighbourGraph(backend, points, neighbours, { signal });
  const known = Matrix.zeros(points.rows, categories);
  known.view(0, support.rows).copyFrom(labelTargets(labels, categories));
  return { points, graph, known, flow: propagate(graph, known, alpha, signal) };
}
