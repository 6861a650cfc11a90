import { describe, expect, it } from 'vitest';
import { createBackend } from '../../src/linalg/create.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { Random } from '../../src/linalg/random.js';
import { labelTargets, linearDecisions } from '../../src/numerics/linear-model.js';
import { linearSvm, type SvmOptions, type SvmResult } from '../../src/numerics/linear-svm.js';
import { selectRows } from '../../src/problem/rows.js';
import '../allclose.js';

const backend = await createBackend({ threads: 1 });
const random = new Random(5);
const n = 150;
const features = new Matrix(random.normalArray(n * 6), n, 6);
const labels = Array.from({ length: n }, (_, i) => {
  const row = features.row(i);
  return row[0] + 0.7 * random.normal() > 0.4 ? 0 : row[1] > 0 ? 1 : 2;
});
const targets = labelTargets(labels, 3, { absent: -1 });
const costs = Array.from(random.uniformArray(n), (value) => 0.2 + value);

/** ½(‖w‖² + b²/s²) + Σ Cᵢ ℓ(1 − yᵢ f(xᵢ)) of category c. */
function primal(model: SvmResult, c: number, loss: SvmOptions['loss'], scale = 1): number {
  const values = linearDecisions(backend, model, features);
  let sum = model.intercepts[c] ** 2 / scale ** 2 / 2;
  for (const weight of model.weights.row(c)) sum += weight ** 2 / 2;
  for (let i = 0; i < n; i++) {
    const slack = Math.max(0, 1 - targets.at(i, c) * values.at(i, c));
    sum += costs[i] * (loss === 'hinge' ? slack : slack ** 2);
  }
  return sum;
}

/** Σα − ½‖Σ αᵢyᵢ(xᵢ, s)‖² − Σ αᵢ²/4Cᵢ (the last for the squared loss), from the dual variables alone. */
function dual(model: SvmResult, c: number, loss: SvmOptions['loss'], scale = 1): number {
  const w = new Float64Array(7);
  let sum = 0;
  for (let i = 0; i < n; i++) {
    const alpha = model.duals.at(i, c);
    sum += alpha - (loss === 'hinge' ? 0 : alpha ** 2 / (4 * costs[i]));
    for (let j = 0; j < 6; j++) w[j] += alpha * targets.at(i, c) * features.at(i, j);
    w[6] += alpha * targets.at(i, c) * scale;
  }
  return sum - w.reduce((total, value) => total + value ** 2, 0) / 2;
}

describe('the linear support vector machine', () => {
  for (const loss of ['hinge', 'squared-hinge'] as const)
    it(`closes the gap between the primal and the dual objective (${loss})`, async () => {
      const options = { cost: costs, loss, interceptScale: 0.5, tolerance: 1e-7, maxSweeps: 20_000 };
      const model = await linearSvm(backend, features, targets, options);
      expect(model.converged).toBe(true);
      for (let c = 0; c < 3; c++) {
        expect(dual(model, c, loss, 0.5)).toBeGreaterThan(1);
        expect(primal(model, c, loss, 0.5) - dual(model, c, loss, 0.5)).toBeLessThan(1e-5);
        for (let i = 0; i < n; i++) {
          expect(model.duals.at(i, c)).toBeGreaterThanOrEqual(0);
          if (loss === 'hinge') expect(model.duals.at(i, c)).toBeLessThanOrEqual(costs[i]);
        }
      }
    });

  it('continues from given dual variables without losing ground', async () => {
    const cold = await linearSvm(backend, features, targets, { cost: costs, tolerance: 1e-5, maxSweeps: 20_000 });
    const warm = await linearSvm(backend, features, targets, { cost: costs, tolerance: 1e-5, start: cold.duals });
    expect(warm.sweeps).toBeLessThan(5);
    expect(warm.weights).toBeAllClose(cold.weights, { tolerance: 1e-4 });
  });

  it('leaves out instances whose target is 0 or that cost nothing', async () => {
    const kept = Array.from({ length: n }, (_, i) => i).filter((i) => i % 3 !== 0);
    const masked = targets.copy('float64');
    const free = Array.from(costs);
    for (let i = 0; i < n; i += 3) {
      if (i % 2) masked.row(i).fill(0);
      else free[i] = 0;
    }
    const options = { tolerance: 1e-8, maxSweeps: 20_000 };
    const all = await linearSvm(backend, features, masked, { ...options, cost: free });
    const some = await linearSvm(backend, selectRows(features, kept), selectRows(targets, kept), {
      ...options,
      cost: kept.map((i) => costs[i]),
    });
    expect(all.weights).toBeAllClose(some.weights, { tolerance: 1e-5 });
  });

  it('takes a cost for every instance and category', async () => {
    const matrix = Matrix.from(costs.map((value) => [value, value, value]));
    const options = { tolerance: 1e-4, maxSweeps: 5000 };
    const one = await linearSvm(backend, features, targets, { ...options, cost: costs });
    const other = await linearSvm(backend, features, targets, { ...options, cost: matrix });
    expect(other.weights.data).toEqual(one.weights.data);
  });

  it('gives the same answer to the bit when the instances are permuted', async () => {
    const order = new Random(9).permutation(n);
    const permuted = await linearSvm(backend, selectRows(features, order), selectRows(targets, order), {
      cost: Array.from(order, (i) => costs[i]),
    });
    const straight = await linearSvm(backend, features, targets, { cost: costs });
    expect(permuted.weights.data).toEqual(straight.weights.data);
    expect(selectRows(straight.duals, order).data).toEqual(permuted.duals.data);
  });

  it('stops when asked to', async () => {
    const controller = new AbortController();
    const work = linearSvm(backend, features, targets, { cost: 100, tolerance: 0, signal: controller.signal });
    controller.abort();
    await expect(work).rejects.toThrow(/abort/i);
  });

  it('refuses negative costs', async () => {
    await expect(linearSvm(backend, features, targets, { cost: -1 })).rejects.toThrow(/a cost is -1/);
  });
});
