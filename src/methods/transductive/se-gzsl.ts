/**
 * SE-GZSL (Kumar Verma, Arora, Mishra and Rai, "Generalized zero-shot learning via synthesized examples", CVPR 2018): a
 * conditional variational autoencoder makes pictures' features from category vectors, with a regressor back to the
 * vectors as feedback (losses in feedback-autoencoder.ts); a softmax classifier is then trained on features made for all
 * categories to choose from: test categories, and in the generalized setting auxiliary ones too. Optimizer: Adam at a
 * constant rate until the losses no longer fall, then at a tenth of it until they do not either. What differs from the
 * original: networks have one hidden layer, features enter as their leading principal components; and so that unlabelled
 * test pictures count, they join the autoencoder's loss after the first rest, with the vector Σ_c p_c s_c,
 * p_c ∝ exp(sharpness · cos(R(x), s_c)), that the regressor gives them. Without them (testShare 0) the method is inductive.
 */
import { ProblemError } from '../../errors.js';
import { Matrix, Random } from '../../linalg/index.js';
import type { Scratch } from '../../numerics/index.js';
import {
  labelTargets,
  linearDecisions,
  mainDirections,
  miniBatches,
  softmaxInPlace,
  softmaxRegression,
  times,
  timesTransposed,
  unitRows,
} from '../../numerics/index.js';
import { linear, log, number, type OptionsOf, whole } from '../../parameters.js';
import type { FitOptions } from '../../problem/index.js';
import { stackRows } from '../../problem/index.js';
import type { MethodSpec } from '../spec.js';
import { FeedbackAutoencoder } from './feedback-autoencoder.js';
import { type TransductiveAnswer, type TransductiveData, TransductiveMethod } from './transductive-method.js';

const parameters = {
  components: whole('principal components that features enter as', 200),
  latentSize: whole('dimensions of the latent code', 32),
  hidden: whole('units of each hidden layer', 256),
  variance: number('variance of pictures around what is generated', 1, { above: 0, range: log(0.1, 3) }),
  feedback: number('weight of made pictures being recognized', 0.1, { least: 0, range: log(1e-2, 1) }),
  independence: number('weight of latent codes being recovered', 0.1, { least: 0, range: log(1e-2, 1) }),
  testShare: number('test pictures per auxiliary picture in a batch', 0.6, { least: 0, range: linear(0, 1) }),
  sharpness: number('how decidedly a test picture resembles one category', 15, { above: 0, range: log(3, 50) }),
  examples: whole('pictures made of each category', 60),
  decay: number('shrinking of the weights of the networks', 5, { least: 0, range: log(1, 30) }),
  learningRate: number('first step of the networks', 1e-3, { above: 0, range: log(3e-4, 3e-3) }),
  steps: whole('batches of the training at most', 3000),
};

/** The training goes through these; each ends when the losses no longer fall. */
const stages = [
  { rate: 1, test: false },
  { rate: 1, test: true },
  { rate: 0.1, test: true },
] as const;
/** Losses fall as long as their mean over so many batches is this share below that of as many before. */
const watched = 60;
const fall = 0.01;

/** Most pictures of one batch. */
const largestBatch = 128;

export class SeGzsl extends TransductiveMethod<typeof parameters> {
  readonly seed: number;
  /** Losses of every batch: autoencoder, feedback and regression. */
  losses_: { autoencoder: number; feedback: number; regression: number }[] | undefined;
  /** Whether the losses came to rest. */
  converged_ = false;
  protected override readonly generalizes = true;

  constructor(given: Partial<OptionsOf<typeof parameters>> = {}, seed = 1) {
    super('se-gzsl', parameters, given);
    this.seed = seed;
  }

  protected override async learn(
    data: TransductiveData,
    _scratch: Scratch,
    options: FitOptions,
  ): Promise<TransductiveAnswer> {
    const { backend, signal } = options;
    const { components } = this.options;
    const { directions, energies } = data.prepared('main directions of auxiliary pictures', [components], () =>
      mainDirections(backend, data.features, components),
    );
    // One scale for all components: a mean variance of one suits the networks and leaves distances in proportion.
    const total = energies.reduce((sum, value) => sum + value, 0);
    if (!(total > 1e-20))
      throw new ProblemError(
        'aux_features',
        undefined,
        'all auxiliary pictures have the same features, and se-gzsl learns from their differences',
        'Check how the features were made.',
      );
    const factor = Math.sqrt((data.features.rows * energies.length) / total);
    const basis = directions.copy('float64');
    backend.axpby(basis, 0, basis, factor);
    const pictures = timesTransposed(backend, data.features, basis);
    const test = timesTransposed(backend, data.test, basis);
    const vectors = coordinates(backend, data.learnt, data.candidates);

    const model = new FeedbackAutoencoder(
      backend,
      {
        pictureSize: pictures.cols,
        vectorSize: vectors.learnt.cols,
        latentSize: this.options.latentSize,
        hidden: this.options.hidden,
        variance: this.options.variance,
        feedback: this.options.feedback,
        independence: this.options.independence,
      },
      { batch: 2 * largestBatch, random: new Random(this.seed, 1) },
    );
    try {
      await this.#train(model, { ...data, features: pictures, test, ...vectors }, options);
      const { features, labels } = this.#synthesize(model, vectors.candidates, pictures.cols);
      const targets = labelTargets(labels, vectors.candidates.rows);
      const inComponents = await softmaxRegression(backend, features, targets, { decay: 1, tolerance: 0.1, signal });
      const classifier = {
        weights: times(backend, inComponents.weights, basis),
        intercepts: inComponents.intercepts,
      };
      return {
        testValues: linearDecisions(backend, classifier, data.test),
        score: (others, here) => linearDecisions(here, classifier, others),
        linear: true,
      };
    } finally {
      model.release();
    }
  }

  async #train(model: FeedbackAutoencoder, data: TransductiveData, { backend, signal, onProgress }: FitOptions) {
    const { features, labels, test, learnt, candidates } = data;
    const random = new Random(this.seed, 2);
    const testRandom = new Random(this.seed, 3);
    const size = Math.max(1, Math.min(largestBatch, Math.ceil(features.rows / 8)));
    const perEpoch = Math.ceil(features.rows / size);
    const most = 2 * largestBatch;
    const [p, q] = [features.cols, learnt.cols];
    const storage = {
      pictures: backend.matrix(most, p, 'float32'),
      vectors: backend.matrix(most, q, 'float32'),
      noise: backend.matrix(most, this.options.latentSize, 'float32'),
      conditions: backend.matrix(most, q, 'float32'),
      latents: backend.matrix(most, this.options.latentSize, 'float32'),
    };
    const categories = stackRows(learnt, candidates);
    this.losses_ = [];
    try {
      const epochs = Math.ceil(this.options.steps / perEpoch);
      let [stage, begun] = [0, 0];
      this.converged_ = false;
      for await (const { rows } of miniBatches(features.rows, random, { epochs, size, signal, onProgress })) {
        const joining = stages[stage].test
          ? Math.min(largestBatch, Math.round(this.options.testShare * rows.length))
          : 0;
        const count = rows.length + joining;
        rows.forEach((row, k) => {
          storage.pictures.row(k).set(features.row(row));
          storage.vectors.row(k).set(learnt.row(labels[row]));
        });
        for (let k = 0; k < joining; k++)
          storage.pictures.row(rows.length + k).set(test.row(testRandom.integer(test.rows)));
        if (joining > 0)
          this.#guess(
            storage.vectors.view(rows.length, count),
            model.regressor.forward(storage.pictures.view(rows.length, count)),
            candidates,
          );
        for (let k = 0; k < count; k++) storage.conditions.row(k).set(categories.row(random.integer(categories.rows)));
        for (const drawn of [storage.noise, storage.latents])
          for (let e = 0; e < count * this.options.latentSize; e++) drawn.data[e] = random.normal();
        this.losses_.push(
          model.differentiate({
            pictures: storage.pictures.view(0, count),
            vectors: storage.vectors.view(0, count),
            labelled: rows.length,
            noise: storage.noise.view(0, count),
            conditions: storage.conditions.view(0, count),
            latents: storage.latents.view(0, count),
          }),
        );
        model.step(this.options.learningRate * stages[stage].rate, this.options.decay);
        if (this.#rests(begun)) {
          begun = this.losses_.length;
          this.converged_ = ++stage === stages.length;
          if (this.converged_) break;
        }
      }
    } finally {
      for (const matrix of Object.values(storage)) backend.release(matrix);
    }
  }

  /** Whether the losses since batch `begun` no longer fall; looked at once in so many batches. */
  #rests(begun: number): boolean {
    const losses = this.losses_!;
    if (losses.length - begun < 2 * watched || (losses.length - begun) % watched !== 0) return false;
    const mean = (from: number) =>
      losses
        .slice(from, from + watched)
        .reduce((sum, { autoencoder, regression }) => sum + (autoencoder + regression) / watched, 0);
    const [before, now] = [mean(losses.length - 2 * watched), mean(losses.length - watched)];
    return before - now < fall * Math.abs(before);
  }

  /** Vectors that the regressor's answers point to: test categories' vectors, weighted by their likeness. */
  #guess(vectors: Matrix, answers: Matrix, candidates: Matrix<Float64Array>): void {
    const units = [unitRows(answers), unitRows(candidates)];
    const { sharpness } = this.options;
    const chances = new Float64Array(candidates.rows);
    for (let i = 0; i < answers.rows; i++) {
      const answer = units[0].row(i);
      for (let c = 0; c < chances.length; c++) {
        const vector = units[1].row(c);
        let chance = 0;
        for (let j = 0; j < vector.length; j++) chance += sharpness * answer[j] * vector[j];
        chances[c] = chance;
      }
      softmaxInPlace(chances);
      const out = vectors.row(i);
      out.fill(0);
      for (let c = 0; c < chances.length; c++) {
        const vector = candidates.row(c);
        const chance = chances[c];
        for (let j = 0; j < vector.length; j++) out[j] += chance * vector[j];
      }
    }
  }

  /** `examples` pictures of every category to choose from. */
  #synthesize(model: FeedbackAutoencoder, candidates: Matrix<Float64Array>, size: number) {
    const random = new Random(this.seed, 4);
    const features = Matrix.zeros(candidates.rows * this.options.examples, size);
    const labels = new Int32Array(features.rows);
    const [latents, conditions] = [
      Matrix.zeros(largestBatch, this.options.latentSize, 'float32'),
      Matrix.zeros(largestBatch, candidates.cols, 'float32'),
    ];
    for (let start = 0; start < features.rows; start += largestBatch) {
      const count = Math.min(largestBatch, features.rows - start);
      for (let k = 0; k < count; k++) {
        labels[start + k] = Math.floor((start + k) / this.options.examples);
        conditions.row(k).set(candidates.row(labels[start + k]));
      }
      for (let e = 0; e < count * this.options.latentSize; e++) latents.data[e] = random.normal();
      features.view(start, start + count).copyFrom(model.generate(latents.view(0, count), conditions.view(0, count)));
    }
    return { features, labels };
  }
}

/** Category vectors along the axes they differ in, where there are more dimensions than categories; entries of size one. */
function coordinates(
  backend: FitOptions['backend'],
  learnt: Matrix<Float64Array>,
  candidates: Matrix<Float64Array>,
): { learnt: Matrix<Float64Array>; candidates: Matrix<Float64Array> } {
  const axes = mainDirections(backend, stackRows(learnt, candidates)).directions.copy('float64');
  backend.axpby(axes, 0, axes, Math.sqrt(axes.rows));
  return { learnt: timesTransposed(backend, learnt, axes), candidates: timesTransposed(backend, candidates, axes) };
}

export const seGzslSpec: MethodSpec<typeof parameters> = {
  name: 'se-gzsl',
  title: 'SE-GZSL',
  citation: 'Kumar Verma, Arora, Mishra and Rai, Generalized zero-shot learning via synthesized examples, CVPR 2018',
  uses: ['auxiliary', 'test', 'semantics'],
  setting: 'both',
  parameters,
  create: (options, seed) => new SeGzsl(options, seed),
};
