/** What is said about pictures: for each the category with the largest score, the runner-up, and how sure that is. */
import { ArgumentError } from '../errors.js';
import type { Matrix } from '../linalg/index.js';
import { type Probabilities, unlistedChance } from '../problem/index.js';

/** About n pictures, in columns; categories are indices into `names`. */
export interface Answers {
  /** Candidate categories: those of the test pictures and, in the generalized setting, the auxiliary ones after them. */
  readonly names: readonly string[];
  /** n×C, the largest of a row decides; absent where they would be too many to keep. */
  readonly scores?: Matrix;
  readonly predictions: Int32Array;
  /** −1 where there is but one candidate. */
  readonly runnersUp: Int32Array;
  /** Scores of the predictions. */
  readonly topScores: Float64Array;
  /** How much lower the runners-up score; NaN where there is none. */
  readonly margins: Float64Array;
  /** Chances of all candidates, n×C, where they are known; kept where scores are, but not in folders. */
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
): Answers & Required<Pick<Answers, 'scores'>> {
  if (scores.cols !== names.length)
    throw new ArgumentError(`there are scores for ${scores.cols} categories, and ${names.length} names`);
  const predictions = new Int32Array(scores.rows);
  const runnersUp = new Int32Array(scores.rows);
  for (let i = 0; i < scores.rows; i++) [predictions[i], runnersUp[i]] = topTwo(scores.row(i));
  const topScores = Float64Array.from(predictions, (c, i) => scores.at(i, c));
  const margins = Float64Array.from(runnersUp, (c, i) => (c < 0 ? Number.NaN : topScores[i] - scores.at(i, c)));
  return {
    ...{ names, scores, predictions, runnersUp, topScores, margins },
    ...(chances && sureness({ predictions, runnersUp }, chances.listed)),
    ...(chances?.unlisted && { unlisted: chances.unlisted }),
    ...(groups && { groups }),
  };
}

/** How sure answers are, given the chances of all candidates. */
export function sureness({ predictions, runnersUp }: Pick<Answers, 'predictions' | 'runnersUp'>, chances: Matrix) {
  return {
    chances,
    confidence: Float64Array.from(predictions, (c, i) => chances.at(i, c)),
    runnerUpConfidence: Float64Array.from(runnersUp, (c, i) => (c < 0 ? 0 : chances.at(i, c))),
  };
}

/** More scores are not kept: 1 GiB of them. */
export const mostScores = 2 ** 27;
/** Scores that are looked at together where they are not kept. */
const scoresAtOnce = 2 ** 22;

/** Scores and chances of pictures [from, to). */
export type Said = (from: number, to: number) => { scores: Matrix; chances?: Chances };

/**
 * The answers for so many pictures, whose scores are kept where there are few enough of them; else they are asked for by
 * blocks of pictures, of which the two best are remembered.
 */
export function collectAnswers(
  pictures: number,
  said: Said,
  names: readonly string[],
  { groups, most = mostScores }: { groups?: Int32Array; most?: number } = {},
): Answers {
  if (pictures * names.length <= most) {
    const { scores, chances } = said(0, pictures);
    return answersOf(scores, names, { chances, groups });
  }
  const step = Math.max(1, Math.floor(Math.min(most, scoresAtOnce) / names.length));
  const [predictions, runnersUp] = [new Int32Array(pictures), new Int32Array(pictures)];
  const columns: { -readonly [name in (typeof realColumns)[number]]?: Float64Array } = {};
  for (let from = 0; from < pictures; from += step) {
    const { scores, chances } = said(from, Math.min(pictures, from + step));
    const some: Answers = answersOf(scores, names, { chances });
    predictions.set(some.predictions, from);
    runnersUp.set(some.runnersUp, from);
    for (const name of realColumns) {
      const values = some[name];
      if (!values) continue;
      columns[name] ??= new Float64Array(pictures);
      columns[name].set(values, from);
    }
  }
  const { topScores = new Float64Array(0), margins = new Float64Array(0), ...more } = columns;
  return { ...{ names, predictions, runnersUp, topScores, margins }, ...more, ...(groups && { groups }) };
}

const realColumns = ['topScores', 'margins', 'confidence', 'runnerUpConfidence', 'unlisted'] as const;

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
  return Array.from(answers.predictions, (_, row) => answerRow(answers, row, labels));
}

export function answerRow(answers: Answers, row: number, labels?: Int32Array): Answer {
  const { names, predictions, runnersUp, confidence, runnerUpConfidence, unlisted, groups } = answers;
  const [category, second] = [predictions[row], runnersUp[row]];
  return {
    row,
    name: names[category],
    category,
    score: answers.topScores[row],
    ...(confidence && { confidence: confidence[row] }),
    ...(unlisted && { unlisted: unlisted[row] }),
    runnerUp: second < 0 ? '' : names[second],
    ...(runnerUpConfidence && second >= 0 && { runnerUpConfidence: runnerUpConfidence[row] }),
    margin: answers.margins[row],
    ...(groups && groups[row] >= 0 && { group: groups[row] }),
    ...(labels && { truth: names[labels[row]] ?? noneOfThese }),
  };
}
