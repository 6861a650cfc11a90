/**
 * The networks of SE-GZSL (see se-gzsl.ts) and the gradients of their losses on one batch. Encoder q(z|x) = N(m(x),
 * diag v(x)), generator x̂ = G(z, a), regressor â = R(x). With B pictures and as many conditions a′ and latents z′ drawn:
 * autoencoder loss, for E and G: mean of ‖x − G(z, a)‖²/2variance + KL(q(z|x) ‖ N(0, I)), z = m + v^½ ε;
 * feedback loss, for G alone: mean of feedback ‖R(x′) − a′‖²/2 + independence ‖m(x′) − z′‖²/2, x′ = G(z′, a′);
 * regression loss, for R alone: mean of ‖R(x) − a‖²/2 over labelled pictures + feedback · mean of ‖R(x′) − a′‖²/2.
 */
import type { Backend, Dtype, Matrix, Random } from '../../linalg/index.js';
import { Perceptron } from '../../numerics/index.js';

export interface FeedbackSettings {
  readonly pictureSize: number;
  readonly vectorSize: number;
  readonly latentSize: number;
  readonly hidden: number;
  readonly variance: number;
  readonly feedback: number;
  readonly independence: number;
}

export interface FeedbackBatch {
  /** B×p; the first `labelled` of them have vectors that are known, the others vectors that are guessed. */
  readonly pictures: Matrix;
  readonly vectors: Matrix;
  readonly labelled: number;
  /** ε, B×latent. */
  readonly noise: Matrix;
  /** a′, B×q. */
  readonly conditions: Matrix;
  /** z′, B×latent. */
  readonly latents: Matrix;
}

export interface FeedbackLosses {
  autoencoder: number;
  feedback: number;
  regression: number;
}

export class FeedbackAutoencoder {
  readonly encoder: Perceptron;
  readonly generator: Perceptron;
  readonly regressor: Perceptron;
  readonly #backend: Backend;
  readonly #settings: FeedbackSettings;
  readonly #storage: Record<'inputs' | 'inputSlopes' | 'slopes' | 'madeSlopes' | 'vectorSlopes' | 'codeSlopes', Matrix>;

  constructor(
    backend: Backend,
    settings: FeedbackSettings,
    { batch, random, dtype = 'float32' }: { batch: number; random: Random; dtype?: Dtype },
  ) {
    const { pictureSize: p, vectorSize: q, latentSize, hidden } = settings;
    this.#backend = backend;
    this.#settings = settings;
    const network = (sizes: number[], stream: number) =>
      new Perceptron(backend, sizes, { batch, random: random.fork(stream), dtype });
    this.encoder = network([p, hidden, 2 * latentSize], 0);
    this.generator = network([latentSize + q, hidden, p], 1);
    this.regressor = network([p, hidden, q], 2);
    this.#storage = {
      inputs: backend.matrix(batch, latentSize + q, dtype),
      inputSlopes: backend.matrix(batch, latentSize + q, dtype),
      slopes: backend.matrix(batch, p, dtype),
      madeSlopes: backend.matrix(batch, p, dtype),
      vectorSlopes: backend.matrix(batch, q, dtype),
      codeSlopes: backend.matrix(batch, 2 * latentSize, dtype),
    };
  }

  /** Adds the gradients of a batch to the three networks. */
  differentiate(batch: FeedbackBatch): FeedbackLosses {
    const { labelled, conditions, latents } = batch;
    const real = this.#regress(batch.pictures.view(0, labelled), batch.vectors.view(0, labelled), 1);
    const rows = conditions.rows;
    const slopes = this.#storage.slopes.view(0, rows);
    const made = this.generate(latents, conditions);
    const recognized = this.#regress(made, conditions, this.#settings.feedback, slopes);
    const recovered = this.#recover(made, latents, slopes);
    // The other networks have run since, the generator has not: its pass is still the one that made x′.
    this.generator.backward(slopes);
    return {
      autoencoder: this.#autoencode(batch),
      feedback: recognized + recovered,
      regression: real + recognized,
    };
  }

  step(rate: number, decay: number): void {
    for (const network of [this.encoder, this.generator, this.regressor]) network.step(rate, decay);
  }

  /** Pictures made of latents and conditions, in storage of the generator. */
  generate(latents: Matrix, conditions: Matrix): Matrix {
    const inputs = this.#storage.inputs.view(0, latents.rows);
    for (let i = 0; i < latents.rows; i++) {
      const row = inputs.row(i);
      row.set(latents.row(i));
      row.set(conditions.row(i), latents.cols);
    }
    return this.generator.forward(inputs);
  }

  release(): void {
    for (const network of [this.encoder, this.generator, this.regressor]) network.release();
    for (const matrix of Object.values(this.#storage)) this.#backend.release(matrix);
  }

  /** weight · mean of ‖R(x) − a‖²/2: its gradient by R is added, that by the pictures written where asked for. */
  #regress(pictures: Matrix, vectors: Matrix, weight: number, pictureSlopes?: Matrix): number {
    const slopes = this.#storage.vectorSlopes.view(0, pictures.rows);
    const loss = difference(slopes, this.regressor.forward(pictures), vectors, weight / Math.max(1, pictures.rows));
    this.regressor.backward(slopes, pictureSlopes);
    return loss;
  }

  /** independence · mean of ‖m(x′) − z′‖²/2: its gradient by the pictures is added to `slopes`, E learns nothing. */
  #recover(made: Matrix, latents: Matrix, slopes: Matrix): number {
    const { independence, latentSize } = this.#settings;
    const rows = made.rows;
    const codeSlopes = this.#storage.codeSlopes.view(0, rows).fill(0);
    const madeSlopes = this.#storage.madeSlopes.view(0, rows);
    const means = this.encoder.forward(made).view(0, rows, 0, latentSize);
    const loss = difference(codeSlopes.view(0, rows, 0, latentSize), means, latents, independence / rows);
    this.encoder.backward(codeSlopes, madeSlopes, false);
    this.#backend.axpby(slopes, 1, madeSlopes, 1);
    return loss;
  }

  #autoencode({ pictures, vectors, noise }: FeedbackBatch): number {
    const { latentSize, variance } = this.#settings;
    const rows = pictures.rows;
    const codes = this.encoder.forward(pictures);
    const latents = this.#storage.codeSlopes.view(0, rows, 0, latentSize);
    for (let i = 0; i < rows; i++) {
      const [z, code, epsilon] = [latents.row(i), codes.row(i), noise.row(i)];
      for (let k = 0; k < latentSize; k++) z[k] = code[k] + Math.exp(code[latentSize + k] / 2) * epsilon[k];
    }
    const slopes = this.#storage.slopes.view(0, rows);
    const inputSlopes = this.#storage.inputSlopes.view(0, rows);
    let loss = difference(slopes, this.generate(latents, vectors), pictures, 1 / (variance * rows));
    this.generator.backward(slopes, inputSlopes);
    const codeSlopes = this.#storage.codeSlopes.view(0, rows);
    for (let i = 0; i < rows; i++) {
      const [out, code, epsilon, slope] = [codeSlopes.row(i), codes.row(i), noise.row(i), inputSlopes.row(i)];
      for (let k = 0; k < latentSize; k++) {
        const [mean, logarithm] = [code[k], code[latentSize + k]];
        const spread = Math.exp(logarithm);
        loss += (mean * mean + spread - logarithm - 1) / (2 * rows);
        out[k] = slope[k] + mean / rows;
        out[latentSize + k] = (slope[k] * epsilon[k] * Math.sqrt(spread)) / 2 + (spread - 1) / (2 * rows);
      }
    }
    this.encoder.backward(codeSlopes);
    return loss;
  }
}

/** Slopes ← weight (a − b); returns weight ‖a − b‖²/2. */
function difference(slopes: Matrix, a: Matrix, b: Matrix, weight: number): number {
  let squares = 0;
  for (let i = 0; i < a.rows; i++) {
    const [out, x, y] = [slopes.row(i), a.row(i), b.row(i)];
    for (let j = 0; j < x.length; j++) {
      const gap = x[j] - y[j];
      squares += gap * gap;
      out[j] = weight * gap;
    }
  }
  return (weight / 2) * squares;
}
