/** The words of the page in the visitor's language: one file for each, English where a word is missing. */
import english from './texts/en.json';

export type TextKey = keyof typeof english;
type Texts = Partial<Record<TextKey, string>>;

const others = import.meta.glob<Texts>('./texts/*.json', { import: 'default' });
const chosen = $state<{ language: string; texts: Texts }>({ language: 'en', texts: english });

/** The first of `languages` that there are texts for. */
export async function chooseLanguage(languages: readonly string[]): Promise<void> {
  for (const language of languages) {
    const [code] = language.toLowerCase().split('-');
    const load = others[`./texts/${code}.json`];
    if (!load) continue;
    chosen.texts = await load();
    chosen.language = code;
    break;
  }
  document.documentElement.lang = chosen.language;
}

/** A text with `{names}` filled in. */
export function text(key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  const words = chosen.texts[key] ?? english[key];
  return words.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

/** As a percentage, with a digit more where a whole number would say certain or impossible. */
export function percent(share: number): string {
  const digits = share > 0.995 || share < 0.005 ? 1 : 0;
  return new Intl.NumberFormat(chosen.language, { style: 'percent', maximumFractionDigits: digits }).format(share);
}

export function megabytes(bytes: number): string {
  return new Intl.NumberFormat(chosen.language, { maximumFractionDigits: 1 }).format(bytes / 1e6);
}

export function moment(time: string): string {
  return new Intl.DateTimeFormat(chosen.language, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(time));
}
