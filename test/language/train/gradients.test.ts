import { describe, expect, it } from 'vitest';
import { instantiateKernels, MemoryPlan, paddedLength } from '../../../src/language/train/kernels.js';
import {
  fillAliasTable,
  fillKeepThresholds,
  fillSigmoidTable,
  sigmoidCells,
} from '../../../src/language/train/sampling.js';
import { Random } from '../../../src/linalg/random.js';

const logistic = (t: number) => 1 / (1 + Math.exp(-t));
const dot = (x: ArrayLike<number>, y: ArrayLike<number>, n: number) => {
  let sum = 0;
  for (let k = 0; k < n; k++) sum += x[k] * y[k];
  return sum;
};

/** Central differences of `loss` in every entry of `parameters`, which is left as it was. */
function differences(parameters: Float64Array, loss: () => number, step = 1e-5): Float64Array {
  return parameters.map((value, k) => {
    parameters[k] = value + step;
    const above = loss();
    parameters[k] = value - step;
    const below = loss();
    parameters[k] = value;
    return (above - below) / (2 * step);
  });
}

const largestGap = (found: Float32Array, expected: (k: number) => number) =>
  found.reduce((gap, value, k) => Math.max(gap, Math.abs(value - expected(k))), 0);

/** A memory with a small model of word2vec and its tables. */
function word2vec(dim: number, words: number, window: number, negatives: number, drawn: number[]) {
  const length = paddedLength(dim);
  const plan = new MemoryPlan();
  const at = {
    input: plan.reserve(words * length * 4),
    output: plan.reserve(words * length * 4),
    keep: plan.reserve(words * 4),
    sigmoid: plan.reserve(sigmoidCells * 8),
    sampler: plan.reserve(words * 8),
    tokens: plan.reserve(400),
    sentence: plan.reserve(400),
    scratch: plan.reserve((negatives + 1) * 8 + length * 8 + 64),
    totals: plan.reserve(16),
  };
  const memory = plan.allocate('a test', '');
  const { buffer } = memory;
  const kernels = instantiateKernels(memory);
  fillKeepThresholds(new Uint32Array(buffer, at.keep, words), new Float64Array(words).fill(1), 0);
  fillSigmoidTable(new Float32Array(buffer, at.sigmoid, sigmoidCells * 2));
  fillAliasTable(new Uint32Array(buffer, at.sampler, words * 2), Float64Array.from(drawn));
  kernels.configureSampler(at.sampler, words);
  kernels.configureWord2vec(
    ...([length, window, negatives, at.input, at.output] as const),
    ...([at.keep, at.sigmoid, at.sentence, at.scratch, at.totals] as const),
  );
  const random = new Random(5);
  const fill = (where: number) => {
    const rows = new Float32Array(buffer, where, words * length);
    for (let word = 0; word < words; word++)
      for (let k = 0; k < dim; k++) rows[word * length + k] = random.normal() * 0.4;
    return rows;
  };
  const [input, output] = [fill(at.input), fill(at.output)];
  const tokens = new Int32Array(buffer, at.tokens, 100);
  return { kernels, at, length, input, output, tokens, totals: new Float64Array(buffer, at.totals, 2) };
}

describe('the gradient of negative sampling', () => {
  it.each([3, 8, 20, 33])('agrees with finite differences for vectors of length %i', (dim) => {
    for (const targets of [[2, 4, 0], [1, 3, 0, 4, 2], [3], [0, 1, 2, 3]]) {
      const { kernels, at, length, input, output, tokens } = word2vec(dim, 5, 1, 5, [1, 1, 1, 1, 1]);
      const [before, after] = [Float64Array.from(input), Float64Array.from(output)];
      const loss = () =>
        targets.reduce((sum, word, k) => {
          const t = dot(before.subarray(length), after.subarray(word * length), dim);
          return sum - Math.log(logistic(k === 0 ? t : -t));
        }, 0);
      const [inputGradient, outputGradient] = [differences(before, loss), differences(after, loss)];
      tokens.set(targets);
      const reported = kernels.updateOutputs(1, at.tokens, targets.length, 1);
      expect(reported).toBeCloseTo(loss(), 4);
      // With learning rate 1 the whole step is minus the gradient.
      expect(largestGap(input, (k) => before[k] - inputGradient[k])).toBeLessThan(5e-5);
      expect(largestGap(output, (k) => after[k] - outputGradient[k])).toBeLessThan(5e-5);
    }
  });

  it('agrees for the continuous bag of words, whose hidden vector is the mean of the words around', () => {
    const [dim, rate] = [6, 1e-3];
    // Window 1 and a sampler that only ever draws word 3 leave nothing to chance.
    const { kernels, at, length, input, output, tokens } = word2vec(dim, 4, 1, 1, [0, 0, 0, 1]);
    const [before, after] = [Float64Array.from(input), Float64Array.from(output)];
    const rows = (matrix: Float64Array, word: number) => matrix.subarray(word * length, word * length + dim);
    const loss = () =>
      [
        [0, [1]],
        [1, [0, 2]],
        [2, [1]],
      ].reduce((sum, [target, around]) => {
        const context = around as number[];
        const hidden = Array.from({ length: dim }, (_, k) =>
          context.reduce((total, word) => total + rows(before, word)[k] / context.length, 0),
        );
        const score = (word: number) => dot(hidden, rows(after, word), dim);
        return sum - Math.log(logistic(score(target as number))) - Math.log(logistic(-score(3)));
      }, 0);
    const [inputGradient, outputGradient] = [differences(before, loss), differences(after, loss)];
    tokens.set([0, 1, 2]);
    kernels.continuousBag(at.tokens, 3, rate);
    expect(largestGap(input, (k) => before[k] - rate * inputGradient[k])).toBeLessThan(2e-3 * rate);
    expect(largestGap(output, (k) => after[k] - rate * outputGradient[k])).toBeLessThan(2e-3 * rate);
  });

  it('agrees for skip-gram over a sentence', () => {
    const [dim, rate] = [6, 1e-3];
    const { kernels, at, length, input, output, tokens, totals } = word2vec(dim, 4, 1, 1, [0, 0, 0, 1]);
    const [before, after] = [Float64Array.from(input), Float64Array.from(output)];
    const rows = (matrix: Float64Array, word: number) => matrix.subarray(word * length, word * length + dim);
    const pairs = [
      [1, 0],
      [0, 1],
      [2, 1],
      [1, 2],
    ];
    const loss = () =>
      pairs.reduce((sum, [context, target]) => {
        const score = (word: number) => dot(rows(before, context), rows(after, word), dim);
        return sum - Math.log(logistic(score(target))) - Math.log(logistic(-score(3)));
      }, 0);
    const [inputGradient, outputGradient] = [differences(before, loss), differences(after, loss)];
    // A paragraph end keeps the second sentence, of one word, apart.
    tokens.set([0, 1, 2, -1, 0]);
    kernels.skipGram(at.tokens, 5, rate);
    expect(largestGap(input, (k) => before[k] - rate * inputGradient[k])).toBeLessThan(2e-3 * rate);
    expect(largestGap(output, (k) => after[k] - rate * outputGradient[k])).toBeLessThan(2e-3 * rate);
    expect(totals[1]).toBe(pairs.length);
  });
});

describe('the gradient of GloVe', () => {
  it.each([3, 8, 21])('agrees with finite differences for vectors of length %i', (dim) => {
    const [words, length] = [3, paddedLength(dim)];
    const plan = new MemoryPlan();
    const matrices = plan.reserve(words * length * 16);
    const biases = plan.reserve(words * 16);
    const record = plan.reserve(16);
    const totals = plan.reserve(16);
    const memory = plan.allocate('a test', '');
    const kernels = instantiateKernels(memory);
    const all = new Float32Array(memory.buffer, matrices, 4 * words * length);
    const bias = new Float32Array(memory.buffer, biases, 4 * words);
    const random = new Random(2);
    for (let row = 0; row < 2 * words; row++)
      for (let k = 0; k < dim; k++) all[row * length + k] = random.normal() * 0.5;
    for (let k = 0; k < 2 * words; k++) bias[k] = random.normal();
    all.fill(1, 2 * words * length);
    bias.fill(1, 2 * words);
    const [i, j, x] = [2, 0, 7.5];
    const weight = Math.min(1, (x / 10) ** 0.75);
    new Uint32Array(memory.buffer, record, 2).set([i, j]);
    new Float32Array(memory.buffer, record + 8, 2).set([Math.log(x), weight]);

    const [vectors, offsets] = [Float64Array.from(all), Float64Array.from(bias)];
    const loss = () => {
      const main = vectors.subarray(i * length);
      const context = vectors.subarray((words + j) * length);
      const error = dot(main, context, dim) + offsets[i] + offsets[words + j] - Math.log(x);
      return 0.5 * weight * error ** 2;
    };
    const [vectorGradient, biasGradient] = [differences(vectors, loss), differences(offsets, loss)];
    kernels.configureGlove(length, words, matrices, biases, totals);
    kernels.trainRecords(record, 1, 1);
    expect(new Float64Array(memory.buffer, totals, 2)[0]).toBeCloseTo(loss(), 4);
    // The sums of squares are 1, so AdaGrad's first step with rate 1 is minus the gradient …
    for (let k = 0; k < 2 * words * length; k++) expect(all[k] - vectors[k]).toBeCloseTo(-vectorGradient[k], 4);
    for (let k = 0; k < 2 * words; k++) expect(bias[k] - offsets[k]).toBeCloseTo(-biasGradient[k], 4);
    // … and its squares are added to the sums.
    for (let k = 0; k < 2 * words * length; k++)
      expect(all[2 * words * length + k]).toBeCloseTo(1 + vectorGradient[k] ** 2, 3);
    for (let k = 0; k < 2 * words; k++) expect(bias[2 * words + k]).toBeCloseTo(1 + biasGradient[k] ** 2, 3);
  });
});
