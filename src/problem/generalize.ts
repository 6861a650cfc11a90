/**
 * The generalized setting (Chao et al., ECCV 2016): a seeded share of each auxiliary category's pictures moves to the
 * test set, whose labels then count the test categories first and the auxiliary ones after them.
 */
import { ArgumentError } from '../errors.js';
import { Random } from '../linalg/index.js';
import { type Problem, unanswered } from './problem.js';
import { rowsWhere, selectIntegers, selectRows, stackRows } from './rows.js';
import { withShares } from './shares.js';
import { keepAuxiliary, rowsByCategory } from './subset.js';

/**
 * Moves `share` of each auxiliary category (rounded, at least one picture stays) behind the test pictures.
 * Parameters are chosen for this setting by `generalize(validationSplit(problem), seed)`.
 */
export function generalize(problem: Problem, seed: number, share = 0.2): Problem {
  if (problem.generalized) throw new ArgumentError('generalize: this problem is in the generalized setting already');
  if (!(share > 0 && share < 1))
    throw new ArgumentError(`generalize: share is ${share}; it must lie between 0 and 1, both excluded`);
  const { auxiliaryLabels, auxiliaryFeatures, testFeatures, testLabels, testKnown, auxiliaryNames, testNames } =
    problem;
  const moves = new Uint8Array(auxiliaryLabels.length);
  for (const [category, rows] of rowsByCategory(auxiliaryLabels, auxiliaryNames.length).entries()) {
    const count = Math.max(0, Math.min(rows.length - 1, Math.round(share * rows.length)));
    for (const position of new Random(seed, category).choice(rows.length, count)) moves[rows[position]] = 1;
  }
  const moved = rowsWhere(moves.length, (i) => moves[i] === 1);
  const remaining = rowsWhere(moves.length, (i) => moves[i] === 0);
  const movedLabels = selectIntegers(auxiliaryLabels, moved);
  return {
    // What was known of the shares was known of a folder without these.
    ...keepAuxiliary(withShares(problem, 'unknown'), remaining),
    testFeatures: stackRows(testFeatures, selectRows(auxiliaryFeatures, moved)),
    ...(testLabels && {
      testLabels: Int32Array.from([...testLabels, ...movedLabels.map((label) => testNames.length + label)]),
    }),
    ...(testKnown && {
      testKnown: Int32Array.from([...testKnown, ...movedLabels.map(() => unanswered)]),
    }),
    generalized: true,
  };
}
