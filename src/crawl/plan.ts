/** What a crawl would ask, without asking. */
import type { Category } from './categories.js';
import { shares } from './crawl.js';
import { defaultLicences, type LicenceCode, licenceCodes } from './licence.js';
import type { Source } from './sources/source.js';

export interface PlannedQuestion {
  category: string;
  source: string;
  /** The first question; keys are left out. */
  question: string;
  /** The most questions needed if every picture listed is good. */
  questions: number;
  pictures: number;
}

export function planCrawl(options: {
  categories: readonly Category[];
  sources: readonly Source[];
  licences?: readonly LicenceCode[];
  perCategory: number;
}): PlannedQuestion[] {
  const { categories, sources, perCategory } = options;
  const parts = shares(
    sources.map(() => ({ kept: 0, drained: false })),
    perCategory,
  );
  return categories.flatMap((category) =>
    sources.map((source, i) => {
      const licences = new Set(options.licences ?? (source.chosenByUser ? licenceCodes : defaultLicences));
      return {
        category: category.name,
        source: source.name,
        question: source.describe(category, licences),
        questions: Math.ceil(parts[i] / source.pageSize),
        pictures: parts[i],
      };
    }),
  );
}
