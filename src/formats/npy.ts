/** Reading and writing `.npy` files whole, or a range of rows of one. */
import { ArgumentError } from '../errors.js';
import { Matrix } from '../linalg/index.js';
import { checkArray, fromMatrix, isNumeric, type NdArray } from './array.js';
import { writeBeside } from './atomic.js';
import { type FileSource, withFile } from './file.js';
import { formatHeader, readHeader, typeDescription } from './npy-header.js';
import { type ArrayHeader, type ReadArrayOptions, readStored } from './stored-array.js';

/**
 * Reads a `.npy` file of version 1.0, 2.0 or 3.0.
 * @example const features = toMatrix(await readNpy('features.npy', { rows: [0, 100] }));
 * @throws FormatError when the file is damaged, or holds objects or types that have no counterpart here
 */
export async function readNpy(source: FileSource, options: ReadArrayOptions = {}): Promise<NdArray> {
  return withFile(source, async (file) => readStored(file, await readHeader(file), options));
}

/** Shape and element type, without reading the elements. */
export async function readNpyHeader(source: FileSource): Promise<ArrayHeader> {
  return withFile(source, async (file) => {
    const { shape, dtype } = await readHeader(file);
    return { shape, dtype };
  });
}

/** Writes an array or a matrix as version 1.0, C order, in this machine's byte order. */
export async function writeNpy(path: string, array: NdArray | Matrix): Promise<void> {
  await writeBeside(path, async (file) => {
    for (const chunk of npyChunks(array, path)) await file.append(chunk);
  });
}

/** The bytes of a `.npy` file, piece by piece; they may share storage with the array. */
export function* npyChunks(array: NdArray | Matrix, name: string): Generator<Uint8Array> {
  if (array instanceof Matrix) {
    yield formatHeader(typeDescription(array.dtype), [array.rows, array.cols]);
    const step = Math.max(1, Math.floor(chunkElements / Math.max(1, array.cols)));
    for (let row = 0; row < array.rows && array.cols > 0; row += step) {
      const block = fromMatrix(array.view(row, Math.min(array.rows, row + step)));
      yield* numericChunks(block.data as Float64Array);
    }
    return;
  }
  checkArray(array, name);
  if (isNumeric(array)) {
    yield formatHeader(typeDescription(array.dtype), array.shape);
    yield* numericChunks(array.data);
  } else {
    const texts = array.data as string[];
    const unicode = array.dtype === 'string';
    let width = 1;
    for (const text of texts) {
      if (text.endsWith('\0'))
        throw new ArgumentError(`${name}: numpy's fixed-width text cannot end in a zero character`);
      width = Math.max(width, unicode ? [...text].length : text.length);
    }
    yield formatHeader(typeDescription(array.dtype, width), array.shape);
    const step = Math.max(1, Math.floor(chunkElements / width));
    for (let i = 0; i < texts.length; i += step)
      yield unicode
        ? encodeUnicode(texts.slice(i, i + step), width)
        : encodeBytes(texts.slice(i, i + step), width, name);
  }
}

const chunkElements = 2 ** 17;

/** Views of at most a few mebibytes over the storage of a typed array. */
export function* numericChunks(data: ArrayBufferView): Generator<Uint8Array> {
  const step = 2 ** 22;
  for (let done = 0; done < data.byteLength; done += step)
    yield new Uint8Array(data.buffer, data.byteOffset + done, Math.min(step, data.byteLength - done));
}

function encodeUnicode(texts: string[], width: number): Uint8Array {
  const points = new Uint32Array(texts.length * width);
  texts.forEach((text, i) => {
    let at = i * width;
    for (const character of text) points[at++] = character.codePointAt(0)!;
  });
  return new Uint8Array(points.buffer);
}

function encodeBytes(texts: string[], width: number, name: string): Uint8Array {
  const bytes = new Uint8Array(texts.length * width);
  texts.forEach((text, i) => {
    for (let j = 0; j < text.length; j++) {
      const code = text.charCodeAt(j);
      if (code > 255)
        throw new ArgumentError(
          `${name}: element ${i} of a bytes array holds the character ${JSON.stringify(text[j])}, which is not a byte`,
          'Use the dtype "string" for text.',
        );
      bytes[i * width + j] = code;
    }
  });
  return bytes;
}
