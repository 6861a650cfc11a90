import { describe, expect, it } from 'vitest';
import { createBackend } from '../../../src/linalg/create.js';
import type { Matrix } from '../../../src/linalg/matrix.js';
import { WhitenedSpace } from '../../../src/methods/blocks/whitened-space.js';
import { layGround, place } from '../../../src/methods/bowerbird/ground.js';
import { Neighbours } from '../../../src/methods/bowerbird/neighbours.js';
import { endsOfEach, reachOf } from '../../../src/methods/bowerbird/reach.js';
import { BowerbirdSolver } from '../../../src/methods/bowerbird/solver.js';
import { generateProblem } from '../../../src/problem/generate.js';
import { asBlocks } from '../streamed-rows.js';

const backend = await createBackend({ threads: 1 });
const made = { auxiliaryCategories: 5, testCategories: 3, webPerCategory: 14, testPerCategory: 9, dimensions: 6 };
const problem = generateProblem({ seed: 5, ...made });
const space = await WhitenedSpace.learn(problem, backend, { power: 1, shrinkage: 0.1 });
const ground = layGround(backend, space, problem, { trust: 0, smoothing: 200 });
const options = { sharpness: 0.7, tails: 1, caution: 1, evidence: { slope: 1, intercept: 0, text: 0 } };
const solver = new BowerbirdSolver(ground, options);
solver.learnFromWeb();

const rowsOf = (matrix: Matrix) => Array.from({ length: matrix.rows }, (_, i) => [...matrix.row(i)]);
const dot = (a: number[], b: number[]) => a.reduce((sum, value, k) => sum + value * b[k], 0);
const cosine = (a: number[], b: number[]) => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));

/** The equations of the walk solved for all pictures together, by elimination. */
function solved(pictures: number[][], web: number[][], trust: number[], k: number): number[] {
  const n = pictures.length;
  const system = pictures.map((x, j) => {
    const near = [
      ...web.map((other, i) => ({ cosine: cosine(x, other), ends: trust[i], other: -1 })),
      ...pictures.flatMap((other, i) => (i === j ? [] : [{ cosine: cosine(x, other), ends: 0, other: i }])),
    ]
      .sort((a, b) => b.cosine - a.cosine)
      .slice(0, k)
      .map((each) => ({ ...each, weight: Math.max(0, each.cosine) ** 3 }));
    const total = near.reduce((sum, { weight }) => sum + weight, 0) || 1;
    const row = pictures.map((_, i) => (i === j ? 1 : 0));
    for (const { other, weight } of near) if (other >= 0) row[other] -= (0.8 * weight) / total;
    return [...row, near.reduce((sum, { ends, weight }) => sum + (0.8 * weight * ends) / total, 0)];
  });
  for (let p = 0; p < n; p++)
    for (let i = 0; i < n; i++) {
      if (i === p) continue;
      const factor = system[i][p] / system[p][p];
      for (let c = p; c <= n; c++) system[i][c] -= factor * system[p][c];
    }
  return system.map((row, j) => row[n] / row[j]);
}

describe('how easily one comes from a picture to web pictures', () => {
  const pictures = place(space, problem.testFeatures);
  const points = rowsOf(pictures.rows);
  const shifted: number[][] = [];
  ground.web.visit((rows) => {
    for (const row of rowsOf(rows)) shifted.push(row.map((value, k) => value - solver.webShift[k]));
  });
  const trusted = [0, 1, 2].flatMap((label) =>
    [...ground.webLabels.keys()]
      .filter((i) => ground.webLabels[i] === label)
      .sort((a, b) => solver.trust[b] - solver.trust[a])
      .slice(0, 10),
  );

  it.each([
    ['in memory', undefined],
    ['that are read', 5],
  ])('is the part of the walks that end at the trusted ones, from pictures %s', (_, atOnce) => {
    const given = atOnce ? { ...pictures, rows: asBlocks(pictures.rows, atOnce) } : pictures;
    const found = reachOf(solver, given, new Neighbours(backend, given, 4));
    const web = trusted.map((i) => shifted[i]);
    const trust = trusted.map((i) => solver.trust[i]);
    const logs = solved(points, web, trust, 4).map((share) => Math.log(share + 1e-3));
    const ninth = [...logs].sort((a, b) => a - b)[Math.floor(0.9 * (logs.length - 1))];
    expect(points.length).toBeGreaterThan(20);
    // Twenty steps leave out walks of at most 0.8²⁰ = 1.2 %.
    found.forEach((value, j) => {
      expect(Math.abs(value - (logs[j] - ninth))).toBeLessThan(0.03);
    });
    expect(new Set(logs).size).toBeGreaterThan(points.length / 2);
  });

  it('is told by ten web pictures of each category, of many categories by five, of very many by fewer', () => {
    expect([1, 100, 150, 200, 4000, 4001, 7000, 30_000].map(endsOfEach)).toEqual([10, 10, 6, 5, 5, 4, 2, 1]);
  });

  it('is smaller where the web pictures nearby are not trusted', () => {
    const doubting = solver.fork();
    doubting.trust.set(solver.trust);
    const label = problem.testLabels![0];
    ground.webLabels.forEach((own, i) => {
      if (own === label) doubting.trust[i] = 1e-6;
    });
    const neighbours = new Neighbours(backend, pictures, 4);
    const of = (some: BowerbirdSolver) => {
      const reach = reachOf(some, pictures, neighbours);
      const mean = (mine: boolean) => {
        const rows = [...problem.testLabels!.keys()].filter((j) => (problem.testLabels![j] === label) === mine);
        return rows.reduce((sum, j) => sum + reach[j], 0) / rows.length;
      };
      return mean(true) - mean(false);
    };
    expect(of(doubting)).toBeLessThan(of(solver) - 0.5);
  });

  it('is the same for all pictures where none has a neighbour', () => {
    const one = place(space, problem.testFeatures.view(0, 1));
    expect([...reachOf(solver, one, new Neighbours(backend, one, 4))]).toEqual([0]);
  });
});
