import { describe, expect, it } from 'vitest';
import { accuracy } from '../../src/fit/index.js';
import { PaperLearner } from '../../src/learner/index.js';
import { shortVectors } from '../../src/learner/nearest.js';
import { Matrix } from '../../src/linalg/index.js';
import { createMethod, findMethod } from '../../src/methods/index.js';
import { generateProblem, type Problem } from '../../src/problem/index.js';
import { backend } from './backend.js';

const problem = generateProblem({ seed: 5, auxiliaryCategories: 14, testCategories: 8, dimensions: 24 });

/** The same categories, whose vectors are of very unequal length. */
function stretched(given: Problem): Problem {
  const scaled = (matrix: Matrix) => {
    const copy = matrix.copy('float64');
    for (let c = 0; c < copy.rows; c++) {
      const row = copy.row(c);
      for (let j = 0; j < row.length; j++) row[j] *= c === 0 ? 0.05 : 2 + (c % 3);
    }
    return copy;
  };
  return {
    ...given,
    auxiliarySemantics: scaled(given.auxiliarySemantics),
    testSemantics: scaled(given.testSemantics),
  };
}

const uneven = stretched(problem);
const parameters = { lambda1: 10, lambda2: 0.1, lambda3: 0.1, lambda4: 0.1, bound: 2 };
const score = (learner: PaperLearner, given: Problem) =>
  accuracy(learner.predict(given.testFeatures), given.testLabels!);

describe('semantic vectors of unequal length', () => {
  it('give the same answers as vectors of one length', async () => {
    const even = await new PaperLearner(parameters).fit(problem, { backend });
    const other = await new PaperLearner(parameters).fit(uneven, { backend });
    expect([...other.predict(uneven.testFeatures)]).toEqual([...even.predict(problem.testFeatures)]);
    expect([...other.predict(uneven.webFeatures)]).toEqual([...even.predict(problem.webFeatures)]);
    expect(other.warnings_).toEqual([]);
  });

  it('as they are given draw the pictures to the short ones, and a warning says why', async () => {
    const raw = await new PaperLearner({ ...parameters, vectors: 'raw' }).fit(uneven, { backend });
    const unit = await new PaperLearner(parameters).fit(uneven, { backend });
    expect(score(unit, uneven)).toBeGreaterThan(score(raw, uneven) + 0.2);
    expect(raw.warnings_.join()).toMatch(/shortest semantic vectors \(lengths vary from .* unit length/);
    expect(raw.warnings_.join()).not.toContain('lambda2');
  });

  it('are compared at unit length by every method of the family, unless raw ones are asked for', async () => {
    for (const name of ['paper', 'paper-pi', 'paper-wsl', 'paper-zsl', 'paper-sim1', 'paper-sim2', 'combo']) {
      const spec = findMethod(name);
      const values = async (given: Problem) => [
        ...(await createMethod(spec).fit(given, { backend })).predict(given.testFeatures),
      ];
      expect(await values(uneven)).toEqual(await values(problem));
    }
    expect(findMethod('paper').parameters.vectors.values).toEqual(['unit', 'raw']);
  });

  it('are named only where they decided', () => {
    const categories = Matrix.from([
      [0.1, 0],
      [0, 2],
      [2, 0],
    ]);
    expect(shortVectors(categories, Int32Array.of(0, 0, 0, 1))).toMatchObject({ categories: 1, share: 0.75 });
    expect(shortVectors(categories, Int32Array.of(0, 1, 2, 1))).toBeUndefined();
    const even = Matrix.from([
      [0, 1],
      [1, 0],
    ]);
    expect(shortVectors(even, Int32Array.of(0, 0, 0))).toBeUndefined();
  });
});

describe('the text of web pictures', () => {
  it('is warned about where the words can explain every error', async () => {
    const wordy: Problem = { ...problem, webText: identity(problem.webFeatures.rows) };
    const learner = await new PaperLearner({ ...parameters, gamma: 1 }).fit(wordy, { backend });
    expect(learner.warnings_.join()).toContain('can explain 100 % of any error');
    const held = await new PaperLearner({ ...parameters, gamma: 1, textRidge: 9 }).fit(wordy, { backend });
    expect(held.warnings_).toEqual([]);
  });
});

function identity(n: number): Matrix {
  const matrix = Matrix.zeros(n, n);
  for (let i = 0; i < n; i++) matrix.set(i, i, 1);
  return matrix;
}
