/**
 * What evaluation leaves behind, as plain JSON values: jobs and their outcomes, and the files of the folders that
 * `compare`, `tune` and `experiment` write. Other parts of the project (report, workspace, studio) read these.
 *
 * A compare folder: `run.json` (RunRecord), `outcomes.jsonl` (a JournalLine as each job ends), `predictions/METHOD-SEED.npy`
 * (int32, one per test picture), `table.json` (CompareTable), `table.csv`, `table.md`.
 * A tune folder: `run.json`, `trials.jsonl` (a JournalLine per trial), `chosen.json` (ChosenParameters).
 * An experiment folder: `run.json`, `outcomes.jsonl`, `experiment.json` (ExperimentResult); where the experiment is one of the
 * paper's tables also the three `table.*` files.
 */
import type { FitMetrics, StrangerScores } from '../fit/index.js';
import type { Ingredient, ParameterValue, PreparationTimes } from '../methods/index.js';

export type Parameters = Readonly<Record<string, ParameterValue>>;

/** A smaller or noisier form of a problem. */
export interface ProblemChange {
  /** At most this many web pictures of each test category: the top-ranked ones, or any. */
  webPerCategory?: number;
  webChoice?: 'random';
  /** This share of the web pictures gets the label of another test category, on top of the noise that is there. */
  wrongLabels?: number;
  /** This share of each category's pictures, in all sets, at least one of each; for the first look at a trial. */
  share?: number;
}

/** One fit of one method, scored. */
export interface FitJob {
  /** Unique within a run: `METHOD/trial-007`, `METHOD/look-007` or `METHOD/seed-1`, after the variant where there is one. */
  id: string;
  method: string;
  parameters: Parameters;
  seed: number;
  /** The problem itself, or the auxiliary categories that play the test categories while parameters are chosen. */
  split: 'test' | 'validation';
  generalized: boolean;
  change?: ProblemChange;
  /** What the outcome shall hold besides the scores. */
  wants?: readonly ('predictions' | 'theta')[];
}

/** What a fit came to. */
export interface FitOutcome extends FitMetrics {
  id: string;
  /** Wall-clock time of the fit and its predictions. */
  seconds: number;
  /** Processor time of the same, where one fit is made at a time: it does not run on while other programs have the cores. */
  processorSeconds?: number;
  /** What fits have in common: seconds it took to make here, and those spared because an earlier fit had made it. */
  preparation?: PreparationTimes;
  /** The trial with the same parameters whose fit this is; it took no time then. */
  repeats?: string;
  iterations?: number;
  converged?: boolean;
  /** Category of each test picture; kept in `predictions/` once it has been written there. */
  predictions?: readonly number[];
  /** Weights of the web pictures. */
  theta?: readonly number[];
}

/** Trials that had the parameters of another one, and the seconds that their fits would have taken. */
export interface RepeatedTrials {
  trials: number;
  seconds: number;
}

/** Why a job failed. `BOWERBIRD_PROBLEM` means that the method cannot work on this problem, which is no defect. */
export interface FitFailure {
  id: string;
  name: string;
  code?: string;
  message: string;
  hint?: string;
}

/** A line of `outcomes.jsonl` or `trials.jsonl`. */
export type JournalLine = { job: FitJob } & ({ outcome: FitOutcome } | { failure: FitFailure });

/** A mean over seeds, the standard deviation between them, and a 95 % bootstrap interval over test pictures. */
export interface Score {
  mean: number;
  /** 0 where there is one seed. */
  deviation: number;
  low: number;
  high: number;
}

/** Two methods on the same test pictures. */
export interface PairedComparison {
  method: string;
  /** Accuracy of the row's method less that of `method`, with a 95 % paired bootstrap interval. */
  difference: number;
  low: number;
  high: number;
  /** Test pictures that only the row's method, and only the other one, got right (first seed of each). */
  wins: number;
  losses: number;
  /** Two-sided McNemar test: exact binomial where fewer than 50 pictures differ, else with continuity correction. */
  mcnemar: number;
  /** Two-sided sign-flip permutation test of the differences per picture, averaged over seeds. */
  permutation: number;
}

export interface CompareRow {
  method: string;
  title: string;
  uses: readonly Ingredient[];
  seeds: readonly number[];
  accuracy: Score;
  meanCategoryAccuracy: Score;
  seen?: Score;
  unseen?: Score;
  harmonic?: Score;
  ausuc?: number;
  thetaArea?: number;
  /** Of the first seed, where some test pictures show no candidate. */
  strangers?: StrangerScores;
  /** Mean accuracy over seeds of each category, by name. */
  categories: Record<string, number>;
  /** Seconds of one fit, mean over seeds. */
  seconds: number;
  /** Seconds of all trials together. */
  searchSeconds: number;
  /** Seconds of its fits that went into what they have in common, and what sharing it spared. */
  preparation?: PreparationTimes;
  /** Trials that needed no fit of their own. */
  repeats?: RepeatedTrials;
  parameters: Parameters;
  /** How the parameters came about: a search, the defaults, or defaults because a search was not possible. */
  chosenBy: 'search' | 'defaults' | 'given';
  /** Why there was no search though one was asked for. */
  note?: string;
  /** Mean per-category accuracy of the chosen parameters on the validation categories. */
  validationAccuracy?: number;
  trials: number;
  failedTrials: number;
  /** Accuracy in per cent that the paper prints for this method on this dataset. */
  paperAccuracy?: number;
  /** Absent in the row of the reference itself. */
  againstReference?: PairedComparison;
  /** Absent in the row of the best method. */
  againstBest?: PairedComparison;
}

/** `table.json` */
export interface CompareTable {
  schema: 'bowerbird-compare-1';
  title: string;
  problem: ProblemRecord;
  setting: 'standard' | 'generalized';
  trials: number;
  seeds: readonly number[];
  seed: number;
  /** The method the others are tested against: `paper` where it took part, else the first. */
  reference: string;
  /** The method with the highest accuracy. */
  best: string;
  paper?: { dataset: string; citation: string; recognisedBy: string };
  rows: readonly CompareRow[];
  /** Methods that cannot work on this problem, and why. */
  skipped: readonly { method: string; reason: string }[];
  /** Jobs that failed though they should have worked. */
  failed: readonly { method: string; job: string; message: string }[];
  /** Names of the candidate categories; predictions are indices into them. */
  categories: readonly string[];
  /** Rows: true category, columns: predicted one; of the best method's first seed. */
  confusion: { method: string; counts: readonly (readonly number[])[] };
}

export interface ProblemRecord {
  /** As given on the command line; absent for a problem in memory. */
  path?: string;
  /** SHA-256 of the contents. */
  hash: string;
  semantics?: string;
  auxiliaryCategories: number;
  testCategories: number;
  auxiliaryPictures: number;
  webPictures: number;
  testPictures: number;
  features: number;
  semanticDimensions: number;
  text: boolean;
}

/** `chosen.json`: what `fit --params` takes. */
export interface ChosenParameters {
  schema: 'bowerbird-parameters-1';
  method: string;
  parameters: Parameters;
  validationAccuracy: number;
  trial: string;
  trials: number;
  failedTrials: number;
  stoppedTrials: number;
  seed: number;
  validation: ValidationRecord;
}

/** What the parameters were chosen on. */
export interface ValidationRecord {
  kind: 'web' | 'synthetic';
  /** Where `kind` is synthetic: the share of wrong labels. */
  noise?: number;
  categories: number;
  webPictures: number;
  testPictures: number;
}

/** `run.json` of the three folders. Equal configuration and inputs mean that a run may be resumed. */
export interface RunRecord {
  schema: 'bowerbird-run-1';
  command: 'compare' | 'tune' | 'experiment';
  configuration: Record<string, unknown>;
  /** Hash of the problem, seed, and which validation pictures; a folder is continued where these agree. */
  inputs: { problem: string; seed: number; validation: number | 'web' };
  versions: Record<string, string>;
  backend?: { device: string; description: string; threads: number };
  jobs: number;
  started: string;
  finished?: string;
  seconds?: number;
  /** Over all fits: seconds that went into what they have in common, and what sharing it spared. */
  preparation?: PreparationTimes;
  /** Trials that needed no fit of their own, of all methods. */
  repeats?: RepeatedTrials;
}

/** A point of a plot: x, the value, and its interval where one is known. */
export interface SeriesPoint {
  x: number;
  y: number;
  low?: number;
  high?: number;
}

export interface Series {
  /** Method, or method and parameter, for the legend. */
  name: string;
  points: readonly SeriesPoint[];
  /** An x to mark, such as the chosen value of a parameter. */
  mark?: number;
}

/** One plot of an experiment. */
export interface ExperimentPlot {
  title: string;
  x: { label: string; scale: 'linear' | 'log' };
  y: { label: string };
  series: readonly Series[];
}

/** A plain table of an experiment, with a value per column. */
export interface ExperimentTable {
  title: string;
  columns: readonly string[];
  rows: readonly (readonly (string | number | null)[])[];
}

/** `experiment.json` */
export interface ExperimentResult {
  schema: 'bowerbird-experiment-1';
  name: string;
  title: string;
  description: string;
  problem: ProblemRecord;
  seed: number;
  /** The parameters each method was fitted with, where they do not vary. */
  parameters: Readonly<Record<string, Parameters>>;
  plots: readonly ExperimentPlot[];
  tables: readonly ExperimentTable[];
  skipped: readonly { method: string; reason: string }[];
  failed: readonly { method: string; job: string; message: string }[];
  /** Where the experiment is one of the paper's tables. */
  compare?: CompareTable;
}
