/** Which web pictures are shown and in which order, moves by key, and the histogram; all without a page. */
import type { Gallery, GalleryDecision, Guess } from '../../src/studio/api.js';
import type { Query } from './address.js';

export const shownKinds = ['used', 'differs', 'kept', 'moved', 'dropped', 'left-out'] as const;
export type Shown = (typeof shownKinds)[number];
export const orders = ['heaviest', 'lightest', 'category'] as const;
export type Order = (typeof orders)[number];

export interface Filter {
  /** Name of a category; empty for all. */
  category: string;
  shown: Shown;
  order: Order;
  /** Part of the title. */
  text: string;
  /** Weights outside are not shown; undefined shows all, also those without a weight. */
  range?: [low: number, high: number];
}

/** The filter that an address asks for; what it says wrongly is as if it said nothing. */
export function filterOf(query: URLSearchParams): Filter {
  const one = <T extends string>(key: string, values: readonly T[]) =>
    values.find((value) => value === query.get(key)) ?? values[0];
  const [low, high] = ['from', 'to'].map((key) => Number.parseFloat(query.get(key) ?? ''));
  return {
    ...{ category: query.get('category') ?? '', text: query.get('text') ?? '' },
    ...{ shown: one('shown', shownKinds), order: one('order', orders) },
    ...(low >= 0 && high >= low && { range: [low, high] }),
  };
}

/** The other way; what is as usual is left out. */
export function queryOfFilter({ category, shown, order, text, range }: Filter): Query {
  return {
    ...{ category, text: text.trim() },
    ...(shown !== shownKinds[0] && { shown }),
    ...(order !== orders[0] && { order }),
    ...(range && { from: range[0].toFixed(3), to: range[1].toFixed(3) }),
  };
}

type Differing = Readonly<Record<string, Guess>>;

/** Rows of the gallery that pass the filter, without its range: what the histogram is of. */
export function candidates(
  gallery: Gallery,
  { category, shown, text }: Pick<Filter, 'category' | 'shown' | 'text'>,
  differing: Differing = {},
): number[] {
  const wanted = text.trim().toLowerCase();
  const at = gallery.categories.indexOf(category);
  const rows: number[] = [];
  for (let i = 0; i < gallery.id.length; i++) {
    if (at >= 0 && gallery.category[i] !== at) continue;
    if (!shows(gallery, shown, differing, i)) continue;
    if (wanted !== '' && !gallery.title[i].toLowerCase().includes(wanted)) continue;
    rows.push(i);
  }
  return rows;
}

/** The categories by name, each with how many of some pictures are there; those without any are left out. */
export function categoryCounts(gallery: Gallery, rows: readonly number[]): { name: string; count: number }[] {
  const counts = new Map<number, number>();
  for (const row of rows) counts.set(gallery.category[row], (counts.get(gallery.category[row]) ?? 0) + 1);
  return [...counts]
    .map(([category, count]) => ({ name: gallery.categories[category], count }))
    .sort((a, b) => a.name.localeCompare(b.name, 'en'));
}

/** Over the pictures that have one; 0 where none has. */
export function meanWeight({ weight }: Pick<Gallery, 'weight'>): number {
  let [sum, count] = [0, 0];
  for (const one of weight)
    if (one !== null) {
      sum += one;
      count++;
    }
  return count > 0 ? sum / count : 0;
}

function shows({ id, reason, decision }: Gallery, shown: Shown, differing: Differing, i: number): boolean {
  if (shown === 'left-out') return reason[i] >= 0;
  if (shown === 'kept') return decision[i] === 1;
  if (shown === 'moved') return decision[i] === 3;
  if (reason[i] >= 0) return false;
  if (shown === 'dropped') return decision[i] === 2;
  return shown !== 'differs' || (decision[i] === 0 && Object.hasOwn(differing, id[i]));
}

export function inRange(gallery: Gallery, rows: readonly number[], range: Filter['range']): number[] {
  if (!range) return [...rows];
  const [low, high] = range;
  return rows.filter((i) => {
    const weight = gallery.weight[i];
    return weight !== null && weight >= low && weight <= high;
  });
}

/** Pictures without a weight come last either way; equal ones stay as they were found. */
export function ordered(gallery: Gallery, rows: readonly number[], order: Order): number[] {
  const sign = order === 'lightest' ? 1 : -1;
  const byWeight = (a: number, b: number) => {
    const [x, y] = [gallery.weight[a], gallery.weight[b]];
    if (x === null || y === null) return x === y ? a - b : x === null ? 1 : -1;
    return sign * (x - y) || a - b;
  };
  return [...rows].sort((a, b) =>
    order === 'category' ? gallery.category[a] - gallery.category[b] || byWeight(a, b) : byWeight(a, b),
  );
}

export interface Bin {
  from: number;
  to: number;
  count: number;
}

/** Of the weights of some rows, from 0 to `top`, the last bin with everything above. */
export function histogram(gallery: Gallery, rows: readonly number[], top: number, count = 40): Bin[] {
  const width = top / count;
  const bins = Array.from({ length: count }, (_, b): Bin => ({ from: b * width, to: (b + 1) * width, count: 0 }));
  for (const i of rows) {
    const weight = gallery.weight[i];
    if (weight !== null) bins[Math.max(0, Math.min(count - 1, Math.floor(weight / width)))].count++;
  }
  return bins;
}

/** A round number that no weight exceeds; 2 where there are none but zeros, which rounding may have left a trace on. */
export function topWeight(gallery: Gallery): number {
  let top = 0;
  for (const weight of gallery.weight) if (weight !== null && weight > top) top = weight;
  if (top < 1e-12) return 2;
  const step = 10 ** Math.floor(Math.log10(top)) / 2;
  return Math.ceil(top / step) * step;
}

/** Where the cursor goes in a grid; undefined for a key that moves nothing. */
export function moved(
  key: string,
  at: number,
  count: number,
  columns: number,
  rowsOnScreen: number,
): number | undefined {
  const steps: Record<string, number> = {
    ArrowRight: 1,
    ArrowLeft: -1,
    ArrowDown: columns,
    ArrowUp: -columns,
    PageDown: columns * Math.max(1, rowsOnScreen - 1),
    PageUp: -columns * Math.max(1, rowsOnScreen - 1),
    Home: -at,
    End: count - 1 - at,
  };
  if (!Object.hasOwn(steps, key) || count === 0) return undefined;
  const next = at + steps[key];
  // Up and down keep the column; at the edges they stay.
  if ((key === 'ArrowUp' || key === 'ArrowDown') && (next < 0 || next >= count)) return at;
  return Math.max(0, Math.min(count - 1, next));
}

export function decisionWords(decision: GalleryDecision, before = ''): string {
  return decision === 0 ? '' : `${before}${['', 'kept by hand', 'dropped by hand', 'moved here by hand'][decision]}`;
}

export function trustWords(weight: number | null | undefined): string {
  return weight === null || weight === undefined ? 'took no part in the fit' : `trust ${weight.toFixed(2)}`;
}

/** For those who do not see it. */
export function nameOf({ title, category, categories }: Gallery, i: number): string {
  return title[i] || `a picture of ${categories[category[i]]}`;
}

/** What can be decided about a picture: of what was left out, only duplicates can be taken back. */
export function choices({ reason, reasons }: Gallery, i: number): readonly ('keep' | 'drop')[] {
  if (reason[i] < 0) return ['keep', 'drop'];
  return reasons[reason[i]].startsWith('duplicate-') ? ['keep'] : [];
}

/** Reasons of the catalog in plain words. */
export function reasonInWords(reason: string): string {
  const words: Record<string, string> = {
    licence: 'its licence does not allow it',
    robots: 'the site asks robots to stay away',
    'x-robots-tag': 'the site asks not to index it',
    'same-address': 'the same address was found before',
    'not-an-image': 'it is no picture',
    'unsupported-type': 'its type cannot be read',
    'does-not-decode': 'the file is damaged',
    'too-small': 'it is too small',
    'too-many-pixels': 'it has too many pixels',
    'too-large': 'the file is too large',
    placeholder: 'it is a placeholder',
    'duplicate-exact': 'the same file is there already',
    'duplicate-perceptual': 'a picture that looks the same is there already',
    'duplicate-features': 'a picture with the same features is there already',
  };
  return words[reason] ?? reason;
}
