/** The problem of experiments that are given none: generated, with known truth, hard enough for methods to differ. */
import { type GenerateOptions, generateProblem, type Problem } from '../../problem/index.js';

const options: GenerateOptions = {
  auxiliaryCategories: 30,
  testCategories: 12,
  dimensions: 64,
  semanticDimensions: 20,
  auxiliaryPerCategory: 20,
  webPerCategory: 20,
  testPerCategory: 25,
  wrong: 0.5,
  noise: 1.8,
  offset: 0.5,
  shift: 0.8,
};

export function builtInProblem(seed: number): Problem {
  return generateProblem({ ...options, seed });
}
