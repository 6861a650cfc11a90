/** The settings of a combination that show what its parts reach alone, and the table of what was found. */
import type { FitJob, Parameters } from '../../src/evaluation/index.js';
import { findMethod } from '../../src/methods/index.js';
import { resolveParameters } from '../../src/parameters.js';
import { type CubProblemName, cubProblemNames, hasText } from '../shared/cub-problems.js';
import { markdownTable } from '../shared/document.js';

/** Whole, first part alone, second part alone, and what else a search tries. */
const averages: readonly Parameters[] = [0.5, 0, 1, 0.25, 0.75].map((share) => ({ share }));
/** Values are standardized, so that ten deviations leave nothing of the other part. */
const besides: readonly Parameters[] = [0, 10, -10].map((balance) => ({ balance }));

const combinations = ['wsl+zsl', 'wsdg-pi+zsl', 'combo', 'wsl+lr', 'wsdg-pi+lr'];

export function combinationJobs(problem: CubProblemName): FitJob[] {
  return combinations.flatMap((method) => jobsOf(method, problem));
}

function jobsOf(method: string, problem: CubProblemName): FitJob[] {
  const spec = findMethod(method);
  if (spec.uses.includes('text') && !hasText(problem)) return [];
  const generalized = spec.setting === 'generalized';
  return (generalized ? besides : averages).map((given) => ({
    id: `${method}/${JSON.stringify(given)}`,
    method,
    parameters: resolveParameters(method, spec.parameters, given),
    seed: 1,
    split: 'validation',
    generalized,
  }));
}

/** A row for each combination and problem; the last columns are what it has over its better part, as it comes and with the best share. */
export function combinationTable(found: ReadonlyMap<CubProblemName, ReadonlyMap<string, number>>): string {
  const rows = combinations.flatMap((method) =>
    cubProblemNames.flatMap((problem) => {
      const accuracies = jobsOf(method, problem).map(({ id }) => found.get(problem)?.get(id));
      if (accuracies.length === 0 || accuracies.some((accuracy) => accuracy === undefined)) return [];
      const [whole, first, second] = accuracies as number[];
      const over = (accuracy: number) => signed(accuracy - Math.max(first, second));
      const searched = accuracies.length > 3 ? over(Math.max(...(accuracies as number[]))) : '–';
      const figures = [whole, first, second].map((accuracy) => accuracy.toFixed(1));
      return [[`\`${method}\``, problem, ...figures, over(whole), searched]];
    }),
  );
  return [
    'Mean per-category accuracy in percent on validation categories, as the combination comes and with one of its parts alone. Command: `npm run bench -- combinations`.',
    markdownTable(
      ['combination', 'problem', 'whole', 'first part', 'second part', 'over the better part', 'with the best share'],
      rows,
    ),
  ].join('\n\n');
}

function signed(points: number): string {
  return `${points < 0 ? '−' : '+'}${Math.abs(points).toFixed(1)}`;
}
