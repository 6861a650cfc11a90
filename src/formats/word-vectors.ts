/**
 * What files of word vectors have in common: words with float32 rows, and lines of text that hold a word and its
 * numbers. Files are read in pieces; only rows that are kept take memory.
 */
import { FormatError } from '../errors.js';
import { Matrix } from '../linalg/index.js';
import type { Progress } from '../progress.js';
import type { RandomAccessFile } from './file.js';

export interface WordVectors {
  readonly words: readonly string[];
  /** One row a word. */
  readonly vectors: Matrix<Float32Array>;
}

export interface ReadWordVectorsOptions {
  /** Only words for which this is true are kept. @default all */
  keep?: (word: string) => boolean;
  signal?: AbortSignal;
  /** Bytes read so far and in all. */
  onProgress?: (progress: Progress) => void;
}

/** One word of a file; `values` is only valid until the next one is asked for. */
export interface WordVectorEntry {
  readonly word: string;
  readonly values: Float32Array;
}

const pieceBytes = 1 << 20;
/** No word with its numbers is longer; a file without line ends must not fill the memory. */
const longestLine = 1 << 24;

/** Collects kept entries into one matrix that grows as needed. */
export async function collectVectors(
  entries: AsyncIterable<WordVectorEntry>,
  dim: number,
  keep: (word: string) => boolean = () => true,
): Promise<WordVectors> {
  const words: string[] = [];
  let data = new Float32Array(dim * 16);
  for await (const { word, values } of entries) {
    if (!keep(word)) continue;
    if ((words.length + 1) * dim > data.length) {
      const larger = new Float32Array(Math.ceil(data.length * 1.5) + dim);
      larger.set(data);
      data = larger;
    }
    data.set(values, words.length * dim);
    words.push(word);
  }
  return { words, vectors: new Matrix(data.slice(0, words.length * dim), words.length, dim) };
}

/** The lines of a file from `start` on, without their ends, as bytes, each with its offset. Empty lines are left out. */
export async function* fileLines(
  file: RandomAccessFile,
  start: number,
  options: ReadWordVectorsOptions = {},
): AsyncGenerator<{ bytes: Uint8Array; offset: number }> {
  let carried = new Uint8Array(0);
  for (let position = start; position < file.size; ) {
    options.signal?.throwIfAborted();
    const piece = await file.read(position, Math.min(pieceBytes, file.size - position));
    const offset = position - carried.length;
    position += piece.length;
    const bytes = carried.length === 0 ? piece : joined(carried, piece);
    let from = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      if (end > from) yield { bytes: bytes.subarray(from, end), offset: offset + from };
      from = end + 1;
    }
    carried = bytes.slice(from);
    if (carried.length > longestLine)
      throw new FormatError(file.name, offset + from, `no line end within ${longestLine} bytes`, notVectors);
    options.onProgress?.({ done: position, total: file.size });
  }
  if (carried.length > 0) yield { bytes: carried, offset: file.size - carried.length };
}

/** Reads `word number number …`: the last `dim` fields are the numbers, so a word may hold spaces. */
export function parseVectorLine(bytes: Uint8Array, values: Float32Array, file: string, offset: number): string {
  let end = bytes.length;
  while (end > 0 && isSpace(bytes[end - 1])) end--;
  for (let k = values.length - 1; k >= 0; k--) {
    let start = end;
    while (start > 0 && !isSpace(bytes[start - 1])) start--;
    if (start === 0)
      throw new FormatError(
        file,
        offset,
        `expected a word and ${values.length} numbers, found ${values.length - 1 - k} numbers`,
        notVectors,
      );
    values[k] = parseNumber(bytes, start, end, file, offset);
    end = start;
    while (end > 0 && isSpace(bytes[end - 1])) end--;
  }
  return decodeWord(bytes.subarray(0, end));
}

/** Fields of a line, split at spaces and tabs. */
export function countFields(bytes: Uint8Array): number {
  let fields = 0;
  for (let i = 0; i < bytes.length; i++) if (!isSpace(bytes[i]) && (i === 0 || isSpace(bytes[i - 1]))) fields++;
  return fields;
}

/** UTF-8, or Latin-1 where a word is not UTF-8, as in some old files. */
export function decodeWord(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return Buffer.from(bytes).toString('latin1');
  }
}

export const notVectors =
  'Is this a file of word vectors in text form? "bowerbird words info FILE" says what it looks like.';
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function parseNumber(bytes: Uint8Array, start: number, end: number, file: string, offset: number): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
  const value = Number(text);
  if (!Number.isFinite(value) || end === start)
    throw new FormatError(file, offset + start, `expected a number, found "${text.slice(0, 40)}"`, notVectors);
  return value;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const result = new Uint8Array(a.length + b.length);
  result.set(a);
  result.set(b, a.length);
  return result;
}
