/** Which answers about test pictures are shown and in which order; all without a page. */
import { wilson } from '../../src/fit/estimate.js';
import type { AnswersView } from '../../src/studio/api.js';
import type { Query } from './address.js';
import { interval, percent } from './words.js';

export const noneWords = 'none of these';
export const kinds = ['all', 'mistakes', 'open', 'answered'] as const;
export const answerOrders = ['unsure', 'sure', 'folder'] as const;

export interface AnswersFilter {
  /** Said, and true: a category's name, `noneWords`, or empty for all. */
  said: string;
  truth: string;
  which: (typeof kinds)[number];
  order: (typeof answerOrders)[number];
}

/** What an address says wrongly is as if it said nothing. */
export function answersFilterOf(query: URLSearchParams): AnswersFilter {
  return {
    said: query.get('said') ?? '',
    truth: query.get('truth') ?? '',
    which: kinds.find((kind) => kind === query.get('which')) ?? kinds[0],
    order: answerOrders.find((order) => order === query.get('order')) ?? answerOrders[0],
  };
}

export function queryOfAnswers({ said, truth, which, order }: AnswersFilter): Query {
  return { said, truth, ...(which !== kinds[0] && { which }), ...(order !== answerOrders[0] && { order }) };
}

export function nameOf({ names }: AnswersView, category: number): string {
  return category < 0 ? noneWords : names[category];
}

/** Whether the fit is known to be wrong about a picture: by its folder, or by what people said. */
export function isMistake({ said, truth, answered }: AnswersView, i: number): boolean {
  const right = answered[i] ?? truth[i];
  return right !== null && right !== said[i];
}

export function answerRows(view: AnswersView, { said, truth, which, order }: AnswersFilter): number[] {
  const rows: number[] = [];
  for (let i = 0; i < view.id.length; i++) {
    if (said && nameOf(view, view.said[i]) !== said) continue;
    if (truth && (view.truth[i] === null || nameOf(view, view.truth[i]!) !== truth)) continue;
    if (which === 'mistakes' && !isMistake(view, i)) continue;
    if (which === 'open' && view.answered[i] !== null) continue;
    if (which === 'answered' && view.answered[i] === null) continue;
    rows.push(i);
  }
  if (order === 'folder') return rows;
  const sign = order === 'sure' ? -1 : 1;
  // Without a confidence they stay as they lie in the folder, after all others.
  const sureness = (i: number) => view.confidence[i] ?? sign * 2;
  return rows.sort((a, b) => sign * (sureness(a) - sureness(b)) || a - b);
}

/** How many pictures each answer has, by name, "none of these" last. */
export function answerCounts(view: AnswersView, column: 'said' | 'truth'): { name: string; count: number }[] {
  const counts = new Map<number, number>();
  for (const category of view[column]) if (category !== null) counts.set(category, (counts.get(category) ?? 0) + 1);
  return [...counts]
    .sort(([a], [b]) => Number(a < 0) - Number(b < 0) || nameOf(view, a).localeCompare(nameOf(view, b), 'en'))
    .map(([category, count]) => ({ name: nameOf(view, category), count }));
}

/** "281 of 300 … are right …: 93.7 % (90 to 96 %)"; undefined where nothing is known. */
export function rightWords(view: AnswersView): string | undefined {
  const known = view.id.flatMap((_, i) => ((view.answered[i] ?? view.truth[i]) === null ? [] : [i]));
  if (known.length === 0) return undefined;
  const right = known.filter((i) => !isMistake(view, i)).length;
  const share = right / known.length;
  return `${right} of ${known.length} whose truth is known are right, those of no category included: ${percent(share)} (${interval(wilson(share, known.length))})`;
}
