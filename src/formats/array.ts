/**
 * What every array reader returns: a shape, an element type and the elements in C order (last axis fastest), and the
 * conversions from there to matrices, integers and strings.
 */
import { ArgumentError, FormatError } from '../errors.js';
import { type ArrayOf, type Dtype, Matrix, type RealArray } from '../linalg/index.js';
import { halfToFloats, realsToHalves } from './float16.js';

interface DataByDtype {
  /** Raw IEEE 754 binary16 bits. */
  float16: Uint16Array;
  float32: Float32Array;
  float64: Float64Array;
  int8: Int8Array;
  int16: Int16Array;
  int32: Int32Array;
  int64: BigInt64Array;
  uint8: Uint8Array;
  uint16: Uint16Array;
  uint32: Uint32Array;
  uint64: BigUint64Array;
  /** 0 or 1. */
  bool: Uint8Array;
  string: string[];
  /** One character (0 to 255) for each byte; `toStrings` decodes UTF-8. */
  bytes: string[];
}

export type ArrayDtype = keyof DataByDtype;
export type NumericDtype = Exclude<ArrayDtype, 'string' | 'bytes'>;
export type NumericData = DataByDtype[NumericDtype];
export type ArrayData = DataByDtype[ArrayDtype];

/** An n-dimensional array in C order; `data.length` is the product of `shape` (1 for a scalar, whose shape is empty). */
export interface NdArray<D extends ArrayDtype = ArrayDtype> {
  readonly shape: readonly number[];
  readonly dtype: D;
  readonly data: DataByDtype[D];
}

/** Where an array came from, for error messages. */
export interface ArrayOrigin {
  /** The array's name within its file. */
  name?: string;
  file?: string;
}

/** Bytes of one element of each numeric type. */
export const itemBytes: Readonly<Record<NumericDtype, number>> = {
  float16: 2,
  float32: 4,
  float64: 8,
  int8: 1,
  int16: 2,
  int32: 4,
  int64: 8,
  uint8: 1,
  uint16: 2,
  uint32: 4,
  uint64: 8,
  bool: 1,
};

const constructors: { [D in NumericDtype]: new (buffer: ArrayBuffer) => DataByDtype[D] } = {
  float16: Uint16Array,
  float32: Float32Array,
  float64: Float64Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  bool: Uint8Array,
};

/** The typed array of a numeric type over a buffer whose length is a multiple of the element size. */
export function typedArray<D extends NumericDtype>(dtype: D, buffer: ArrayBuffer): DataByDtype[D] {
  return new constructors[dtype](buffer);
}

export function isNumeric(array: NdArray): array is NdArray<NumericDtype> {
  return array.dtype !== 'string' && array.dtype !== 'bytes';
}

/** The product of a shape: 1 for a scalar. */
export function elementCount(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

/** Writes numbers of any numeric type into `target` as reals; 64-bit integers beyond 2^53 are rounded. */
export function convertReals(dtype: NumericDtype, data: NumericData, target: RealArray): void {
  if (dtype === 'float16') halfToFloats(data as Uint16Array, target);
  else if (data instanceof BigInt64Array || data instanceof BigUint64Array)
    for (let i = 0; i < data.length; i++) target[i] = Number(data[i]);
  else target.set(data);
}

/**
 * A two-dimensional array of numbers as a matrix. Shares the storage when the precision is already the wanted one.
 * @throws FormatError when the array is not two-dimensional or holds text
 */
export function toMatrix<D extends Dtype = 'float64'>(
  array: NdArray,
  dtype: D = 'float64' as D,
  origin: ArrayOrigin = {},
): Matrix<ArrayOf<D>> {
  if (!isNumeric(array)) throw mismatch(array, origin, 'numbers');
  if (array.shape.length !== 2) throw mismatch(array, origin, 'two dimensions');
  const [rows, cols] = array.shape;
  if (array.dtype === dtype) return new Matrix(array.data as ArrayOf<D>, rows, cols);
  const matrix = Matrix.zeros(rows, cols, dtype);
  convertReals(array.dtype, array.data, matrix.data);
  return matrix;
}

/**
 * Labels and indices: an array of any integer type, of booleans, or of reals without fractions, flattened in C order.
 * @throws FormatError when a value has a fraction or does not fit 32 bits
 */
export function toInt32(array: NdArray, origin: ArrayOrigin = {}): Int32Array {
  if (!isNumeric(array)) throw mismatch(array, origin, 'integers');
  if (array.dtype === 'int32') return array.data as Int32Array;
  const values = new Float64Array(array.data.length);
  convertReals(array.dtype, array.data, values);
  const result = new Int32Array(values.length);
  for (let i = 0; i < values.length; i++) {
    result[i] = values[i];
    if (result[i] !== values[i])
      throw new FormatError(
        origin.file ?? 'array',
        undefined,
        `${label(origin)} holds ${array.dtype === 'float16' ? values[i] : array.data[i]} at element ${i}; expected whole numbers from -2147483648 to 2147483647`,
      );
  }
  return result;
}

/**
 * Names and texts, flattened in C order; bytes are decoded as UTF-8, or as Latin-1 where they are not UTF-8.
 * @throws FormatError when the array holds numbers
 */
export function toStrings(array: NdArray, origin: ArrayOrigin = {}): string[] {
  if (array.dtype === 'string') return array.data as string[];
  if (array.dtype !== 'bytes') throw mismatch(array, origin, 'text');
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return (array.data as string[]).map((bytes) => {
    try {
      return utf8.decode(Buffer.from(bytes, 'latin1'));
    } catch {
      return bytes;
    }
  });
}

/** A matrix as an array, in its own precision or another one. Shares the storage of a contiguous matrix when it can. */
export function fromMatrix(matrix: Matrix, dtype: 'float16' | Dtype = matrix.dtype): NdArray {
  const shape = [matrix.rows, matrix.cols];
  const length = matrix.rows * matrix.cols;
  const { data } = matrix.contiguous ? matrix : matrix.copy();
  const compact = data.subarray(0, length);
  if (dtype === matrix.dtype) return { shape, dtype, data: compact };
  if (dtype === 'float16') return { shape, dtype, data: realsToHalves(compact) };
  return { shape, dtype, data: dtype === 'float64' ? new Float64Array(compact) : new Float32Array(compact) };
}

/** Refuses an array, made by a caller, whose data does not fit its shape and type. */
export function checkArray(array: NdArray, name: string): void {
  const { shape, dtype, data } = array;
  if (shape.some((size) => !Number.isSafeInteger(size) || size < 0))
    throw new ArgumentError(`${name}: impossible shape (${shape.join(', ')})`);
  const right = isNumeric(array) ? data instanceof constructors[array.dtype] : Array.isArray(data);
  if (!right) throw new ArgumentError(`${name}: the data of a ${dtype} array is a ${data.constructor.name}`);
  if (data.length !== elementCount(shape))
    throw new ArgumentError(
      `${name}: shape (${shape.join(', ')}) needs ${elementCount(shape)} elements, found ${data.length}`,
    );
}

function label(origin: ArrayOrigin): string {
  return origin.name === undefined ? 'the array' : `array "${origin.name}"`;
}

function mismatch(array: NdArray, origin: ArrayOrigin, expected: string): FormatError {
  return new FormatError(
    origin.file ?? 'array',
    undefined,
    `${label(origin)} is ${array.dtype} of shape (${array.shape.join(', ')}); expected ${expected}`,
  );
}
