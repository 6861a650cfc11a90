/** What is in a data set, in numbers. */
import type { DataSet } from './data-set.js';

export interface DataSummary {
  kind: string;
  pictures: number;
  addresses: number;
  unlabelled: number;
  /** Pictures of each category, most first. */
  categories: { name: string; pictures: number }[];
  /** Pictures of each part, where it has parts. */
  splits: Record<string, number>;
  licences: Record<string, number>;
  notes: readonly string[];
}

export function summarizeData(set: DataSet): DataSummary {
  const all = [...set.pictures, ...set.addresses];
  const categories = counts(all.flatMap(({ category }) => category ?? []));
  return {
    kind: set.kind,
    pictures: set.pictures.length,
    addresses: set.addresses.length,
    unlabelled: all.filter(({ category }) => category === undefined).length,
    categories: [...categories].map(([name, pictures]) => ({ name, pictures })).sort((a, b) => b.pictures - a.pictures),
    splits: Object.fromEntries(counts(set.pictures.flatMap(({ split }) => split ?? []))),
    licences: Object.fromEntries(counts(all.flatMap(({ licence }) => licence ?? []))),
    notes: set.notes,
  };
}

function counts(values: readonly string[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const value of values) found.set(value, (found.get(value) ?? 0) + 1);
  return found;
}
