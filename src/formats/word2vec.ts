/**
 * The word2vec formats: a line `words dimension`, then for each word either a line `word number number …` (text) or the
 * word, a space and the numbers as little-endian float32 (binary). Which of the two it is shows in the first entry.
 */
import { ArgumentError, FormatError } from '../errors.js';
import { writeBeside } from './atomic.js';
import { type FileSource, type RandomAccessFile, withFile } from './file.js';
import {
  collectVectors,
  decodeWord,
  fileLines,
  parseVectorLine,
  type ReadWordVectorsOptions,
  type WordVectorEntry,
  type WordVectors,
} from './word-vectors.js';

export type { ReadWordVectorsOptions, WordVectors } from './word-vectors.js';

export interface Word2vecHeader {
  readonly words: number;
  readonly dim: number;
  readonly binary: boolean;
  /** Where the first word begins. */
  readonly start: number;
}

export async function readWord2vec(source: FileSource, options: ReadWordVectorsOptions = {}): Promise<WordVectors> {
  return withFile(source, async (file) => {
    const header = await readWord2vecHeader(file);
    return collectVectors(word2vecEntries(file, header, options), header.dim, options.keep);
  });
}

/** Sizes and kind of a file, checked against its length, so that no count found in it is trusted. */
export async function readWord2vecHeader(source: FileSource): Promise<Word2vecHeader> {
  return withFile(source, async (file) => {
    const beginning = Buffer.from(await file.read(0, Math.min(64, file.size)));
    const match = /^(\d{1,10})[ \t](\d{1,7})[ \t]*\r?\n/.exec(beginning.toString('latin1'));
    if (!match)
      throw new FormatError(
        file.name,
        0,
        `expected a first line "words dimension", found "${beginning.toString('latin1', 0, 30)}"`,
        'A file without that line may be in GloVe format.',
      );
    const [words, dim, start] = [Number(match[1]), Number(match[2]), match[0].length];
    if (dim === 0) throw new FormatError(file.name, 0, 'the dimension is 0');
    const binary = words > 0 && (await looksBinary(file, start, dim));
    const least = words * (binary ? dim * 4 + 1 : dim * 2 + 1) - 1;
    if (start + least > file.size)
      throw new FormatError(
        file.name,
        0,
        `${words} words of ${dim} numbers need at least ${least} bytes, the file has ${file.size}`,
        'The file is truncated; fetch or write it again.',
      );
    return { words, dim, binary, start };
  });
}

/** The words of a file one after another. */
export async function* word2vecEntries(
  file: RandomAccessFile,
  header: Word2vecHeader,
  options: ReadWordVectorsOptions = {},
): AsyncGenerator<WordVectorEntry> {
  if (header.binary) {
    yield* binaryEntries(file, header, options);
    return;
  }
  const values = new Float32Array(header.dim);
  let count = 0;
  for await (const { bytes, offset } of fileLines(file, header.start, options)) {
    if (count === header.words)
      throw new FormatError(file.name, offset, `more than the ${header.words} words of the first line`);
    yield { word: parseVectorLine(bytes, values, file.name, offset), values };
    count++;
  }
  if (count < header.words)
    throw new FormatError(file.name, file.size, `${count} words, expected the ${header.words} of the first line`);
}

const longestWord = 1 << 16;
const pieceBytes = 1 << 20;

async function* binaryEntries(
  file: RandomAccessFile,
  { words, dim, start }: Word2vecHeader,
  options: ReadWordVectorsOptions,
): AsyncGenerator<WordVectorEntry> {
  const vectorBytes = dim * 4;
  const values = new Float32Array(dim);
  const target = new Uint8Array(values.buffer);
  let piece = new Uint8Array(0);
  let pieceStart = start;
  let position = start;
  /** Makes `piece` hold `length` bytes from `position` on, or what is left of the file. */
  const want = async (length: number) => {
    if (position + length <= pieceStart + piece.length) return;
    options.signal?.throwIfAborted();
    const size = Math.min(Math.max(length, pieceBytes), file.size - position);
    piece = await file.read(position, size);
    pieceStart = position;
    options.onProgress?.({ done: position + size, total: file.size });
  };
  for (let count = 0; count < words; count++) {
    await want(longestWord + vectorBytes);
    // Some writers end each vector with a line end, the original among them.
    while (piece[position - pieceStart] === 10) position++;
    const from = position - pieceStart;
    const space = piece.indexOf(0x20, from);
    if (space < 0 || space - from > longestWord || pieceStart + space + 1 + vectorBytes > file.size)
      throw new FormatError(
        file.name,
        position,
        `expected word ${count + 1} of ${words}, a space and ${vectorBytes} bytes`,
        'The file is truncated or damaged; fetch or write it again.',
      );
    const word = decodeWord(piece.subarray(from, space));
    target.set(piece.subarray(space + 1, space + 1 + vectorBytes));
    position = pieceStart + space + 1 + vectorBytes;
    for (let k = 0; k < dim; k++)
      if (!Number.isFinite(values[k]))
        throw new FormatError(file.name, position - (dim - k) * 4, `number ${k + 1} of "${word}" is ${values[k]}`);
    yield { word, values };
  }
}

/** Binary where the first line is not a word with the right number of numbers, and holds bytes that no text has. */
async function looksBinary(file: RandomAccessFile, start: number, dim: number): Promise<boolean> {
  const bytes = await file.read(start, Math.min(file.size - start, longestWord + dim * 32));
  const end = bytes.indexOf(10);
  try {
    parseVectorLine(end < 0 ? bytes : bytes.subarray(0, end), new Float32Array(dim), file.name, start);
    return false;
  } catch {
    return bytes.subarray(0, dim * 4 + 64).some((byte) => byte < 9 || (byte > 13 && byte < 32));
  }
}

export interface WriteWord2vecOptions {
  /** @default false: text */
  binary?: boolean;
}

/** Writes the file beside its name and renames it; numbers in text form read back to the same float32. */
export async function writeWord2vec(
  path: string,
  { words, vectors }: WordVectors,
  options: WriteWord2vecOptions = {},
): Promise<void> {
  if (words.length !== vectors.rows)
    throw new ArgumentError(`writeWord2vec: ${words.length} words for ${vectors.rows} vectors`);
  const bad = words.findIndex((word) => word === '' || /[ \n]/.test(word));
  if (bad >= 0)
    throw new ArgumentError(
      `writeWord2vec: word ${bad}, "${words[bad]}", is empty or holds a space or a line end`,
      'The format cannot store such words; replace spaces by underscores, or write .npy.',
    );
  await writeBeside(path, async (file) => {
    await file.append(Buffer.from(`${words.length} ${vectors.cols}\n`));
    let parts: Uint8Array[] = [];
    let size = 0;
    for (const [i, word] of words.entries()) {
      const row = vectors.row(i);
      const entry = options.binary ? binaryEntry(word, row) : Buffer.from(`${word} ${numbersText(row)}\n`);
      parts.push(entry);
      size += entry.length;
      if (size > pieceBytes || i === words.length - 1) {
        await file.append(Buffer.concat(parts));
        parts = [];
        size = 0;
      }
    }
  });
}

function binaryEntry(word: string, row: Float32Array): Buffer {
  const name = Buffer.from(`${word} `);
  const values = row.slice();
  return Buffer.concat([name, new Uint8Array(values.buffer), Buffer.from('\n')]);
}

/** The shortest decimals that round to the same float32; nine digits always do. */
export function numbersText(row: Float32Array): string {
  const texts = new Array<string>(row.length);
  for (let k = 0; k < row.length; k++) {
    let digits = 6;
    let text = row[k].toPrecision(digits);
    while (Math.fround(Number(text)) !== row[k] && digits < 9) text = row[k].toPrecision(++digits);
    texts[k] = String(Number(text));
  }
  return texts.join(' ');
}
