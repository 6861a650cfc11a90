/** How many rounds a folder is described in, and in how many of them the web pictures are looked at. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createBackend } from '../../../src/linalg/create.js';
import { WhitenedSpace } from '../../../src/methods/blocks/whitened-space.js';
import { layGround, place } from '../../../src/methods/bowerbird/ground.js';
import { settle } from '../../../src/methods/bowerbird/settle.js';
import { BowerbirdSolver } from '../../../src/methods/bowerbird/solver.js';
import { TestState } from '../../../src/methods/bowerbird/test-state.js';
import { generateProblem } from '../../../src/problem/generate.js';
import { rowMaxima } from '../../../src/problem/index.js';

const backend = await createBackend({ threads: 1 });
const describing = 12;

async function settled(testCategories: number, dimensions = 6) {
  const problem = generateProblem({
    ...{ seed: 5, auxiliaryCategories: 8, testCategories, webPerCategory: 27, testPerCategory: 2, dimensions },
    ...{ text: false, validation: false },
  });
  const space = await WhitenedSpace.learn(problem, backend, { power: 1, shrinkage: 0.1 });
  const ground = layGround(backend, space, problem, { trust: -1, smoothing: 200 });
  const start = new BowerbirdSolver(ground, {
    ...{ sharpness: 0.7, tails: 0.4 },
    evidence: { slope: 1, intercept: 0, text: 0 },
  });
  start.learnFromWeb();
  const judge = vi.spyOn(BowerbirdSolver.prototype, 'judgeWeb');
  const update = vi.spyOn(BowerbirdSolver.prototype, 'updateMeans');
  const { state, rounds, converged } = await settle(
    start,
    {
      ...{ pictures: place(space, problem.testFeatures), neighbourWeight: 0, generalized: false },
      ...{ shares: 'equal', answerWeight: 1, variance: ground.known.within },
    },
    describing,
    async () => {},
  );
  return {
    rounds,
    converged,
    start,
    looks: judge.mock.calls.length,
    updates: update.mock.calls.length,
    answers: rowMaxima(state.decisions()),
  };
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('web pictures while a folder is described', () => {
  it('are looked at in every round where they are few', async () => {
    const { start, looks, updates } = await settled(20);
    expect(start.manyWeb).toBe(false);
    expect([looks, updates]).toEqual([describing, describing]);
  });

  it('are looked at less often where they are many and rest, while the means follow in every round; answers agree', async () => {
    const { start, looks, updates, answers } = await settled(200);
    expect(start.manyWeb).toBe(true);
    expect(updates).toBe(describing);
    expect(looks).toBeLessThan(describing);
    // In the first round, in every third, and in the last.
    expect(looks).toBeGreaterThanOrEqual(5);
    vi.restoreAllMocks();
    vi.spyOn(BowerbirdSolver.prototype, 'manyWeb', 'get').mockReturnValue(false);
    const always = await settled(200);
    expect(always.looks).toBe(describing);
    const same = answers.filter((answer, j) => answer === always.answers[j]).length;
    expect(same / answers.length).toBeGreaterThan(0.98);
  });
});

describe('a folder that rests', () => {
  it('is described in fewer rounds where it is large, the last of which looks at the web pictures; answers agree', async () => {
    const always = await settled(10, 40);
    expect(always.rounds).toBe(describing);
    vi.restoreAllMocks();
    vi.spyOn(TestState.prototype, 'large', 'get').mockReturnValue(true);
    const shift = vi.spyOn(TestState.prototype, 'updateShift');
    const large = await settled(10, 40);
    expect(large.rounds).toBeLessThan(describing);
    expect(large.converged).toBe(true);
    expect(large.looks).toBe(large.rounds);
    expect(shift).toHaveBeenCalledTimes(1);
    const same = large.answers.filter((answer, j) => answer === always.answers[j]).length;
    expect(same / large.answers.length).toBeGreaterThan(0.98);
  });
});
