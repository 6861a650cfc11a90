/** Formulas for pictures that come later, and folders of which nothing is rehearsed. */
import { describe, expect, it } from 'vitest';
import { createBackend } from '../../../src/linalg/create.js';
import { Random } from '../../../src/linalg/random.js';
import { WhitenedSpace } from '../../../src/methods/blocks/whitened-space.js';
import { findStrangers } from '../../../src/methods/bowerbird/folder-strangers.js';
import { layGround, place } from '../../../src/methods/bowerbird/ground.js';
import { linearFormula, strangerFormula } from '../../../src/methods/bowerbird/linear-formula.js';
import { Neighbours } from '../../../src/methods/bowerbird/neighbours.js';
import { folderSureness, waysToSettle } from '../../../src/methods/bowerbird/rehearsal.js';
import { BowerbirdSolver } from '../../../src/methods/bowerbird/solver.js';
import {
  lonelyRows,
  type StrangerModel,
  strangerRatios,
  teachDetector,
} from '../../../src/methods/bowerbird/strangers.js';
import type { TestSide } from '../../../src/methods/bowerbird/test-state.js';
import { strangerSigns } from '../../../src/numerics/index.js';
import { generateProblem } from '../../../src/problem/generate.js';
import { unanswered } from '../../../src/problem/index.js';

const backend = await createBackend({ threads: 1 });
const problem = generateProblem({ seed: 6, auxiliaryCategories: 5, testCategories: 3, dimensions: 6, scaling: 'l2' });
const space = await WhitenedSpace.learn(problem, backend, { power: 1, shrinkage: 0.1 });
const ground = layGround(backend, space, problem, { trust: 0, smoothing: 200 });
const solver = new BowerbirdSolver(ground, {
  sharpness: 0.7,
  tails: 1,
  caution: 1,
  evidence: { slope: 1, intercept: 0, text: 0 },
});
solver.learnFromWeb();
const pictures = place(space, problem.testFeatures);
const random = new Random(3);
const dot = (a: ArrayLike<number>, b: ArrayLike<number>) => Array.from(a).reduce((sum, x, k) => sum + x * b[k], 0);

describe('a formula in the features', () => {
  it('is that of distances in the whitened space', () => {
    const { means } = solver;
    const offsets = random.normalArray(means.rows);
    const shift = random.normalArray(means.cols);
    const formulas = [
      { ...linearFormula(space, means, 1.3), byHand: () => 0 },
      {
        ...linearFormula(space, means, 1.3, { offsets, shift }),
        byHand: (c: number) => offsets[c] - 1.3 * dot(means.row(c), shift),
      },
    ];
    for (const { weights, intercepts, byHand } of formulas)
      for (let j = 0; j < 10; j++)
        for (let c = 0; c < means.rows; c++) {
          const mean = means.row(c);
          const expected = 1.3 * (dot(pictures.rows.row(j), mean) - dot(mean, mean) / 2) + byHand(c);
          expect(dot(problem.testFeatures.row(j), weights.row(c)) + intercepts[c]).toBeCloseTo(expected, 8);
        }
  });

  it('tells strangers as their scores in the whitened space do, at the odds of the folder', () => {
    const variance = 0.6;
    const rows = lonelyRows(solver, pictures, variance);
    const strange = Float64Array.from({ length: rows.rows }, () => Number(random.uniform() < 0.4));
    const model = { lonely: teachDetector([{ rows, strange }]) } as unknown as StrangerModel;
    const odds = -0.8;
    const formula = strangerFormula({ solver, variance, model, odds });
    expect(formula.candidates).toBe(3);
    const ratios = strangerRatios(model.lonely, rows);
    for (let j = 0; j < 10; j++) {
      const x = problem.testFeatures.row(j);
      const scores = Array.from(formula.bias, (intercept, c) => {
        const column = Array.from(x, (_, k) => formula.weights.at(k, c));
        return dot(x, column) + intercept;
      });
      const signs = strangerSigns(scores.slice(0, 3), scores.slice(3));
      expect(scores).toHaveLength(8);
      expect(dot(signs, formula.coefficients) + formula.intercept).toBeCloseTo(ratios[j] + odds, 8);
    }
  });
});

describe('strangers where nothing is rehearsed', () => {
  it('are those that people named, and no others', () => {
    const few = place(space, problem.testFeatures.view(0, 3));
    const neighbours = new Neighbours(backend, few, 1);
    const side = { pictures: few, known: Int32Array.of(-1, unanswered, 2) } as unknown as TestSide;
    const { unlisted, share, weights } = findStrangers(side, undefined, neighbours, undefined);
    expect([...unlisted]).toEqual([1, 0, 0]);
    expect([...weights]).toEqual([0, 1, 1]);
    expect(share).toBe(0);
    const unasked = findStrangers({ ...side, known: undefined }, undefined, neighbours, undefined);
    expect([...unasked.weights]).toEqual([1, 1, 1]);
  });
});

describe('how sure answers may be', () => {
  const sureness = { factor: 0.6, doubt: 0.1 };
  const leads = Float64Array.of(8, 8, 100);
  const factor = (lead: number, unlisted = Float64Array.of(0, 0.4, 0.9)) =>
    folderSureness({ sharpness: 1, heat: 1, sureness, lead }, leads, unlisted).factor;

  it('goes three quarters of the way to what pictures that are no strangers lead by', () => {
    expect(factor(8)).toBeCloseTo(0.6, 12);
    expect(factor(16)).toBeCloseTo(0.6 * 2 ** 0.75, 12);
    expect(factor(4)).toBeCloseTo(0.6 / 2 ** 0.75, 12);
    // Of the third alone.
    expect(factor(50, Float64Array.of(0.5, 0.9, 0))).toBeCloseTo(0.6 / 2 ** 0.75, 12);
  });

  it('changes by no more than a half or two and a half', () => {
    expect(factor(0)).toBeCloseTo(0.3, 12);
    expect(factor(1e6)).toBeCloseTo(1.5, 12);
    // All are strangers: nothing to compare with.
    expect(factor(8, Float64Array.of(1, 1, 1))).toBeCloseTo(1.5, 12);
    expect(folderSureness({ sharpness: 1, heat: 1, sureness, lead: 8 }, leads, new Float64Array(3)).doubt).toBe(0.1);
  });
});

describe('the ways to settle a folder', () => {
  const heats = (...given: Parameters<typeof waysToSettle>) => waysToSettle(...given).map(({ heat }) => heat);

  it('are three where shares may differ, of which rehearsals choose', () => {
    expect(heats('unknown', 0.06)).toEqual([1, 0.6, 0.4]);
    expect(heats('unknown', 3)).toEqual([1, 0.6, 0.4]);
  });

  it('are one where very few categories occur, where shares hardly differ, and where they are stated', () => {
    expect(heats('unknown', 0.02)).toEqual([0.4]);
    expect(heats('unknown', 1e4)).toEqual([1]);
    expect(heats('equal', 1e4)).toEqual([1]);
    expect(heats(Float64Array.of(0.9, 0.1), 0.1)).toEqual([1]);
  });
});
