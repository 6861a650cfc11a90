/** Fits: one function that makes them, one result, one folder, one model. */
export { accuracy, categoryAccuracies, confusionMatrix, meanCategoryAccuracy, rocArea, rocCurve } from './accuracy.js';
export { answerTable, writeAnswers } from './answer-file.js';
export { type Answer, type Answers, answerRows, answersOf, noneOfThese, verdict } from './answers.js';
export { chancesOf, confidences, type Reliability, reliability, type Sharpness } from './calibration.js';
export {
  type AccuracyEstimate,
  type AnsweredQuestion,
  type Drawn,
  drawCheck,
  estimateAccuracy,
  wilson,
} from './estimate.js';
export { type AnswerOptions, type FitSettings, type FittedAnswers, fit, fitAnswers, type MethodChoice } from './fit.js';
export {
  copyFit,
  fitOutputs,
  looksLikeFit,
  readAnswers,
  readFit,
  readFitMetrics,
  readFitRecord,
  readModel,
  readSemantics,
  readStrangerGroups,
  readTrace,
  readWeights,
  readWeightValues,
  recordIn,
  writeFit,
} from './folder.js';
export { seenUnseenArea } from './generalized-scores.js';
export { type AccuracyIntervals, accuracyIntervals, type Interval } from './intervals.js';
export { type FitMetrics, fitMetrics, type StrangerScores } from './metrics.js';
export { loadModel, saveModel } from './model-file.js';
export type { FitRecord, FitResult, StrangerGroup, WeightedPicture } from './result.js';
export { classifyFeatures, type LinearScorer, type Model, scorePictures } from './scorer.js';
