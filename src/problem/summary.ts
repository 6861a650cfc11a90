/** A problem in numbers: what is in each set, for `bowerbird inspect` and for reports. */
import { candidateNames, type Problem } from './problem.js';

export interface SetSummary {
  readonly name: 'auxiliary' | 'web' | 'test' | 'validation web';
  readonly pictures: number;
  /** Categories the labels may name; those that occur are counted in `fewest` and `most`. */
  readonly categories: number;
  /** Pictures in the smallest and the largest category; absent where labels are unknown. */
  readonly fewest?: number;
  readonly most?: number;
  /** How often each kind of web picture occurs, where it is known. */
  readonly kinds?: Readonly<Record<string, number>>;
}

export interface ProblemSummary {
  readonly features: number;
  readonly semanticDimensions: number;
  readonly generalized: boolean;
  readonly sets: readonly SetSummary[];
  /** Words counted for each web picture. */
  readonly textDimensions?: number;
  readonly webTexts: boolean;
  /** Web pictures that a person vouched for, where there are such marks. */
  readonly webVouched?: number;
  readonly auxiliaryNames: readonly string[];
  readonly testNames: readonly string[];
}

export function summarize(problem: Problem): ProblemSummary {
  const { validationWeb: web } = problem;
  const countA = problem.auxiliaryNames.length;
  const countT = problem.testNames.length;
  const candidates = candidateNames(problem).length;
  const sets: SetSummary[] = [
    summarizeSet('auxiliary', problem.auxiliaryFeatures.rows, countA, problem.auxiliaryLabels),
    summarizeSet('web', problem.webFeatures.rows, countT, problem.webLabels, problem.webKinds),
    summarizeSet('test', problem.testFeatures.rows, candidates, problem.testLabels),
  ];
  if (web)
    sets.push(summarizeSet('validation web', web.features.rows, new Set(web.labels).size, web.labels, web.kinds));
  return {
    features: problem.auxiliaryFeatures.cols,
    semanticDimensions: problem.auxiliarySemantics.cols,
    generalized: problem.generalized,
    sets,
    textDimensions: problem.webText?.cols,
    webTexts: problem.webTexts !== undefined,
    webVouched: problem.webVouched?.reduce((sum, mark) => sum + mark, 0),
    auxiliaryNames: problem.auxiliaryNames,
    testNames: problem.testNames,
  };
}

function summarizeSet(
  name: SetSummary['name'],
  pictures: number,
  categories: number,
  labels?: Int32Array,
  kinds?: readonly string[],
): SetSummary {
  const counts = new Map<number, number>();
  for (const label of labels ?? []) if (label >= 0) counts.set(label, (counts.get(label) ?? 0) + 1);
  const sizes = [...counts.values()];
  const missing = sizes.length < categories;
  return {
    name,
    pictures,
    categories,
    ...(sizes.length > 0 && {
      fewest: missing ? 0 : sizes.reduce((a, b) => Math.min(a, b)),
      most: sizes.reduce((a, b) => Math.max(a, b)),
    }),
    ...(kinds && { kinds: countKinds(kinds) }),
  };
}

function countKinds(kinds: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return Object.fromEntries([...counts].sort((a, b) => b[1] - a[1]));
}
