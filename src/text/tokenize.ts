/**
 * Text to words. Deterministic: Unicode character classes only, no locale and no dictionary, so the same text gives the
 * same words everywhere. A word is a run of letters, marks and digits; hyphens and apostrophes between two of them
 * belong to it ("black-footed", "brewer's"). Scripts written without spaces are not divided into words.
 */
export interface TokenizeOptions {
  /** Lower-case, by Unicode's rules without a locale. @default true */
  lowercase?: boolean;
  /** `keep` makes one word of "black-footed", `split` two. @default 'keep' */
  hyphens?: 'keep' | 'split';
}

const joinedWords = /[\p{L}\p{M}\p{N}]+(?:['-][\p{L}\p{M}\p{N}]+)*/gu;
const splitWords = /[\p{L}\p{M}\p{N}]+(?:'[\p{L}\p{M}\p{N}]+)*/gu;
const asciiJoined = /[a-z0-9]+(?:['-][a-z0-9]+)*/gi;
const asciiSplit = /[a-z0-9]+(?:'[a-z0-9]+)*/gi;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the ASCII range is what is meant
const onlyAscii = /^[\x00-\x7f]*$/;

/** The words of a text, in order. */
export function tokenize(text: string, options: TokenizeOptions = {}): string[] {
  const split = options.hyphens === 'split';
  let plain = text;
  let words = split ? asciiSplit : asciiJoined;
  if (!onlyAscii.test(text)) {
    plain = unifyPunctuation(text.normalize('NFKC'));
    words = split ? splitWords : joinedWords;
  }
  if (options.lowercase !== false) plain = plain.toLowerCase();
  return plain.match(words) ?? [];
}

/** Typographic hyphens and apostrophes to "-" and "'", soft hyphens and zero-width characters away. */
function unifyPunctuation(text: string): string {
  return text
    .replace(/[\u2010\u2011]/g, '-')
    .replace(/[\u2018\u2019\u02bc]/g, "'")
    .replace(/[\u00ad\u200b-\u200d\u2060\ufeff]/g, '');
}
