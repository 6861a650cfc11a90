import { describe, expect, it } from 'vitest';
import { createMethod, findMethod } from '../../../src/methods/index.js';
import { generateProblem } from '../../../src/problem/generate.js';
import { backend } from './small-data.js';

/** The method in plain arrays, after its description: whitening by eigenvectors is replaced by solving with S for every cosine. */
function plainEm(problem: ReturnType<typeof generateProblem>, rounds: number, balanced: boolean) {
  const [power, shrinkage, beta] = [0.75, 0.3, 60];
  const rows = (m: typeof problem.webFeatures) =>
    Array.from({ length: m.rows }, (_, i) => {
      const row = Array.from(m.row(i), (v) => Math.sign(v) * Math.abs(v) ** power);
      const length = Math.hypot(...row);
      return row.map((v) => v / length);
    });
  const mean = (points: number[][]) => points[0].map((_, j) => points.reduce((s, p) => s + p[j], 0) / points.length);
  const less = (a: number[], b: number[]) => a.map((v, j) => v - b[j]);
  const auxiliary = rows(problem.auxiliaryFeatures);
  const d = auxiliary[0].length;
  const scatter = Array.from({ length: d }, () => new Array<number>(d).fill(0));
  const classes = problem.auxiliaryNames.length;
  for (let c = 0; c < classes; c++) {
    const own = auxiliary.filter((_, i) => problem.auxiliaryLabels[i] === c);
    const middle = mean(own);
    for (const point of own) {
      const r = less(point, middle);
      for (let j = 0; j < d; j++)
        for (let k = 0; k < d; k++) scatter[j][k] += (r[j] * r[k]) / (auxiliary.length - classes);
    }
  }
  const kappa = (shrinkage * scatter.reduce((s, row, j) => s + row[j], 0)) / d;
  for (let j = 0; j < d; j++) scatter[j][j] += kappa;
  const inverse = invert(scatter);
  const dot = (a: number[], b: number[]) =>
    a.reduce((s, v, j) => s + v * inverse[j].reduce((t, w, k) => t + w * b[k], 0), 0);
  const placed = (m: typeof problem.webFeatures) => {
    const points = rows(m);
    const middle = mean(points);
    return points.map((point) => {
      const r = less(point, middle);
      const length = Math.sqrt(dot(r, r));
      return r.map((v) => v / length);
    });
  };
  const [web, test] = [placed(problem.webFeatures), placed(problem.testFeatures)];
  const C = problem.testNames.length;
  const softmax = (scores: number[]) => {
    const most = Math.max(...scores);
    const e = scores.map((s) => Math.exp(s - most));
    const total = e.reduce((a, b) => a + b);
    return e.map((v) => v / total);
  };
  let weights = web.map(() => 1);
  let q: number[][] = test.map(() => new Array<number>(C).fill(0));
  for (let round = 0; round < rounds; round++) {
    const means = Array.from({ length: C }, (_, c) => {
      const sum = new Array<number>(d).fill(0);
      web.forEach((x, i) => {
        if (problem.webLabels[i] === c) for (let j = 0; j < d; j++) sum[j] += weights[i] * x[j];
      });
      test.forEach((z, i) => {
        for (let j = 0; j < d; j++) sum[j] += q[i][c] * z[j];
      });
      const length = Math.sqrt(dot(sum, sum));
      return sum.map((v) => v / length);
    });
    const posterior = (x: number[]) => softmax(means.map((m) => beta * dot(x, m)));
    q = test.map(posterior);
    for (let step = 0; balanced && step < 3000; step++) {
      const sums = Array.from({ length: C }, (_, c) => q.reduce((s, row) => s + row[c], 0));
      q = q.map((row) => {
        const scaled = row.map((v, c) => (v * test.length) / C / sums[c]);
        const total = scaled.reduce((a, b) => a + b);
        return scaled.map((v) => v / total);
      });
    }
    weights = web.map((x, i) => posterior(x)[problem.webLabels[i]]);
  }
  return { q, weights };
}

/** Gauss-Jordan. */
function invert(matrix: number[][]): number[][] {
  const n = matrix.length;
  const work = matrix.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1 : 0))]);
  for (let i = 0; i < n; i++) {
    const pivot = work[i][i];
    work[i] = work[i].map((v) => v / pivot);
    for (let k = 0; k < n; k++) if (k !== i) work[k] = work[k].map((v, j) => v - work[k][i] * work[i][j]);
  }
  return work.map((row) => row.slice(n));
}

const problem = generateProblem({
  seed: 5,
  testCategories: 4,
  webPerCategory: 8,
  testPerCategory: 6,
  dimensions: 10,
  noise: 0.8,
  wrong: 0.3,
});

describe.each([
  ['whitened-em', false, 1e-6],
  ['whitened-em-balanced', true, 2e-2],
] as const)('%s', (name, balanced, tolerance) => {
  it('gives the posteriors and web weights that its description gives in plain arrays', async () => {
    const method = createMethod(findMethod(name), { rounds: 6 });
    await method.fit(problem, { backend });
    const expected = plainEm(problem, 6, balanced);
    const values = method.decisionValues(problem.testFeatures);
    for (let i = 0; i < values.rows; i++) {
      const row = Array.from(values.row(i));
      const most = Math.max(...row);
      const total = row.reduce((sum, value) => sum + Math.exp(value - most), 0);
      row.forEach((value, c) => {
        expect(Math.abs(Math.exp(value - most) / total - expected.q[i][c])).toBeLessThan(tolerance);
      });
    }
    method.webWeights!()!.forEach((weight, i) => {
      expect(Math.abs(weight - expected.weights[i])).toBeLessThan(tolerance);
    });
  });
});

it('gives a balanced folder equal shares, and with the other origin a folder of one picture its inductive answer', async () => {
  const balanced = createMethod(findMethod('whitened-em-balanced'));
  await balanced.fit(problem, { backend });
  const values = balanced.decisionValues(problem.testFeatures);
  const shares = new Float64Array(4);
  for (let i = 0; i < values.rows; i++) {
    const row = Array.from(values.row(i));
    const most = Math.max(...row);
    const total = row.reduce((sum, value) => sum + Math.exp(value - most), 0);
    row.forEach((value, c) => {
      shares[c] += Math.exp(value - most) / total;
    });
  }
  for (const share of shares) expect(share).toBeCloseTo(6, 1);
  const single = { ...problem, testFeatures: problem.testFeatures.view(7, 8), testLabels: undefined };
  const em = createMethod(findMethod('whitened-em'), { origin: 'web', rounds: 1 });
  const means = createMethod(findMethod('whitened-means'), { origin: 'web' });
  await em.fit(single, { backend });
  await means.fit(single, { backend });
  expect(em.predict(single.testFeatures)).toEqual(means.predict(single.testFeatures));
});
