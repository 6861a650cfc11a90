import { describe, expect, it } from 'vitest';
import type { SpecialCase } from '../../src/learner/options.js';
import { specialCases } from '../../src/learner/options.js';
import { PaperLearner } from '../../src/learner/paper-learner.js';
import { generateProblem } from '../../src/problem/generate.js';
import { backend } from './backend.js';
import { asColumns, rowsOf } from './columns.js';
import { literalFit } from './literal.js';
import { largest, subtract, transpose } from './plain.js';

const problem = generateProblem({
  seed: 3,
  auxiliaryCategories: 8,
  testCategories: 4,
  dimensions: 16,
  semanticDimensions: 9,
  auxiliaryPerCategory: 8,
  webPerCategory: 9,
  testPerCategory: 7,
});

// λ1 large enough that the printed iteration does not blow up rounding noise (see noise.test.ts).
const common = { lambda1: 10, lambda3: 2, lambda4: 0.3, bound: 2 };

describe.each(['paper', 'paper-wsl', 'paper-zsl', 'paper-sim1', 'paper-sim2'] as SpecialCase[])('%s', (special) => {
  it.each([
    ['without text', 0, 0],
    ['with text', 0.7, 0],
    ['with text and a ridge', 0.7, 0.5],
  ])('agrees with the algorithm as printed, %s', async (_, gamma, textRidge) => {
    const parameters = { ...common, lambda2: special === 'paper-wsl' ? 0.05 : 0.5 };
    const options = { ...parameters, gamma, textRidge, ...specialCases[special] };
    const literal = literalFit(asColumns(problem, gamma > 0), { useWeb: true, ...options, maxIterations: 400 });
    const learner = await new PaperLearner({ ...parameters, gamma, textRidge, special, vectors: 'raw' }).fit(problem, {
      backend,
    });
    expect(learner.converged_).toBe(true);
    expect(learner.trace_.length).toBe(literal.iterations);
    expect(largest(subtract(rowsOf(learner.semantics_), transpose(literal.a)))).toBeLessThan(1e-9);
    expect(largest(subtract(rowsOf(learner.dictionary_), literal.d))).toBeLessThan(1e-9);
    const last = learner.trace_.at(-1)!;
    for (const [term, value] of Object.entries(literal.terms))
      expect(last[term as keyof typeof literal.terms], term).toBeCloseTo(value, 7);
    if (special !== 'paper-zsl')
      literal.theta.forEach((value, i) => {
        expect(Math.abs(value - learner.webWeights_[i])).toBeLessThan(1e-8);
      });
  });
});
