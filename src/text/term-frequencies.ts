/**
 * Titles, tags and comments of web pictures as term frequencies: entry (i, j) counts word j of the vocabulary in the text
 * of picture i. The vocabulary is the k most frequent words (k = 2000 in the paper).
 */
import { ArgumentError } from '../errors.js';
import { type Dtype, Matrix } from '../linalg/index.js';
import { decodeEntities } from './entities.js';
import { tokenize } from './tokenize.js';

/** All the text that came with one picture. */
export type PictureText = string | { title?: string; tags?: readonly string[]; comments?: readonly string[] };

export interface ChooseWordsOptions {
  /** Words kept at most. @default 2000 */
  size?: number;
  /** Words found in fewer pictures' texts are left out. @default 1 */
  minimumTexts?: number;
  /** Numbers count as words. @default false */
  numbers?: boolean;
  /** Words that say nothing. @default none */
  ignored?: ReadonlySet<string>;
}

/** The words of a picture's text: no markup, no addresses, no numbers unless asked for, no single letters. */
export function pictureWords(text: PictureText, { numbers = false } = {}): string[] {
  const { title = '', tags = [], comments = [] } = typeof text === 'string' ? { title: text } : text;
  const plain = decodeEntities([title, ...tags, ...comments].join('\n'))
    .replace(/<\/?[a-z][^<>]*>/gi, ' ')
    .replace(/\b(?:https?:\/\/|www\.)\S+/gi, ' ');
  return tokenize(plain, { hyphens: 'split' })
    .flatMap((word) => word.split("'"))
    .filter((word) => word.length > 1 && (numbers || /\p{L}/u.test(word)));
}

/** The most frequent words of all texts, ties in the order of their characters, so that the order of texts is no matter. */
export function mostFrequentWords(texts: Iterable<PictureText>, options: ChooseWordsOptions = {}): string[] {
  const { size = 2000, minimumTexts = 1, numbers, ignored } = options;
  if (!Number.isInteger(size) || size < 1)
    throw new ArgumentError(`the size of the vocabulary is ${size}; it must be a whole number of at least 1`);
  const counts = new Map<string, { total: number; texts: number }>();
  for (const text of texts) {
    const words = pictureWords(text, { numbers }).filter((word) => !ignored?.has(word));
    for (const word of words) {
      const count = counts.get(word);
      if (count) count.total++;
      else counts.set(word, { total: 1, texts: 0 });
    }
    for (const word of new Set(words)) counts.get(word)!.texts++;
  }
  return [...counts]
    .filter(([, count]) => count.texts >= minimumTexts)
    .sort(([wordA, a], [wordB, b]) => b.total - a.total || (wordA < wordB ? -1 : 1))
    .slice(0, size)
    .map(([word]) => word);
}

/** Counts of the vocabulary's words, a row for each text in the order given. */
export function termFrequencies(
  texts: readonly PictureText[],
  vocabulary: readonly string[],
  dtype: Dtype = 'float32',
): Matrix {
  const column = new Map(vocabulary.map((word, j) => [word, j]));
  const frequencies = Matrix.zeros(texts.length, vocabulary.length, dtype);
  for (const [i, text] of texts.entries()) {
    const row = frequencies.row(i);
    for (const word of pictureWords(text, { numbers: true })) {
      const j = column.get(word);
      if (j !== undefined) row[j]++;
    }
  }
  return frequencies;
}
