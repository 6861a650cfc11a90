/**
 * What people said of pictures, as evidence. A test picture that somebody named shows that category, but for a slip of
 * the hand: its assignment q_j is held while all others are estimated, so that every round still raises the objective. In
 * the looks of its category it is one picture as all others; among its neighbours it counts for several (`answerWeight`),
 * because a folder's mistakes are shared: pictures that were assigned to a category support each other, right or wrong.
 */
import type { Matrix, RowBlocks, RowLeaders } from '../../linalg/index.js';
import { selectRows, unanswered } from '../../problem/index.js';

/** Chance that what a person says is not so. */
const slip = 0.01;
/** Log odds that a picture which somebody called listed or a stranger is one. */
const sureOdds = Math.log((1 - slip) / slip);

/** Holds the rows of named pictures; `decisions`, where given, say the same in logarithms. */
export function holdAnswers(known: Int32Array | undefined, assignments: Matrix | undefined, decisions?: Matrix): void {
  const candidates = (assignments ?? decisions)?.cols ?? 0;
  if (!known) return;
  const other = slip / Math.max(1, candidates - 1);
  for (let j = 0; j < known.length; j++) {
    if (known[j] < 0) continue;
    assignments?.row(j).fill(other);
    assignments?.set(j, known[j], 1 - slip);
    decisions?.row(j).fill(Math.log(other));
    decisions?.set(j, known[j], Math.log(1 - slip));
  }
}

/** The same for answers and their leads among so many candidates. */
export function holdLeaders(known: Int32Array | undefined, { columns, leads }: RowLeaders, candidates: number): void {
  known?.forEach((answer, j) => {
    if (answer < 0) return;
    columns[j] = answer;
    if (candidates > 1) leads[j] = Math.log(((1 - slip) / slip) * (candidates - 1));
  });
}

/** As how many pictures each test picture counts among its neighbours: `weight` for named ones. */
export function answerWeights(listed: Float64Array, known: Int32Array | undefined, weight: number): Float64Array {
  return known ? listed.map((chance, j) => (known[j] >= 0 ? chance * weight : chance)) : listed;
}

/** Log odds of being a stranger, those of answered pictures replaced by what was said. */
export function knownOdds(odds: Float64Array, known: Int32Array | undefined): Float64Array {
  return known ? odds.map((value, j) => knownOdd(value, known[j])) : odds;
}

/** The same of one picture. */
export function knownOdd(odds: number, said: number = unanswered): number {
  return said === unanswered ? odds : said < 0 ? sureOdds : -sureOdds;
}

/** Test pictures that were named as a listed category, for the means before the folder is looked at. */
export interface NamedPictures {
  readonly rows: Matrix;
  readonly labels: readonly number[];
}

export function namedPictures(
  { rows }: { readonly rows: RowBlocks },
  known: Int32Array | undefined,
  categories: number,
): NamedPictures | undefined {
  const chosen = known ? [...known.keys()].filter((j) => known[j] >= 0 && known[j] < categories) : [];
  if (chosen.length === 0) return undefined;
  return {
    rows: selectRows(rows, chosen),
    labels: chosen.map((j) => known![j]),
  };
}
