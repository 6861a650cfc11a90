/** Writes a problem under the names of docs/problem.md, as a `.npz` archive or a folder of `.npy` files. */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ArgumentError } from '../errors.js';
import { fromMatrix, type NdArray, removeAbandoned, renameOver, writeNpy, writeNpz } from '../formats/index.js';
import type { Matrix } from '../linalg/index.js';
import { blockArrays } from './blocks.js';
import type { Problem } from './problem.js';

export interface SaveOptions {
  /** Precision of the matrices in the file. @default that of the problem */
  dtype?: 'float16' | 'float32' | 'float64';
  /** Deflate a `.npz`. @default false */
  compress?: boolean;
}

/** A path ending in `.npz` becomes an archive, any other a new folder. */
export async function saveProblem(path: string, problem: Problem, options: SaveOptions = {}): Promise<void> {
  const arrays = problemArrays(problem, options.dtype);
  if (path.endsWith('.npz')) {
    await writeNpz(path, arrays, { compress: options.compress });
    return;
  }
  if ((await readdir(path).catch(() => [])).length > 0)
    throw new ArgumentError(
      `saveProblem: the folder ${path} is not empty`,
      'Arrays left from another problem would become part of this one; name a new folder.',
    );
  await removeAbandoned(path);
  const part = `${path}.${process.pid}.part`;
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true });
  try {
    for (const [name, array] of arrays) await writeNpy(join(part, `${name}.npy`), array);
    await renameOver(part, path);
  } catch (error) {
    await rm(part, { recursive: true, force: true });
    throw error;
  }
}

/** The arrays of a problem file, by name. */
function problemArrays(problem: Problem, dtype: SaveOptions['dtype']): [string, NdArray | Matrix][] {
  const { validationWeb: web } = problem;
  const entries: [string, Values | undefined][] = [
    ['aux_features', problem.auxiliaryFeatures],
    ['aux_labels', problem.auxiliaryLabels],
    ['aux_semantics', problem.auxiliarySemantics],
    ['aux_names', problem.auxiliaryNames],
    ['web_features', problem.webFeatures],
    ['web_labels', problem.webLabels],
    ['web_text', problem.webText],
    ['web_texts', problem.webTexts],
    ['web_kind', problem.webKinds],
    ['web_vouched', problem.webVouched],
    ['test_features', problem.testFeatures],
    ['test_labels', problem.testLabels],
    ['test_known', problem.testKnown],
    ['test_semantics', problem.testSemantics],
    ['test_names', problem.testNames],
    ['test_shares', problem.testShares],
    ['generalized', problem.generalized ? Uint8Array.of(1) : undefined],
    ['validation_web_features', web?.features],
    ['validation_web_labels', web?.labels],
    ['validation_web_text', web?.text],
    ['validation_web_texts', web?.texts],
    ['validation_web_kind', web?.kinds],
    ['aux_in_validation_web', web?.auxiliaryUsed],
  ];
  return [
    ...entries.flatMap(([name, value]): [string, NdArray | Matrix][] =>
      value === undefined ? [] : [[name, toArray(value, dtype)]],
    ),
    ...blockArrays('feature', problem.featureBlocks),
    ...blockArrays('semantic', problem.semanticBlocks),
  ];
}

type Values = Matrix | Int32Array | Uint8Array | Float64Array | readonly string[];

function toArray(value: Values, dtype: SaveOptions['dtype']): NdArray | Matrix {
  if (value instanceof Float64Array) return { shape: [value.length], dtype: 'float64', data: value };
  if (value instanceof Int32Array) return { shape: [value.length], dtype: 'int32', data: value };
  if (value instanceof Uint8Array) return { shape: [value.length], dtype: 'bool', data: value };
  if (Array.isArray(value)) return { shape: [value.length], dtype: 'string', data: value };
  const matrix = value as Matrix;
  return dtype === undefined || dtype === matrix.dtype ? matrix : fromMatrix(matrix, dtype);
}
