/** Accuracy as one thing varies: a parameter, the number of web pictures, the share of wrong labels. */
import type { Problem } from '../../problem/index.js';
import { rowsByCategory, rowsWhere } from '../../problem/index.js';
import type { ExperimentPlot, FitJob, Series, SeriesPoint } from '../results.js';
import { Bootstrap } from '../statistics/bootstrap.js';
import type { Sweep } from './definitions.js';
import type { FittedMethod } from './run-experiment.js';

/** One value of one thing that varies. */
interface Step {
  /** In the job's name, `lambda1=0.01`. */
  axis: string;
  value: number;
  change(job: FitJob): FitJob;
}

export function sweepJobs(sweep: Sweep, plain: readonly FitJob[], problem: Problem, webChoice?: 'random'): FitJob[] {
  return plain.flatMap((job) =>
    stepsOf(sweep, job, problem, webChoice).map(({ axis, value, change }) => ({
      ...change(job),
      id: `${job.method}/${axis}=${value}/seed-${job.seed}`,
      wants: ['predictions'],
    })),
  );
}

function stepsOf(sweep: Sweep, job: FitJob, problem: Problem, webChoice: 'random' | undefined): Step[] {
  if (sweep.over === 'parameters')
    return Object.entries(sweep.values)
      .filter(([name]) => name in job.parameters)
      .flatMap(([axis, values]) =>
        values.map((value) => ({
          axis,
          value,
          change: (of: FitJob) => ({ ...of, parameters: { ...of.parameters, [axis]: value } }),
        })),
      );
  if (sweep.over === 'wrongLabels')
    return sweep.shares.map((value) => ({
      axis: sweep.over,
      value,
      change: (of) => ({ ...of, change: { wrongLabels: value } }),
    }));
  const most = Math.max(...rowsByCategory(problem.webLabels, problem.testNames.length).map((rows) => rows.length));
  const counts = sweep.shares.map((share) => Math.max(1, Math.round(share * most)));
  return [...new Set(counts)].map((value) => ({
    axis: sweep.over,
    value,
    change: (of) => ({ ...of, change: { webPerCategory: value, ...(webChoice && { webChoice }) } }),
  }));
}

const axisLabels: Readonly<Record<string, string>> = {
  webPerCategory: 'web pictures per category',
  wrongLabels: 'share of web pictures given a wrong label',
  lambda1: 'λ1, closeness to the auxiliary dictionary',
  lambda2: 'λ2, weight of the nuclear norm',
  lambda3: 'λ3, weight of the mean discrepancy',
  lambda4: "λ4, weight of the web pictures' errors",
  bound: 'b, largest weight of a web picture',
};

/** One plot per thing that varies, one series per method; accuracies in per cent with 95 % bootstrap intervals. */
export function sweepPlots(
  sweep: Sweep,
  fitted: readonly FittedMethod[],
  problem: Problem,
  seed: number,
): ExperimentPlot[] {
  // Pictures that show no category have no right answer.
  const rows = rowsWhere(problem.testLabels!.length, (i) => problem.testLabels![i] >= 0);
  const bootstrap = new Bootstrap(rows.length, { seed });
  const axes = sweep.over === 'parameters' ? Object.keys(sweep.values) : [sweep.over];
  return axes.flatMap((axis) => {
    const series = fitted.flatMap((each) => seriesOf(axis, each, problem.testLabels!, rows, bootstrap));
    if (series.length === 0) return [];
    const logarithmic = sweep.over === 'parameters' && axis !== 'bound';
    return [
      {
        title: axisLabels[axis] ?? axis,
        x: { label: axisLabels[axis] ?? axis, scale: logarithmic ? ('log' as const) : ('linear' as const) },
        y: { label: 'accuracy (%)' },
        series,
      },
    ];
  });
}

function seriesOf(
  axis: string,
  { method, parameters, fits }: FittedMethod,
  labels: Int32Array,
  rows: Int32Array,
  bootstrap: Bootstrap,
): Series[] {
  const values = new Map<number, Float64Array[]>();
  for (const { job, outcome } of fits) {
    const [name, value] = job.id.split('/')[1].split('=');
    if (name !== axis) continue;
    const right = Float64Array.from(rows, (i) => (outcome.predictions![i] === labels[i] ? 1 : 0));
    values.set(Number(value), [...(values.get(Number(value)) ?? []), right]);
  }
  if (values.size === 0) return [];
  const points = [...values].map(([x, each]): SeriesPoint => {
    const mean = each[0].map((_, i) => each.reduce((sum, right) => sum + right[i], 0) / each.length);
    const { low, high } = bootstrap.ofMean(mean);
    const y = mean.reduce((sum, value) => sum + value, 0) / mean.length;
    return { x, y: 100 * y, low: 100 * low, high: 100 * high };
  });
  const chosen = parameters[axis];
  return [
    {
      name: method,
      points: points.sort((a, b) => a.x - b.x),
      ...(typeof chosen === 'number' && { mark: chosen }),
    },
  ];
}
