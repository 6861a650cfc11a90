import { describe, expect, it } from 'vitest';
import { createBackend } from '../../../src/linalg/create.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { WhitenedSpace } from '../../../src/methods/blocks/whitened-space.js';
import { layGround, place } from '../../../src/methods/bowerbird/ground.js';
import { Neighbours } from '../../../src/methods/bowerbird/neighbours.js';
import { meanYardstick, SignReader } from '../../../src/methods/bowerbird/signs.js';
import { BowerbirdSolver } from '../../../src/methods/bowerbird/solver.js';
import { generateProblem } from '../../../src/problem/generate.js';

const backend = await createBackend({ threads: 1 });
const problem = generateProblem({ seed: 3, auxiliaryCategories: 5, testCategories: 3, dimensions: 6 });
const space = await WhitenedSpace.learn(problem, backend, { power: 1, shrinkage: 0.1 });
const ground = layGround(backend, space, problem, { trust: 0, smoothing: 200 });
const options = { sharpness: 0.7, tails: 1, evidence: { slope: 1, intercept: 0, text: 0 } };
const solver = new BowerbirdSolver(ground, options);
solver.learnFromWeb();
const variance = 0.8;
const plain = meanYardstick([]);

const dot = (a: number[], b: number[]) => a.reduce((sum, value, k) => sum + value * b[k], 0);
const cosine = (a: number[], b: number[]) => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
const rowsOf = (matrix: Matrix) => Array.from({ length: matrix.rows }, (_, i) => [...matrix.row(i)]);
const far = (a: number[], b: number[]) => a.reduce((sum, value, k) => sum + (value - b[k]) ** 2, 0);
const logSum = (values: number[]) => {
  const most = Math.max(...values);
  return most + Math.log(values.reduce((sum, value) => sum + Math.exp(value - most), 0));
};

/** A picture's own signs but for tightness, from the picture and the means themselves. */
function byHand(x: number[], means: number[][], known: number[][], counts: number[]): number[] {
  const d = x.length;
  const left = solver.meanVariances.reduce((sum, value) => sum + value, 0) / solver.meanVariances.length;
  const density = (distance: number, spread: number) =>
    (-options.sharpness * (distance / spread + d * Math.log(spread))) / 2;
  const listed = means.map((mean) => density(far(x, mean), variance + left));
  const others = known.map(
    (mean, k) => density(far(x, mean), variance + ground.known.within / counts[k]) - Math.log(ground.known.means.rows),
  );
  const nothing = density(dot(x, x), variance + ground.known.between);
  const sorted = [...listed].sort((a, b) => b - a);
  return [
    Math.max(...means.map((mean) => cosine(x, mean))),
    Math.max(...known.map((mean) => cosine(x, mean))),
    logSum(listed) - Math.log(listed.length) - logSum([...others, nothing]),
    logSum(listed) - nothing,
    Math.log(dot(x, x) / d),
    sorted[0] - sorted[1],
  ];
}

const ownPlaces = [0, 1, 2, 3, 4, 6];
const [means, known] = [rowsOf(solver.means), rowsOf(ground.known.means)];
const counts = [...ground.known.counts];

describe('the signs of strangers', () => {
  it('are what pictures and means say, and those of neighbours their means', () => {
    const pictures = place(space, problem.testFeatures);
    const neighbours = new Neighbours(backend, pictures, 3);
    const read = new SignReader(solver, variance).read(pictures, neighbours, plain);
    for (const [j, x] of rowsOf(pictures.rows).entries()) {
      const expected = byHand(x, means, known, counts);
      ownPlaces.forEach((sign, k) => {
        expect(read[j][sign]).toBeCloseTo(expected[k], 7);
      });
      const around = [0, 1, 2].map((place) => neighbours.nearest[3 * j + place]);
      expect(read[j][9]).toBeCloseTo(
        around.reduce((sum, other) => sum + read[other][2] / 3, 0),
        7,
      );
    }
  });

  it('are measured the same when they are measured again', () => {
    const reader = new SignReader(solver, variance);
    const first = reader.yardstick();
    expect(reader.yardstick()).toEqual(first);
  });

  it('are measured by every so-manieth of very many web pictures', async () => {
    const many = generateProblem({
      ...{ seed: 4, auxiliaryCategories: 5, testCategories: 3, webPerCategory: 3600, dimensions: 2, text: false },
    });
    const wide = await WhitenedSpace.learn(many, backend, { power: 1, shrinkage: 0.1 });
    const judge = new BowerbirdSolver(layGround(backend, wide, many, { trust: 0, smoothing: 200 }), options);
    judge.learnFromWeb();
    const { trust, webShift } = judge;
    let rows: number[][] = [];
    judge.ground.web.visit((all) => {
      rows = rowsOf(all);
    });
    expect(rows).toHaveLength(10800);
    // The sign of length, of every second one.
    let [sum, weight] = [0, 0];
    for (let i = 0; i < rows.length; i += 2) {
      sum += trust[i] * Math.log(rows[i].reduce((square, x, k) => square + (x - webShift[k]) ** 2, 0) / 2);
      weight += trust[i];
    }
    expect(new SignReader(judge, variance).yardstick()!.means[4]).toBeCloseTo(sum / weight, 7);
  });

  it('are measured by trusted web pictures, each left out of the mean it helped to make', () => {
    const { means: centre, spreads } = new SignReader(solver, variance).yardstick()!;
    let webRows = Matrix.zeros(0, 0);
    ground.web.visit((rows) => {
      webRows = rows.copy('float64');
    });
    const shifted = rowsOf(webRows).map((x) => x.map((value, k) => value - solver.webShift[k]));
    const signs = shifted.map((x, i) => {
      const label = ground.webLabels[i];
      const rest = solver.restWithout(i);
      const without = means.map((mean, c) =>
        c === label ? mean.map((value, k) => (value - (1 - rest) * x[k]) / rest) : mean,
      );
      return byHand(x, without, known, counts);
    });
    const total = solver.trust.reduce((sum, value) => sum + value, 0);
    ownPlaces.forEach((sign, k) => {
      const mean = signs.reduce((sum, own, i) => sum + (solver.trust[i] * own[k]) / total, 0);
      const squares = signs.reduce((sum, own, i) => sum + (solver.trust[i] * (own[k] - mean) ** 2) / total, 0);
      expect(centre[sign]).toBeCloseTo(mean, 7);
      expect(spreads[sign]).toBeCloseTo(Math.sqrt(squares), 7);
    });
  });

  it('have no yardstick where hardly a web picture is trusted', () => {
    const doubted = solver.fork();
    doubted.trust.fill(0.001);
    expect(new SignReader(doubted, variance).yardstick()).toBeUndefined();
  });
});
