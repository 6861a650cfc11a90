/**
 * LaplacianShot (Ziko, Dolz, Granger and Ben Ayed, "Laplacian regularized few-shot learning", ICML 2020): distributions zⱼ of the test
 * pictures minimize Σⱼ zⱼ·aⱼ + λ/2 Σ_jk w_jk ‖zⱼ − z_k‖² with a barrier Σ z log z, where a_jc is the distance of picture j to prototype c
 * and w_jk = 1 between nearest neighbours. Up to what distributions share this is −½ λ Σ w_jk zⱼ·z_k in place of the second term;
 * rounds z = softmax(−a + λ W z) until the objective moves by less than a millionth. Prototypes are rectified as there: means of labelled pictures
 * and of test pictures weighted by the posteriors under the plain means; the shift between the two domains is the
 * `origin` of the space. Deviations: a = ½ β ‖z − m‖² of unit vectors, so that one sharpness serves all cosine methods, and that
 * sharpness also rectifies (there: 10).
 */
import { labelTargets, toUnitRows } from '../../numerics/index.js';
import { integers, log, number, whole } from '../../parameters.js';
import { affinities, assignmentObjective, smoothed } from './affinities.js';
import { memberSums, scaledProducts, softmaxRows, supportDirections } from './cosines.js';
import { fewShotSpec, sharpness } from './few-shot-method.js';

/** Rounds are cheap beside the products that come before them. */
const mostRounds = 200;

export const laplacianShotSpec = fewShotSpec({
  name: 'laplacian-shot',
  title: 'LaplacianShot',
  citation: 'Ziko, Dolz, Granger and Ben Ayed, Laplacian regularized few-shot learning, ICML 2020',
  parameters: {
    sharpness,
    lambda: number('how much each neighbour counts', 1, { least: 0, range: log(0.1, 10) }),
    neighbours: whole('nearest test pictures that each is joined with', 3, { range: integers(1, 10) }),
  },
  learn: async (data, { sharpness: beta, lambda, neighbours }) => {
    const { backend, support, test, labels, categories, signal } = data;
    const first = softmaxRows(scaledProducts(backend, test, supportDirections(data), beta));
    const sums = memberSums(backend, labelTargets(labels, categories), support);
    const prototypes = toUnitRows(memberSums(backend, first, test, sums));
    const evidence = scaledProducts(backend, test, prototypes, beta);
    const graph = affinities(backend, test, neighbours, () => lambda, signal);
    let state = { scores: evidence, assignments: softmaxRows(evidence) };
    let objective = assignmentObjective(evidence, graph, state.assignments);
    for (let round = 0; round < mostRounds; round++) {
      state = smoothed(evidence, graph, state.assignments, 1);
      const next = assignmentObjective(evidence, graph, state.assignments);
      if (Math.abs(objective - next) <= 1e-6 * Math.abs(next)) break;
      objective = next;
    }
    return { values: state.scores, score: (pictures) => scaledProducts(backend, pictures, prototypes, beta) };
  },
});
