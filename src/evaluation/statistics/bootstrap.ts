/**
 * Bootstrap intervals over test pictures (Efron 1979, percentile form). All methods of a comparison share one set of
 * resamples, so that differences between them are paired.
 */
import { ArgumentError } from '../../errors.js';
import { Random } from '../../linalg/index.js';

export interface Interval {
  low: number;
  high: number;
}

export interface BootstrapOptions {
  seed: number;
  /** @default 1000 */
  resamples?: number;
  /** @default 0.95 */
  level?: number;
}

/** Resamples of pictures: how often each picture occurs in each. */
export class Bootstrap {
  readonly pictures: number;
  readonly resamples: number;
  readonly level: number;
  readonly #counts: Uint16Array[];

  /** Draws pictures with replacement; within each group (category) where groups are given, so that none runs empty. */
  constructor(pictures: number, options: BootstrapOptions, groups?: Int32Array) {
    const { seed, resamples = 1000, level = 0.95 } = options;
    if (!(level > 0 && level < 1))
      throw new ArgumentError(`Bootstrap: level is ${level}; it must lie between 0 and 1, both excluded`);
    this.pictures = pictures;
    this.resamples = resamples;
    this.level = level;
    const members = groups ? membersOf(groups) : [Array.from({ length: pictures }, (_, i) => i)];
    this.#counts = Array.from({ length: resamples }, (_, sample) => {
      const random = new Random(seed, sample);
      const counts = new Uint16Array(pictures);
      for (const rows of members) for (let k = 0; k < rows.length; k++) counts[rows[random.integer(rows.length)]]++;
      return counts;
    });
  }

  /** Σᵢ weightᵢ valueᵢ in each resample, where a picture that was drawn k times counts k times. */
  sums(values: ArrayLike<number>, weights: ArrayLike<number>): Float64Array {
    return Float64Array.from(this.#counts, (counts) => {
      let sum = 0;
      for (let i = 0; i < counts.length; i++) sum += counts[i] * weights[i] * values[i];
      return sum;
    });
  }

  /** The middle part of a statistic's values over the resamples. */
  interval(samples: Float64Array): Interval {
    const tail = (1 - this.level) / 2;
    return quantiles(samples, tail, 1 - tail);
  }

  /** Interval of the mean. */
  ofMean(values: ArrayLike<number>): Interval {
    return this.interval(this.sums(values, new Float64Array(this.pictures).fill(1 / this.pictures)));
  }
}

/**
 * Weights with which the sum over pictures is the mean over the categories of the mean within each; only over the categories
 * for which `counts` holds, where it is given.
 */
export function categoryWeights(labels: Int32Array, counts: (label: number) => boolean = () => true): Float64Array {
  const members = membersOf(labels).filter((rows) => counts(labels[rows[0]]));
  const weights = new Float64Array(labels.length);
  for (const rows of members) for (const row of rows) weights[row] = 1 / (rows.length * members.length);
  return weights;
}

function membersOf(groups: Int32Array): number[][] {
  const members: number[][] = [];
  groups.forEach((group, row) => {
    members[group] ??= [];
    members[group].push(row);
  });
  return members.filter((rows) => rows !== undefined);
}

/** Linear between order statistics. */
function quantiles(values: Float64Array, low: number, high: number): Interval {
  const sorted = values.slice().sort();
  const at = (share: number) => {
    const position = share * (sorted.length - 1);
    const below = Math.floor(position);
    const above = Math.min(sorted.length - 1, below + 1);
    return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
  };
  return { low: at(low), high: at(high) };
}
