/** What is said about pictures: for each the category with the largest score, the runner-up, and how sure that is. */
import { ArgumentError } from '../errors.js';
import type { Matrix } from '../linalg/index.js';
import { type Probabilities, unlistedChance } from '../problem/index.js';

/** About n pictures, in columns; categories are indices into `names`. */
export interface Answers {
  /** Candidate categories: those of the test pictures and, in the generalized setting, the auxiliary ones after them. */
  readonly names: readonly string[];
  /** n×C, the largest of a row decides. */
  readonly scores: Matrix;
  readonly predictions: Int32Array;
  /** −1 where there is but one candidate. */
  readonly runnersUp: Int32Array;
  /** Chances of all candidates, n×C, where they are known; not kept in folders. */
  readonly chances?: Matrix;
  /** Chance that the prediction is right; absent where it could not be learnt. */
  readonly confidence?: Float64Array;
  readonly runnerUpConfidence?: Float64Array;
  /** Chance that a picture shows none of the candidates, from methods that tell. */
  readonly unlisted?: Float64Array;
  /** The group of unlisted pictures that a picture is one of, −1 for none. */
  readonly groups?: Int32Array;
}

/** In the place of a category: what is said, or known, of a picture that shows none of them. */
export const noneOfThese = 'none of these';

/** One picture's answer. */
export interface Answer {
  row: number;
  name: string;
  /** Index of `name`. */
  category: number;
  score: number;
  confidence?: number;
  unlisted?: number;
  runnerUp: string;
  runnerUpConfidence?: number;
  /** How much lower the runner-up scores. */
  margin: number;
  group?: number;
  /** The right category, where it is known; `noneOfThese` where none is right. */
  truth?: string;
}

/** What a picture is said to show. */
export function verdict({ name, unlisted = 0 }: Pick<Answer, 'name' | 'unlisted'>): string {
  return unlisted > unlistedChance ? noneOfThese : name;
}

/** Chances of categories; of none of them too, where the method tells. */
export type Chances = Pick<Probabilities, 'listed'> & Partial<Probabilities>;

export function answersOf(
  scores: Matrix,
  names: readonly string[],
  { chances, groups }: { chances?: Chances; groups?: Int32Array } = {},
): Answers {
  if (scores.cols !== names.length)
    throw new ArgumentError(`there are scores for ${scores.cols} categories, and ${names.length} names`);
  const predictions = new Int32Array(scores.rows);
  const runnersUp = new Int32Array(scores.rows);
  for (let i = 0; i < scores.rows; i++) [predictions[i], runnersUp[i]] = topTwo(scores.row(i));
  return {
    ...{ names, scores, predictions, runnersUp },
    ...(chances && {
      chances: chances.listed,
      confidence: Float64Array.from(predictions, (c, i) => chances.listed.at(i, c)),
      runnerUpConfidence: Float64Array.from(runnersUp, (c, i) => (c < 0 ? 0 : chances.listed.at(i, c))),
    }),
    ...(chances?.unlisted && { unlisted: chances.unlisted }),
    ...(groups && { groups }),
  };
}

/** The first one among equals, as everywhere; −1 for a second that is not there. */
function topTwo(row: ArrayLike<number>): [best: number, second: number] {
  let [best, second] = [0, -1];
  for (let c = 1; c < row.length; c++) {
    if (row[c] > row[best]) [best, second] = [c, best];
    else if (second < 0 || row[c] > row[second]) second = c;
  }
  return [best, second];
}

/** A record for each picture. */
export function answerRows(answers: Answers, labels?: Int32Array): Answer[] {
  const { names, scores, predictions, runnersUp, confidence, runnerUpConfidence, unlisted, groups } = answers;
  return Array.from(predictions, (category, row): Answer => {
    const second = runnersUp[row];
    const score = scores.at(row, category);
    return {
      row,
      name: names[category],
      category,
      score,
      ...(confidence && { confidence: confidence[row] }),
      ...(unlisted && { unlisted: unlisted[row] }),
      runnerUp: second < 0 ? '' : names[second],
      ...(runnerUpConfidence && second >= 0 && { runnerUpConfidence: runnerUpConfidence[row] }),
      margin: second < 0 ? Number.NaN : score - scores.at(row, second),
      ...(groups && groups[row] >= 0 && { group: groups[row] }),
      ...(labels && { truth: names[labels[row]] ?? noneOfThese }),
    };
  });
}
