/**
 * Titles, tags and comments of web pictures as term frequencies: entry (i, j) counts word j of the vocabulary in the text
 * of picture i. The vocabulary is the k most frequent words after stop words have gone (k = 2000 in the paper); it is
 * saved, and applied again to pictures that come later.
 */
import { readFile } from 'node:fs/promises';
import { ArgumentError, FormatError } from '../../errors.js';
import { writeFileAtomic } from '../../formats/atomic.js';
import { fileError } from '../../formats/file.js';
import { Matrix } from '../../linalg/matrix.js';
import { decodeEntities } from '../corpus/entities.js';
import { tokenise } from '../corpus/tokenise.js';
import { stopWords } from './stop-words.js';

/** All the text that came with one picture. */
export type PictureText = string | { title?: string; tags?: readonly string[]; comments?: readonly string[] };

export interface VocabularyOptions {
  /** Words kept at most. @default 2000 */
  size?: number;
  /** Languages whose stop words go. @default ['eng'] */
  languages?: readonly string[];
  /** Words found in fewer pictures' texts are left out. @default 1 */
  minimumTexts?: number;
}

/** The words of a picture's text: no markup, no addresses, no numbers, no single letters. */
export function pictureWords(text: PictureText): string[] {
  const { title = '', tags = [], comments = [] } = typeof text === 'string' ? { title: text } : text;
  const plain = decodeEntities([title, ...tags, ...comments].join('\n'))
    .replace(/<\/?[a-z][^<>]*>/gi, ' ')
    .replace(/\b(?:https?:\/\/|www\.)\S+/gi, ' ');
  return tokenise(plain, { hyphens: 'split' })
    .flatMap((word) => word.split("'"))
    .filter((word) => word.length > 1 && /\p{L}/u.test(word));
}

/** The most frequent words of all texts, ties in the order of their characters, so that the order of texts is no matter. */
export function chooseWords(texts: Iterable<PictureText>, options: VocabularyOptions = {}): string[] {
  const { size = 2000, languages = ['eng'], minimumTexts = 1 } = options;
  if (!Number.isInteger(size) || size < 1) throw new ArgumentError(`chooseWords: size is ${size}, expected 1 or more`);
  const ignored = stopWords(languages);
  const counts = new Map<string, { total: number; texts: number }>();
  for (const text of texts) {
    const words = pictureWords(text).filter((word) => !ignored.has(word));
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
export function termFrequencies(texts: readonly PictureText[], vocabulary: readonly string[]): Matrix<Float32Array> {
  const column = new Map(vocabulary.map((word, j) => [word, j]));
  const frequencies = Matrix.zeros(texts.length, vocabulary.length, 'float32');
  for (const [i, text] of texts.entries()) {
    const row = frequencies.row(i);
    for (const word of pictureWords(text)) {
      const j = column.get(word);
      if (j !== undefined) row[j]++;
    }
  }
  return frequencies;
}

/** One word a line, in the order of the columns. */
export async function writeVocabulary(path: string, words: readonly string[]): Promise<void> {
  await writeFileAtomic(path, words.map((word) => `${word}\n`).join(''));
}

export async function readVocabulary(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch((error) => {
    throw fileError(path, error, 'opened');
  });
  const words = text.replace(/\r?\n$/, '').split(/\r?\n/);
  const seen = new Set<string>();
  for (const [i, word] of words.entries()) {
    if (!word.trim()) throw new FormatError(path, undefined, `line ${i + 1} is empty, expected a word`);
    if (seen.has(word)) throw new FormatError(path, undefined, `line ${i + 1} repeats the word "${word}"`);
    seen.add(word);
  }
  return words;
}
