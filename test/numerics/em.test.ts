import { describe, expect, it } from 'vitest';
import { createBackend } from '../../src/linalg/create.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { Random } from '../../src/linalg/random.js';
import { fitMixture } from '../../src/numerics/em.js';
import { labelTargets } from '../../src/numerics/linear-model.js';
import { steepest } from '../methods/zero-shot/small.js';

const backend = await createBackend({ threads: 1 });
const [n, r, components] = [40, 3, 4];
const random = new Random(5);
const centres = new Matrix(random.normalArray(components * r), components, r);
const labels = Int32Array.from({ length: n }, (_, i) => i % components);
const points = Matrix.zeros(n, r);
for (let i = 0; i < n; i++)
  for (let k = 0; k < r; k++) points.set(i, k, 2 * centres.at(labels[i], k) + 0.5 * random.normal());
const evidence = new Matrix(random.normalArray(n * components), n, components);
const prior = { means: centres, strength: 3 };

/** Means (row by row) and log σ² to the objective, term by term. */
function objective(point: Float64Array): number {
  const variance = Math.exp(point[components * r]);
  const logNormal = (x: ArrayLike<number>, mean: ArrayLike<number>, spread: number) => {
    let value = (-r / 2) * Math.log(2 * Math.PI * spread);
    for (let k = 0; k < r; k++) value -= (x[k] - mean[k]) ** 2 / (2 * spread);
    return value;
  };
  const mean = (c: number) => point.subarray(c * r, c * r + r);
  let total = 0;
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let c = 0; c < components; c++)
      sum += Math.exp(evidence.at(i, c) + logNormal(points.row(i), mean(c), variance));
    total += Math.log(sum);
  }
  for (let c = 0; c < components; c++) total += logNormal(mean(c), centres.row(c), variance / prior.strength);
  return total;
}

describe('the mixture with expected means', () => {
  it('never lowers its objective, and ends where it has no slope', async () => {
    const options = { tolerance: 1e-14, maxIterations: 2000 };
    const fit = await fitMixture(backend, points, evidence, prior, labelTargets(labels, components), options);
    fit.objectives.slice(1).forEach((value, k) => {
      expect(value).toBeGreaterThanOrEqual(fit.objectives[k] - 1e-9);
    });
    const point = Float64Array.from([...fit.means.data, Math.log(fit.variance)]);
    expect(objective(point)).toBeCloseTo(fit.objectives[fit.objectives.length - 1], 8);
    expect(steepest(objective, point)).toBeLessThan(1e-4);
  });

  it('stays at the expected means when they count for more than all pictures', async () => {
    const firm = { means: centres, strength: 1e9 };
    const { means } = await fitMixture(backend, points, evidence, firm, labelTargets(labels, components));
    for (let k = 0; k < means.data.length; k++) expect(means.data[k]).toBeCloseTo(centres.data[k], 6);
  });

  it('stops when it is told to', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    const start = labelTargets(labels, components);
    await expect(fitMixture(backend, points, evidence, prior, start, { signal })).rejects.toThrow('enough');
  });
});
