import { describe, expect, it } from 'vitest';
import { accuracy } from '../../../src/fit/index.js';
import { createBackend } from '../../../src/linalg/create.js';
import { Random } from '../../../src/linalg/random.js';
import { createMethod, findMethod, type ParameterValue } from '../../../src/methods/index.js';
import type { Problem } from '../../../src/problem/problem.js';
import { selectRows } from '../../../src/problem/rows.js';
import { type NoisyOptions, noisyProblem } from './noisy-problem.js';

// Parameters were chosen on problems of other seeds than those measured here.
const backend = await createBackend({ threads: 1 });
const seeds = [1, 2, 3, 4, 5];
const manySeeds = Array.from({ length: 12 }, (_, k) => k + 1);
type Parameters = Record<string, ParameterValue>;
type Noise = Omit<NoisyOptions, 'seed'>;

async function meanAccuracy(
  name: string,
  parameters: Parameters,
  noise: Noise,
  change: (problem: Problem, seed: number) => Problem = (problem) => problem,
  over: readonly number[] = seeds,
): Promise<number> {
  let sum = 0;
  for (const seed of over) {
    const problem = noisyProblem({ seed, ...noise });
    const method = await createMethod(findMethod(name), parameters).fit(change(problem, seed), { backend });
    sum += accuracy(method.predict(problem.testFeatures), problem.testLabels!) / over.length;
  }
  return sum;
}

/** The best that lr does with any of these ridges, chosen with hindsight. */
async function bestRegression(noise: Noise): Promise<number> {
  let best = 0;
  for (const ridge of [0.5, 10, 30, 100, 400]) best = Math.max(best, await meanAccuracy('lr', { ridge }, noise));
  return best;
}

const machine = { domains: 1, cost: 1, selected: 0.65 };
const cases: [string, Noise, Parameters][] = [
  ['neil', { kind: 'confused', wrong: 0.4 }, { ridge: 10, clusters: 2, keptPictures: 0.6, rounds: 1 }],
  ['bergamo', { kind: 'clusters', wrong: 0.4 }, { cost: 0.01, testCost: 0.1 }],
  ['wsdg', { kind: 'confused', wrong: 0.4 }, { ...machine, bagSize: 6 }],
  // No gain over wsdg is claimed: on these problems the text gives none.
  ['wsdg-pi', { kind: 'confused', wrong: 0.4 }, { ...machine, bagSize: 15, textPenalty: 0.1 }],
  ['sukhbaatar', { kind: 'one-sided', wrong: 0.45, webPerCategory: 250 }, { decay: 0.3, trace: 0.7 }],
  ['xiao', { kind: 'one-sided', wrong: 0.45 }, { decay: 1, firmness: 10, temperature: 0.05, rounds: 8 }],
  ['confident-learning', { kind: 'confused', wrong: 0.4 }, { decay: 5 }],
];

describe.each(cases)('%s', (name, noise, parameters) => {
  it(`beats lr, whatever its ridge, on ${noise.kind} label noise`, async () => {
    expect(await meanAccuracy(name, parameters, noise)).toBeGreaterThan((await bestRegression(noise)) + 0.01);
  });
});

const shuffled = (problem: Problem, seed: number): Problem => ({
  ...problem,
  webText: selectRows(problem.webText!, new Random(seed).permutation(problem.webText!.rows)),
});
const asWritten = (problem: Problem) => problem;
const confusing: Noise = { kind: 'confused', wrong: 0.4 };

describe('svm-plus', () => {
  // No gain over the same machines without text is claimed: on these problems there is none. One slack for all
  // pictures with the same words forbids right but difficult pictures a slack of their own.
  it('depends on its text: accuracy falls when the text is shuffled', async () => {
    const parameters = { cost: 1, positiveWeight: 1, textPenalty: 0.01, sweeps: 200 };
    const told = await meanAccuracy('svm-plus', parameters, confusing, asWritten, manySeeds);
    expect(told).toBeGreaterThan((await meanAccuracy('svm-plus', parameters, confusing, shuffled, manySeeds)) + 0.05);
  });
});
