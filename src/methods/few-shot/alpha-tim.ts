/**
 * α-TIM (Veilleux, Boudiaf, Piantanida and Ben Ayed, "Realistic evaluation of transductive few-shot learning", NeurIPS 2021): the
 * classifier p_ic = softmax over c of −½ β ‖xᵢ − w_c‖² minimizes over w
 *   mean over labelled pictures of −log p_{i yᵢ}  −  [H_α(mean over test pictures of pⱼ) − mean over test pictures of H_α(pⱼ)],
 * with the Tsallis entropy H_α(p) = (1 − Σ p_c^α)/(α − 1) in place of Shannon's, so that unequal shares of the categories cost less.
 * Starts at the means of the labelled pictures. Deviation: L-BFGS, at most 60 iterations, in place of 1,000 steps of Adam.
 */
import type { Backend } from '../../linalg/index.js';
import { Matrix } from '../../linalg/index.js';
import { labelCounts, labelTargets, minimize, squaredLengths } from '../../numerics/index.js';
import { changed, linear, log, number } from '../../parameters.js';
import { columnSums, memberSums, scaledProducts, softmaxRows } from './cosines.js';
import { type FewShotData, fewShotSpec, sharpness } from './few-shot-method.js';

const iterations = 60;

interface TimOptions {
  sharpness: number;
  /** Above 0 and not 1. */
  alpha: number;
  /** Weight of the entropy of single pictures. */
  certainty: number;
}

export const alphaTimSpec = fewShotSpec({
  name: 'alpha-tim',
  title: 'α-TIM',
  citation:
    'Veilleux, Boudiaf, Piantanida and Ben Ayed, Realistic evaluation of transductive few-shot learning, NeurIPS 2021',
  parameters: {
    sharpness: changed(sharpness, { default: 30 }),
    alpha: number('order of the entropy, above 1; the larger, the less unequal shares cost', 2, {
      above: 1,
      range: linear(1.1, 7),
    }),
    certainty: number('weight of the entropy of single pictures', 1, { least: 0, range: log(0.1, 3) }),
  },
  learn: async (data, parameters) => {
    const { backend, support, test, labels, categories, signal, onRound } = data;
    const weights = memberSums(backend, labelTargets(labels, categories), support);
    const counts = labelCounts(labels, categories);
    backend.scaleRows(
      weights,
      counts.map((count) => 1 / count),
    );
    await minimize(timObjective(data, parameters), weights.data, {
      maxIterations: iterations,
      tolerance: 1e-5,
      signal,
      onIteration: (iteration) => onRound(iteration, iterations),
    });
    const score = (pictures: Matrix<Float64Array>) => logits(backend, pictures, weights, parameters.sharpness);
    return { values: score(test), score };
  },
});

/** −½ β ‖x − w_c‖² less what all categories share. */
function logits(
  backend: Backend,
  pictures: Matrix<Float64Array>,
  weights: Matrix<Float64Array>,
  beta: number,
): Matrix<Float64Array> {
  const result = scaledProducts(backend, pictures, weights, beta);
  const lengths = squaredLengths(weights);
  for (let i = 0; i < result.rows; i++) {
    const row = result.row(i);
    for (let c = 0; c < row.length; c++) row[c] -= (beta * lengths[c]) / 2;
  }
  return result;
}

/** Writes the gradient with respect to the weights, C×d row by row, and returns the objective. */
export function timObjective(
  {
    backend,
    support,
    labels,
    test,
    categories,
  }: Pick<FewShotData, 'backend' | 'support' | 'labels' | 'test' | 'categories'>,
  { sharpness: beta, alpha, certainty }: TimOptions,
): (point: Float64Array, gradient: Float64Array) => number {
  return (point, gradient) => {
    const weights = new Matrix(point, categories, support.cols);
    const ofSupport = softmaxRows(logits(backend, support, weights, beta));
    const ofTest = softmaxRows(logits(backend, test, weights, beta));
    let value = 0;
    for (let i = 0; i < labels.length; i++) {
      const row = ofSupport.row(i);
      value -= Math.log(Math.max(row[labels[i]], Number.MIN_VALUE)) / labels.length;
      row[labels[i]] -= 1;
      for (let c = 0; c < categories; c++) row[c] /= labels.length;
    }
    const n = test.rows;
    const shares = columnSums(ofTest).map((sum) => sum / n);
    value -= tsallis(shares, alpha);
    const slope = alpha / (alpha - 1) / n;
    for (let i = 0; i < n; i++) {
      const row = ofTest.row(i);
      value += (certainty * tsallis(row, alpha)) / n;
      let mean = 0;
      const slopes = shares.map((share, c) => {
        const entry = slope * (share ** (alpha - 1) - certainty * row[c] ** (alpha - 1));
        mean += row[c] * entry;
        return entry;
      });
      for (let c = 0; c < categories; c++) row[c] *= slopes[c] - mean;
    }
    // With g the derivative by the logits, that by w_c is β (Σ g_ic xᵢ − w_c Σ g_ic).
    const out = new Matrix(gradient, categories, support.cols);
    backend.gemm(out, ofSupport, support, { transposeA: true, alpha: beta });
    backend.gemm(out, ofTest, test, { transposeA: true, alpha: beta, beta: 1 });
    const [supportTotals, testTotals] = [columnSums(ofSupport), columnSums(ofTest)];
    for (let c = 0; c < categories; c++) {
      const [row, own] = [out.row(c), weights.row(c)];
      const total = beta * (supportTotals[c] + testTotals[c]);
      for (let j = 0; j < row.length; j++) row[j] -= total * own[j];
    }
    return value;
  };
}

function tsallis(p: Float64Array, alpha: number): number {
  let sum = 0;
  for (let c = 0; c < p.length; c++) sum += p[c] ** alpha;
  return (1 - sum) / (alpha - 1);
}
