import { describe, expect, it } from 'vitest';
import { Matrix } from '../../../src/linalg/matrix.js';
import { Random } from '../../../src/linalg/random.js';
import { affinities, assignmentObjective, smoothed } from '../../../src/methods/few-shot/affinities.js';
import { timObjective } from '../../../src/methods/few-shot/alpha-tim.js';
import { logarithms, scaledProducts, softmaxRows, supportDirections } from '../../../src/methods/few-shot/cosines.js';
import { DirichletMixture } from '../../../src/methods/few-shot/em-dirichlet.js';
import { fewShotMethods } from '../../../src/methods/few-shot/index.js';
import { labelFlow } from '../../../src/methods/few-shot/label-propagation.js';
import { estimateShares } from '../../../src/methods/few-shot/label-shift.js';
import { discriminants } from '../../../src/methods/few-shot/lda.js';
import { CentreWalk } from '../../../src/methods/few-shot/pt-map.js';
import { sinkhorn } from '../../../src/methods/few-shot/sinkhorn.js';
import { statA } from '../../../src/methods/few-shot/stat-a.js';
import { transclip } from '../../../src/methods/few-shot/transclip.js';
import { digamma } from '../../../src/numerics/gamma.js';
import { agreement, backend, neverRises, smallData } from './small-data.js';

const { data, truth } = smallData();
const common = { sharpness: 10, lambda: 0.5, temper: 5, neighbours: 3, rounds: 8 };

describe('assignments drawn along affinities', () => {
  const evidence = scaledProducts(backend, data.test, supportDirections(data), 6);
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
    const point = random.normalArray(data.categories * data.support.cols).map((value) => 0.3 * value);
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
    const weights = supportDirections(data);
    const p = (rows: Matrix<Float64Array>) =>
      Array.from({ length: rows.rows }, (_, i) => {
        const e = Array.from({ length: data.categories }, (_, c) => {
          const difference = Array.from(rows.row(i), (value, j) => value - weights.at(c, j));
          return Math.exp(-4 * difference.reduce((sum, value) => sum + value * value, 0));
        });
        const total = e.reduce((a, b) => a + b);
        return e.map((value) => value / total);
      });
    const [ofSupport, ofTest] = [p(data.support), p(data.test)];
    const squares = (row: number[]) => row.reduce((sum, value) => sum + value * value, 0);
    const mean = ofTest[0].map((_, c) => ofTest.reduce((sum, row) => sum + row[c], 0) / ofTest.length);
    const expected =
      ofSupport.reduce((sum, row, i) => sum - Math.log(row[data.labels[i]]), 0) / ofSupport.length -
      (1 - squares(mean)) +
      ofTest.reduce((sum, row) => sum + 1 - squares(row), 0) / ofTest.length;
    const objective = timObjective(data, { sharpness: 8, alpha: 2, certainty: 1 });
    expect(objective(weights.data, new Float64Array(weights.data.length))).toBeCloseTo(expected, 9);
  });
});

describe('EM-Dirichlet', () => {
  const simplex = (points: Matrix<Float64Array>) =>
    logarithms(softmaxRows(scaledProducts(backend, points, supportDirections(data), 6)), 1e-15);
  const [web, test] = [simplex(data.support), simplex(data.test)];

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
    const score = scaledProducts(backend, lone, supportDirections(data), 1).row(0);
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

describe('linear discriminant analysis', () => {
  it.each([0, 0.3, 0.8])('has the log densities of Gaussians with one covariance, own share %f', async (own) => {
    const { weights, intercepts } = await discriminants(data, own);
    const d = data.support.cols;
    const members = Array.from({ length: data.categories }, (_, c) =>
      [...data.labels.keys()].filter((i) => data.labels[i] === c),
    );
    const means = members.map((rows) =>
      Array.from({ length: d }, (_, j) => rows.reduce((sum, i) => sum + data.support.at(i, j), 0) / rows.length),
    );
    const covariance = Array.from({ length: d }, (_, j) =>
      Array.from({ length: d }, (_, k) => {
        let sum = 0;
        data.labels.forEach((c, i) => {
          sum += (data.support.at(i, j) - means[c][j]) * (data.support.at(i, k) - means[c][k]);
        });
        return (own * sum) / (data.labels.length - data.categories) + (j === k ? 1 - own : 0);
      }),
    );
    const density = (i: number, c: number) => {
      const away = means[c].map((value, j) => data.test.at(i, j) - value);
      const solved = solve(covariance, away);
      return Math.log(members[c].length / data.labels.length) - away.reduce((sum, x, j) => sum + x * solved[j], 0) / 2;
    };
    for (let i = 0; i < data.test.rows; i += 5)
      for (let c = 1; c < data.categories; c++) {
        const value = (k: number) => data.test.row(i).reduce((sum, x, j) => sum + x * weights.at(k, j), intercepts[k]);
        expect(value(c) - value(0)).toBeCloseTo(density(i, c) - density(i, 0), 8);
      }
  });
});

/** By elimination, without the code under test. */
function solve(matrix: number[][], right: number[]): number[] {
  const a = matrix.map((row, i) => [...row, right[i]]);
  for (let k = 0; k < a.length; k++)
    for (let i = 0; i < a.length; i++) {
      if (i === k) continue;
      const factor = a[i][k] / a[k][k];
      for (let j = k; j <= a.length; j++) a[i][j] -= factor * a[k][j];
    }
  return a.map((row, i) => row[a.length] / row[i]);
}

describe('label propagation', () => {
  it('ends where no change lowers the unevenness over the graph and the distance from the labels', () => {
    const alpha = 0.8;
    const { graph, known, flow } = labelFlow(data, alpha, 4);
    const degrees = new Float64Array(graph.nodes);
    graph.weights.forEach((weight, e) => {
      degrees[graph.from[e]] += weight;
      degrees[graph.to[e]] += weight;
    });
    const objective = (f: Matrix<Float64Array>) => {
      let total = 0;
      for (let c = 0; c < f.cols; c++) {
        graph.weights.forEach((weight, e) => {
          const [i, j] = [graph.from[e], graph.to[e]];
          total += weight * (f.at(i, c) / Math.sqrt(degrees[i]) - f.at(j, c) / Math.sqrt(degrees[j])) ** 2;
        });
        for (let i = 0; i < f.rows; i++) total += (1 / alpha - 1) * (f.at(i, c) - known.at(i, c)) ** 2;
      }
      return total;
    };
    // The flow is the minimizer up to a factor.
    const best = flow.copy('float64');
    let along = 0;
    for (let i = 0; i < flow.rows; i++) for (let c = 0; c < flow.cols; c++) along += flow.at(i, c) * known.at(i, c);
    const plain = objective(Matrix.zeros(flow.rows, flow.cols)) / (1 / alpha - 1);
    expect(plain).toBeCloseTo(data.labels.length, 9);
    const quadratic = objective(flow) - (1 / alpha - 1) * (plain - 2 * along);
    const factor = ((1 / alpha - 1) * along) / quadratic;
    for (let k = 0; k < best.data.length; k++) best.data[k] *= factor;
    const least = objective(best);
    const random = new Random(8);
    for (let trial = 0; trial < 60; trial++) {
      const other = best.copy('float64');
      for (let k = 0; k < other.data.length; k++) other.data[k] += 1e-2 * random.normal();
      expect(objective(other)).toBeGreaterThan(least);
      const one = best.copy('float64');
      one.data[random.integer(one.data.length)] += trial % 2 === 0 ? 1e-4 : -1e-4;
      expect(objective(one)).toBeGreaterThan(least - 1e-12);
    }
  });
});

describe('PT-MAP', () => {
  it('never raises the cost of transport and of the labelled pictures, and ends at its own centres', () => {
    const lambda = 6;
    const walk = new CentreWalk(data, lambda, 0.3);
    const cost = (p: Matrix<Float64Array>) => {
      const distance = (row: Float64Array, c: number) =>
        row.reduce((sum, value, j) => sum + (value - walk.centres.at(c, j)) ** 2, 0);
      let total = 0;
      for (let i = 0; i < p.rows; i++)
        for (let c = 0; c < p.cols; c++)
          total += p.at(i, c) * (lambda * distance(data.test.row(i), c) + Math.log(Math.max(p.at(i, c), 1e-300)));
      data.labels.forEach((c, i) => {
        total += lambda * distance(data.support.row(i), c);
      });
      return total;
    };
    const costs: number[] = [];
    for (let round = 0; round < 60; round++) costs.push(cost(walk.move()));
    expect(neverRises(costs, 1e-5)).toBe(true);
    expect(costs.at(-1)).toBeLessThan(costs[0]);
    const before = walk.centres.copy('float64');
    walk.move();
    before.data.forEach((value, k) => {
      expect(walk.centres.data[k]).toBeCloseTo(value, 4);
    });
  });
});

describe('Sinkhorn scaling', () => {
  it('gives rows of sum one, equal columns, and of all such assignments the one with the largest score and entropy', () => {
    const scores = scaledProducts(backend, data.test, supportDirections(data), 5);
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
