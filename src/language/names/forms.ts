/**
 * The ways a word of a category name may be spelt in a corpus: as it is, in lower case, without accents, without the
 * possessive, with its hyphen split or closed up, in the singular or the plural. English rules for the number.
 */

/** A spelling: one or more words that must all be there; their mean stands for the word. */
export type Form = readonly string[];

/** Spellings of one word, the most faithful first. */
export function wordForms(word: string): Form[] {
  const forms: Form[] = [];
  const add = (...candidates: Form[]) => {
    for (const candidate of candidates) {
      const key = candidate.join(' ');
      if (candidate.every(Boolean) && !forms.some((form) => form.join(' ') === key)) forms.push(candidate);
    }
  };
  const lower = word.toLowerCase();
  const plain = withoutAccents(lower);
  add([word], [lower], [plain]);
  const owner = plain.replace(/'s$|s'$/, '');
  if (owner !== plain) add([owner], [plain.replaceAll("'", '')]);
  const parts = plain.split('-').filter(Boolean);
  if (parts.length > 1)
    add(
      parts,
      [parts.join('')],
      parts.map((part) => singulars(part)[0] ?? part),
    );
  for (const base of [plain, owner]) {
    add(...singulars(base).map((form) => [form]));
    add(...plurals(base).map((form) => [form]));
  }
  return forms;
}

/** The words of a name: `001.Black_footed_Albatross` gives Black, footed, Albatross; hyphens stay inside words. */
export function nameWords(name: string): string[] {
  return (
    name
      .normalize('NFKC')
      .replace(/^\d+\s*[._:-]\s*(?=\p{L})/u, '')
      .replace(/[\u2010\u2011]/g, '-')
      .replace(/[\u2018\u2019]/g, "'")
      .match(/[\p{L}\p{M}\p{N}]+(?:['-][\p{L}\p{M}\p{N}]+)*/gu) ?? []
  );
}

function withoutAccents(word: string): string {
  return word.normalize('NFD').replace(/\p{M}/gu, '').normalize('NFC');
}

const irregular: Readonly<Record<string, string>> = {
  geese: 'goose',
  mice: 'mouse',
  lice: 'louse',
  feet: 'foot',
  teeth: 'tooth',
  men: 'man',
  women: 'woman',
  children: 'child',
  oxen: 'ox',
  people: 'person',
};
const irregularPlurals = new Map(Object.entries(irregular).map(([plural, singular]) => [singular, plural]));

function singulars(word: string): string[] {
  if (Object.hasOwn(irregular, word)) return [irregular[word]];
  if (word.length < 4 || !word.endsWith('s') || /(?:ss|us|is)$/.test(word)) return [];
  const without = word.slice(0, -1);
  if (word.endsWith('ies')) return [`${word.slice(0, -3)}y`, without];
  if (word.endsWith('ves')) return [`${word.slice(0, -3)}f`, `${word.slice(0, -3)}fe`, without];
  if (/(?:ch|sh|x|z|ss|o)es$/.test(word)) return [word.slice(0, -2), without];
  return [without];
}

function plurals(word: string): string[] {
  const known = irregularPlurals.get(word);
  if (known) return [known];
  if (word.length < 3) return [];
  if (/[^aeiou]y$/.test(word)) return [`${word.slice(0, -1)}ies`];
  if (/(?:ch|sh|x|z|s)$/.test(word)) return [`${word}es`];
  if (/(?:f|fe)$/.test(word)) return [`${word}s`, `${word.replace(/fe?$/, '')}ves`];
  return [`${word}s`];
}
