/** Methods to compare with, under one contract. */
export { findMethod, methods } from './registry.js';
export {
  createMethod,
  type Ingredient,
  type MethodSpec,
  type ParameterSpec,
  type ParameterValue,
  type SearchRange,
} from './spec.js';
