import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shareSplits } from '../../src/evaluation/context.js';
import {
  createLocalExecutor,
  defaultEarlyStopping,
  type FitJob,
  type FitOutcome,
  search,
} from '../../src/evaluation/index.js';
import { sampleParameters } from '../../src/evaluation/sample-parameters.js';
import { findMethod } from '../../src/methods/index.js';
import { generateProblem, type Problem } from '../../src/problem/index.js';
import { temporaryFolder } from '../temporary-folder.js';

const folder = temporaryFolder();

/** Accuracy on the test labels of every setting a search of this many trials draws. */
async function peek(problem: Problem, method: string, trials: number): Promise<Map<string, number>> {
  const source = shareSplits(problem, [{ split: 'test', generalized: false }], 1);
  const executor = await createLocalExecutor({ source, seed: 1, device: 'auto', threads: 1 });
  const found = new Map<string, number>();
  const jobs = Array.from({ length: trials }, (_, trial): FitJob => {
    const parameters = sampleParameters(findMethod(method), 1, trial);
    return { id: `${trial}`, method, parameters, seed: 1, split: 'test', generalized: false };
  });
  await executor.run<FitJob, FitOutcome>(jobs, {
    onResult: (job, outcome) => {
      found.set(JSON.stringify(job.parameters), outcome.meanCategoryAccuracy!);
    },
    onFailure: (_, failure) => {
      throw new Error(failure.message);
    },
  });
  await executor.close();
  return found;
}

/** Problems with some 300 validation pictures: with fewer, luck decides between settings that are nearly equally good. */
const seeds = process.env.BOWERBIRD_LONG ? [1, 2, 3, 4, 5] : [1, 2];

const trials = process.env.BOWERBIRD_LONG ? 40 : 8;

describe('what a search chooses without test labels', () => {
  it('is within a few points of the best setting by test labels, on average over generated problems', async () => {
    let short = 0;
    for (const seed of seeds) short += (await shortfall(seed)) / seeds.length;
    expect(short).toBeLessThanOrEqual(trials > 8 ? 0.02 : 0.04);
  });

  async function shortfall(seed: number): Promise<number> {
    const problem = generateProblem({
      seed,
      auxiliaryCategories: 40,
      testCategories: 20,
      noise: 1.6,
      wrong: 0.5,
      shift: 0.6,
      webPerCategory: 15,
      auxiliaryPerCategory: 25,
    });
    const { chosen } = await search({
      problem,
      folder: join(folder, `${seed}`),
      method: 'paper',
      trials,
      jobs: 1,
      threads: 1,
      earlyStopping: defaultEarlyStopping,
    });
    const peeked = await peek(problem, 'paper', trials);
    const best = Math.max(...peeked.values());
    expect(best).toBeGreaterThan(0.5);
    return best - peeked.get(JSON.stringify(chosen.parameters))!;
  }
});
