/** Words that say nothing about a picture, in many languages, from the lists of the `stopword` package. */
import * as stopword from 'stopword';
import { UsageError } from '../../errors.js';

const lists = new Map(
  Object.entries(stopword as unknown as Record<string, unknown>).filter(
    (entry): entry is [string, string[]] => /^[a-z]{3}[A-Z]?[a-zA-Z]*$/.test(entry[0]) && Array.isArray(entry[1]),
  ),
);

/** ISO 639-1 codes of the languages whose list is named by another code. */
const twoLetters: Readonly<Record<string, string>> = {
  ...{ af: 'afr', ar: 'ara', bn: 'ben', br: 'bre', bg: 'bul', ca: 'cat', cs: 'ces', da: 'dan', de: 'deu', el: 'ell' },
  ...{ en: 'eng', eo: 'epo', et: 'est', eu: 'eus', fa: 'fas', fi: 'fin', fr: 'fra', ga: 'gle', gl: 'glg', gu: 'guj' },
  ...{ he: 'heb', hi: 'hin', hr: 'hrv', hu: 'hun', hy: 'hye', id: 'ind', it: 'ita', ja: 'jpn', ko: 'kor', la: 'lat' },
  ...{ lv: 'lav', lt: 'lit', mr: 'mar', ms: 'msa', my: 'mya', nl: 'nld', no: 'nob', nb: 'nob', pl: 'pol', pt: 'por' },
  ...{ ro: 'ron', ru: 'rus', sk: 'slk', sl: 'slv', so: 'som', es: 'spa', sw: 'swa', sv: 'swe', th: 'tha', tr: 'tur' },
  ...{ uk: 'ukr', ur: 'urd', vi: 'vie', yo: 'yor', zh: 'zho', zu: 'zul', tl: 'tgl', ku: 'kur', ha: 'hau', st: 'sot' },
};

/** What is left of English contractions when words are split at the apostrophe. */
const contractions = 'don doesn didn isn aren wasn weren hasn haven hadn won wouldn couldn shouldn mustn ain ll ve re';

/** Codes that `stopWords` knows, three letters each. */
export function stopWordLanguages(): string[] {
  return [...lists.keys()].sort();
}

/**
 * Stop words of one or several languages together.
 * @param languages ISO 639 codes of two or three letters, such as `en` or `eng`
 */
export function stopWords(languages: readonly string[]): Set<string> {
  const words = new Set<string>();
  for (const language of languages) {
    const code = twoLetters[language] ?? language;
    const list = lists.get(code);
    if (!list)
      throw new UsageError(
        `there is no list of stop words for "${language}"`,
        `Known languages: ${stopWordLanguages().join(', ')}, or their two-letter codes.`,
      );
    for (const word of list) words.add(word.toLowerCase());
    if (code === 'eng') for (const word of contractions.split(' ')) words.add(word);
  }
  return words;
}
