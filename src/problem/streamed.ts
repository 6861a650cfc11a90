/**
 * A problem whose web features stay in their file: everything else is loaded, `webFeatures` has no rows, and the rows
 * are read block by block, checked and scaled as they come.
 */
import { join } from 'node:path';
import { ArgumentError, ProblemError } from '../errors.js';
import { type ArrayRows, openNpyRows, openNpz, toInt32, toMatrix, toStrings } from '../formats/index.js';
import { Matrix } from '../linalg/index.js';
import { type ArraySource, isFolder, openArrays } from './array-source.js';
import { checkProblem } from './check.js';
import type { LoadOptions } from './load.js';
import { normalizeInPlace, scaleToUnitLength } from './normalize.js';
import type { Problem } from './problem.js';
import { readArrayProblem, toMarks, withTermFrequencies } from './read-arrays.js';

/** Rows of web features in a file. */
export interface WebRows {
  readonly rows: number;
  readonly cols: number;
  /** Rows [start, end), scaled, into the first rows of `into`. */
  read(into: Matrix, start: number, end: number): Promise<void>;
}

export interface StreamedProblem {
  problem: Problem;
  webRows: WebRows;
  close(): Promise<void>;
}

/** Bytes the web features of a problem file take in memory in the given precision; 0 for MATLAB files, never streamed. */
export async function webFeatureBytes(path: string, width: 4 | 8): Promise<number> {
  if (path.endsWith('.mat')) return 0;
  const source = await openArrays(path);
  try {
    if (!source.has('web_features')) return 0;
    const { shape } = await source.header('web_features');
    return shape.reduce((product, size) => product * size, width);
  } finally {
    await source.close();
  }
}

export async function openStreamedProblem(path: string, options: LoadOptions = {}): Promise<StreamedProblem> {
  const { dtype = 'float64', scaling = 'l2' } = options;
  if (scaling === 'zscore' || options.centreFeatures)
    throw new ArgumentError(
      'web features can be streamed with the scalings l2 and none only: the others need all rows at once',
      'Scale the features in the file beforehand, or fit in memory.',
    );
  if (options.webFile !== undefined)
    throw new ArgumentError(
      `web features can be streamed from the problem file only, not from ${options.webFile}`,
      'Put them into the problem file (saveProblem), or fit in memory.',
    );
  const source = await openArrays(path);
  try {
    const others = await readArrayProblem(source, undefined, { ...options, dtype });
    checkProblem(others, { scaling, web: 'optional' });
    normalizeInPlace(others, options);
    const problem = withTermFrequencies({ ...others, ...(await webAttachments(source, dtype)) }, { ...options, dtype });
    const rows = await openRows(path);
    try {
      checkRows(problem, rows);
    } catch (error) {
      await rows.close();
      throw error;
    }
    return { problem, webRows: scaledRows(rows, scaling === 'l2'), close: () => rows.close() };
  } finally {
    await source.close();
  }
}

async function webAttachments(source: ArraySource, dtype: 'float64' | 'float32') {
  const origin = (name: string) => ({ name, file: source.path });
  const optional = async <T>(name: string, convert: (array: Awaited<ReturnType<ArraySource['read']>>) => T) =>
    source.has(name) ? convert(await source.read(name)) : undefined;
  return {
    webLabels: toInt32(await source.read('web_labels'), origin('web_labels')),
    webText: await optional('web_text', (array) => toMatrix(array, dtype, origin('web_text'))),
    webTexts: await optional('web_texts', (array) => toStrings(array, origin('web_texts'))),
    webKinds: await optional('web_kind', (array) => toStrings(array, origin('web_kind'))),
    webVouched: await optional('web_vouched', (array) => toMarks(array, origin('web_vouched'))),
  };
}

async function openRows(path: string): Promise<ArrayRows> {
  if (await isFolder(path)) return openNpyRows(join(path, 'web_features.npy'));
  const archive = await openNpz(path);
  const rows = await archive.rows('web_features');
  return {
    shape: rows.shape,
    dtype: rows.dtype,
    rowLength: rows.rowLength,
    readRows: (start, end, into) => rows.readRows(start, end, into),
    close: async () => {
      await rows.close();
      await archive.close();
    },
  };
}

function checkRows(problem: Problem, rows: ArrayRows): void {
  const dimensions = problem.testFeatures.cols;
  if (rows.shape.length !== 2 || rows.rowLength !== dimensions)
    throw new ProblemError(
      'web_features',
      undefined,
      `has the shape (${rows.shape.join(', ')}); n×${dimensions} was expected`,
    );
  if (problem.webLabels.length !== rows.shape[0])
    throw new ProblemError(
      'web_labels',
      undefined,
      `has ${problem.webLabels.length} labels for ${rows.shape[0]} pictures`,
    );
  if (problem.webVouched && problem.webVouched.length !== rows.shape[0])
    throw new ProblemError(
      'web_vouched',
      undefined,
      `has ${problem.webVouched.length} rows, web_features has ${rows.shape[0]}`,
    );
  const categories = problem.testSemantics.rows;
  const counts = new Int32Array(categories);
  problem.webLabels.forEach((label, row) => {
    if (label < 0 || label >= categories)
      throw new ProblemError(
        'web_labels',
        row,
        `label ${label} is out of range; there are ${categories} test categories`,
      );
    counts[label]++;
  });
  const empty = counts.indexOf(0);
  if (empty >= 0)
    throw new ProblemError('web_labels', undefined, `category ${empty} ("${problem.testNames[empty]}") has no picture`);
}

function scaledRows(source: ArrayRows, unitLength: boolean): WebRows {
  const [rows, cols] = source.shape;
  return {
    rows,
    cols,
    async read(into, start, end) {
      const block = new Matrix(into.data, end - start, cols);
      await source.readRows(start, end, block.data);
      const wrong = block.data.subarray(0, block.rows * cols).findIndex((value) => !Number.isFinite(value));
      if (wrong >= 0)
        throw new ProblemError('web_features', start + Math.floor(wrong / cols), 'a feature is not a finite number');
      if (unitLength) scaleToUnitLength('web_features', block, start);
    },
  };
}
