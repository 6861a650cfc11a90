/** From a problem to the input of the alternation: span, auxiliary dictionary, web images, text. */
import { ArgumentError, MemoryError, ProblemError } from '../errors.js';
import type { Backend } from '../linalg/backend.js';
import type { Dtype, Matrix } from '../linalg/matrix.js';
import { requireLearnable } from '../problem/method.js';
import type { Problem } from '../problem/problem.js';
import type { WebRows } from '../problem/streamed.js';
import type { AlternatingInput } from './alternating.js';
import { auxiliaryDictionary, classSums } from './auxiliary.js';
import type { LearnerOptions } from './options.js';
import { fullBasis, spanBasis } from './span.js';
import { textTerm } from './text.js';
import { spectralBound } from './theta/projected-gradient.js';
import { MemoryWeb, type WebFeatures } from './web-features.js';
import { WebState } from './web-state.js';
import { StreamedWeb } from './web-streamed.js';

export interface Prepared {
  input: AlternatingInput;
  release(): void;
}

export async function prepare(
  problem: Problem,
  options: LearnerOptions,
  backend: Backend,
  webRows?: WebRows,
  note?: (message: string) => void,
): Promise<Prepared> {
  requireLearnable(problem);
  if (options.gamma > 0 && options.useWeb && !problem.webText)
    throw new ArgumentError(
      `gamma is ${options.gamma} but the problem has no web text`,
      'Set gamma to 0, or add web_text or web_texts to the problem.',
    );
  const { dtype } = options;
  const owned: Matrix[] = [];
  const own = (matrix: Matrix) => {
    owned.push(matrix);
    return matrix;
  };
  const basis =
    options.space === 'span'
      ? spanBasis(problem.auxiliarySemantics, problem.testSemantics)
      : fullBasis(problem.testSemantics.cols);
  const basisHere = own(upload(backend, basis, dtype));
  const toSpan = (semantics: Matrix) => {
    const source = own(upload(backend, semantics, dtype));
    const result = own(backend.matrix(semantics.rows, basis.rows, dtype));
    backend.gemm(result, source, basisHere, { transposeB: true });
    return result;
  };
  const testSemantics = toSpan(problem.testSemantics);
  const sums = classSums(problem.auxiliaryFeatures, problem.auxiliaryLabels, problem.auxiliarySemantics.rows);
  const dictionary = own(auxiliaryDictionary(backend, sums, toSpan(problem.auxiliarySemantics)));
  const testFeatures = resident(backend, problem.testFeatures, dtype, own);
  const input: AlternatingInput = {
    backend,
    options,
    testFeatures,
    testSemantics,
    auxiliaryDictionary: dictionary,
    basis: basisHere,
  };
  let web: WebFeatures | undefined;
  if (options.useWeb) {
    web = webFeatures(problem, dtype, backend, webRows, note);
    input.web = await webInput(problem, options, backend, web);
  }
  return {
    input,
    release() {
      for (const matrix of owned) backend.release(matrix);
      if (!input.web || !web) return;
      const { state, text, gram } = input.web;
      state.release();
      web.release();
      for (const matrix of [text?.sums, text?.unexplained, text?.mixing, gram]) if (matrix) backend.release(matrix);
    },
  };
}

/** The matrix itself where the backend can compute on it, else a copy in the backend's storage. */
function resident(backend: Backend, matrix: Matrix, dtype: Dtype, own: (copy: Matrix) => Matrix): Matrix {
  if (backend.device === 'native' && matrix.dtype === dtype) return matrix;
  return own(upload(backend, matrix, dtype));
}

/** A copy in the backend's storage. */
function upload(backend: Backend, matrix: Matrix, dtype: Dtype): Matrix {
  const result = backend.matrix(matrix.rows, matrix.cols, dtype);
  backend.copy(result, matrix.dtype === dtype ? matrix : matrix.copy(dtype));
  return result;
}

/** Rows of a matrix in memory, for a backend whose own memory is too small for them. */
function hostRows(features: Matrix): WebRows {
  return {
    rows: features.rows,
    cols: features.cols,
    async read(into, start, end) {
      into.view(0, end - start).copyFrom(features.view(start, end));
    },
  };
}

function webFeatures(
  problem: Problem,
  dtype: Dtype,
  backend: Backend,
  rows: WebRows | undefined,
  note: ((message: string) => void) | undefined,
): WebFeatures {
  const categories = problem.testSemantics.rows;
  const count = rows?.rows ?? problem.webFeatures.rows;
  if (count === 0)
    throw new ProblemError(
      'web_features',
      undefined,
      'there are no web pictures',
      'Use the special case ours-zsl to learn without them.',
    );
  if (rows) return new StreamedWeb(backend, rows, problem.webLabels, categories, dtype);
  try {
    return new MemoryWeb(backend, problem.webFeatures, problem.webLabels, categories, dtype);
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    note?.(`${error.message}, more than is free there: the web features stay on the host and are sent block by block`);
    return new StreamedWeb(backend, hostRows(problem.webFeatures), problem.webLabels, categories, dtype);
  }
}

async function webInput(
  problem: Problem,
  options: LearnerOptions,
  backend: Backend,
  web: WebFeatures,
): Promise<NonNullable<AlternatingInput['web']>> {
  const { dtype } = options;
  const testSum = new Float64Array(web.cols);
  for (let i = 0; i < problem.testFeatures.rows; i++) {
    const row = problem.testFeatures.row(i);
    for (let j = 0; j < row.length; j++) testSum[j] += row[j];
  }
  const dotsWithTestSum = new Float64Array(web.rows);
  if (options.lambda3 > 0) await web.times(dotsWithTestSum, testSum);
  const pairwise = options.thetaSolver === 'smo';
  return {
    state: new WebState(backend, web, problem.testSemantics.rows, dtype),
    text:
      options.gamma > 0 && problem.webText
        ? await textTerm(
            backend,
            web,
            resident(backend, problem.webText, dtype, (copy) => copy),
          )
        : undefined,
    dotsWithTestSum,
    testSum,
    spectralBound: options.lambda3 > 0 && !pairwise ? await largestSpectrum(web) : 0,
    gram: pairwise ? await web.gram() : undefined,
  };
}

/** σ² of the web features: by power iteration in memory; from a file the cheaper bound ‖X‖² ≥ σ². */
async function largestSpectrum(web: WebFeatures): Promise<number> {
  if (web instanceof MemoryWeb) return spectralBound(web);
  const norms = new Float64Array(web.rows);
  await web.squaredNorms(norms);
  return norms.reduce((sum, value) => sum + value, 0);
}
