import { describe, expect, it } from 'vitest';
import { PaperLearner } from '../../src/learner/paper-learner.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { Random } from '../../src/linalg/random.js';
import { generateProblem } from '../../src/problem/generate.js';
import { backend } from './backend.js';

// 60-dimensional vectors of 18 categories: 42 dimensions hold nothing but rounding noise.
const problem = generateProblem({ seed: 4, semanticDimensions: 60, dimensions: 40 });
const order = new Random(1).permutation(problem.testFeatures.rows);
const shuffled = { ...problem, testFeatures: Matrix.from([...order].map((i) => problem.testFeatures.row(i))) };

/** How much the semantic vectors change when the test pictures are merely listed in another order. */
async function dependenceOnOrder(space: 'span' | 'full', lambda1: number): Promise<number> {
  const options = { lambda1, lambda2: 0.1, lambda3: 1, lambda4: 0.2, bound: 2, space };
  const a = await new PaperLearner(options).fit(problem, { backend });
  const b = await new PaperLearner(options).fit(shuffled, { backend });
  let gap = 0;
  order.forEach((row, i) => {
    a.semantics_.row(row).forEach((value, j) => {
      gap = Math.max(gap, Math.abs(value - b.semantics_.at(i, j)));
    });
  });
  return gap;
}

describe('why the semantic span is the default', () => {
  it.each([0.01, 0.1, 1])(
    'with λ1 = %d the printed iteration returns rounding noise, the span does not',
    async (lambda1) => {
      expect(await dependenceOnOrder('full', lambda1)).toBeGreaterThan(1e-4);
      expect(await dependenceOnOrder('span', lambda1)).toBeLessThan(1e-10);
    },
  );

  it('with a large λ1 both agree', async () => {
    expect(await dependenceOnOrder('full', 10)).toBeLessThan(1e-10);
    const options = { lambda1: 10, lambda2: 0.1, lambda3: 1, lambda4: 0.2, bound: 2 };
    const span = await new PaperLearner(options).fit(problem, { backend });
    const full = await new PaperLearner({ ...options, space: 'full' }).fit(problem, { backend });
    span.semantics_.data.forEach((value, i) => {
      expect(Math.abs(value - full.semantics_.data[i])).toBeLessThan(1e-9);
    });
  });
});
