/** Scores of predictions and weights, searches for parameters, comparisons of methods, experiments. */
export { accuracy, categoryAccuracies, meanCategoryAccuracy, rocArea } from './metrics.js';
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
