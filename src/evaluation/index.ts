/** Scores of predictions and weights, searches for parameters, comparisons of methods, experiments. */
export { type CompareOptions, compare } from './compare.js';
export {
  type EvaluationContext,
  type ProblemSource,
  type Split,
  shareSplits,
  type ValidationChoice,
  withValidation,
} from './context.js';
export type { EvaluationSetting } from './evaluation-run.js';
export { builtInProblem } from './experiments/built-in.js';
export { type Experiment, type ExperimentName, experimentNames, experiments } from './experiments/definitions.js';
export { type ExperimentOptions, runExperiment } from './experiments/run-experiment.js';
export { createLocalExecutor } from './local-executor.js';
export { chooseMethods, type GroupName, impliesGeneralized, methodGroups } from './method-groups.js';
export type { EarlyStopping } from './method-run.js';
export { type PaperDataset, paperDatasets } from './paper-figures.js';
export type {
  ChosenParameters,
  CompareRow,
  CompareTable,
  ExperimentPlot,
  ExperimentResult,
  ExperimentTable,
  FitFailure,
  FitJob,
  FitOutcome,
  JournalLine,
  PairedComparison,
  Parameters,
  ProblemChange,
  ProblemRecord,
  RunRecord,
  Score,
  Series,
  SeriesPoint,
  ValidationRecord,
} from './results.js';
export { searchable } from './sample-parameters.js';
export { defaultEarlyStopping, type SearchOptions, type SearchResult, search } from './search.js';
export { Bootstrap, type BootstrapOptions, categoryWeights, type Interval } from './statistics/bootstrap.js';
export { type McNemar, mcnemar, mcnemarP, type PermutationOptions, permutationTest } from './statistics/paired.js';
export { describeParameters, pValue, tableCells } from './table-files.js';
