/** From a problem to the input of one solver: span, auxiliary dictionary, state of the web images, text. */
import { ArgumentError } from '../errors.js';
import type { Backend, Matrix } from '../linalg/index.js';
import { unitRows } from '../numerics/index.js';
import { requireLearnable } from '../problem/index.js';
import { auxiliaryDictionary } from './auxiliary.js';
import type { LearnerOptions } from './options.js';
import type { PaperSolverInput } from './paper-solver.js';
import type { ResidentProblem } from './resident.js';
import { upload } from './storage.js';
import { textTerm } from './text.js';
import { WebState } from './web-state.js';

export interface Prepared {
  input: PaperSolverInput;
  /** Frees what belongs to this fit; the resident problem keeps its own. */
  release(): void;
}

export async function prepare(resident: ResidentProblem, options: LearnerOptions): Promise<Prepared> {
  const { problem, backend, dtype } = resident;
  requireLearnable(problem);
  if (dtype !== options.dtype)
    throw new ArgumentError(`the resident problem is ${dtype}, the fit was asked for in ${options.dtype}`);
  if (options.gamma > 0 && options.useWeb && !problem.webText)
    throw new ArgumentError(
      `gamma is ${options.gamma} but the problem has no web text`,
      'Set gamma to 0, or add web_text or web_texts to the problem.',
    );
  const owned: Matrix[] = [];
  const own = (matrix: Matrix) => {
    owned.push(matrix);
    return matrix;
  };
  const { auxiliarySemantics, testSemantics } = problem;
  const basis = resident.basis(options.space);
  const basisHere = own(upload(backend, basis, 'float64'));
  const toSpan = (semantics: Matrix) => {
    const source = upload(backend, asCompared(semantics, options), 'float64');
    const result = own(backend.matrix(semantics.rows, basis.rows));
    backend.gemm(result, source, basisHere, { transposeB: true });
    backend.release(source);
    return result;
  };
  const input: PaperSolverInput = {
    backend,
    options,
    testFeatures: resident.testFeatures,
    testSemantics: toSpan(testSemantics),
    auxiliaryDictionary: own(auxiliaryDictionary(backend, resident.auxiliary, toSpan(auxiliarySemantics))),
    basis: basisHere,
  };
  if (options.useWeb) input.web = await webInput(resident, options, backend);
  return {
    input,
    release() {
      for (const matrix of owned) backend.release(matrix);
      if (!input.web) return;
      const { state, text, gram } = input.web;
      state.release();
      for (const matrix of [text?.sums, text?.unexplained, text?.mixing, gram]) if (matrix) backend.release(matrix);
    },
  };
}

/** Category vectors as the learner compares them; their span is the same at any length. */
export function asCompared(semantics: Matrix, { vectors }: Pick<LearnerOptions, 'vectors'>): Matrix {
  return vectors === 'unit' ? unitRows(semantics) : semantics;
}

async function webInput(
  resident: ResidentProblem,
  options: LearnerOptions,
  backend: Backend,
): Promise<NonNullable<PaperSolverInput['web']>> {
  const { web, problem, dtype, testSum } = resident;
  const pairwise = options.thetaSolver === 'smo';
  const matched = options.lambda3 > 0;
  const text = options.gamma > 0 ? problem.webText : undefined;
  const attraction = matched ? await resident.dotsWithTestSum() : new Float64Array(web.rows);
  return {
    state: new WebState(backend, web, { dtype, attraction, pairwise }),
    text: text && (await textTerm(backend, web, resident.groupedText(), options.textRidge)),
    testSum,
    spectralBound: matched && !pairwise ? await resident.spectralBound() : 0,
    gram: pairwise ? await web.gram() : undefined,
  };
}
