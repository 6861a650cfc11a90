/** Categories without a semantic vector: a row of zeros, as workspaces write it. */
import { describe, expect, it } from 'vitest';
import { createBackend } from '../../src/linalg/create.js';
import { createMethod, methods } from '../../src/methods/index.js';
import { generalize } from '../../src/problem/generalize.js';
import { generateProblem } from '../../src/problem/generate.js';
import type { Problem } from '../../src/problem/problem.js';

const backend = await createBackend({ threads: 1 });
/** Quick settings of methods that train for long. */
const short: Readonly<Record<string, Record<string, number>>> = { 'se-gzsl': { steps: 20, hidden: 16 } };

function withoutVectors(problem: Problem): Problem {
  const [auxiliarySemantics, testSemantics] = [problem.auxiliarySemantics.copy(), problem.testSemantics.copy()];
  auxiliarySemantics.row(2).fill(0);
  testSemantics.row(1).fill(0);
  return { ...problem, auxiliarySemantics, testSemantics };
}

describe('a category without a vector', () => {
  const semantic = methods.filter(({ uses }) => uses.includes('semantics'));

  it.each(semantic.map((spec) => [spec.name, spec] as const))('leaves %s with finite scores', async (name, spec) => {
    const space = name === 'clip' ? { dimensions: 12, semanticDimensions: 12 } : {};
    const standard = withoutVectors(
      generateProblem({ seed: 4, auxiliaryCategories: 8, testCategories: 4, auxiliaryPerCategory: 6, ...space }),
    );
    const problem = spec.setting === 'generalized' ? generalize(standard, 2) : standard;
    const method = await createMethod(spec, short[name] ?? {}, 5).fit(problem, { backend });
    expect(method.decisionValues(problem.testFeatures).data.every(Number.isFinite)).toBe(true);
  });
});
