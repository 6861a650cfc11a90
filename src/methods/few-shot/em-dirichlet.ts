/**
 * EM-Dirichlet (Martin, Huang, Shakeri, Pesquet and Ben Ayed, "Transductive zero-shot and few-shot CLIP", CVPR 2024). A picture is
 * described by its probabilities s = softmax(β · cosines with the category prototypes), and category k by a Dirichlet
 * distribution of them with parameters α_k. With u the assignments (labelled pictures fixed at their labels) and π_k the mean of u over
 * the n test pictures, minimizes
 *   −Σ over labelled and test pictures u_ik log p(sᵢ | α_k) + Σ over test pictures u log u − κ n Σ_k π_k log π_k,
 * whose last term, the entropy of the shares, prefers few categories. Rounds: α_k by Minka's fixed point
 * ψ(α_kj) = ψ(Σ_l α_kl) + mean of log s_j under u_k, which never lowers the likelihood; then uᵢ = softmax over k of
 * log p(sᵢ | α_k) + κ log π_k, from the bound that linearizes the entropy. Deviations: prototypes are the whitened means of the labelled
 * pictures, where that paper has sentences; the fixed point in place of its majorization of log Γ; κ = ½ by default, where the
 * paper has a fifth of the number of categories, which with noisy labels sends all pictures to one category.
 */
import { Matrix } from '../../linalg/index.js';
import { digamma, inverseDigamma, labelTargets, logGamma } from '../../numerics/index.js';
import { log, number, whole } from '../../parameters.js';
import { columnSums, logarithms, memberSums, scaledProducts, softmaxRows, supportDirections } from './cosines.js';
import { type FewShotData, fewShotSpec, sharpness } from './few-shot-method.js';

/** Steps of the fixed point in a round, from where the last one ended. */
const steps = 20;
/** Probabilities below this count as this. */
const least = 1e-15;

export const emDirichletSpec = fewShotSpec({
  name: 'em-dirichlet',
  title: 'EM-Dirichlet',
  citation: 'Martin, Huang, Shakeri, Pesquet and Ben Ayed, Transductive zero-shot and few-shot CLIP, CVPR 2024',
  parameters: {
    sharpness,
    partition: number('weight of the entropy of the shares, κ; the larger, the fewer categories', 0.5, {
      least: 0,
      range: log(0.05, 20),
    }),
    rounds: whole('rounds of the EM', 20),
  },
  learn: async (data, { sharpness: beta, partition, rounds }) => {
    const { backend, support, test, signal, onRound } = data;
    const prototypes = supportDirections(data);
    const simplex = (pictures: Matrix<Float64Array>) =>
      logarithms(softmaxRows(scaledProducts(backend, pictures, prototypes, beta)), least);
    const em = new DirichletMixture(data, simplex(support), simplex(test), partition);
    for (let round = 0; round < rounds; round++) {
      signal?.throwIfAborted();
      em.round();
      onRound(round + 1, rounds);
    }
    return { values: em.scores(em.test), score: (pictures) => em.scores(simplex(pictures)) };
  },
});

export class DirichletMixture {
  /** α, K×K, a row for each category. */
  readonly alpha: Matrix<Float64Array>;
  /** u of the test pictures, n×K. */
  assignments: Matrix<Float64Array>;
  /** Logarithms of the probabilities that describe the test pictures. */
  readonly test: Matrix<Float64Array>;
  readonly #backend: FewShotData['backend'];
  readonly #support: Matrix<Float64Array>;
  readonly #supportTargets: Matrix<Float64Array>;
  readonly #weight: number;

  /** `weight` is κ. */
  constructor(
    { backend, labels, categories }: Pick<FewShotData, 'backend' | 'labels' | 'categories'>,
    support: Matrix<Float64Array>,
    test: Matrix<Float64Array>,
    weight: number,
  ) {
    this.#backend = backend;
    this.#support = support;
    this.test = test;
    this.#weight = weight;
    this.#supportTargets = labelTargets(labels, categories);
    this.alpha = Matrix.zeros(categories, categories).fill(1);
    this.assignments = softmaxRows(test);
  }

  round(): void {
    this.#fitAlpha();
    this.assignments = softmaxRows(this.scores(this.test));
  }

  /** log p(s | α_k) + κ log π_k. */
  scores(logs: Matrix<Float64Array>): Matrix<Float64Array> {
    const result = this.#densities(logs);
    const shares = columnSums(this.assignments).map((sum) => Math.max(sum / this.assignments.rows, 1e-12));
    for (let i = 0; i < result.rows; i++) {
      const row = result.row(i);
      for (let k = 0; k < row.length; k++) row[k] += this.#weight * Math.log(shares[k]);
    }
    return result;
  }

  /** What the rounds minimize. */
  objective(): number {
    const [ofSupport, ofTest] = [this.#densities(this.#support), this.#densities(this.test)];
    let total = -this.#backend.dot(this.#supportTargets, ofSupport);
    this.assignments.data.forEach((u, k) => {
      if (u > 0) total += u * (Math.log(u) - ofTest.data[k]);
    });
    const n = this.assignments.rows;
    for (const sum of columnSums(this.assignments)) if (sum > 0) total -= this.#weight * sum * Math.log(sum / n);
    return total;
  }

  #densities(logs: Matrix<Float64Array>): Matrix<Float64Array> {
    const less = this.alpha.copy('float64');
    const constants = new Float64Array(less.rows);
    for (let k = 0; k < less.rows; k++) {
      const row = less.row(k);
      let sum = 0;
      for (let j = 0; j < row.length; j++) {
        sum += row[j];
        constants[k] -= logGamma(row[j]);
        row[j] -= 1;
      }
      constants[k] += logGamma(sum);
    }
    const result = scaledProducts(this.#backend, logs, less, 1);
    for (let i = 0; i < result.rows; i++) {
      const row = result.row(i);
      for (let k = 0; k < row.length; k++) row[k] += constants[k];
    }
    return result;
  }

  #fitAlpha(): void {
    const sums = memberSums(this.#backend, this.#supportTargets, this.#support);
    memberSums(this.#backend, this.assignments, this.test, sums);
    const [supportMasses, testMasses] = [columnSums(this.#supportTargets), columnSums(this.assignments)];
    for (let k = 0; k < this.alpha.rows; k++) {
      const [row, mean] = [this.alpha.row(k), sums.row(k)];
      const mass = supportMasses[k] + testMasses[k];
      for (let step = 0; step < steps; step++) {
        let total = 0;
        for (let j = 0; j < row.length; j++) total += row[j];
        const common = digamma(total);
        for (let j = 0; j < row.length; j++) row[j] = inverseDigamma(common + mean[j] / mass);
      }
    }
  }
}
