/** θ against the known truth: the curve of detecting right pictures, weights by kind, and the extreme pictures. */
import { rocArea, rocCurve } from '../../fit/index.js';
import type { Problem } from '../../problem/index.js';
import type { ExperimentPlot, ExperimentTable, FitJob } from '../results.js';
import type { FittedMethod } from './run-experiment.js';

export function weightJobs(plain: readonly FitJob[]): FitJob[] {
  return plain.slice(0, 1).map((job) => ({ ...job, id: `${job.method}/weights/seed-${job.seed}`, wants: ['theta'] }));
}

interface Weighted {
  method: string;
  theta: readonly number[];
}

/** Pictures shown at either end of the order by weight. */
const shownPictures = 5;

export function weightResults(
  fitted: readonly FittedMethod[],
  problem: Problem,
): { plots: ExperimentPlot[]; tables: ExperimentTable[] } {
  const weighted = fitted.flatMap(({ method, fits }): Weighted[] => {
    const { theta } = fits[0].outcome;
    return theta ? [{ method, theta }] : [];
  });
  const truth = problem.webKinds;
  return {
    plots: [distribution(weighted), ...(truth ? [detection(weighted, truth)] : [])],
    tables: [...(truth ? [byKind(weighted, truth)] : []), ...weighted.map((each) => extremes(each, problem))],
  };
}

/** The weights in descending order against their rank, as a share of all pictures. */
function distribution(weighted: readonly Weighted[]): ExperimentPlot {
  return {
    title: 'Weights in descending order',
    x: { label: 'share of the web pictures', scale: 'linear' },
    y: { label: 'weight θ' },
    series: weighted.map(({ method, theta }) => {
      const sorted = [...theta].sort((a, b) => b - a);
      const last = sorted.length - 1;
      const points = Array.from({ length: Math.min(sorted.length, 101) }, (_, k, of = Math.min(last, 100)) => {
        const x = of === 0 ? 0 : k / of;
        return { x, y: sorted[Math.round(x * last)] };
      });
      return { name: method, points };
    }),
  };
}

function detection(weighted: readonly Weighted[], kinds: readonly string[]): ExperimentPlot {
  const clean = kinds.map((kind) => kind === 'clean');
  return {
    title: 'Right web pictures found by their weight',
    x: { label: 'share of wrong pictures above the threshold', scale: 'linear' },
    y: { label: 'share of right pictures above the threshold' },
    series: weighted.map(({ method, theta }) => ({
      name: `${method} (area ${rocArea(theta, clean).toFixed(3)})`,
      points: thinned(rocCurve(theta, clean), 200),
    })),
  };
}

function byKind(weighted: readonly Weighted[], kinds: readonly string[]): ExperimentTable {
  const names = [...new Set(kinds)].sort();
  return {
    title: 'Mean weight by kind of web picture',
    columns: [
      'method',
      ...names.map((name) => `${name} (${kinds.filter((kind) => kind === name).length})`),
      'ROC area',
    ],
    rows: weighted.map(({ method, theta }) => [
      method,
      ...names.map((name) => {
        const own = theta.filter((_, i) => kinds[i] === name);
        return rounded(own.reduce((sum, weight) => sum + weight, 0) / own.length);
      }),
      rounded(
        rocArea(
          theta,
          kinds.map((kind) => kind === 'clean'),
        ),
      ),
    ]),
  };
}

function extremes({ method, theta }: Weighted, problem: Problem): ExperimentTable {
  const weights = theta.map(rounded);
  const order = weights.map((_, i) => i).sort((i, j) => weights[j] - weights[i] || i - j);
  const high = firstOf(order, weights);
  const low = firstOf(
    order.reverse().filter((i) => !high.includes(i)),
    weights,
  );
  return {
    title: `Highest and lowest weights: ${method}`,
    columns: ['web picture', 'category', 'weight', 'pictures of this weight', 'truth', 'text'],
    rows: [...high, ...low.reverse()].map((i) => [
      i,
      problem.testNames[problem.webLabels[i]],
      weights[i],
      weights.filter((weight) => weight === weights[i]).length,
      problem.webKinds?.[i] ?? null,
      problem.webTexts?.[i] ?? null,
    ]),
  };
}

/** The first pictures of an order by weight; of more that have the same weight, some that lie evenly among them. */
function firstOf(order: readonly number[], weights: readonly number[]): number[] {
  const chosen: number[] = [];
  while (chosen.length < Math.min(shownPictures, order.length)) {
    const equal = order.filter((i) => weights[i] === weights[order[chosen.length]]);
    const wanted = Math.min(shownPictures - chosen.length, equal.length);
    for (let k = 0; k < wanted; k++) chosen.push(equal[Math.floor(((k + 0.5) * equal.length) / wanted)]);
  }
  return chosen;
}

/** At most `count` points, first and last among them. */
function thinned<T>(points: readonly T[], count: number): T[] {
  if (points.length <= count) return [...points];
  return Array.from({ length: count }, (_, k) => points[Math.round((k * (points.length - 1)) / (count - 1))]);
}

function rounded(value: number): number {
  return Math.round(1000 * value) / 1000;
}
