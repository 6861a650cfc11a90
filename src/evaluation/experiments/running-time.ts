/** The table of running times: seconds of one fit on one thread, and what it reached. */
import type { Problem } from '../../problem/index.js';
import { type PaperDataset, paperSeconds, recognizeDataset } from '../paper-figures.js';
import type { ExperimentTable } from '../results.js';
import type { FittedMethod } from './run-experiment.js';

export function runningTimes(
  fitted: readonly FittedMethod[],
  problem: Problem,
  paper: PaperDataset | undefined,
): ExperimentTable {
  const isCub = (paper ?? recognizeDataset(problem)?.dataset) === 'cub';
  return {
    title: 'Seconds of one fit on one thread',
    columns: ['method', 'seconds', 'iterations', 'accuracy (%)', ...(isCub ? ['seconds in the paper'] : [])],
    rows: fitted.map(({ method, fits }) => {
      const mean = (of: (fit: (typeof fits)[number]) => number | undefined) =>
        fits.reduce((sum, fit) => sum + (of(fit) ?? Number.NaN), 0) / fits.length;
      const iterations = mean(({ outcome }) => outcome.iterations);
      return [
        method,
        rounded(mean(({ outcome }) => outcome.seconds)),
        Number.isNaN(iterations) ? null : iterations,
        rounded(100 * mean(({ outcome }) => outcome.accuracy)),
        ...(isCub ? [paperSeconds[method] ?? null] : []),
      ];
    }),
  };
}

function rounded(value: number): number {
  return Math.round(100 * value) / 100;
}
