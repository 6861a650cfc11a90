/**
 * The paper's way of choosing parameters without test labels: the first Cc auxiliary categories, with
 * Cc/Ca = Ct/(Ca + Ct), play the test categories, and web pictures crawled for them play the web pictures.
 */
import { ArgumentError, ProblemError } from '../errors.js';
import { Random } from '../linalg/index.js';
import type { Problem, ValidationWeb } from './problem.js';
import { rowsWhere, selectIntegers, selectRows } from './rows.js';
import { keepValidationWeb, restrictToCategories, rowsByCategory } from './subset.js';

/** Cc, the nearest whole number with Cc/Ca = Ct/(Ca + Ct); at least one, and at least one auxiliary category stays. */
export function validationCategoryCount(auxiliaryCategories: number, testCategories: number): number {
  const share = testCategories / (auxiliaryCategories + testCategories);
  return Math.max(1, Math.min(auxiliaryCategories - 1, Math.round(auxiliaryCategories * share)));
}

/**
 * The validation problem. Its test pictures are the auxiliary pictures of the validation categories, less those that
 * web pictures were made from; its auxiliary categories are the remaining ones. It is never in the generalized
 * setting; `generalize` puts it there.
 */
export function validationSplit(problem: Problem): Problem {
  const { auxiliaryNames, auxiliaryLabels, validationWeb } = problem;
  if (!validationWeb)
    throw new ProblemError(
      'validation_web_features',
      undefined,
      'the problem has no web pictures of validation categories, so parameters cannot be chosen on them',
      `Add validation_web_features and validation_web_labels for the first auxiliary categories, or make up a substitute with syntheticValidationWeb.`,
    );
  const count = requireValidationCategories(problem);
  const rows = rowsWhere(
    auxiliaryLabels.length,
    (i) => auxiliaryLabels[i] < count && validationWeb.auxiliaryUsed?.[i] !== 1,
  );
  const web = keepValidationWeb(
    validationWeb,
    rowsWhere(validationWeb.labels.length, (i) => validationWeb.labels[i] < count),
  );
  requireWebPictures(web.labels, auxiliaryNames.slice(0, count));
  const {
    webText: _text,
    webTexts: _texts,
    webKinds: _kinds,
    webVouched: _vouched,
    testKnown: _known,
    ...rest
  } = restrictToCategories(
    { ...problem, testLabels: undefined, testShares: undefined, validationWeb: undefined },
    { auxiliary: auxiliaryNames.map((_, category) => category).slice(count) },
  );
  return {
    ...rest,
    webFeatures: web.features,
    webLabels: web.labels,
    ...(web.text && { webText: web.text }),
    ...(web.texts && { webTexts: web.texts }),
    ...(web.kinds && { webKinds: web.kinds }),
    testFeatures: selectRows(problem.auxiliaryFeatures, rows),
    testLabels: selectIntegers(auxiliaryLabels, rows),
    testSemantics: problem.auxiliarySemantics.view(0, count),
    testNames: auxiliaryNames.slice(0, count),
    generalized: false,
  };
}

export interface SyntheticWebOptions {
  /** Share of the pictures of a category that get the label of another validation category. */
  noise: number;
  seed: number;
  /** Share of each validation category's pictures that play web pictures; the others remain test pictures. @default 0.5 */
  share?: number;
}

/**
 * A substitute for crawled validation pictures: part of the validation categories' own auxiliary pictures, some with
 * a wrong label. It knows nothing of the web's own look, so parameters chosen on it trust web pictures too much.
 *
 * @example
 * const split = validationSplit({ ...problem, validationWeb: syntheticValidationWeb(problem, { noise: 0.3, seed: 1 }) });
 */
export function syntheticValidationWeb(problem: Problem, options: SyntheticWebOptions): ValidationWeb {
  const { noise, seed, share = 0.5 } = options;
  if (!(noise >= 0 && noise < 1))
    throw new ArgumentError(`syntheticValidationWeb: noise is ${noise}; it must be at least 0 and less than 1`);
  if (!(share > 0 && share < 1))
    throw new ArgumentError(`syntheticValidationWeb: share is ${share}; it must lie between 0 and 1, both excluded`);
  const count = requireValidationCategories(problem);
  if (noise > 0 && count < 2)
    throw new ProblemError(
      'aux_labels',
      undefined,
      'a single validation category leaves no wrong label to give',
      'Set noise to 0, or use a problem with more auxiliary categories.',
    );
  const byCategory = rowsByCategory(problem.auxiliaryLabels, problem.auxiliaryNames.length).slice(0, count);
  const auxiliaryUsed = new Uint8Array(problem.auxiliaryLabels.length);
  const wrongLabel = new Map<number, number>();
  for (const [category, rows] of byCategory.entries()) {
    const random = new Random(seed, category);
    const taken = random.choice(rows.length, Math.min(rows.length, Math.max(1, Math.floor(share * rows.length))));
    for (const position of taken) auxiliaryUsed[rows[position]] = 1;
    const wrong = random.choice(taken.length, Math.floor(noise * taken.length));
    for (const k of wrong) wrongLabel.set(rows[taken[k]], (category + 1 + random.integer(count - 1)) % count);
  }
  const rows = rowsWhere(auxiliaryUsed.length, (i) => auxiliaryUsed[i] === 1);
  return {
    features: selectRows(problem.auxiliaryFeatures, rows),
    labels: Int32Array.from(rows, (row) => wrongLabel.get(row) ?? problem.auxiliaryLabels[row]),
    kinds: Array.from(rows, (row) => (wrongLabel.has(row) ? 'confused' : 'clean')),
    auxiliaryUsed,
    madeUp: true,
  };
}

function requireValidationCategories(problem: Problem): number {
  const categories = problem.auxiliaryNames.length;
  if (categories < 2)
    throw new ProblemError(
      'aux_labels',
      undefined,
      `there is ${categories} auxiliary category; validation needs one to play a test category and one to stay`,
      'Add auxiliary categories.',
    );
  return validationCategoryCount(categories, problem.testNames.length);
}

function requireWebPictures(labels: Int32Array, names: readonly string[]): void {
  const empty = rowsByCategory(labels, names.length).findIndex((rows) => rows.length === 0);
  if (empty >= 0)
    throw new ProblemError(
      'validation_web_labels',
      undefined,
      `validation category ${empty} ("${names[empty]}") has no web picture; the first ${names.length} auxiliary categories need some`,
      'Crawl pictures for it, or make up a substitute with syntheticValidationWeb.',
    );
}
