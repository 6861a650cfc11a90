/** What a fit came to, in numbers: scores where labels are known, the weights against the truth, the honesty of confidence. */
import {
  candidateNames,
  type Problem,
  rowsWhere,
  selectIntegers,
  selectRows,
  unanswered,
  unlistedChance,
} from '../problem/index.js';
import { accuracy, categoryAccuracies, meanCategoryAccuracy, rocArea } from './accuracy.js';
import type { Answers } from './answers.js';
import { type Reliability, reliability } from './calibration.js';
import type { AccuracyEstimate } from './estimate.js';
import { generalizedScores, seenUnseenArea } from './generalized-scores.js';

/** Scores are shares between 0 and 1 and are missing where labels are. */
export interface FitMetrics {
  accuracy?: number;
  /** How right the folder is by what people said of pictures drawn at random, where some were. */
  estimate?: AccuracyEstimate;
  /** Test pictures that people answered: nothing is scored on them, since the fit was told. */
  answered?: number;
  meanCategoryAccuracy?: number;
  /** Accuracy within each category that has test pictures, by name. */
  categories?: Record<string, number>;
  /** Pictures that each of these was scored on. */
  categoryPictures?: Record<string, number>;
  /** Generalized setting: mean per-category accuracy over auxiliary (seen) and test (unseen) categories, and 2su/(s + u). */
  seen?: number;
  unseen?: number;
  harmonic?: number;
  /** Area under the curve of seen against unseen accuracy as a constant is added to the unseen scores; needs all scores. */
  ausuc?: number;
  /** Area under the curve of the weights as a detector of right web pictures, where the truth is known. */
  thetaArea?: number;
  /** How well the confidence of the answers holds; a picture that shows no candidate has no right answer. */
  confidence?: Reliability;
  /** Where some test pictures are known to show no candidate. */
  strangers?: StrangerScores;
  /** How honest the model's confidence is. */
  calibration?: {
    /** On the pictures it was learnt with. */
    validation: Reliability;
    /** On the test pictures as if they came later; for information only. */
    test?: Reliability;
  };
}

/** Pictures that show no candidate, and how they fared. */
export interface StrangerScores {
  pictures: number;
  /** Share of them that was said to show none of the candidates; absent for a method that never says so. */
  recognized?: number;
  /** Share of the other pictures that was said to show none, though one was right. */
  mistaken?: number;
  /** Chance that a stranger is thought likelier to be one than another picture. */
  area?: number;
}

type Said = Pick<Answers, 'predictions' | 'scores' | 'confidence' | 'unlisted'>;

export function fitMetrics(problem: Problem, answers: Said, webWeights?: Float64Array): FitMetrics {
  const { testLabels, testNames, webKinds } = problem;
  const known = webKinds && webWeights?.length === webKinds.length;
  // Categories are scored on pictures that show one, and that the fit was not told about.
  const rows = testLabels && rowsWhere(testLabels.length, (i) => testLabels[i] >= 0 && !told(problem, i));
  const answered = problem.testKnown ? rowsWhere(problem.testKnown.length, (i) => told(problem, i)).length : 0;
  const labels = rows && selectIntegers(testLabels, rows);
  const predictions = rows && selectIntegers(answers.predictions, rows);
  return {
    ...(answered > 0 && { answered }),
    ...(labels?.length && labelledMetrics(predictions!, labels, candidateNames(problem))),
    ...(labels?.length &&
      problem.generalized && {
        ...generalizedScores(predictions!, labels, testNames.length),
        ...(answers.scores && {
          ausuc: seenUnseenArea(selectRows(answers.scores, rows!), labels, testNames.length),
        }),
      }),
    ...(testLabels && confidenceMetrics(answers, problem)),
    ...(known && {
      thetaArea: rocArea(
        webWeights,
        webKinds.map((kind) => kind === 'clean'),
      ),
    }),
  };
}

function told({ testKnown }: Problem, row: number): boolean {
  return testKnown !== undefined && testKnown[row] !== unanswered;
}

/** Of the pictures that the fit was not told about; needs labels. */
export function confidenceMetrics(answers: Omit<Said, 'scores'>, problem: Problem): FitMetrics {
  const rows = rowsWhere(problem.testLabels!.length, (i) => !told(problem, i));
  const labels = selectIntegers(problem.testLabels!, rows);
  const predictions = selectIntegers(answers.predictions, rows);
  const some = (values: Float64Array | undefined) => values && Float64Array.from(rows, (i) => values[i]);
  const [confidence, unlisted] = [some(answers.confidence), some(answers.unlisted)];
  const strange = Array.from(labels, (label) => label < 0);
  const pictures = strange.filter(Boolean).length;
  const said = (among: boolean) =>
    unlisted!.filter((chance, i) => strange[i] === among && chance > unlistedChance).length;
  return {
    ...(confidence && {
      confidence: reliability(
        confidence,
        Array.from(labels, (label, i) => label === predictions[i]),
      ),
    }),
    ...(pictures > 0 && {
      strangers: {
        pictures,
        ...(unlisted && { recognized: said(true) / pictures }),
        ...(unlisted &&
          pictures < labels.length && {
            mistaken: said(false) / (labels.length - pictures),
            area: rocArea(unlisted, strange),
          }),
      },
    }),
  };
}

function labelledMetrics(predictions: Int32Array, labels: Int32Array, names: readonly string[]): FitMetrics {
  const each = categoryAccuracies(predictions, labels, names.length);
  const pictures = new Map<string, number>();
  for (const label of labels) pictures.set(names[label], (pictures.get(names[label]) ?? 0) + 1);
  return {
    accuracy: accuracy(predictions, labels),
    meanCategoryAccuracy: meanCategoryAccuracy(predictions, labels, names.length),
    categories: Object.fromEntries([...each].flatMap((value, c) => (Number.isNaN(value) ? [] : [[names[c], value]]))),
    categoryPictures: Object.fromEntries(pictures),
  };
}
