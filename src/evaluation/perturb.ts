/** Smaller or noisier forms of a problem, for experiments and for the first look at a trial. Test labels choose nothing. */
import { ArgumentError } from '../errors.js';
import { Random } from '../linalg/index.js';
import {
  candidateNames,
  keepAuxiliary,
  keepTest,
  keepWeb,
  type Problem,
  rowsByCategory,
  subsetWeb,
  topWeb,
} from '../problem/index.js';
import type { ProblemChange } from './results.js';

/** Streams of random numbers, so that one change does not disturb another. */
const streams = { auxiliary: 1, web: 2, test: 3, wrong: 4 } as const;

/** The changes in the order of their names here: fewer web pictures, wrong labels, a share of everything. */
export function perturbProblem(problem: Problem, change: ProblemChange, seed: number): Problem {
  let changed = problem;
  if (change.webPerCategory !== undefined)
    changed =
      change.webChoice === 'random'
        ? subsetWeb(changed, change.webPerCategory, seed)
        : topWeb(changed, change.webPerCategory);
  if (change.wrongLabels !== undefined) changed = mislabelWeb(changed, change.wrongLabels, seed);
  if (change.share !== undefined) changed = sharePictures(changed, change.share, seed);
  return changed;
}

/**
 * Gives a share of each category's web pictures the label of another test category. For one seed the pictures of a smaller
 * share are among those of a larger one. Pictures known to be right become `confused`, and nobody vouches for the label they are given.
 */
export function mislabelWeb(problem: Problem, share: number, seed: number): Problem {
  const categories = problem.testNames.length;
  if (!(share >= 0 && share <= 1))
    throw new ArgumentError(`mislabelWeb: share is ${share}; it must be a share between 0 and 1`);
  if (categories < 2) throw new ArgumentError('mislabelWeb: a single test category leaves no wrong label to give');
  const webLabels = problem.webLabels.slice();
  const webKinds = problem.webKinds?.slice();
  const webVouched = problem.webVouched?.slice();
  for (const [category, rows] of rowsByCategory(problem.webLabels, categories).entries()) {
    const random = new Random(seed, category).fork(streams.wrong);
    const order = random.permutation(rows.length);
    const labels = Array.from(order, () => (category + 1 + random.integer(categories - 1)) % categories);
    for (let k = 0; k < Math.round(share * rows.length); k++) {
      const row = rows[order[k]];
      webLabels[row] = labels[k];
      if (webKinds?.[row] === 'clean') webKinds[row] = 'confused';
      if (webVouched) webVouched[row] = 0;
    }
  }
  return { ...problem, webLabels, ...(webKinds && { webKinds }), ...(webVouched && { webVouched }) };
}

/** A share of the pictures of each category in every set, at least one each; without labels a share of the test pictures. */
export function sharePictures(problem: Problem, share: number, seed: number): Problem {
  if (!(share > 0 && share <= 1))
    throw new ArgumentError(`sharePictures: share is ${share}; it must be above 0 and at most 1`);
  const choose = (labels: Int32Array, categories: number, stream: number): Int32Array => {
    const kept: number[] = [];
    for (const [category, rows] of rowsByCategory(labels, categories).entries()) {
      const count = Math.min(rows.length, Math.max(1, Math.round(share * rows.length)));
      const chosen = new Random(seed, category).fork(stream).choice(rows.length, count);
      for (const position of chosen) kept.push(rows[position]);
    }
    return Int32Array.from(kept).sort();
  };
  const { auxiliaryLabels, webLabels, testFeatures } = problem;
  const candidates = candidateNames(problem).length;
  const [testLabels, testCategories] = problem.testLabels
    ? [problem.testLabels, candidates]
    : [new Int32Array(testFeatures.rows), 1];
  let smaller = keepAuxiliary(problem, choose(auxiliaryLabels, problem.auxiliaryNames.length, streams.auxiliary));
  smaller = keepWeb(smaller, choose(webLabels, problem.testNames.length, streams.web));
  return keepTest(smaller, choose(testLabels, testCategories, streams.test));
}
