import { describe, expect, it } from 'vitest';
import { generalizedScores } from '../../../src/fit/generalized-scores.js';
import { createBackend } from '../../../src/linalg/create.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { Random } from '../../../src/linalg/random.js';
import {
  FeedbackAutoencoder,
  type FeedbackBatch,
  type FeedbackLosses,
} from '../../../src/methods/transductive/feedback-autoencoder.js';
import { SeGzsl } from '../../../src/methods/transductive/se-gzsl.js';
import type { Perceptron } from '../../../src/numerics/perceptron.js';
import { generalize } from '../../../src/problem/generalize.js';
import { generateProblem } from '../../../src/problem/generate.js';
import { backend, small } from './small.js';
import '../../allclose.js';

const settings = {
  pictureSize: 6,
  vectorSize: 4,
  latentSize: 2,
  hidden: 5,
  variance: 0.7,
  feedback: 0.6,
  independence: 0.4,
};

describe('the autoencoder with feedback', () => {
  const random = new Random(9);
  const matrix = (rows: number, cols: number) => new Matrix(random.normalArray(rows * cols), rows, cols);
  const model = new FeedbackAutoencoder(backend, settings, { batch: 8, random, dtype: 'float64' });
  for (const network of [model.encoder, model.generator, model.regressor])
    for (const parameter of network.parameters)
      for (let k = 0; k < parameter.data.length; k++) parameter.data[k] = 0.5 * random.normal();
  const batch: FeedbackBatch = {
    pictures: matrix(8, 6),
    vectors: matrix(8, 4),
    labelled: 5,
    noise: matrix(8, 2),
    conditions: matrix(8, 4),
    latents: matrix(8, 2),
  };
  /** Gradients of one batch, and by finite differences the slopes of the losses that the network answers for. */
  function compare(network: Perceptron, loss: (losses: FeedbackLosses) => number) {
    const networks = [model.encoder, model.generator, model.regressor];
    const clear = () => {
      for (const each of networks) for (const gradient of each.gradients) gradient.fill(0);
    };
    const value = () => {
      const losses = model.differentiate(batch);
      clear();
      return loss(losses);
    };
    clear();
    model.differentiate(batch);
    const found = network.gradients.flatMap((gradient) => Array.from(gradient.copy('float64').data));
    const expected = network.parameters.flatMap((parameter) =>
      Array.from({ length: parameter.rows * parameter.cols }, (_, k) => {
        const before = parameter.data[k];
        parameter.data[k] = before + 1e-6;
        const up = value();
        parameter.data[k] = before - 1e-6;
        const down = value();
        parameter.data[k] = before;
        return (up - down) / 2e-6;
      }),
    );
    return Math.max(...found.map((entry, k) => Math.abs(entry - expected[k])));
  }

  it('differentiates the losses of encoder, generator and regressor as finite differences do', () => {
    expect(compare(model.encoder, ({ autoencoder }) => autoencoder)).toBeLessThan(1e-6);
    expect(compare(model.generator, ({ autoencoder, feedback }) => autoencoder + feedback)).toBeLessThan(1e-6);
    expect(compare(model.regressor, ({ regression }) => regression)).toBeLessThan(1e-6);
  });
});

describe('SE-GZSL', () => {
  it('lowers the loss of the autoencoder and of the regressor as it trains', async () => {
    const { losses_ } = await new SeGzsl({ steps: 200, hidden: 32, latentSize: 4, learningRate: 0.01 }).fit(small, {
      backend,
    });
    const mean = (from: number, to: number, of: 'autoencoder' | 'regression') =>
      losses_!.slice(from, to).reduce((sum, losses) => sum + losses[of] / (to - from), 0);
    // The first batches see networks that have hardly learnt; half of the fall is done after twenty.
    for (const of of ['autoencoder', 'regression'] as const)
      expect(mean(180, 200, of)).toBeLessThan(0.8 * mean(0, 5, of));
  });

  it('loses the same on every backend, but for rounding that training makes larger', async () => {
    const first = async (device: 'auto' | 'wasm') =>
      (
        await new SeGzsl({ steps: 10, hidden: 16 }).fit(small, { backend: await createBackend({ device, threads: 1 }) })
      ).losses_!.map(({ autoencoder }) => autoencoder);
    expect(await first('wasm')).toBeAllClose(await first('auto'), { tolerance: 1e-3 });
  });

  it('trains until the losses come to rest, and says when it could not', async () => {
    const quick = { hidden: 32, latentSize: 4, learningRate: 0.01 };
    const settled = await new SeGzsl(quick).fit(small, { backend });
    expect(settled.converged_).toBe(true);
    const total = (from: number, to: number) =>
      settled
        .losses_!.slice(from, to)
        .reduce((sum, { autoencoder, regression }) => sum + (autoencoder + regression) / (to - from), 0);
    const count = settled.losses_!.length;
    expect(total(count - 120, count - 60) - total(count - 60, count)).toBeLessThan(0.011 * total(count - 60, count));
    const hasty = await new SeGzsl({ ...quick, steps: 100 }).fit(small, { backend });
    expect(hasty.converged_).toBe(false);
  });

  it('tells auxiliary categories too, in the generalized setting', async () => {
    const both = generalize(
      generateProblem({ seed: 2, auxiliaryCategories: 8, testCategories: 4, auxiliaryPerCategory: 30, noise: 0.5 }),
      3,
    );
    const method = await new SeGzsl({ hidden: 64, learningRate: 0.005 }).fit(both, { backend });
    expect(method.decisionValues(both.testFeatures).cols).toBe(12);
    const { seen, unseen } = generalizedScores(method.predict(both.testFeatures), both.testLabels!, 4);
    expect(seen).toBeGreaterThan(0.3);
    expect(unseen).toBeGreaterThan(0.3);
  });

  it('makes other pictures with another seed', async () => {
    const values = async (seed: number) =>
      (await new SeGzsl({ steps: 20, hidden: 16 }, seed).fit(small, { backend })).decisionValues(small.testFeatures);
    expect((await values(1)).copy().data).not.toEqual((await values(2)).copy().data);
  });

  it('refuses impossible parameters', () => {
    expect(() => new SeGzsl({ steps: 0 })).toThrow(/steps is 0/);
    expect(() => new SeGzsl({ variance: 0 })).toThrow(/variance is 0/);
  });
});
