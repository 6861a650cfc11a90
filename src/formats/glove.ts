/** The GloVe text format: lines `word number number …` without a first line of sizes. */
import { ArgumentError, FormatError } from '../errors.js';
import { writeBeside } from './atomic.js';
import { type FileSource, type RandomAccessFile, withFile } from './file.js';
import {
  collectVectors,
  countFields,
  fileLines,
  notVectors,
  parseVectorLine,
  type ReadWordVectorsOptions,
  type WordVectorEntry,
  type WordVectors,
} from './word-vectors.js';
import { numbersText } from './word2vec.js';

/** The dimension is that of the first line, whose word must not hold a space; later words may. */
export async function readGlove(source: FileSource, options: ReadWordVectorsOptions = {}): Promise<WordVectors> {
  return withFile(source, async (file) => {
    const dim = await gloveDimension(file);
    return collectVectors(gloveEntries(file, dim, options), dim, options.keep);
  });
}

export async function gloveDimension(source: FileSource): Promise<number> {
  return withFile(source, async (file) => {
    for await (const { bytes, offset } of fileLines(file, 0)) {
      const dim = countFields(bytes) - 1;
      if (dim < 1) throw new FormatError(file.name, offset, 'expected a word and its numbers', notVectors);
      parseVectorLine(bytes, new Float32Array(dim), file.name, offset);
      return dim;
    }
    throw new FormatError(file.name, 0, 'the file holds no vectors', notVectors);
  });
}

/** The words of a file one after another. */
export async function* gloveEntries(
  file: RandomAccessFile,
  dim: number,
  options: ReadWordVectorsOptions = {},
): AsyncGenerator<WordVectorEntry> {
  const values = new Float32Array(dim);
  for await (const { bytes, offset } of fileLines(file, 0, options))
    yield { word: parseVectorLine(bytes, values, file.name, offset), values };
}

/** Writes the file beside its name and renames it; the numbers read back to the same float32. */
export async function writeGlove(path: string, { words, vectors }: WordVectors): Promise<void> {
  if (words.length !== vectors.rows)
    throw new ArgumentError(`writeGlove: ${words.length} words for ${vectors.rows} vectors`);
  const bad = words.findIndex((word, i) => word === '' || /\n/.test(word) || (i === 0 && word.includes(' ')));
  if (bad >= 0) throw new ArgumentError(`writeGlove: word ${bad}, "${words[bad]}", is empty or holds a line end`);
  await writeBeside(path, async (file) => {
    for (let i = 0; i < words.length; i += 1000) {
      const lines = words.slice(i, i + 1000).map((word, k) => `${word} ${numbersText(vectors.row(i + k))}\n`);
      await file.append(Buffer.from(lines.join('')));
    }
  });
}
