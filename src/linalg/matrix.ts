/**
 * A dense row-major matrix: a view over a typed array with a leading dimension. Element (i, j) is
 * `data[i * stride + j]`. Views share storage; nothing here copies unless its name says so.
 */
import { ArgumentError } from '../errors.js';

export type Dtype = 'float64' | 'float32';
export type RealArray = Float64Array | Float32Array;
/** Numbers in a row: an array, or the elements of a contiguous matrix where a backend keeps them. */
export type Vector = RealArray | Matrix;

export class Matrix<T extends RealArray = RealArray> {
  readonly data: T;
  readonly rows: number;
  readonly cols: number;
  /** Distance between the starts of two rows, at least `cols`. */
  readonly stride: number;

  constructor(data: T, rows: number, cols: number, stride: number = cols) {
    if (!isSize(rows) || !isSize(cols) || !isSize(stride) || stride < cols)
      throw new ArgumentError(`Matrix: impossible shape ${rows}×${cols} with leading dimension ${stride}`);
    const needed = rows === 0 || cols === 0 ? 0 : (rows - 1) * stride + cols;
    if (data.length < needed)
      throw new ArgumentError(
        `Matrix: ${rows}×${cols} with leading dimension ${stride} needs ${needed} elements, the array has ${data.length}`,
      );
    this.data = data;
    this.rows = rows;
    this.cols = cols;
    this.stride = stride;
  }

  get dtype(): Dtype {
    return this.data instanceof Float64Array ? 'float64' : 'float32';
  }

  /** What two views of one matrix have in common; for telling whether matrices overlap. */
  get storage(): object {
    return this.data.buffer;
  }

  /** Position of element (0, 0) in the storage, in elements. */
  get storageOffset(): number {
    return this.data.byteOffset / this.data.BYTES_PER_ELEMENT;
  }

  get contiguous(): boolean {
    return this.stride === this.cols || this.rows <= 1;
  }

  at(i: number, j: number): number {
    return this.data[i * this.stride + j];
  }

  set(i: number, j: number, value: number): void {
    this.data[i * this.stride + j] = value;
  }

  /** The elements of row `i`, shared with this matrix. */
  row(i: number): T {
    return this.data.subarray(i * this.stride, i * this.stride + this.cols) as T;
  }

  /** The block of rows [rowStart, rowEnd) and columns [colStart, colEnd), shared with this matrix. */
  view(rowStart: number, rowEnd: number, colStart = 0, colEnd: number = this.cols): Matrix<T> {
    this.checkWindow(rowStart, rowEnd, colStart, colEnd);
    const rows = rowEnd - rowStart;
    const cols = colEnd - colStart;
    const start = rows === 0 || cols === 0 ? 0 : rowStart * this.stride + colStart;
    return new Matrix(this.data.subarray(start) as T, rows, cols, Math.max(this.stride, cols));
  }

  protected checkWindow(rowStart: number, rowEnd: number, colStart: number, colEnd: number): void {
    const rowsFit = 0 <= rowStart && rowStart <= rowEnd && rowEnd <= this.rows;
    const colsFit = 0 <= colStart && colStart <= colEnd && colEnd <= this.cols;
    if (!rowsFit || !colsFit)
      throw new ArgumentError(
        `Matrix.view: rows ${rowStart}…${rowEnd}, columns ${colStart}…${colEnd} do not lie within ${this.rows}×${this.cols}`,
      );
  }

  /** Every `step`-th row from `first` on, shared with this matrix. */
  everyRow(first: number, step: number): Matrix<T> {
    const rows = Math.max(0, Math.ceil((this.rows - first) / step));
    return new Matrix(this.data.subarray(first * this.stride) as T, rows, this.cols, step * this.stride);
  }

  /** The same elements in another shape, shared with this matrix, which must be contiguous. */
  reshaped(rows: number, cols: number): Matrix<T> {
    this.checkReshape(rows, cols);
    return new Matrix(this.data, rows, cols);
  }

  protected checkReshape(rows: number, cols: number): void {
    if (!this.contiguous || rows * cols !== this.rows * this.cols)
      throw new ArgumentError(
        `Matrix.reshaped: ${this.rows}×${this.cols} with leading dimension ${this.stride} cannot become ${rows}×${cols}`,
      );
  }

  fill(value: number): this {
    if (this.contiguous) this.data.fill(value, 0, this.rows * this.cols);
    else for (let i = 0; i < this.rows; i++) this.row(i).fill(value);
    return this;
  }

  /** Copies the elements of `source` (same shape, any dtype) into this matrix. */
  copyFrom(source: Matrix): this {
    if (source.rows !== this.rows || source.cols !== this.cols)
      throw new ArgumentError(`Matrix.copyFrom: ${source.rows}×${source.cols} into ${this.rows}×${this.cols}`);
    source.copyInto(this);
    return this;
  }

  /** Into a matrix of the same shape. */
  protected copyInto(target: Matrix): void {
    if (target.contiguous && this.contiguous) target.data.set(this.data.subarray(0, this.rows * this.cols));
    else for (let i = 0; i < this.rows; i++) target.row(i).set(this.row(i));
  }

  /** A contiguous copy, in the same or another precision. */
  copy<D extends Dtype = Dtype>(dtype: D = this.dtype as D): Matrix<ArrayOf<D>> {
    return Matrix.zeros(this.rows, this.cols, dtype).copyFrom(this);
  }

  static zeros<D extends Dtype = 'float64'>(rows: number, cols: number, dtype: D = 'float64' as D): Matrix<ArrayOf<D>> {
    const data = dtype === 'float64' ? new Float64Array(rows * cols) : new Float32Array(rows * cols);
    return new Matrix(data as RealArray as ArrayOf<D>, rows, cols);
  }

  /** From an array of rows of equal length. */
  static from<D extends Dtype = 'float64'>(rows: ArrayLike<number>[], dtype: D = 'float64' as D): Matrix<ArrayOf<D>> {
    const cols = rows.length === 0 ? 0 : rows[0].length;
    const result = Matrix.zeros(rows.length, cols, dtype);
    rows.forEach((row, i) => {
      if (row.length !== cols)
        throw new ArgumentError(`Matrix.from: row ${i} has ${row.length} elements, row 0 has ${cols}`);
      result.row(i).set(row);
    });
    return result;
  }
}

export type ArrayOf<D extends Dtype> = D extends 'float64'
  ? Float64Array
  : D extends 'float32'
    ? Float32Array
    : RealArray;

/** A vector as a matrix of one row. */
export function asRow(vector: Vector): Matrix {
  if (!(vector instanceof Matrix)) return new Matrix(vector, 1, vector.length);
  return vector.rows === 1 ? vector : vector.reshaped(1, vector.rows * vector.cols);
}

/** The elements of a vector in this process's memory, shared with it. */
export function elementsOf(vector: Vector): RealArray {
  return vector instanceof Matrix ? asRow(vector).row(0) : vector;
}

function isSize(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
