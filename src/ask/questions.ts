/**
 * From what a fit believes to questions for a person, the most valuable first: which category a picture shows, whether a
 * web picture shows what it is said to, whether a group of strangers belongs together and what it is.
 */
import type { Matrix } from '../linalg/index.js';
import type { StrangerGroups } from '../problem/index.js';
import { type Beliefs, rankPictures, strongestTie, type Ties, tiesOf } from './value.js';

/** What a person is asked; rows are those of the problem. */
export type Asking =
  | { readonly kind: 'picture'; readonly row: number; readonly gain: number }
  | { readonly kind: 'web'; readonly row: number; readonly gain: number }
  | { readonly kind: 'group'; readonly group: number; readonly rows: readonly number[]; readonly gain: number };

export interface WebBeliefs {
  readonly labels: Int32Array;
  /** θ */
  readonly trust: Float64Array;
  /** Verdicts of people, 0 where there is none. */
  readonly known: Int8Array;
}

/** Chance that a group of strangers is one category; chosen by hand. */
const purity = 0.7;
/** Fewer pictures are asked about one by one. */
const fewestInGroup = 3;
/** Pictures of a group that are shown, and what a look at one more of them costs beside a question about one picture. */
export const mostInGroup = 12;
export const glance = 0.15;

/** What a question costs, in questions about one picture. */
export function costOf(asking: Asking): number {
  return asking.kind === 'group' ? 1 + glance * asking.rows.length : 1;
}

type TestAsking = Exclude<Asking, { readonly kind: 'web' }>;

/** The same question about those of its pictures only; undefined where too few are left. */
export function askingOf(asking: TestAsking, isWanted: (row: number) => boolean): TestAsking | undefined {
  if (asking.kind === 'picture') return isWanted(asking.row) ? asking : undefined;
  const rows = asking.rows.filter(isWanted);
  return rows.length < fewestInGroup ? undefined : { ...asking, rows };
}

/** @returns at most `wanted` questions, by gain for their cost */
export function rankQuestions(
  beliefs: Beliefs & { readonly groups?: StrangerGroups; readonly web?: WebBeliefs },
  wanted: number,
  ties: Ties = tiesOf(beliefs.neighbours, beliefs.chances.rows),
): Asking[] {
  const { groups, web, chances } = beliefs;
  const asked: Asking[] = [...(groups ? groupQuestions(beliefs, groups) : [])];
  const grouped = new Set(asked.flatMap((one) => (one.kind === 'group' ? one.rows : [])));
  for (const { picture: row, gain } of rankPictures(beliefs, wanted + grouped.size, ties))
    if (!grouped.has(row)) asked.push({ kind: 'picture', row, gain });
  if (web) asked.push(...webQuestions(web, chances, wanted));
  return asked.sort((a, b) => b.gain / costOf(b) - a.gain / costOf(a)).slice(0, wanted);
}

function groupQuestions({ chances, answered }: Beliefs, { of }: StrangerGroups): Asking[] {
  const rows = new Map<number, number[]>();
  of.forEach((group, j) => {
    if (group >= 0 && !answered[j]) rows.set(group, [...(rows.get(group) ?? []), j]);
  });
  const unsure = (j: number) => 1 - chances.row(j).reduce((most, p) => Math.max(most, p), 0);
  return [...rows]
    .filter(([, own]) => own.length >= fewestInGroup)
    .map(([group, own]) => {
      // The surest show best what the group is; doubtful ones at its edge may be something else.
      const shown = own.sort((a, b) => unsure(a) - unsure(b)).slice(0, mostInGroup);
      return { kind: 'group', group, rows: shown, gain: purity * shown.reduce((sum, j) => sum + unsure(j), 0) };
    });
}

/**
 * A web picture is tied to the test pictures of its category by its part in their mean: with doubt θ(1 − θ) about it and
 * doubt p(1 − p) about them, both four at most a quarter, an answer is worth tie · 4θ(1 − θ) · part · Σ p(1 − p).
 */
function webQuestions({ labels, trust, known }: WebBeliefs, chances: Matrix<Float64Array>, wanted: number): Asking[] {
  const parts = new Float64Array(chances.cols);
  const doubts = new Float64Array(chances.cols);
  for (let j = 0; j < chances.rows; j++)
    for (let c = 0; c < chances.cols; c++) {
      const p = chances.at(j, c);
      parts[c] += p;
      doubts[c] += p * (1 - p);
    }
  for (let i = 0; i < labels.length; i++) parts[labels[i]] += trust[i];
  return [...labels.keys()]
    .filter((i) => known[i] === 0)
    .map((row): Asking => {
      const c = labels[row];
      const gain = strongestTie * 4 * trust[row] * (1 - trust[row]) * (doubts[c] / Math.max(1, parts[c]));
      return { kind: 'web', row, gain };
    })
    .sort((a, b) => b.gain - a.gain)
    .slice(0, wanted);
}
