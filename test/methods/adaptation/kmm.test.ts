import { describe, expect, it } from 'vitest';
import { createBackend } from '../../../src/linalg/create.js';
import { KernelMeanMatching } from '../../../src/methods/adaptation/kmm.js';
import { generateProblem } from '../../../src/problem/generate.js';
import '../../allclose.js';

const backend = await createBackend({ threads: 1 });
const problem = generateProblem({ seed: 5, testCategories: 3, webPerCategory: 12, dimensions: 8, shift: 1 });
const { webFeatures: web, testFeatures: test } = problem;
const [n, bound] = [web.rows, 3];

const distance = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Math.hypot(...Array.from(a, (value, j) => value - b[j]));
const across = Array.from({ length: n * test.rows }, (_, k) => distance(web.row(k % n), test.row(Math.floor(k / n))));
const sigma = [...across].sort((a, b) => a - b)[across.length >> 1];
const kernel = (a: ArrayLike<number>, b: ArrayLike<number>) => Math.exp(-(distance(a, b) ** 2) / (2 * sigma ** 2));
const range = (count: number) => Array.from({ length: count }, (_, i) => i);

/** ‖Σ βᵢ φ(xᵢ)/n − Σ φ(tⱼ)/n_t‖² but for the part without β. */
function discrepancy(beta: ArrayLike<number>): number {
  const own = range(n).reduce(
    (sum, i) => sum + range(n).reduce((part, j) => part + beta[i] * beta[j] * kernel(web.row(i), web.row(j)), 0),
    0,
  );
  const other = range(n).reduce(
    (sum, i) => sum + range(test.rows).reduce((part, j) => part + beta[i] * kernel(web.row(i), test.row(j)), 0),
    0,
  );
  return own / n ** 2 - (2 * other) / (n * test.rows);
}

describe('KMM', () => {
  it('finds weights within their limits that no feasible move between two pictures improves', async () => {
    const { importance_ } = await new KernelMeanMatching({ bound }).fit(problem, { backend });
    const beta = importance_!;
    const mean = beta.reduce((sum, value) => sum + value, 0) / n;
    expect(Math.abs(mean - 1)).toBeLessThanOrEqual(Math.min(0.5, bound / Math.sqrt(n)) + 1e-9);
    expect(beta.every((value) => value >= 0 && value <= bound)).toBe(true);
    const reached = discrepancy(beta);
    expect(reached).toBeLessThan(discrepancy(new Float64Array(n).fill(1)) - 1e-3);
    for (const i of range(n))
      for (const j of range(n)) {
        const step = Math.min(0.01, bound - beta[i], beta[j]);
        if (i === j || step <= 0) continue;
        const moved = beta.slice();
        moved[i] += step;
        moved[j] -= step;
        expect(discrepancy(moved)).toBeGreaterThan(reached - 1e-7);
      }
  });

  it('trains with the weights: a picture without weight could as well be absent', async () => {
    const fitted = await new KernelMeanMatching({ bound }).fit(problem, { backend });
    const absent = range(n).filter((i) => fitted.importance_![i] < 1e-9);
    expect(absent.length).toBeGreaterThan(0);
    // Targets of absent pictures do not matter: give them other labels, which leaves the weights as they are.
    const webLabels = problem.webLabels.map((label, i) => (absent.includes(i) ? (label + 1) % 3 : label));
    const relabelled = await new KernelMeanMatching({ bound }).fit({ ...problem, webLabels }, { backend });
    expect(relabelled.decisionValues(test)).toBeAllClose(fitted.decisionValues(test), { tolerance: 1e-6 });
  });
});
