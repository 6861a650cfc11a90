/**
 * Smaller problems out of a larger one: chosen rows of each set, chosen categories, a number of web pictures per
 * category. Features are shared with the original where the chosen rows lie next to each other.
 */
import { ArgumentError } from '../errors.js';
import { Random } from '../linalg/index.js';
import type { Problem, ValidationWeb } from './problem.js';
import { rowsWhere, selectIntegers, selectRows, selectStrings } from './rows.js';

/** The problem with only these auxiliary pictures, in this order. */
export function keepAuxiliary(problem: Problem, rows: Int32Array): Problem {
  const used = problem.validationWeb?.auxiliaryUsed;
  return {
    ...problem,
    auxiliaryFeatures: selectRows(problem.auxiliaryFeatures, rows),
    auxiliaryLabels: selectIntegers(problem.auxiliaryLabels, rows),
    ...(used && { validationWeb: { ...problem.validationWeb!, auxiliaryUsed: selectIntegers(used, rows) } }),
  };
}

/** The problem with only these web pictures, in this order. */
export function keepWeb(problem: Problem, rows: Int32Array): Problem {
  return {
    ...problem,
    webFeatures: selectRows(problem.webFeatures, rows),
    webLabels: selectIntegers(problem.webLabels, rows),
    ...(problem.webText && { webText: selectRows(problem.webText, rows) }),
    ...(problem.webTexts && { webTexts: selectStrings(problem.webTexts, rows) }),
    ...(problem.webKinds && { webKinds: selectStrings(problem.webKinds, rows) }),
    ...(problem.webVouched && { webVouched: selectIntegers(problem.webVouched, rows) }),
  };
}

/** The problem with only these test pictures, in this order. */
export function keepTest(problem: Problem, rows: Int32Array): Problem {
  return {
    ...problem,
    testFeatures: selectRows(problem.testFeatures, rows),
    ...(problem.testLabels && { testLabels: selectIntegers(problem.testLabels, rows) }),
    ...(problem.testKnown && { testKnown: selectIntegers(problem.testKnown, rows) }),
  };
}

/** Only these validation web pictures; `auxiliaryUsed` speaks of auxiliary pictures and stays. */
export function keepValidationWeb(web: ValidationWeb, rows: Int32Array): ValidationWeb {
  return {
    ...web,
    features: selectRows(web.features, rows),
    labels: selectIntegers(web.labels, rows),
    ...(web.text && { text: selectRows(web.text, rows) }),
    ...(web.texts && { texts: selectStrings(web.texts, rows) }),
    ...(web.kinds && { kinds: selectStrings(web.kinds, rows) }),
  };
}

export interface CategoryChoice {
  /** Auxiliary categories to keep, by index or name, in the order they shall have. @default all */
  auxiliary?: readonly (number | string)[];
  /** Test categories to keep. @default all */
  test?: readonly (number | string)[];
}

/**
 * The problem restricted to some categories, relabelled in the order given. Pictures of other categories are left
 * out; test pictures whose label is unknown, and those of no category, stay.
 */
export function restrictToCategories(problem: Problem, choice: CategoryChoice): Problem {
  const auxiliary = chooseCategories('auxiliary', problem.auxiliaryNames, choice.auxiliary);
  const test = chooseCategories('test', problem.testNames, choice.test);
  const auxiliaryLabel = newLabels(problem.auxiliaryNames.length, auxiliary);
  const testLabel = newLabels(problem.testNames.length, test);
  const anyLabel = Int32Array.from([...testLabel, ...auxiliaryLabel.map((l) => (l < 0 ? l : l + test.length))]);
  const { auxiliaryLabels, webLabels, testLabels, validationWeb } = problem;
  let kept = keepAuxiliary(
    problem,
    rowsWhere(auxiliaryLabels.length, (i) => auxiliaryLabel[auxiliaryLabels[i]] >= 0),
  );
  kept = keepWeb(
    kept,
    rowsWhere(webLabels.length, (i) => testLabel[webLabels[i]] >= 0),
  );
  if (testLabels)
    kept = keepTest(
      kept,
      rowsWhere(testLabels.length, (i) => testLabels[i] < 0 || anyLabel[testLabels[i]] >= 0),
    );
  const webRows =
    validationWeb && rowsWhere(validationWeb.labels.length, (i) => auxiliaryLabel[validationWeb.labels[i]] >= 0);
  const web = webRows && webRows.length > 0 ? keepValidationWeb(kept.validationWeb!, webRows) : undefined;
  return {
    ...kept,
    auxiliaryLabels: kept.auxiliaryLabels.map((label) => auxiliaryLabel[label]),
    auxiliarySemantics: selectRows(problem.auxiliarySemantics, auxiliary),
    auxiliaryNames: selectStrings(problem.auxiliaryNames, auxiliary),
    webLabels: kept.webLabels.map((label) => testLabel[label]),
    ...(kept.testLabels && { testLabels: kept.testLabels.map((label) => anyLabel[label] ?? -1) }),
    ...(kept.testKnown && { testKnown: kept.testKnown.map((label) => (label < 0 ? label : anyLabel[label])) }),
    testSemantics: selectRows(problem.testSemantics, test),
    testNames: selectStrings(problem.testNames, test),
    ...(problem.testShares && { testShares: someShares(problem.testShares, anyLabel) }),
    validationWeb: web && { ...web, labels: web.labels.map((label) => auxiliaryLabel[label]) },
  };
}

/** Those of the categories that are left, in their new order. */
function someShares(shares: Float64Array, newLabel: Int32Array): Float64Array | undefined {
  const left = newLabel.subarray(0, shares.length).filter((label) => label >= 0);
  const kept = new Float64Array(left.length);
  for (let c = 0; c < shares.length; c++) if (newLabel[c] >= 0) kept[newLabel[c]] = shares[c];
  const total = kept.reduce((sum, share) => sum + share, 0);
  return total > 0 ? kept.map((share) => share / total) : undefined;
}

/**
 * The first `perCategory` web pictures of each category: the top-ranked ones, where a category's pictures stand in the order
 * in which searches gave them, as they do in the problems of workspaces.
 */
export function topWeb(problem: Problem, perCategory: number): Problem {
  requireCount('topWeb', perCategory);
  const rows = rowsByCategory(problem.webLabels, problem.testNames.length);
  return keepWeb(problem, Int32Array.from(rows.flatMap((own) => own.slice(0, perCategory))).sort());
}

/**
 * At most `perCategory` web pictures of each category, chosen at random, in their old order. For one seed the choice
 * for a smaller number is part of the choice for a larger one.
 */
export function subsetWeb(problem: Problem, perCategory: number, seed: number): Problem {
  requireCount('subsetWeb', perCategory);
  const kept: number[] = [];
  for (const [category, rows] of rowsByCategory(problem.webLabels, problem.testNames.length).entries()) {
    const chosen = new Random(seed, category).choice(rows.length, Math.min(perCategory, rows.length));
    for (const position of chosen) kept.push(rows[position]);
  }
  return keepWeb(problem, Int32Array.from(kept).sort());
}

function requireCount(caller: string, perCategory: number): void {
  if (!Number.isSafeInteger(perCategory) || perCategory < 1)
    throw new ArgumentError(`${caller}: perCategory is ${perCategory}; it must be a whole number of at least 1`);
}

/** For each category the rows that bear its label, ascending; −1 is no category. */
export function rowsByCategory(labels: Int32Array, categories: number): number[][] {
  const rows: number[][] = Array.from({ length: categories }, () => []);
  for (let i = 0; i < labels.length; i++) if (labels[i] >= 0) rows[labels[i]].push(i);
  return rows;
}

function chooseCategories(which: string, names: readonly string[], wanted?: readonly (number | string)[]): number[] {
  const chosen = (wanted ?? names.map((_, c) => c)).map((category) => {
    const index = typeof category === 'number' ? category : names.indexOf(category);
    if (!Number.isInteger(index) || index < 0 || index >= names.length)
      throw new ArgumentError(
        `restrictToCategories: there is no ${which} category ${JSON.stringify(category)}`,
        `The ${which} categories are 0…${names.length - 1}: ${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}.`,
      );
    return index;
  });
  if (new Set(chosen).size < chosen.length)
    throw new ArgumentError(`restrictToCategories: a ${which} category is named twice`);
  if (chosen.length === 0)
    throw new ArgumentError(`restrictToCategories: no ${which} category is left`, 'Keep at least one.');
  return chosen;
}

/** The new label of each old one, −1 for those that were not chosen. */
function newLabels(count: number, chosen: number[]): Int32Array {
  const labels = new Int32Array(count).fill(-1);
  chosen.forEach((category, label) => {
    labels[category] = label;
  });
  return labels;
}
