/** Methods to compare with, under one contract. */
export { currentName } from '../learner/index.js';
export { keepUnchanged, type PreparationTimes, takePreparationTimes } from './blocks/preparation.js';
export { curveArea, seenUnseenCurve } from './blocks/seen-unseen-curve.js';
export { Bowerbird } from './bowerbird/bowerbird.js';
export { fitLogistic, logisticValues } from './bowerbird/logistic.js';
export type { BowerbirdOptions } from './bowerbird/options.js';
export { partValues } from './parts.js';
export { declaredMethods, findMethod, isShareable, methods, pluginModules, registerMethod } from './registry.js';
export type { LearntRange } from './searched-ranges.js';
export {
  createMethod,
  type Ingredient,
  inSetting,
  type MethodSpec,
  type ParameterSpec,
  type ParameterValue,
  type SearchRange,
} from './spec.js';
