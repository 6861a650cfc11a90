// The learner's suite on the GPU, and its agreement with the CPU.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MemoryError } from '../../src/errors.js';
import { search } from '../../src/evaluation/index.js';
import { PaperLearner } from '../../src/learner/paper-learner.js';
import { createBackend } from '../../src/linalg/create.js';
import type { Matrix } from '../../src/linalg/matrix.js';
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
    await import('./properties.test.js');
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

  it('finds the same parameters with several fits at a time as with one', async () => {
    const problem = generateProblem({ seed: 8, dimensions: 60, webPerCategory: 40 });
    const found = [];
    for (const jobs of [1, 3]) {
      const folder = mkdtempSync(join(tmpdir(), 'bowerbird-cuda-'));
      const { chosen, trials } = await search({ problem, folder, method: 'paper', trials: 9, device: 'cuda', jobs });
      const scores = trials.map((line) => [line.job.id, 'outcome' in line && line.outcome.accuracy]);
      found.push({ parameters: chosen.parameters, scores: scores.sort() });
      rmSync(folder, { recursive: true });
    }
    expect(found[1]).toEqual(found[0]);
  });

  it('leaves the web features on the host when the GPU has no room for them, and says so', async () => {
    const problem = generateProblem({
      seed: 7,
      testCategories: 4,
      dimensions: 1024,
      webPerCategory: 6000,
      text: false,
      validation: false,
    });
    const [cpu, cuda] = [await createBackend(), await createBackend({ device: 'cuda' })];
    const options = { lambda1: 10, lambda2: 0.1, maxIterations: 15 };
    const expected = await new PaperLearner(options).fit(problem, { backend: cpu });
    const taken: Matrix[] = [];
    for (const megabytes of [1024, 64])
      try {
        for (;;) taken.push(cuda.matrix(megabytes, 2 ** 17));
      } catch (error) {
        expect(error).toBeInstanceOf(MemoryError);
      }
    try {
      for (const block of taken.splice(-2)) cuda.release(block);
      const learner = await new PaperLearner(options).fit(problem, { backend: cuda });
      expect(learner.warnings_.join()).toContain('the web features stay on the host');
      expect(learner.predict(problem.testFeatures)).toEqual(expected.predict(problem.testFeatures));
    } finally {
      for (const block of taken) cuda.release(block);
      cuda.dispose();
    }
  });
});
