/** Fits: one function that makes them, one result, one folder, one model. */
export { accuracy, categoryAccuracies, confusionMatrix, meanCategoryAccuracy, rocArea, rocCurve } from './accuracy.js';
export { type Answer, type Answers, answerRows, answersOf } from './answers.js';
export { chancesOf, confidences, type Reliability, reliability, type Sharpness } from './calibration.js';
export { type AnswerOptions, type FitSettings, type FittedAnswers, fit, fitAnswers, type MethodChoice } from './fit.js';
export {
  answerTable,
  copyFit,
  fitOutputs,
  looksLikeFit,
  readAnswers,
  readFit,
  readFitMetrics,
  readFitRecord,
  readModel,
  readSemantics,
  readTrace,
  readWeights,
  readWeightValues,
  recordIn,
  writeAnswers,
  writeFit,
} from './folder.js';
export { seenUnseenArea } from './generalized-scores.js';
export { type FitMetrics, fitMetrics } from './metrics.js';
export type { FitRecord, FitResult, WeightedPicture } from './result.js';
export { classifyFeatures, type LinearScorer, loadModel, type Model, saveModel, scorePictures } from './scorer.js';
