/** Vocabularies of term frequencies: chosen without the stop words of some languages, saved, and applied again later. */
import { readFile } from 'node:fs/promises';
import { FormatError } from '../../errors.js';
import { fileError, writeFileAtomic } from '../../formats/index.js';
import { type ChooseWordsOptions, mostFrequentWords, type PictureText } from '../../text/index.js';
import { stopWords } from './stop-words.js';

export interface VocabularyOptions extends Pick<ChooseWordsOptions, 'size' | 'minimumTexts'> {
  /** Languages whose stop words go. @default ['eng'] */
  languages?: readonly string[];
}

/** The most frequent words of all texts that are no stop words. */
export function chooseWords(texts: Iterable<PictureText>, options: VocabularyOptions = {}): string[] {
  const { size, minimumTexts, languages = ['eng'] } = options;
  return mostFrequentWords(texts, { size, minimumTexts, ignored: stopWords(languages) });
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
