/**
 * Titles and tags as term frequencies: column j counts the j-th most frequent word of all the texts. Deliberately
 * plain (no stop words, no stemming); a problem that carries its own `web_text` is not touched by this.
 */
import { type Dtype, Matrix } from '../linalg/matrix.js';

export interface TermFrequencyOptions {
  /** Number of words kept, at most. @default 2000, more than titles and tags of a few thousand pictures repeat */
  words?: number;
  /** Words found in fewer texts carry no statistics. @default 2 */
  minimumTexts?: number;
  /** @default 'float64' */
  dtype?: Dtype;
}

export interface TermFrequencies {
  /** One row a text, one column a word. */
  readonly counts: Matrix;
  readonly vocabulary: readonly string[];
}

/** Lower-case words of letters and digits, at least two characters long. */
export function splitWords(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]{2,}/gu) ?? []
  );
}

/** The most frequent words, ties in alphabetical order, so that the columns never depend on the order of the texts. */
export function chooseVocabulary(texts: readonly string[], options: TermFrequencyOptions = {}): string[] {
  const total = new Map<string, number>();
  const found = new Map<string, number>();
  for (const text of texts) {
    const words = splitWords(text);
    for (const word of words) total.set(word, (total.get(word) ?? 0) + 1);
    for (const word of new Set(words)) found.set(word, (found.get(word) ?? 0) + 1);
  }
  const minimum = options.minimumTexts ?? 2;
  return [...total]
    .filter(([word]) => found.get(word)! >= minimum)
    .sort(([wordA, countA], [wordB, countB]) => countB - countA || (wordA < wordB ? -1 : 1))
    .slice(0, options.words ?? 2000)
    .map(([word]) => word);
}

/** Counts of the given words in each text. */
export function countWords(texts: readonly string[], vocabulary: readonly string[], dtype: Dtype = 'float64'): Matrix {
  const column = new Map(vocabulary.map((word, j) => [word, j]));
  const counts = Matrix.zeros(texts.length, vocabulary.length, dtype);
  texts.forEach((text, i) => {
    const row = counts.row(i);
    for (const word of splitWords(text)) {
      const j = column.get(word);
      if (j !== undefined) row[j] += 1;
    }
  });
  return counts;
}

/** Term frequencies over the texts' own most frequent words. */
export function termFrequencies(texts: readonly string[], options: TermFrequencyOptions = {}): TermFrequencies {
  const vocabulary = chooseVocabulary(texts, options);
  return { counts: countWords(texts, vocabulary, options.dtype), vocabulary };
}
