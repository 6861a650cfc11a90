/**
 * A problem that threads can share: its matrices lie in SharedArrayBuffers, which a message hands over without copying.
 */
import { Matrix, type RealArray } from '../linalg/index.js';
import type { Problem } from '../problem/index.js';

/** A matrix as a plain value, as messages carry it. */
interface SharedMatrix {
  sharedMatrix: RealArray;
  rows: number;
  cols: number;
  stride: number;
}

/** What `shareProblem` makes and `openShared` opens; its fields are those of a problem. */
export type SharedProblem = Readonly<Record<string, unknown>>;

/** Matrices that lie in shared memory already, as views of another shared problem do, are not copied again. */
export function shareProblem(problem: Problem): SharedProblem {
  const { validationWeb, ...rest } = problem;
  return { ...sharedFields(rest), ...(validationWeb && { validationWeb: sharedFields(validationWeb) }) };
}

export function openShared({ validationWeb, ...rest }: SharedProblem): Problem {
  return {
    ...openFields(rest),
    ...(validationWeb !== undefined && { validationWeb: openFields(validationWeb as SharedProblem) }),
  } as unknown as Problem;
}

function sharedFields(fields: object): SharedProblem {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value instanceof Matrix ? shareMatrix(value) : value]),
  );
}

function openFields(shared: SharedProblem): object {
  return Object.fromEntries(
    Object.entries(shared).map(([name, value]) => [name, isSharedMatrix(value) ? openMatrix(value) : value]),
  );
}

function shareMatrix(matrix: Matrix): SharedMatrix {
  const { rows, cols } = matrix;
  if (matrix.data.buffer instanceof SharedArrayBuffer)
    return { sharedMatrix: matrix.data, rows, cols, stride: matrix.stride };
  const bytes = rows * cols * matrix.data.BYTES_PER_ELEMENT;
  const memory = new SharedArrayBuffer(bytes) as unknown as ArrayBuffer;
  const data = matrix.dtype === 'float64' ? new Float64Array(memory) : new Float32Array(memory);
  new Matrix<RealArray>(data, rows, cols).copyFrom(matrix);
  return { sharedMatrix: data, rows, cols, stride: cols };
}

function openMatrix({ sharedMatrix, rows, cols, stride }: SharedMatrix): Matrix {
  return new Matrix(sharedMatrix, rows, cols, stride);
}

function isSharedMatrix(value: unknown): value is SharedMatrix {
  return typeof value === 'object' && value !== null && 'sharedMatrix' in value;
}
