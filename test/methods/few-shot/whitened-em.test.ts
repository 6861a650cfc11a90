import { describe, expect, it } from 'vitest';
import { createMethod, findMethod } from '../../../src/methods/index.js';
import { generalize } from '../../../src/problem/generalize.js';
import { generateProblem } from '../../../src/problem/generate.js';
import type { Problem } from '../../../src/problem/problem.js';
import { plainSpace } from './plain-space.js';
import { backend } from './small-data.js';

/** The method in plain arrays, after its description. */
function plainEm(problem: Problem, rounds: number, balanced: boolean) {
  const beta = 60;
  const { dot, unit, centred } = plainSpace(problem);
  const placed = (m: Problem['webFeatures']) => centred(m).map(unit);
  const [web, test] = [placed(problem.webFeatures), placed(problem.testFeatures)];
  const known = problem.generalized ? placed(problem.auxiliaryFeatures) : [];
  const [listed, d] = [problem.testNames.length, test[0].length];
  const C = listed + (problem.generalized ? problem.auxiliaryNames.length : 0);
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
      known.forEach((x, i) => {
        if (listed + problem.auxiliaryLabels[i] === c) for (let j = 0; j < d; j++) sum[j] += x[j];
      });
      test.forEach((z, i) => {
        for (let j = 0; j < d; j++) sum[j] += q[i][c] * z[j];
      });
      return unit(sum);
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
  ['whitened-em', 'listed categories alone', problem, false, 1e-6],
  ['whitened-em', 'auxiliary categories too', generalize(problem, 1), false, 1e-6],
  ['whitened-em-balanced', 'listed categories alone', problem, true, 2e-2],
] as const)('%s, %s', (name, _, given, balanced, tolerance) => {
  it('gives the posteriors and web weights that its description gives in plain arrays', async () => {
    const method = createMethod(findMethod(name), { rounds: 6 });
    await method.fit(given, { backend });
    const expected = plainEm(given, 6, balanced);
    const values = method.decisionValues(given.testFeatures);
    for (let i = 0; i < values.rows; i++) {
      const row = Array.from(values.row(i));
      const most = Math.max(...row);
      const total = row.reduce((sum, value) => sum + Math.exp(value - most), 0);
      row.forEach((value, c) => {
        expect(Math.abs(Math.exp(value - most) / total - expected.q[i][c])).toBeLessThan(tolerance);
      });
    }
    expect(method.webWeights!()!.length).toBe(given.webLabels.length);
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
