/** What a fit came to, in numbers: scores where labels are known, the weights against the truth, the honesty of confidence. */
import { candidateNames, type Problem } from '../problem/index.js';
import { accuracy, categoryAccuracies, meanCategoryAccuracy, rocArea } from './accuracy.js';
import type { Answers } from './answers.js';
import type { Reliability } from './calibration.js';
import { generalizedScores, seenUnseenArea } from './generalized-scores.js';

/** Scores are shares between 0 and 1 and are missing where labels are. */
export interface FitMetrics {
  accuracy?: number;
  meanCategoryAccuracy?: number;
  /** Accuracy within each category that has test pictures, by name. */
  categories?: Record<string, number>;
  /** Generalized setting: mean per-category accuracy over auxiliary (seen) and test (unseen) categories, and 2su/(s + u). */
  seen?: number;
  unseen?: number;
  harmonic?: number;
  /** Area under the curve of seen against unseen accuracy as a constant is added to the unseen scores. */
  ausuc?: number;
  /** Area under the curve of the weights as a detector of right web pictures, where the truth is known. */
  thetaArea?: number;
  /** How honest the model's confidence is. */
  calibration?: {
    /** On the pictures it was learnt with. */
    validation: Reliability;
    /** On the test pictures as if they came later; for information only. */
    test?: Reliability;
  };
}

export function fitMetrics(
  problem: Problem,
  { predictions, scores }: Pick<Answers, 'predictions' | 'scores'>,
  webWeights?: Float64Array,
): FitMetrics {
  const { testLabels, testNames, webKinds } = problem;
  const known = webKinds && webWeights?.length === webKinds.length;
  return {
    ...(testLabels && labelledMetrics(predictions, testLabels, candidateNames(problem))),
    ...(testLabels &&
      problem.generalized && {
        ...generalizedScores(predictions, testLabels, testNames.length),
        ausuc: seenUnseenArea(scores, testLabels, testNames.length),
      }),
    ...(known && {
      thetaArea: rocArea(
        webWeights,
        webKinds.map((kind) => kind === 'clean'),
      ),
    }),
  };
}

function labelledMetrics(predictions: Int32Array, labels: Int32Array, names: readonly string[]): FitMetrics {
  const each = categoryAccuracies(predictions, labels, names.length);
  return {
    accuracy: accuracy(predictions, labels),
    meanCategoryAccuracy: meanCategoryAccuracy(predictions, labels, names.length),
    categories: Object.fromEntries([...each].flatMap((value, c) => (Number.isNaN(value) ? [] : [[names[c], value]]))),
  };
}
