import { describe, expect, it } from 'vitest';
import { createBackend } from '../../../src/linalg/create.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { WhitenedSpace } from '../../../src/methods/blocks/whitened-space.js';
import { layGround, place } from '../../../src/methods/bowerbird/ground.js';
import { Neighbours } from '../../../src/methods/bowerbird/neighbours.js';
import { reachOf } from '../../../src/methods/bowerbird/reach.js';
import { meanYardstick, SignReader } from '../../../src/methods/bowerbird/signs.js';
import { BowerbirdSolver } from '../../../src/methods/bowerbird/solver.js';
import { generateProblem } from '../../../src/problem/generate.js';
import { asBlocks } from '../streamed-rows.js';

const backend = await createBackend({ threads: 1 });
const problem = generateProblem({ seed: 3, auxiliaryCategories: 5, testCategories: 3, dimensions: 6 });
const space = await WhitenedSpace.learn(problem, backend, { power: 1, shrinkage: 0.1 });
const ground = layGround(backend, space, problem, { trust: 0, smoothing: 200 });
const options = { sharpness: 0.7, tails: 1, caution: 1, evidence: { slope: 1, intercept: 0, text: 0 } };
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
  it.each([
    ['in memory', undefined],
    ['that are read', 7],
  ])('of pictures %s are what those and means say, and those of neighbours their means', (_, atOnce) => {
    const pictures = place(space, problem.testFeatures);
    const given = atOnce ? { ...pictures, rows: asBlocks(pictures.rows, atOnce) } : pictures;
    const neighbours = new Neighbours(backend, given, 3);
    const read = rowsOf(new SignReader(solver, variance).read(given, neighbours, plain));
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

  it('tell how tightly a picture sits, whom its neighbours resemble, and what these have in common', () => {
    const pictures = place(space, problem.testFeatures);
    const count = 4;
    const neighbours = new Neighbours(backend, pictures, count);
    const read = rowsOf(new SignReader(solver, variance).read(pictures, neighbours, plain, true));
    const reach = reachOf(solver, pictures, neighbours);
    let webRows = Matrix.zeros(0, 0);
    ground.web.visit((rows) => {
      webRows = rows.copy('float64');
    });
    // Mean cosine of trusted web pictures with the mean of their category, 0.3 as if seen five times.
    const closeness = means.map((mean, c) => {
      let [sum, weight] = [1.5, 5];
      rowsOf(webRows).forEach((x, i) => {
        if (ground.webLabels[i] !== c) return;
        const shifted = x.map((value, k) => value - solver.webShift[k]);
        sum += solver.trust[i] * cosine(shifted, mean);
        weight += solver.trust[i];
      });
      return sum / weight;
    });
    const points = rowsOf(pictures.rows);
    const resembled = points.map((x) => {
      const cosines = means.map((mean) => cosine(x, mean));
      return cosines.indexOf(Math.max(...cosines));
    });
    for (const [j, x] of points.entries()) {
      const row = read[j];
      expect(row).toHaveLength(17);
      expect(row[16]).toBe(reach[j]);
      expect(row[5]).toBeCloseTo(cosine(x, means[resembled[j]]) - closeness[resembled[j]], 7);
      const around = Array.from({ length: count }, (_, place) => neighbours.nearest[count * j + place]);
      [0, 1, 2, 3, 5].forEach((sign, k) => {
        expect(row[7 + k]).toBeCloseTo(around.reduce((sum, other) => sum + read[other][sign], 0) / count, 7);
      });
      const cosines = around.map((other) => cosine(x, points[other]));
      expect(row[12]).toBeCloseTo(cosines.reduce((sum, value) => sum + value, 0) / count, 7);
      expect(row[13]).toBeCloseTo(Math.max(...cosines), 7);
      expect(row[14]).toBeCloseTo(around.filter((other) => resembled[other] === resembled[j]).length / count, 12);
      // The mean of the neighbours' directions.
      const common = x.map((_, k) =>
        around.reduce((sum, other) => sum + points[other][k] / Math.sqrt(dot(points[other], points[other])) / count, 0),
      );
      const most = Math.max(...means.map((mean) => dot(common, mean) / Math.sqrt(dot(mean, mean))));
      expect(row[15]).toBeCloseTo(most / dot(common, common), 6);
    }
  });

  it('are given in units of the yardstick', () => {
    const pictures = place(space, problem.testFeatures);
    const neighbours = new Neighbours(backend, pictures, 2);
    const yardstick = meanYardstick([
      { means: [0, 1, 2, 3, 4, 5, 6], spreads: [1, 1, 1, 1, 1, 1, 1] },
      { means: [2, 1, 2, 3, 4, 5, 8], spreads: [3, 1, 3, 1, 1, 1, 7] },
    ]);
    expect(yardstick).toEqual({ means: [1, 1, 2, 3, 4, 5, 7], spreads: [2, 1, 2, 1, 1, 1, 4] });
    const reader = new SignReader(solver, variance);
    const [raw, units] = [plain, yardstick].map((units) => rowsOf(reader.read(pictures, neighbours, units)));
    raw.forEach((row, j) => {
      for (let sign = 0; sign < 7; sign++)
        expect(units[j][sign]).toBeCloseTo((row[sign] - yardstick.means[sign]) / yardstick.spreads[sign], 9);
      expect(units[j].slice(12)).toEqual(row.slice(12));
    });
  });

  it('of a picture without neighbours say nothing of any', () => {
    const one = place(space, problem.testFeatures.view(0, 1));
    const [row] = rowsOf(new SignReader(solver, variance).read(one, new Neighbours(backend, one, 5), plain));
    expect([...row.slice(7, 15)]).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
  });
});
