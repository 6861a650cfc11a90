/**
 * What all fits of one problem share, whatever their parameters: the features in the backend's storage, class sums, the
 * sum of the test features. Made once for a search, so that its trials do not load the features again.
 */
import { MemoryError, ProblemError } from '../errors.js';
import type { Backend, Dtype, Matrix } from '../linalg/index.js';
import type { FeatureRows, Problem } from '../problem/index.js';
import { type ClassSums, classSums } from './auxiliary.js';
import { fullBasis, spanBasis } from './span.js';
import { upload } from './storage.js';
import { type GroupedText, groupText, releaseText } from './text.js';
import { spectralBound } from './theta/projected-gradient.js';
import { MemoryWeb, squaredNorm, type WebFeatures } from './web-features.js';
import { StreamedWeb, usualBlock } from './web-streamed.js';

export interface ResidentOptions {
  dtype?: Dtype;
  /** Web features read from a file instead of `problem.webFeatures`. */
  webRows?: FeatureRows;
  /** Told when the web features do not fit and stay on the host. */
  note?: (message: string) => void;
}

export class ResidentProblem {
  readonly problem: Problem;
  readonly backend: Backend;
  readonly dtype: Dtype;
  readonly testFeatures: Matrix;
  /** Σⱼ xtⱼ */
  readonly testSum: Float64Array;
  readonly #options: ResidentOptions;
  readonly #ownsTest: boolean;
  readonly #bases: Partial<Record<'span' | 'full', Matrix<Float64Array>>> = {};
  #auxiliary: ClassSums | undefined;
  #web: WebFeatures | undefined;
  #dots: Float64Array | undefined;
  #spectrum: number | undefined;
  #text: GroupedText | undefined;

  constructor(problem: Problem, backend: Backend, options: ResidentOptions = {}) {
    this.problem = problem;
    this.backend = backend;
    this.dtype = options.dtype ?? 'float64';
    this.#options = options;
    const { testFeatures } = problem;
    // The native backend computes on ordinary arrays of the right precision as they are.
    this.#ownsTest = !(backend.device === 'native' && testFeatures.dtype === this.dtype);
    this.testFeatures = this.#ownsTest ? upload(backend, testFeatures, this.dtype) : testFeatures;
    this.testSum = new Float64Array(testFeatures.cols);
    for (let i = 0; i < testFeatures.rows; i++) {
      const row = testFeatures.row(i);
      for (let j = 0; j < row.length; j++) this.testSum[j] += row[j];
    }
  }

  /** Class sums of the auxiliary features. */
  get auxiliary(): ClassSums {
    const { auxiliaryFeatures, auxiliaryLabels, auxiliarySemantics } = this.problem;
    this.#auxiliary ??= classSums(auxiliaryFeatures, auxiliaryLabels, auxiliarySemantics.rows);
    return this.#auxiliary;
  }

  /** Orthonormal rows: a basis of the span of all semantic vectors, or of the whole space. */
  basis(space: 'span' | 'full'): Matrix<Float64Array> {
    const { auxiliarySemantics, testSemantics } = this.problem;
    this.#bases[space] ??=
      space === 'span' ? spanBasis(auxiliarySemantics, testSemantics) : fullBasis(testSemantics.cols);
    return this.#bases[space];
  }

  get web(): WebFeatures {
    this.#web ??= this.#loadWeb();
    return this.#web;
  }

  /** xᵢ · Σⱼ xtⱼ for every web picture. */
  async dotsWithTestSum(): Promise<Float64Array> {
    if (!this.#dots) {
      this.#dots = new Float64Array(this.web.rows);
      await this.web.times(this.#dots, this.testSum);
    }
    return this.#dots;
  }

  /** σ² of the centred web features: by power iteration in memory; from a file the cheaper bound ‖X̃‖² ≥ σ². */
  async spectralBound(): Promise<number> {
    if (this.#spectrum === undefined) {
      const { web } = this;
      if (web instanceof MemoryWeb) this.#spectrum = await spectralBound(web);
      else {
        const norms = new Float64Array(web.rows);
        await web.squaredNorms(norms);
        const sum = new Float64Array(web.cols);
        await web.transposedTimes(sum, new Float64Array(web.rows).fill(1));
        const total = norms.reduce((part, value) => part + value, 0);
        this.#spectrum = Math.max(0, total - squaredNorm(sum) / web.rows);
      }
    }
    return this.#spectrum;
  }

  /** The text of the web pictures, which must be there. */
  groupedText(): GroupedText {
    const text = this.problem.webText!;
    this.#text ??= groupText(this.backend, this.web, text.dtype === this.dtype ? text : text.copy(this.dtype));
    return this.#text;
  }

  /** Makes room in the backend's storage by leaving the web features on the host from now on; false if there are none. */
  moveWebToHost(reason: MemoryError): boolean {
    if (!(this.#web instanceof MemoryWeb)) return false;
    this.#web.release();
    this.#web = this.#webOnHost(reason);
    return true;
  }

  release(): void {
    if (this.#ownsTest) this.backend.release(this.testFeatures);
    this.#web?.release();
    if (this.#text) releaseText(this.backend, this.#text);
  }

  #loadWeb(): WebFeatures {
    const { problem, backend, dtype } = this;
    const { webRows } = this.#options;
    const categories = problem.testSemantics.rows;
    if ((webRows?.rows ?? problem.webFeatures.rows) === 0)
      throw new ProblemError(
        'web_features',
        undefined,
        'there are no web pictures',
        'Use the special case paper-zsl to learn without them.',
      );
    if (webRows) return new StreamedWeb(backend, webRows, problem.webLabels, categories, dtype);
    try {
      return new MemoryWeb(backend, problem.webFeatures, problem.webLabels, categories, dtype);
    } catch (error) {
      if (!(error instanceof MemoryError)) throw error;
      return this.#webOnHost(error);
    }
  }

  #webOnHost(reason: MemoryError): WebFeatures {
    const { problem, backend, dtype } = this;
    this.#options.note?.(
      `${reason.message}, more than is free there: the web features stay on the host and are sent block by block`,
    );
    const { webFeatures, webLabels, testSemantics } = problem;
    const block = Math.min(usualBlock, (webFeatures.rows * webFeatures.cols * 8) / 16);
    return new StreamedWeb(backend, hostRows(webFeatures), webLabels, testSemantics.rows, dtype, block);
  }
}

/** Rows of a matrix in memory, for a backend whose own memory is too small for them. */
function hostRows(features: Matrix): FeatureRows {
  return {
    rows: features.rows,
    cols: features.cols,
    dtype: features.dtype,
    async read(into, start, end) {
      into.view(0, end - start).copyFrom(features.view(start, end));
    },
  };
}
