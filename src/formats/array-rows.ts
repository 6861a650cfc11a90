/**
 * Rows of an array in a file, block by block and as reals, for data larger than memory: only the rows asked for are
 * read, straight into the caller's storage where its type is the file's.
 */
import { ArgumentError, FormatError } from '../errors.js';
import type { RealArray } from '../linalg/index.js';
import { convertReals, elementCount, type NumericData, type NumericDtype } from './array.js';
import { type FileSource, openFile, type RandomAccessFile } from './file.js';
import { readHeader } from './npy-header.js';
import { checkRows, decode, normalize, readStored, type StoredArray } from './stored-array.js';

export interface ArrayRows {
  readonly shape: readonly number[];
  readonly dtype: NumericDtype;
  /** Elements of one row: the product of all sizes but the first. */
  readonly rowLength: number;
  /** They are quick to read in their order and many together only, being compressed or kept by columns. @default false */
  readonly sequential?: boolean;
  /**
   * The rows [start, end), one after another, in the first elements of `into`. Without `into`, in a new array: float32
   * for float16 and float32, else float64.
   */
  readRows(start: number, end: number, into?: RealArray): Promise<RealArray>;
  close(): Promise<void>;
}

const chunkBytes = 2 ** 20;

/** Opens the rows of a `.npy` file. */
export async function openNpyRows(source: FileSource): Promise<ArrayRows> {
  const file = typeof source === 'string' ? await openFile(source) : source;
  const close = async () => {
    if (typeof source === 'string') await file.close();
  };
  try {
    return storedRows(file, await readHeader(file), close);
  } catch (error) {
    await close();
    throw error;
  }
}

/** The rows of an array that lies in an open file; `close` is called when they are no longer needed. */
export function storedRows(file: RandomAccessFile, stored: StoredArray, close: () => Promise<void>): ArrayRows {
  const { shape, dtype, width } = stored;
  if (dtype === 'string' || dtype === 'bytes' || shape.length === 0)
    throw new FormatError(
      file.name,
      stored.offset,
      `expected rows of numbers, found ${dtype} of shape (${shape.join(', ')})`,
    );
  const rowLength = elementCount(shape.slice(1));
  const byColumns = stored.fortranOrder && shape.length > 1;
  const single = dtype === 'float16' || dtype === 'float32';

  async function readRows(start: number, end: number, into?: RealArray): Promise<RealArray> {
    checkRows(shape, [start, end]);
    const count = (end - start) * rowLength;
    const target = into ?? (single ? new Float32Array(count) : new Float64Array(count));
    if (target.length < count)
      throw new ArgumentError(`readRows: ${end - start} rows need ${count} elements, the target has ${target.length}`);
    if (byColumns) {
      const part = await readStored(file, stored, { rows: [start, end] });
      convertReals(dtype as NumericDtype, part.data as NumericData, target);
      return target;
    }
    const direct = !stored.bfloat16 && dtype === (target instanceof Float64Array ? 'float64' : 'float32');
    const step = Math.floor(chunkBytes / width);
    for (let done = 0; done < count; done += step) {
      const length = Math.min(step, count - done);
      const offset = stored.offset + (start * rowLength + done) * width;
      if (direct) {
        const bytes = new Uint8Array(target.buffer, target.byteOffset + done * width, length * width);
        await file.readInto(bytes, offset, 'array elements');
        normalize(bytes, dtype as NumericDtype, stored.bigEndian);
      } else {
        const part = decode(file, stored, await file.read(offset, length * width, 'array elements'), offset);
        convertReals(dtype as NumericDtype, part as NumericData, target.subarray(done, done + length));
      }
    }
    return target;
  }

  return { shape, dtype, rowLength, sequential: byColumns || file.sequential === true, readRows, close };
}
