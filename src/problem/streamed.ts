/**
 * A problem whose features stay in their file, all of them or those of some kinds of pictures: everything else is loaded,
 * their matrices have no rows, and the rows are read block by block, checked and scaled as they come.
 */
import { ArgumentError, FormatError, ProblemError } from '../errors.js';
import type { ArrayRows } from '../formats/index.js';
import { type Backend, type Dtype, largestOf, Matrix, unitRowsHere } from '../linalg/index.js';
import { openArrays } from './array-source.js';
import { checkProblem, notFiniteError } from './check.js';
import type { LoadOptions } from './load.js';
import { normalizeInPlace, zeroVectorError } from './normalize.js';
import type { Problem } from './problem.js';
import { type PictureSet, readArrayProblem, setNames } from './read-arrays.js';

/** Rows of features in a file. */
export interface FeatureRows {
  readonly rows: number;
  readonly cols: number;
  /** The precision that they have in the problem. */
  readonly dtype: Dtype;
  /** Rows to read together. @default as many as take 16 MiB in single precision */
  readonly atOnce?: number;
  /** They are quick to read in their order and many together only. @default false */
  readonly sequential?: boolean;
  /**
   * Rows [start, end), scaled, into the first rows of `into`.
   * @param backend whose threads may scale them @default the calling thread does
   */
  read(into: Matrix, start: number, end: number, backend?: Backend): Promise<void>;
}

/** Features that stay in files, as methods that stream take them. */
export interface StreamedRows {
  readonly auxiliaryRows?: FeatureRows;
  readonly webRows?: FeatureRows;
  readonly testRows?: FeatureRows;
  /** Where to keep what a method makes of every row: in memory, or in a temporary file. @default 'disk' */
  readonly keep?: 'memory' | 'disk';
}

export interface StreamedProblem extends StreamedRows {
  problem: Problem;
  close(): Promise<void>;
}

/** Bytes that features of a problem file take in memory in the given precision; 0 for MATLAB files, never streamed. */
export async function featureBytes(path: string, width: 4 | 8, sets: readonly PictureSet[]): Promise<number> {
  if (path.endsWith('.mat')) return 0;
  const source = await openArrays(path);
  try {
    let total = 0;
    for (const name of sets.map(featuresOf)) {
      if (!source.has(name)) continue;
      const { shape } = await source.header(name);
      total += shape.reduce((product, size) => product * size, width);
    }
    return total;
  } finally {
    await source.close();
  }
}

/** Whether the features of a problem file are rows that can be read in any order, as they lie or scaled one by one. */
export async function readableByBlocks(
  path: string,
  options: LoadOptions,
  sets: readonly PictureSet[],
): Promise<boolean> {
  const { scaling = 'l2', centreFeatures, webFile, validationFile, splits } = options;
  if (path.endsWith('.mat') || scaling === 'zscore' || centreFeatures) return false;
  if ([webFile, validationFile, splits].some((other) => other !== undefined)) return false;
  const source = await openArrays(path);
  try {
    for (const name of sets.map(featuresOf)) {
      if (!source.has(name)) continue;
      const { shape, dtype } = await source.header(name);
      if (!source.rows || shape.length !== 2 || dtype === 'string' || dtype === 'bytes') return false;
      const rows = await source.rows(name);
      await rows.close();
      if (rows.sequential) return false;
    }
    return true;
  } finally {
    await source.close();
  }
}

/** @param sets pictures whose features stay in the file */
export async function openStreamedProblem(
  path: string,
  options: LoadOptions = {},
  sets: readonly PictureSet[] = ['web'],
): Promise<StreamedProblem> {
  const { dtype = 'float64', scaling = 'l2' } = options;
  if (scaling === 'zscore' || options.centreFeatures)
    throw new ArgumentError(
      'features can be streamed with the scalings l2 and none only: the others need all rows at once',
      'Scale the features in the file beforehand, or fit in memory.',
    );
  if (options.webFile !== undefined)
    throw new ArgumentError(
      `features can be streamed from the problem file only, not from ${options.webFile}`,
      'Put them into the problem file (saveProblem), or fit in memory.',
    );
  const source = await openArrays(path);
  const opened: ArrayRows[] = [];
  const close = async () => {
    for (const rows of opened) await rows.close();
    await source.close();
  };
  try {
    const found: { [name in `${PictureSet}Rows`]?: FeatureRows } = {};
    const counts: Record<string, number> = {};
    for (const set of sets) {
      const name = featuresOf(set);
      // What is missing is named by those who read the rest.
      if (!source.has(name)) continue;
      if (!source.rows)
        throw new FormatError(path, undefined, 'cannot be read row by row', 'Write it as .npz, or fit in memory.');
      const rows = await source.rows(name);
      opened.push(rows);
      if (rows.shape.length !== 2)
        throw new ProblemError(
          name,
          undefined,
          `has the shape (${rows.shape.join(', ')}); rows of features were expected`,
        );
      counts[name] = rows.shape[0];
      found[`${set}Rows`] = scaledRows(name, rows, dtype, scaling === 'l2');
    }
    const problem = await readArrayProblem(source, source, { ...options, dtype, streamed: sets });
    checkProblem(problem, { scaling, web: options.web, streamed: counts });
    return { problem: normalizeInPlace(problem, options), ...found, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const featuresOf = (set: PictureSet): string => `${setNames[set]}_features`;

function scaledRows(name: string, source: ArrayRows, dtype: Dtype, unitLength: boolean): FeatureRows {
  const [rows, cols] = source.shape;
  // What each row is divided by, once it has been looked at; 0 before.
  const [largests, lengths] = [new Float64Array(rows), new Float64Array(rows)];
  return {
    ...{ rows, cols, dtype, sequential: source.sequential },
    async read(into, start, end, backend) {
      const block = new Matrix(into.data, end - start, cols);
      await source.readRows(start, end, block.data);
      const here = largests.subarray(start, end);
      if (!unitLength)
        here.forEach((seen, i) => {
          here[i] = seen || largestOf(block.row(i));
        });
      else if (backend) backend.unitRows(block, here, lengths.subarray(start, end));
      else unitRowsHere(block, here, lengths.subarray(start, end));
      for (let i = 0; i < here.length; i++) {
        if (unitLength && here[i] === 0) throw zeroVectorError(name, start + i);
        if (here[i] < Number.POSITIVE_INFINITY) continue;
        here[i] = 0;
        const row = block.row(i);
        const wrong = row.findIndex((value) => !Number.isFinite(value));
        throw notFiniteError(name, start + i, wrong, row[wrong]);
      }
    },
  };
}
