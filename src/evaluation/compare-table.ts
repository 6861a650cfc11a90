/** The table of a comparison: scores with intervals, and tests of each method against the reference and against the best. */
import { confusionMatrix } from '../fit/index.js';
import type { Problem } from '../problem/index.js';
import { candidateNames, rowsWhere, selectIntegers } from '../problem/index.js';
import type { MethodRun } from './method-run.js';
import { type PaperDataset, paperAccuracy, paperCitation } from './paper-figures.js';
import type {
  CompareRow,
  CompareTable,
  FitJob,
  FitOutcome,
  PairedComparison,
  ProblemRecord,
  Score,
} from './results.js';
import { Bootstrap, categoryWeights } from './statistics/bootstrap.js';
import { mcnemar, permutationTest } from './statistics/paired.js';

/** A method with at least one final fit that succeeded. */
export interface MethodResult {
  run: MethodRun;
  outcomes: readonly { job: FitJob; outcome: FitOutcome }[];
}

export interface TableInput {
  title: string;
  /** The problem of the final fits, with labels. */
  problem: Problem;
  record: ProblemRecord;
  trials: number;
  seeds: readonly number[];
  seed: number;
  paper?: { dataset: PaperDataset; recognisedBy: string };
  skipped: CompareTable['skipped'];
  failed: CompareTable['failed'];
}

export function buildTable(results: readonly MethodResult[], input: TableInput): CompareTable {
  const { problem, paper, seed } = input;
  const listed = listedPictures(problem);
  const scorer = new Scorer(problem, listed, seed);
  const scored = results.map((result) => ({
    result,
    right: correctness(result, listed),
    row: scorer.row(result, paper),
  }));
  const highest = scored.reduce<(typeof scored)[number] | undefined>(
    (best, each) => (best && best.row.accuracy.mean >= each.row.accuracy.mean ? best : each),
    undefined,
  );
  const reference = scored.find(({ row }) => row.method === 'paper') ?? scored[0];
  const rows = scored.map(({ row, right }) => ({
    ...row,
    ...(reference.row !== row && { againstReference: scorer.compare(right, reference.row.method, reference.right) }),
    ...(highest!.row !== row && { againstBest: scorer.compare(right, highest!.row.method, highest!.right) }),
  }));
  const names = candidateNames(problem);
  const bestPredictions = highest && listed.of(highest.result.outcomes[0].outcome);
  return {
    schema: 'bowerbird-compare-1',
    title: input.title,
    problem: input.record,
    setting: problem.generalized ? 'generalized' : 'standard',
    trials: input.trials,
    seeds: input.seeds,
    seed,
    reference: reference?.row.method ?? '',
    best: highest?.row.method ?? '',
    ...(paper && { paper: { ...paper, citation: paperCitation } }),
    rows,
    skipped: input.skipped,
    failed: input.failed,
    categories: names,
    confusion: {
      method: highest?.row.method ?? '',
      counts: bestPredictions
        ? confusionMatrix(bestPredictions, listed.labels, names.length).map((counts) => Array.from(counts))
        : [],
    },
  };
}

/** The pictures that show a candidate: categories are scored on these alone. */
interface ListedPictures {
  labels: Int32Array;
  /** Predictions for them. */
  of(outcome: FitOutcome): Int32Array;
}

function listedPictures({ testLabels }: Problem): ListedPictures {
  const rows = rowsWhere(testLabels!.length, (i) => testLabels![i] >= 0);
  return {
    labels: selectIntegers(testLabels!, rows),
    of: ({ predictions }) => selectIntegers(Int32Array.from(predictions!), rows),
  };
}

/** Right (1) or wrong (0) for each picture: of the first seed, and the mean over seeds. */
interface Correctness {
  first: boolean[];
  mean: Float64Array;
}

function correctness({ outcomes }: MethodResult, { labels, of }: ListedPictures): Correctness {
  const mean = new Float64Array(labels.length);
  const answers = outcomes.map(({ outcome }) => of(outcome));
  for (const predictions of answers)
    predictions.forEach((category, i) => {
      if (category === labels[i]) mean[i] += 1 / outcomes.length;
    });
  return { first: Array.from(labels, (label, i) => answers[0][i] === label), mean };
}

/** Resamples are drawn once and serve all methods. */
class Scorer {
  readonly #problem: Problem;
  readonly #listed: ListedPictures;
  readonly #seed: number;
  readonly #overall: Bootstrap;
  readonly #within: Bootstrap;
  readonly #weights: Record<'all' | 'seen' | 'unseen', Float64Array>;

  constructor(problem: Problem, listed: ListedPictures, seed: number) {
    const { labels } = listed;
    const unseen = problem.testNames.length;
    this.#problem = problem;
    this.#listed = listed;
    this.#seed = seed;
    this.#overall = new Bootstrap(labels.length, { seed });
    this.#within = new Bootstrap(labels.length, { seed }, labels);
    this.#weights = {
      all: categoryWeights(labels),
      unseen: categoryWeights(labels, (label) => label < unseen),
      seen: categoryWeights(labels, (label) => label >= unseen),
    };
  }

  row(result: MethodResult, paper: TableInput['paper']): CompareRow {
    const { run, outcomes } = result;
    const { spec } = run;
    const { generalized } = this.#problem;
    const { mean } = correctness(result, this.#listed);
    const score = (
      key: 'accuracy' | 'meanCategoryAccuracy' | 'seen' | 'unseen' | 'harmonic',
      interval: Interval,
    ): Score => ({ ...moments(outcomes.map(({ outcome }) => outcome[key]!)), ...interval });
    const category = (key: 'all' | 'seen' | 'unseen') => this.#within.sums(mean, this.#weights[key]);
    const printed = paper && paperAccuracy(paper.dataset, spec.name, generalized);
    const ausuc = outcomes[0].outcome.ausuc;
    const { thetaArea, strangers } = outcomes[0].outcome;
    return {
      method: spec.name,
      title: spec.title,
      uses: spec.uses,
      seeds: outcomes.map(({ job }) => job.seed),
      accuracy: score('accuracy', this.#overall.ofMean(mean)),
      meanCategoryAccuracy: score('meanCategoryAccuracy', this.#within.interval(category('all'))),
      ...(generalized && {
        seen: score('seen', this.#within.interval(category('seen'))),
        unseen: score('unseen', this.#within.interval(category('unseen'))),
        harmonic: score('harmonic', this.#within.interval(harmonic(category('seen'), category('unseen')))),
      }),
      ...(ausuc !== undefined && { ausuc }),
      ...(thetaArea !== undefined && { thetaArea }),
      ...(strangers && { strangers }),
      categories: meanCategories(outcomes.map(({ outcome }) => outcome.categories!)),
      seconds: moments(outcomes.map(({ outcome }) => outcome.seconds)).mean,
      searchSeconds: run.searchSeconds,
      ...(run.preparation && { preparation: run.preparation }),
      ...(run.repeats && { repeats: run.repeats }),
      parameters: run.parameters,
      chosenBy: run.chosenBy,
      ...(run.note !== undefined && { note: run.note }),
      ...(run.chosenTrial && { validationAccuracy: run.chosenTrial.validationAccuracy }),
      trials: run.trials.length,
      failedTrials: run.failedTrials,
      ...(printed !== undefined && { paperAccuracy: printed }),
    };
  }

  compare(own: Correctness, method: string, other: Correctness): PairedComparison {
    const differences = own.mean.map((value, i) => value - other.mean[i]);
    const { wins, losses, p } = mcnemar(own.first, other.first);
    return {
      method,
      difference: differences.reduce((sum, value) => sum + value, 0) / differences.length,
      ...this.#overall.ofMean(differences),
      wins,
      losses,
      mcnemar: p,
      permutation: permutationTest(differences, { seed: this.#seed }),
    };
  }
}

type Interval = Pick<Score, 'low' | 'high'>;

/** Mean, and the standard deviation of a sample (n − 1). */
function moments(values: readonly number[]): { mean: number; deviation: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: values.length < 2 ? 0 : Math.sqrt(squares / (values.length - 1)) };
}

function harmonic(seen: Float64Array, unseen: Float64Array): Float64Array {
  return seen.map((s, k) => (s + unseen[k] === 0 ? 0 : (2 * s * unseen[k]) / (s + unseen[k])));
}

function meanCategories(each: readonly Record<string, number>[]): Record<string, number> {
  return Object.fromEntries(
    Object.keys(each[0]).map((name) => [name, moments(each.map((categories) => categories[name])).mean]),
  );
}
