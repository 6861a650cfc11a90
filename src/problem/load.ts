/**
 * Reads problem files: a `.npz` archive, a `.mat` file or a folder of `.npy` files with the arrays of docs/problem.md, or
 * the pair `res101.mat` and `att_splits.mat`. A problem that was loaded keeps all rules and is scaled.
 */
import { ArgumentError } from '../errors.js';
import type { Dtype } from '../linalg/index.js';
import { type ArraySource, openArrays } from './array-source.js';
import { checkProblem } from './check.js';
import { type NormalizeOptions, normalizeInPlace } from './normalize.js';
import type { Problem } from './problem.js';
import { readArrayProblem, readValidationWeb, withTermFrequencies } from './read-arrays.js';
import { isXlsa17, readXlsa17 } from './xlsa17.js';

export interface LoadOptions extends NormalizeOptions {
  /**
   * Reads `aux_NAME` and `test_NAME` as semantic vectors, of several names with commas between them all as blocks side by
   * side; or the variable NAME of an xlsa17 pair. @default 'semantics'
   */
  semantics?: string;
  /** Precision of all matrices. @default 'float64' */
  dtype?: Dtype;
  /** Whether there must be web pictures. @default 'required' */
  web?: 'required' | 'optional';
  /** A `.npz` or folder with `web_features` and so on, when they are not in the file itself. */
  webFile?: string;
  /** A `.npz` or folder with web pictures of validation categories, `validation_web_features` and so on. */
  validationFile?: string;
  /** Words kept when `web_texts` are turned into term frequencies. @default 2000 */
  words?: number;
  /** xlsa17: the file with attributes and splits. @default att_splits.mat beside the features */
  splits?: string;
  /** xlsa17: test on the held-out pictures of auxiliary categories too. @default false */
  generalized?: boolean;
  signal?: AbortSignal;
}

/**
 * @example
 * const problem = await loadProblem('problem.npz', { semantics: 'attributes', dtype: 'float32' });
 * @throws FormatError when the file is not a problem, ProblemError when it breaks a rule
 */
export async function loadProblem(path: string, options: LoadOptions = {}): Promise<Problem> {
  const problem = await readProblem(path, options);
  checkProblem(problem, { scaling: options.scaling ?? 'l2', web: options.web });
  return normalizeInPlace(problem, options);
}

/** The problem as it lies in the file, neither checked nor scaled. */
export async function readProblem(path: string, options: LoadOptions = {}): Promise<Problem> {
  const { dtype = 'float64' } = options;
  if (dtype !== 'float64' && dtype !== 'float32')
    throw new ArgumentError(`loadProblem: dtype is "${dtype}"; it must be float64 or float32`);
  const settings = { ...options, dtype };
  const problem = await readMain(path, settings);
  if (options.validationFile === undefined) return problem;
  const validationWeb = await withArrays(options.validationFile, (source) => readValidationWeb(source, settings));
  return withTermFrequencies({ ...problem, validationWeb }, settings);
}

async function readMain(path: string, options: LoadOptions & { dtype: Dtype }): Promise<Problem> {
  if (await isXlsa17(path, options.splits)) return readXlsa17(path, options);
  return withArrays(path, async (source) => {
    if (options.webFile === undefined) return readArrayProblem(source, source, options);
    return withArrays(options.webFile, (webSource) => readArrayProblem(source, webSource, options));
  });
}

async function withArrays<T>(path: string, use: (source: ArraySource) => Promise<T>): Promise<T> {
  const source = await openArrays(path);
  try {
    return await use(source);
  } finally {
    await source.close();
  }
}
