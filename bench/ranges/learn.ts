/**
 * What trials of one method on several problems teach, by rules that are the same for all methods. The regret of a setting is
 * how far it stays below the best setting of its problem, averaged over the problems. The learnt range of a parameter is the declared one,
 * widened to hold every setting within a point of the least regret; the best default is the setting with the least of all.
 */
import type { JournalLine, Parameters } from '../../src/evaluation/index.js';
import type { LearntRange, MethodSpec, ParameterValue, SearchRange } from '../../src/methods/index.js';

/** A setting that was tried on every problem. */
export interface Setting {
  trial: number;
  parameters: Parameters;
  /** Mean per-category accuracy in percent, by problem. */
  accuracies: number[];
  /** In points. */
  regret: number;
}

export interface Learnt {
  method: string;
  problems: string[];
  settings: Setting[];
  /** Of trial 0, which is the defaults. */
  defaultRegret: number;
  best: Setting;
  ranges: Record<string, LearntRange>;
}

/** Settings that are as good as the best but for so many points are worth looking at. */
const nearlyBest = 1;

/**
 * @param spec as declared, not as it was drawn from
 * @param runs the lines of each problem's journal; trials that failed have an accuracy of 0
 */
export function learn(spec: MethodSpec, runs: ReadonlyMap<string, readonly JournalLine[]>): Learnt | undefined {
  const problems = [...runs.keys()].filter((name) => trialsOf(spec, runs.get(name)!).size > 0);
  const found = problems.map((name) => trialsOf(spec, runs.get(name)!));
  if (found.length === 0) return undefined;
  const common = [...found[0].keys()].filter((trial) => found.every((each) => each.has(trial))).sort((a, b) => a - b);
  const settings = common.map((trial): Setting => {
    const lines = found.map((each) => each.get(trial)!);
    return { trial, parameters: lines[0].job.parameters, accuracies: lines.map(accuracyOf), regret: 0 };
  });
  if (settings[0]?.trial !== 0) return undefined;
  const tops = problems.map((_, p) => Math.max(...settings.map(({ accuracies }) => accuracies[p])));
  for (const setting of settings) setting.regret = mean(setting.accuracies.map((accuracy, p) => tops[p] - accuracy));
  const ranked = [...settings].sort((a, b) => a.regret - b.regret || a.trial - b.trial);
  const good = ranked.filter(({ regret }) => regret <= ranked[0].regret + nearlyBest);
  return {
    method: spec.name,
    problems,
    settings,
    defaultRegret: settings[0].regret,
    best: ranked[0],
    ranges: Object.fromEntries(
      Object.entries(spec.parameters).flatMap(([name, { range }]) => {
        const wider =
          range &&
          widened(
            range,
            good.map(({ parameters }) => parameters[name]),
          );
        return wider ? [[name, wider]] : [];
      }),
    ),
  };
}

/** The range with these values in it, its new ends rounded outwards to two digits; undefined where it holds them already. */
function widened(range: SearchRange, values: readonly ParameterValue[]): LearntRange | undefined {
  if (range.kind === 'choice') return undefined;
  const { low, high } = range;
  const numbers = (values as number[]).filter((value) => range.kind !== 'log' || value > 0);
  const [least, most] = [Math.min(low, ...numbers), Math.max(high, ...numbers)];
  if (least === low && most === high) return undefined;
  if (range.kind === 'integer') return [least, most];
  return [least < low ? twoDigits(least, Math.floor) : low, most > high ? twoDigits(most, Math.ceil) : high];
}

function twoDigits(value: number, round: (value: number) => number): number {
  if (value === 0) return 0;
  const unit = 10 ** (Math.floor(Math.log10(Math.abs(value))) - 1);
  return Number((round(Number((value / unit).toPrecision(6))) * unit).toPrecision(2));
}

/**
 * The best accuracy to expect after the defaults and `trials − 1` of the other settings in random order, averaged over problems:
 * the k-th best of n others is the best of m of them with the chance C(n − k, m − 1)/C(n, m).
 */
export function expectedBest(settings: readonly Setting[], trials: number): number {
  const [first, ...others] = settings;
  const m = Math.min(trials - 1, others.length);
  return mean(
    first.accuracies.map((own, p) => {
      if (m === 0) return own;
      const sorted = others.map(({ accuracies }) => accuracies[p]).sort((a, b) => b - a);
      let chance = m / sorted.length;
      let sum = 0;
      for (let k = 0; k + m <= sorted.length; k++) {
        sum += chance * Math.max(own, sorted[k]);
        chance *= (sorted.length - k - m) / (sorted.length - k - 1 || 1);
      }
      return sum;
    }),
  );
}

/** The fewest trials after which no more than `within` points are to be gained by all that were made. */
export function saturation(settings: readonly Setting[], within = 0.5): number {
  const all = expectedBest(settings, settings.length);
  let trials = 1;
  while (expectedBest(settings, trials) < all - within) trials++;
  return trials;
}

function trialsOf(spec: MethodSpec, lines: readonly JournalLine[]): Map<number, JournalLine> {
  const own = lines.filter(({ job }) => job.method === spec.name && job.id.startsWith(`${spec.name}/trial-`));
  return new Map(own.map((line) => [Number(line.job.id.slice(-3)), line]));
}

function accuracyOf(line: JournalLine): number {
  return 'outcome' in line ? 100 * (line.outcome.meanCategoryAccuracy ?? 0) : 0;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
