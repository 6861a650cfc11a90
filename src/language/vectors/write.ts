/** Writes word vectors in the format the file's name asks for. */
import { UsageError } from '../../errors.js';
import type { WordVectors } from '../../formats/index.js';
import { writeFileAtomic, writeGlove, writeNpy, writeWord2vec } from '../../formats/index.js';
import { CompactWriter, type VectorsDescription } from './compact.js';
import { besideNpy } from './source.js';

/** `.vectors` compact, `.bin` word2vec binary, `.vec` word2vec text, `.txt` GloVe, `.npy` with a `.words.txt`. */
export async function writeVectors(
  path: string,
  vectors: WordVectors,
  description: VectorsDescription = {},
): Promise<void> {
  const extension = vectorsExtension(path);
  if (extension === '.bin' || extension === '.vec')
    return writeWord2vec(path, vectors, { binary: extension === '.bin' });
  if (extension === '.txt') return writeGlove(path, vectors);
  if (extension === '.npy') {
    await writeFileAtomic(besideNpy(path, '.words.txt'), vectors.words.map((word) => `${word}\n`).join(''));
    return writeNpy(path, vectors.vectors);
  }
  const writer = await CompactWriter.create(path, vectors.vectors.cols);
  try {
    for (const [i, word] of vectors.words.entries()) await writer.add(word, vectors.vectors.row(i));
    await writer.finish(description);
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

export const vectorExtensions = ['.vectors', '.bin', '.vec', '.txt', '.npy'] as const;

/** @throws UsageError for a name with another ending, before hours of training rather than after */
export function vectorsExtension(path: string): (typeof vectorExtensions)[number] {
  const extension = vectorExtensions.find((known) => path.toLowerCase().endsWith(known));
  if (!extension)
    throw new UsageError(
      `"${path}" does not say which format to write`,
      'End the name in .vectors (compact), .bin or .vec (word2vec binary or text), .txt (GloVe) or .npy.',
    );
  return extension;
}
