/** The paper's learner. */
export { Checkpoint } from './checkpoint.js';
export { Combo, comboShare, type FitPart } from './combo.js';
export { distances, type Metric } from './nearest.js';
export { currentName, type LearnerOptions, learnerParameters, type SpecialCase, specialCases } from './options.js';
export { type LearnerFitOptions, type LearnerModel, PaperLearner } from './paper-learner.js';
export { type ResidentOptions, ResidentProblem } from './resident.js';
export { type IterationRecord, traceColumns } from './trace.js';
