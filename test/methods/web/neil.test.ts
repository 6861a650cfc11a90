import { describe, expect, it } from 'vitest';
import { createBackend } from '../../../src/linalg/create.js';
import { LinearRegression } from '../../../src/methods/web/lr.js';
import { Neil } from '../../../src/methods/web/neil.js';
import { selectIntegers, selectRows } from '../../../src/problem/rows.js';
import '../../allclose.js';
import { noisyProblem } from './noisy-problem.js';

const backend = await createBackend({ threads: 1 });
const problem = noisyProblem({ seed: 6, kind: 'random', wrong: 0.4 });

describe('NEIL', () => {
  it('trusts as many pictures of every category as it was told to', async () => {
    const { trusted_ } = await new Neil({ keptPictures: 0.6 }).fit(problem, { backend });
    const counts = new Int32Array(6);
    for (const row of trusted_!) counts[problem.webLabels[row]]++;
    expect([...counts]).toEqual(new Array(6).fill(36));
    expect(new Set(trusted_).size).toBe(6 * 36);
  });

  it('trusts right pictures rather than wrong ones', async () => {
    const { trusted_ } = await new Neil({ keptPictures: 0.6 }).fit(problem, { backend });
    const right = trusted_!.filter((row) => problem.webKinds![row] === 'clean').length / trusted_!.length;
    expect(right).toBeGreaterThan(0.75);
  });

  it('ends in the exact regression on the trusted pictures', async () => {
    const neil = await new Neil({ ridge: 2 }).fit(problem, { backend });
    const trusted = {
      ...problem,
      webFeatures: selectRows(problem.webFeatures, neil.trusted_!),
      webLabels: selectIntegers(problem.webLabels, neil.trusted_!),
    };
    const { model_ } = await new LinearRegression({ ridge: 2 }).fit(trusted, { backend });
    expect(neil.model_!.weights).toBeAllClose(model_!.weights, { tolerance: 1e-10 });
  });

  it('is lr when everything is trusted', async () => {
    const neil = await new Neil({ keptPictures: 1, ridge: 2 }).fit(problem, { backend });
    const { model_ } = await new LinearRegression({ ridge: 2 }).fit(problem, { backend });
    expect(neil.model_!.weights).toBeAllClose(model_!.weights, { tolerance: 1e-10 });
  });
});
