/**
 * Cosine EM: the means of whitened class means, re-estimated with the test pictures. In every round
 *   m_c ∝ Σᵢ wᵢ [yᵢ = c] xᵢ + Σⱼ q_jc zⱼ, brought to unit length, over labelled pictures xᵢ and test pictures zⱼ;
 *   q_jc = softmax over c of β zⱼ·m_c,  wᵢ = the same posterior of web picture i at its own label yᵢ, 1 for a picture of an auxiliary category.
 * With the weights w held, a round is an EM step of a mixture of von Mises-Fisher distributions of one concentration (Banerjee,
 * Dhillon, Ghosh and Sra, "Clustering on the unit hypersphere using von Mises-Fisher distributions", JMLR 2005) with labelled
 * pictures, which never lowers Σᵢ wᵢ β xᵢ·m_yᵢ + Σⱼ log Σ_c exp(β zⱼ·m_c). The balanced form replaces q by the Sinkhorn scaling in
 * which all categories have the same share of the test pictures, so that auxiliary ones are no candidates. All web pictures count alike in the first round, and
 * no test picture; 25 rounds.
 */
import { Matrix } from '../../linalg/index.js';
import { labelTargets, toUnitRows } from '../../numerics/index.js';
import { type OptionsOf, whole } from '../../parameters.js';
import { memberSums, ownEntries, scaledProducts, softmaxRows } from './cosines.js';
import { type FewShotAnswer, type FewShotData, fewShotSpec, sharpness } from './few-shot-method.js';
import { type Balanced, sinkhorn, withOffsets } from './sinkhorn.js';

const parameters = { sharpness, rounds: whole('rounds of the EM', 25) };

async function learn(
  data: FewShotData,
  { sharpness: beta, rounds }: OptionsOf<typeof parameters>,
  assign: (scores: Matrix<Float64Array>) => Balanced,
): Promise<FewShotAnswer> {
  const { backend, support, labels, test, categories, signal, onRound } = data;
  const [web, webLabels] = [support.view(0, data.web), labels.subarray(0, data.web)];
  const weights = new Float64Array(labels.length).fill(1);
  const webWeights = weights.subarray(0, data.web);
  let means = Matrix.zeros(categories, support.cols);
  let assigned: Matrix<Float64Array> | undefined;
  let values = Matrix.zeros(test.rows, categories);
  let offsets: Float64Array = new Float64Array(categories);
  for (let round = 0; round < rounds; round++) {
    signal?.throwIfAborted();
    const memberships = labelTargets(labels, categories);
    for (let i = 0; i < labels.length; i++) memberships.set(i, labels[i], weights[i]);
    means = memberSums(backend, memberships, support);
    if (assigned) memberSums(backend, assigned, test, means);
    toUnitRows(means);
    const scores = scaledProducts(backend, test, means, beta);
    ({ assignments: assigned, offsets } = assign(scores));
    values = withOffsets(scores, offsets);
    webWeights.set(ownEntries(softmaxRows(scaledProducts(backend, web, means, beta)), webLabels));
    onRound(round + 1, rounds);
  }
  return {
    values,
    score: (pictures) => withOffsets(scaledProducts(backend, pictures, means, beta), offsets),
    webWeights,
  };
}

const citation =
  'Banerjee, Dhillon, Ghosh and Sra, Clustering on the unit hypersphere using von Mises-Fisher distributions, JMLR 2005';

export const whitenedEmSpec = fewShotSpec({
  name: 'whitened-em',
  title: 'Whitened EM',
  citation,
  parameters,
  learn: (data, given) =>
    learn(data, given, (scores) => ({ assignments: softmaxRows(scores), offsets: new Float64Array(scores.cols) })),
});

export const whitenedEmBalancedSpec = fewShotSpec({
  name: 'whitened-em-balanced',
  title: 'Whitened EM, balanced',
  setting: 'standard',
  citation: `${citation}; Cuturi, Sinkhorn distances: lightspeed computation of optimal transport, NeurIPS 2013`,
  parameters,
  learn: (data, given) => learn(data, given, sinkhorn),
});
