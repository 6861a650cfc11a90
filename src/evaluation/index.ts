/** Scores of predictions and weights. */
export { accuracy, categoryAccuracies, meanCategoryAccuracy, rocArea } from './metrics.js';
