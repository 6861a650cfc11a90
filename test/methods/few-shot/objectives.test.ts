import { describe, expect, it } from 'vitest';
import { Matrix } from '../../../src/linalg/matrix.js';
import { Random } from '../../../src/linalg/random.js';
import { affinities, assignmentObjective, smoothed } from '../../../src/methods/few-shot/affinities.js';
import { timObjective } from '../../../src/methods/few-shot/alpha-tim.js';
import { logarithms, scaledProducts, softmaxRows, webDirections } from '../../../src/methods/few-shot/cosines.js';
import { DirichletMixture } from '../../../src/methods/few-shot/em-dirichlet.js';
import { fewShotMethods } from '../../../src/methods/few-shot/index.js';
import { estimateShares } from '../../../src/methods/few-shot/label-shift.js';
import { sinkhorn } from '../../../src/methods/few-shot/sinkhorn.js';
import { statA } from '../../../src/methods/few-shot/stat-a.js';
import { transclip } from '../../../src/methods/few-shot/transclip.js';
import { digamma } from '../../../src/numerics/gamma.js';
import { agreement, backend, neverRises, smallData } from './small-data.js';

const { data, truth } = smallData();
const common = { sharpness: 10, lambda: 0.5, temper: 5, neighbours: 3, rounds: 8 };

describe('assignments drawn along affinities', () => {
  const evidence = scaledProducts(backend, data.test, webDirections(data), 6);
  const graph = affinities(backend, data.test, 3, () => 0.4);

  it('never raise the objective of LaplacianShot, and end where no small change lowers it', () => {
    let z = softmaxRows(evidence);
    const objectives = [assignmentObjective(evidence, graph, z)];
    for (let round = 0; round < 60; round++) {
      z = smoothed(evidence, graph, z, 1).assignments;
      objectives.push(assignmentObjective(evidence, graph, z));
    }
    expect(neverRises(objectives)).toBe(true);
    expect(objectives[60]).toBeLessThan(objectives[0]);
    const random = new Random(3);
    for (let trial = 0; trial < 50; trial++) {
      const other = z.copy('float64');
      const row = other.row(random.integer(other.rows));
      const target = softmaxRows(Matrix.from([random.normalArray(row.length)]) as Matrix<Float64Array>).row(0);
      for (let c = 0; c < row.length; c++) row[c] += 1e-3 * (target[c] - row[c]);
      expect(assignmentObjective(evidence, graph, other)).toBeGreaterThan(objectives[60] - 1e-12);
    }
  });

  it('have the objective that sums over all pairs give', () => {
    const z = softmaxRows(evidence);
    let expected = 0;
    for (let i = 0; i < z.rows; i++)
      for (let c = 0; c < z.cols; c++) expected += z.at(i, c) * (Math.log(z.at(i, c)) - evidence.at(i, c));
    graph.from.forEach((a, e) => {
      for (let c = 0; c < z.cols; c++) expected -= graph.weights[e] * z.at(a, c) * z.at(graph.to[e], c);
    });
    expect(assignmentObjective(evidence, graph, z)).toBeCloseTo(expected, 9);
  });
});

describe('α-TIM', () => {
  it.each([1.5, 2, 5])('has the gradient that finite differences give, order %f', (alpha) => {
    const objective = timObjective(data, { sharpness: 8, alpha, certainty: 0.7 });
    const random = new Random(4);
    const point = random.normalArray(data.categories * data.web.cols).map((value) => 0.3 * value);
    const gradient = new Float64Array(point.length);
    const unused = new Float64Array(point.length);
    objective(point, gradient);
    for (let k = 0; k < point.length; k += 7) {
      const [above, below] = [point.slice(), point.slice()];
      above[k] += 1e-5;
      below[k] -= 1e-5;
      const slope = (objective(above, unused) - objective(below, unused)) / 2e-5;
      expect(gradient[k]).toBeCloseTo(slope, 6);
    }
  });

  it('has the cross entropy and the mutual information of order 2 that a direct computation gives', () => {
    const weights = webDirections(data);
    const p = (rows: Matrix<Float64Array>) =>
      Array.from({ length: rows.rows }, (_, i) => {
        const e = Array.from({ length: data.categories }, (_, c) => {
          const difference = Array.from(rows.row(i), (value, j) => value - weights.at(c, j));
          return Math.exp(-4 * difference.reduce((sum, value) => sum + value * value, 0));
        });
        const total = e.reduce((a, b) => a + b);
        return e.map((value) => value / total);
      });
    const [ofWeb, ofTest] = [p(data.web), p(data.test)];
    const squares = (row: number[]) => row.reduce((sum, value) => sum + value * value, 0);
    const mean = ofTest[0].map((_, c) => ofTest.reduce((sum, row) => sum + row[c], 0) / ofTest.length);
    const expected =
      ofWeb.reduce((sum, row, i) => sum - Math.log(row[data.labels[i]]), 0) / ofWeb.length -
      (1 - squares(mean)) +
      ofTest.reduce((sum, row) => sum + 1 - squares(row), 0) / ofTest.length;
    const objective = timObjective(data, { sharpness: 8, alpha: 2, certainty: 1 });
    expect(objective(weights.data, new Float64Array(weights.data.length))).toBeCloseTo(expected, 9);
  });
});

describe('EM-Dirichlet', () => {
  const simplex = (points: Matrix<Float64Array>) =>
    logarithms(softmaxRows(scaledProducts(backend, points, webDirections(data), 6)), 1e-15);
  const [web, test] = [simplex(data.web), simplex(data.test)];

  it('never raises its objective', () => {
    for (const weight of [0, 0.5, 4]) {
      const mixture = new DirichletMixture(data, web, test, weight);
      mixture.round();
      const objectives = [mixture.objective()];
      for (let round = 0; round < 15; round++) {
        mixture.round();
        objectives.push(mixture.objective());
      }
      expect(neverRises(objectives)).toBe(true);
    }
  });

  it('has at its end parameters whose expected log probabilities are those of the pictures', () => {
    const mixture = new DirichletMixture(data, web, test, 0);
    for (let round = 0; round < 300; round++) mixture.round();
    for (let k = 0; k < data.categories; k++) {
      const row = mixture.alpha.row(k);
      const total = row.reduce((sum, value) => sum + value, 0);
      let mass = 0;
      const means = new Float64Array(data.categories);
      const count = (u: number, logs: ArrayLike<number>) => {
        mass += u;
        for (let j = 0; j < means.length; j++) means[j] += u * logs[j];
      };
      data.labels.forEach((label, i) => {
        if (label === k) count(1, web.row(i));
      });
      for (let i = 0; i < test.rows; i++) count(mixture.assignments.at(i, k), test.row(i));
      row.forEach((value, j) => {
        expect(digamma(value) - digamma(total)).toBeCloseTo(means[j] / mass, 3);
      });
    }
  });
});

describe('TransCLIP and StatA', () => {
  it('never raise their objectives, block by block', async () => {
    const [ofTransclip, ofStatA]: number[][] = [[], []];
    await transclip(data, { ...common, support: 1 }, (value) => ofTransclip.push(value));
    await statA(data, { ...common, lambda: 1, anchor: 2 }, (value) => ofStatA.push(value));
    for (const objectives of [ofTransclip, ofStatA]) {
      expect(objectives.length).toBe(17);
      expect(neverRises(objectives)).toBe(true);
      expect(objectives[16]).toBeLessThan(objectives[0]);
    }
  });

  it('StatA with a heavy anchor answers as the anchors do', async () => {
    const heavy = await statA(data, { ...common, lambda: 1, anchor: 1e9, neighbours: 1, rounds: 3 });
    expect(agreement(heavy.values, truth)).toBeGreaterThan(0.9);
    const lone = data.test.view(0, 1).copy('float64');
    const alone = await statA({ ...data, test: lone }, { ...common, lambda: 1, anchor: 1e9 });
    const score = scaledProducts(backend, lone, webDirections(data), 1).row(0);
    const best = (row: Float64Array) => row.indexOf(Math.max(...row));
    expect(best(alone.values.row(0))).toBe(best(score));
  });
});

describe('label-shift EM', () => {
  const random = new Random(9);
  const before = Float64Array.of(0.5, 0.3, 0.2);
  const posteriors = softmaxRows(
    Matrix.from(
      Array.from({ length: 60 }, (_, i) => random.normalArray(3).map((v, c) => v + (i % 5 === c ? 2 : 0))),
    ) as Matrix<Float64Array>,
  );
  const likelihood = (shares: ArrayLike<number>) => {
    let total = 0;
    for (let i = 0; i < posteriors.rows; i++) {
      const row = Array.from(posteriors.row(i), (p, c) => (p * shares[c]) / before[c]);
      total += Math.log(row.reduce((a, b) => a + b));
    }
    return total;
  };

  it('never lowers the likelihood and ends at its largest value, as a fine grid finds it', () => {
    const { shares, objectives } = estimateShares(posteriors, before, 10_000);
    expect(neverRises(objectives.map((value) => -value))).toBe(true);
    let best = { value: Number.NEGATIVE_INFINITY, a: 0, b: 0 };
    for (let a = 0; a <= 200; a++)
      for (let b = 0; a + b <= 200; b++) {
        const value = likelihood([a / 200, b / 200, 1 - (a + b) / 200]);
        if (value > best.value) best = { value, a: a / 200, b: b / 200 };
      }
    expect(likelihood(shares)).toBeGreaterThanOrEqual(best.value - 1e-6);
    expect(shares[0]).toBeCloseTo(best.a, 1);
    expect(shares[1]).toBeCloseTo(best.b, 1);
  });
});

describe('Sinkhorn scaling', () => {
  it('gives rows of sum one, equal columns, and of all such assignments the one with the largest score and entropy', () => {
    const scores = scaledProducts(backend, data.test, webDirections(data), 5);
    const { assignments, offsets } = sinkhorn(scores, { tolerance: 1e-10, maxIterations: 5000 });
    const value = (p: Matrix<Float64Array>) =>
      p.data.reduce((sum, entry, k) => sum + entry * (scores.data[k] - Math.log(Math.max(entry, 1e-300))), 0);
    for (let c = 0; c < 4; c++) {
      let sum = 0;
      for (let i = 0; i < assignments.rows; i++) sum += assignments.at(i, c);
      expect(sum).toBeCloseTo(assignments.rows / 4, 6);
    }
    // Moving mass around a rectangle of entries keeps rows and columns.
    const random = new Random(2);
    for (let trial = 0; trial < 100; trial++) {
      const [i, k] = random.choice(assignments.rows, 2);
      const [a, b] = random.choice(4, 2);
      const other = assignments.copy('float64');
      const step = 0.1 * Math.min(other.at(i, a), other.at(k, b));
      for (const [row, column, sign] of [
        [i, a, -1],
        [i, b, 1],
        [k, b, -1],
        [k, a, 1],
      ])
        other.set(row, column, other.at(row, column) + sign * step);
      expect(value(other)).toBeLessThan(value(assignments) + 1e-9);
    }
    expect(offsets.some((offset) => Math.abs(offset) > 1e-3)).toBe(true);
  });
});

describe.each(fewShotMethods.map((spec) => [spec.name, spec] as const))('%s', (name, spec) => {
  it('states where each of its searched parameters is looked for, with the default inside', () => {
    for (const { default: usual, range } of Object.values(spec.parameters)) {
      if (!range) continue;
      if (range.kind === 'choice') expect(range.values).toContain(usual);
      else {
        expect(usual).toBeGreaterThanOrEqual(range.low);
        expect(usual).toBeLessThanOrEqual(range.high);
      }
    }
    expect(name).toMatch(/^[a-z-]+$/);
  });
});
