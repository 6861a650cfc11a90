/** How many rounds a folder is described in, and in how many of them the web pictures are looked at. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createBackend } from '../../../src/linalg/create.js';
import { WhitenedSpace } from '../../../src/methods/blocks/whitened-space.js';
import { layGround, place } from '../../../src/methods/bowerbird/ground.js';
import { mostRoundsAgain, settle } from '../../../src/methods/bowerbird/settle.js';
import { BowerbirdSolver } from '../../../src/methods/bowerbird/solver.js';
import { type TestSide, TestState } from '../../../src/methods/bowerbird/test-state.js';
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
    ...{ sharpness: 0.7, tails: 0.4, caution: 1 },
    evidence: { slope: 1, intercept: 0, text: 0 },
  });
  start.learnFromWeb();
  const judge = vi.spyOn(BowerbirdSolver.prototype, 'judgeWeb');
  const update = vi.spyOn(BowerbirdSolver.prototype, 'updateMeans');
  const { state, rounds, converged } = await settle(
    start,
    {
      ...{ pictures: place(space, problem.testFeatures), neighbourWeight: 0 },
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

describe('the way to an answer', async () => {
  const problem = generateProblem({
    ...{ seed: 9, auxiliaryCategories: 8, testCategories: 12, webPerCategory: 4, testPerCategory: 10, dimensions: 24 },
    ...{ text: false, validation: false, noise: 1.5, wrong: 0.4 },
  });
  const space = await WhitenedSpace.learn(problem, backend, { power: 1, shrinkage: 0.1 });
  const ground = layGround(backend, space, problem, { trust: -1, smoothing: 200 });
  const start = new BowerbirdSolver(ground, {
    ...{ sharpness: 0.7, tails: 0.4, caution: 1 },
    evidence: { slope: 1, intercept: 0, text: 0 },
  });
  start.learnFromWeb();
  const side: TestSide = {
    ...{ pictures: place(space, problem.testFeatures), neighbourWeight: 0 },
    ...{ shares: 'unknown', answerWeight: 1, variance: ground.known.within },
  };
  const way = async (most: number, options: { heat?: number; last?: TestState } = {}) => {
    const told: [number, number][] = [];
    const heats: number[] = [];
    const assign = TestState.prototype.assign;
    vi.spyOn(TestState.prototype, 'assign').mockImplementation(function (this: TestState, learning) {
      heats.push(this.heat);
      return assign.call(this, learning);
    });
    const end = await settle(start, side, most, async (rounds, change) => void told.push([rounds, change]), options);
    vi.restoreAllMocks();
    return { ...end, told, heats };
  };

  it('ends where the answers rest or the rounds do, and says so after every round', async () => {
    const { told, rounds, converged, objective, solver, state } = await way(60);
    expect(told.map(([round]) => round)).toEqual(Array.from({ length: rounds }, (_, k) => k + 1));
    const last = told.at(-1)![1];
    expect(last).toBeLessThanOrEqual(1e-3);
    expect(told.at(-2)![1]).toBeGreaterThan(1e-3);
    expect(converged).toBe(true);
    expect(rounds).toBeGreaterThan(describing + 2);
    expect(objective).toHaveLength(rounds - describing + 1);
    expect(objective.at(-1)).toBeCloseTo(solver.webTerms() + state.terms(), 9);
    objective.slice(1).forEach((value, k) => {
      expect(value).toBeGreaterThanOrEqual(objective[k] - 1e-9 * Math.abs(value));
    });
    const short = await way(describing + 1);
    expect(short.rounds).toBe(describing + 1);
    expect(short.converged).toBe(false);
    expect(short.objective).toHaveLength(2);
    expect(await way(0)).toMatchObject({ rounds: 0, converged: false, objective: [] });
    expect((await way(3)).told).toHaveLength(3);
  });

  it('leaves where it started from as it was', async () => {
    const before = { means: start.means.copy(), trust: start.trust.slice() };
    await way(describing);
    expect(start.means).toEqual(before.means);
    expect(start.trust).toEqual(before.trust);
  });

  it('starts with the heat that was asked for, which rises to all of the sharpness', async () => {
    expect(new Set((await way(14)).heats)).toEqual(new Set([1]));
    const { heats } = await way(14, { heat: 0.4 });
    heats.slice(0, describing).forEach((heat, step) => {
      expect(heat).toBeCloseTo(Math.min(1, 0.4 + 0.06 * step), 12);
    });
    expect(heats.slice(describing).every((heat) => heat === 1)).toBe(true);
  });

  it('goes on from the last estimate in two rounds that describe, without another shift', async () => {
    const { state } = await way(40);
    const again = await way(mostRoundsAgain, { last: state, heat: 0.4 });
    expect(again.state.shift).toBe(state.shift);
    expect(again.objective).toHaveLength(again.rounds - 2 + 1);
    expect(new Set(again.heats)).toEqual(new Set([1]));
  });
});
