/**
 * Values of MATLAB files, the same for version 5 and version 7.3. Elements lie in column-major order, as MATLAB keeps
 * them: the columns of a d×n matrix are, without moving a byte, the rows of an n×d one here.
 */
import { FormatError, MemoryError } from '../errors.js';
import { type Dtype, Matrix } from '../linalg/index.js';
import {
  type ArrayOrigin,
  convertReals,
  elementCount,
  type NdArray,
  type NumericData,
  type NumericDtype,
} from './array.js';

/** Numbers or truth values. MATLAB often stores whole numbers more narrowly than their class; `dtype` is as stored. */
export interface MatNumbers {
  readonly kind: 'numbers';
  readonly shape: readonly number[];
  readonly dtype: NumericDtype;
  readonly data: NumericData;
}

export interface MatText {
  readonly kind: 'text';
  readonly shape: readonly number[];
  /** One string for each row of characters. */
  readonly rows: readonly string[];
}

export interface MatCell {
  readonly kind: 'cell';
  readonly shape: readonly number[];
  readonly cells: readonly MatValue[];
}

export interface MatStruct {
  readonly kind: 'struct';
  readonly shape: readonly number[];
  /** For each field its value in every element of the struct array. */
  readonly fields: ReadonlyMap<string, readonly MatValue[]>;
}

/** Compressed columns: the entries of column j are those from columnStarts[j] up to columnStarts[j + 1]. */
export interface MatSparse {
  readonly kind: 'sparse';
  readonly shape: readonly [rows: number, cols: number];
  readonly rowIndices: Int32Array;
  readonly columnStarts: Int32Array;
  readonly values: Float64Array;
}

export type MatValue = MatNumbers | MatText | MatCell | MatStruct | MatSparse;

/** Values inside cells and structs that a file may hold: each takes several hundred bytes, however small it is. */
export const mostNested = 2_000_000;

/** Dense forms of sparse matrices larger than this are refused. */
const largestDense = 2 ** 31;

/** The entries of a sparse matrix as (row, column, value), column by column. */
export function* sparseEntries(sparse: MatSparse): Generator<[row: number, column: number, value: number]> {
  for (let column = 0; column < sparse.shape[1]; column++)
    for (let k = sparse.columnStarts[column]; k < sparse.columnStarts[column + 1]; k++)
      yield [sparse.rowIndices[k], column, sparse.values[k]];
}

/** A dense matrix out of a sparse one; entries given twice add up, as in MATLAB. */
export function sparseToDense(sparse: MatSparse): Matrix {
  const [rows, cols] = sparse.shape;
  if (rows * cols * 8 > largestDense) throw new MemoryError(rows * cols * 8, `a dense ${rows}×${cols} matrix`);
  const matrix = Matrix.zeros(rows, cols);
  for (const [row, column, value] of sparseEntries(sparse)) matrix.set(row, column, matrix.at(row, column) + value);
  return matrix;
}

/**
 * The value as an array in C order: numbers, strings (from characters, one string a row, or from a cell of texts).
 * @throws FormatError for structs and for cells of anything but texts
 */
export function matToArray(value: MatValue, origin: ArrayOrigin = {}): NdArray {
  if (value.kind === 'numbers')
    return { shape: value.shape, dtype: value.dtype, data: toRowMajor(value.data, value.shape) };
  if (value.kind === 'sparse') {
    const { data } = sparseToDense(value);
    return { shape: value.shape, dtype: 'float64', data: data as Float64Array };
  }
  const texts = matTexts(value, origin);
  return { shape: [texts.length], dtype: 'string', data: texts };
}

/** The strings of a character array or of a cell of texts, flattened in MATLAB's order. */
export function matTexts(value: MatValue, origin: ArrayOrigin = {}): string[] {
  if (value.kind === 'text') return [...value.rows];
  if (value.kind !== 'cell') throw unexpected(value, origin, 'text or a cell of texts');
  return value.cells.map((cell) => {
    // An empty cell element is how MATLAB users write an empty text.
    const empty = cell.kind !== 'struct' && elementCount(cell.shape) === 0;
    if (empty) return '';
    if (cell.kind !== 'text' || cell.rows.length !== 1) throw unexpected(cell, origin, 'one text in each cell');
    return cell.rows[0];
  });
}

/** The columns of a matrix as rows: a d×n value gives n×d, sharing the storage when the precision is the wanted one. */
export function matColumns(value: MatValue, dtype: Dtype = 'float64', origin: ArrayOrigin = {}): Matrix {
  if (value.kind === 'sparse') return transposed(sparseToDense(value), dtype);
  if (value.kind !== 'numbers' || value.shape.length !== 2) throw unexpected(value, origin, 'a matrix of numbers');
  const [rows, cols] = value.shape;
  if (value.dtype === dtype) return new Matrix(value.data as Float64Array, cols, rows);
  const matrix = Matrix.zeros(cols, rows, dtype);
  convertReals(value.dtype, value.data, matrix.data);
  return matrix;
}

/** `double 312×200`, `cell 200×1`: a value in a few words. */
export function describeMat(value: MatValue): string {
  const type = value.kind === 'numbers' ? value.dtype : value.kind;
  return `${type} ${value.shape.join('×')}`;
}

function unexpected(value: MatValue, origin: ArrayOrigin, expected: string): FormatError {
  const name = origin.name === undefined ? 'a value' : `variable "${origin.name}"`;
  return new FormatError(
    origin.file ?? 'MATLAB value',
    undefined,
    `${name} holds ${describeMat(value)}; expected ${expected}`,
  );
}

/** Elements in C order from elements in column-major order. */
function toRowMajor<T extends NumericData>(data: T, shape: readonly number[]): T {
  const longSides = shape.filter((size) => size !== 1).length;
  if (longSides < 2 || data.length === 0) return data;
  const result = data.slice() as T;
  const index = new Array<number>(shape.length).fill(0);
  const strides = rowMajorStrides(shape);
  let target = 0;
  for (let k = 0; k < data.length; k++) {
    result[target] = data[k];
    for (let axis = 0; axis < shape.length; axis++) {
      target += strides[axis];
      if (++index[axis] < shape[axis]) break;
      target -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
  return result;
}

function rowMajorStrides(shape: readonly number[]): number[] {
  const strides = new Array<number>(shape.length).fill(1);
  for (let axis = shape.length - 2; axis >= 0; axis--) strides[axis] = strides[axis + 1] * shape[axis + 1];
  return strides;
}

function transposed(matrix: Matrix, dtype: Dtype): Matrix {
  const result = Matrix.zeros(matrix.cols, matrix.rows, dtype);
  for (let i = 0; i < matrix.rows; i++) for (let j = 0; j < matrix.cols; j++) result.set(j, i, matrix.at(i, j));
  return result;
}
