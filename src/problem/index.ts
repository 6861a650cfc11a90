/** Problems: the type, making, reading, checking and splitting them. */
export { type GenerateOptions, generateProblem } from './generate.js';
export type { WebKind } from './generate-pictures.js';
export { type FeatureScaling, type NormaliseOptions, normalise } from './normalise.js';
export { candidateNames, type Problem, type ValidationWeb } from './problem.js';
export { type TermFrequencies, type TermFrequencyOptions, termFrequencies } from './text.js';
