// The learner's suite on the GPU, and its agreement with the CPU.
import { describe, expect, it } from 'vitest';
import { PaperLearner } from '../../src/learner/paper-learner.js';
import { createBackend } from '../../src/linalg/create.js';
import { generateProblem } from '../../src/problem/generate.js';
import { gpu } from '../linalg/gpu.js';

describe.skipIf(!gpu)('on cuda (needs an NVIDIA GPU)', async () => {
  if (gpu) {
    process.env.BOWERBIRD_TEST_DEVICE = 'cuda';
    await import('./agreement.test.js');
    await import('./updates.test.js');
    await import('./resume.test.js');
    await import('./noise.test.js');
    await import('./paper-learner.test.js');
  }

  it('finds the answer of the CPU', async () => {
    const problem = generateProblem({
      seed: 6,
      testCategories: 10,
      dimensions: 200,
      webPerCategory: 50,
      testPerCategory: 40,
    });
    const fits = await Promise.all(
      (['auto', 'cuda'] as const).map(async (device) =>
        new PaperLearner({ lambda1: 10, lambda2: 0.1 }).fit(problem, { backend: await createBackend({ device }) }),
      ),
    );
    expect(fits[1].predict(problem.testFeatures)).toEqual(fits[0].predict(problem.testFeatures));
    fits[1].semantics_.data.forEach((value, i) => {
      expect(Math.abs(value - fits[0].semantics_.data[i])).toBeLessThan(1e-7);
    });
  });
});
