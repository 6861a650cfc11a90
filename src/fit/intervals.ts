/** How sure the scores of a fit are, from the number of pictures behind each. */
import { wilson } from './estimate.js';
import type { FitMetrics } from './metrics.js';

/** 95 % of the normal distribution lies within. */
const quantile = 1.959964;

/** 95 % intervals of what a fit is scored by; those that its folder is too old to tell are left out. */
export interface AccuracyIntervals {
  readonly accuracy?: Interval;
  readonly meanCategoryAccuracy?: Interval;
  readonly categories: Readonly<Record<string, Interval>>;
}

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * Wilson's for shares. The mean over C categories has the variance Σ p̃ (1 − p̃) / (n + 4) / C², where p̃ = (np + 2) / (n + 4)
 * keeps a category that is all right from having none.
 */
export function accuracyIntervals(metrics: FitMetrics): AccuracyIntervals {
  const { accuracy, meanCategoryAccuracy, categories = {}, categoryPictures = {} } = metrics;
  const known = Object.entries(categories).filter(([name]) => categoryPictures[name] > 0);
  const own = Object.fromEntries(known.map(([name, share]) => [name, wilson(share, categoryPictures[name])]));
  if (known.length === 0 || accuracy === undefined || meanCategoryAccuracy === undefined) return { categories: own };
  const variance = sum(
    known.map(([name, share]) => {
      const size = categoryPictures[name] + 4;
      const shrunk = (share * categoryPictures[name] + 2) / size;
      return (shrunk * (1 - shrunk)) / size;
    }),
  );
  const half = (quantile * Math.sqrt(variance)) / known.length;
  return {
    accuracy: wilson(accuracy, sum(known.map(([name]) => categoryPictures[name]))),
    meanCategoryAccuracy: {
      low: Math.max(0, meanCategoryAccuracy - half),
      high: Math.min(1, meanCategoryAccuracy + half),
    },
    categories: own,
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
