/** Word vectors as something to look words up in, whatever the file: compact, word2vec, GloVe, `.npy` with a word list. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { FileError, FormatError } from '../../errors.js';
import type { WordVectorEntry } from '../../formats/index.js';
import {
  gloveDimension,
  gloveEntries,
  openFile,
  openNpyRows,
  type RandomAccessFile,
  readWord2vecHeader,
  word2vecEntries,
} from '../../formats/index.js';
import { CompactVectors } from './compact.js';
import { isReadyName, readyVectorsPath } from './ready.js';

export type VectorsKind = 'compact' | 'word2vec text' | 'word2vec binary' | 'glove' | 'npy';

export interface VectorSource {
  readonly kind: VectorsKind;
  /** The path, for messages. */
  readonly name: string;
  readonly dim: number;
  /** Number of words; unknown for a GloVe file until it has been read. */
  readonly count: number | undefined;
  /** Vectors of those of the words that are there. Text files are scanned once, whatever the number of words. */
  lookup(words: Iterable<string>): Promise<Map<string, Float32Array>>;
  close(): Promise<void>;
}

/**
 * Opens a file of word vectors, or the ready vectors of that name.
 *
 * @example
 * const source = await openVectors('glove.6B.100d.txt');
 * const vectors = await source.lookup(['bowerbird', 'magpie']);
 */
export async function openVectors(path: string): Promise<VectorSource> {
  if (isReadyName(path) && !existsSync(path)) {
    const fetched = readyVectorsPath(path);
    if (!existsSync(fetched))
      throw new FileError(path, 'these ready vectors have not been fetched yet', {
        hint: `Run "bowerbird words fetch ${path}" first.`,
      });
    return CompactVectors.open(fetched);
  }
  const file = await openFile(path);
  try {
    return await recognize(file);
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function recognize(file: RandomAccessFile): Promise<VectorSource> {
  const beginning = Buffer.from(await file.read(0, Math.min(64, file.size))).toString('latin1');
  if (beginning.startsWith('BOWERVEC')) return CompactVectors.from(file);
  if (beginning.startsWith('\x93NUMPY')) return npySource(file);
  if (/^\d+[ \t]\d+[ \t]*\r?\n/.test(beginning)) {
    const header = await readWord2vecHeader(file);
    const kind = header.binary ? 'word2vec binary' : 'word2vec text';
    return scanned(file, kind, header.dim, header.words, () => word2vecEntries(file, header));
  }
  const dim = await gloveDimension(file);
  return scanned(file, 'glove', dim, undefined, () => gloveEntries(file, dim));
}

/** A file that can only be read from its beginning; where a word is there twice, the first counts. */
function scanned(
  file: RandomAccessFile,
  kind: VectorsKind,
  dim: number,
  count: number | undefined,
  entries: () => AsyncIterable<WordVectorEntry>,
): VectorSource {
  return {
    ...{ kind, dim, count, name: file.name },
    async lookup(words) {
      const wanted = new Set(words);
      const found = new Map<string, Float32Array>();
      for await (const { word, values } of entries()) {
        if (!wanted.has(word) || found.has(word)) continue;
        found.set(word, values.slice());
        if (found.size === wanted.size) break;
      }
      return found;
    },
    close: () => file.close(),
  };
}

/** Rows of a `.npy` file whose words stand one a line in a file beside it. */
async function npySource(file: RandomAccessFile): Promise<VectorSource> {
  const candidates = ['.words.txt', '.names.txt', '.txt'].map((ending) => besideNpy(file.name, ending));
  const listPath = candidates.find((path) => existsSync(path));
  if (!listPath)
    throw new FileError(candidates[0], 'the words of the .npy file are missing', {
      hint: 'Put one word a line there, in the order of the rows.',
    });
  const text = await readFile(listPath, 'utf8');
  const words = text.replace(/\r?\n$/, '').split(/\r?\n/);
  const rows = await openNpyRows(file);
  if (rows.shape.length !== 2 || rows.shape[0] !== words.length)
    throw new FormatError(
      file.name,
      undefined,
      `shape (${rows.shape.join(', ')}) does not fit the ${words.length} words of ${listPath}`,
    );
  const index = new Map<string, number>();
  words.forEach((word, i) => {
    if (!index.has(word)) index.set(word, i);
  });
  return {
    ...{ kind: 'npy', name: file.name, dim: rows.rowLength, count: words.length },
    async lookup(wanted) {
      const found = new Map<string, Float32Array>();
      for (const word of new Set(wanted)) {
        const i = index.get(word);
        if (i !== undefined)
          found.set(word, (await rows.readRows(i, i + 1, new Float32Array(rows.rowLength))) as Float32Array);
      }
      return found;
    },
    close: () => file.close(),
  };
}

/** `vectors.npy` goes with `vectors.words.txt`. */
export function besideNpy(npyPath: string, ending: string): string {
  return `${npyPath.replace(/\.npy$/i, '')}${ending}`;
}
