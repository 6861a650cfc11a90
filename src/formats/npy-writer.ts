/**
 * Writes a `.npy` file block by block when the number of rows is not known beforehand: the header leaves room for it
 * and is corrected at the end. The file appears under its name only when it is complete.
 */
import { ArgumentError } from '../errors.js';
import { Matrix } from '../linalg/index.js';
import { checkArray, fromMatrix, type NdArray, type NumericDtype } from './array.js';
import { PendingFile } from './atomic.js';
import { numericChunks } from './npy.js';
import { formatHeader, typeDescription } from './npy-header.js';

export interface NpyWriterOptions {
  dtype: NumericDtype;
  /** The sizes after the first one: `[d]` for a matrix with d columns, `[]` for a vector. */
  rowShape: readonly number[];
}

export class NpyWriter {
  readonly dtype: NumericDtype;
  readonly rowShape: readonly number[];
  /** Rows appended so far. */
  rows = 0;
  private readonly file: PendingFile;

  private constructor(file: PendingFile, options: NpyWriterOptions) {
    this.file = file;
    this.dtype = options.dtype;
    this.rowShape = options.rowShape;
  }

  /** Starts a file; it must be ended by `close` or `discard`. */
  static async create(path: string, options: NpyWriterOptions): Promise<NpyWriter> {
    const writer = new NpyWriter(await PendingFile.create(path), options);
    await writer.file.append(writer.header());
    return writer;
  }

  /** Appends rows: a matrix is converted to the file's float type, an array must have its type already. */
  async append(block: Matrix | NdArray): Promise<void> {
    const array = block instanceof Matrix ? this.convert(block) : block;
    checkArray(array, 'NpyWriter.append');
    const [rows, ...rowShape] = array.shape;
    if (array.dtype !== this.dtype || rows === undefined || String(rowShape) !== String(this.rowShape))
      throw new ArgumentError(
        `NpyWriter.append: expected rows of shape (${this.rowShape.join(', ')}) of ${this.dtype}, found an array of shape (${array.shape.join(', ')}) of ${array.dtype}`,
      );
    for (const chunk of numericChunks(array.data as Float64Array)) await this.file.append(chunk);
    this.rows += rows;
  }

  /** Writes the number of rows into the header and gives the file its name. */
  async close(): Promise<void> {
    await this.file.writeAt(this.header(), 0);
    await this.file.commit();
  }

  /** Removes what was written. */
  async discard(): Promise<void> {
    await this.file.discard();
  }

  private header(): Uint8Array {
    return formatHeader(typeDescription(this.dtype), [this.rows, ...this.rowShape], true);
  }

  private convert(block: Matrix): NdArray {
    if (this.dtype === 'float16' || this.dtype === 'float32' || this.dtype === 'float64')
      return fromMatrix(block, this.dtype);
    throw new ArgumentError(`NpyWriter.append: a matrix cannot be written as ${this.dtype}`);
  }
}
