import { describe, expect, it } from 'vitest';
import { Matrix } from '../../../src/linalg/matrix.js';
import { Random } from '../../../src/linalg/random.js';
import { KernelAlignment, type KernelName } from '../../../src/methods/zero-shot/kernel-alignment.js';
import { Zsk } from '../../../src/methods/zero-shot/zsk.js';
import { Scratch } from '../../../src/numerics/scratch.js';
import { multiply, transpose } from '../../learner/plain.js';
import { backend, dot, rowsOf, small } from './small.js';
import '../../allclose.js';

const kernels: [KernelName, (p: number[], s: number[], width: number) => number][] = [
  ['gaussian', (p, s, width) => Math.exp(-squared(p, s) / (2 * width ** 2))],
  ['cauchy', (p, s, width) => 1 / (1 + squared(p, s) / width ** 2)],
  ['polynomial', (p, s) => (dot(p, s) + 1) ** 2],
];
const squared = (a: number[], b: number[]) => a.reduce((sum, value, k) => sum + (value - b[k]) ** 2, 0);

const random = new Random(12);
const [n, d, r, categories] = [6, 5, 3, 4];
const pictures = new Matrix(random.normalArray(n * d), n, d);
const vectors = new Matrix(random.normalArray(categories * r), categories, r);
const projection = new Matrix(random.normalArray(r * d), r, d);
const labels = Int32Array.of(0, 1, 2, 3, 1, 2);
const settings = { width: 1.3, balance: 0.8, incoherence: 0.6 };

describe.each(kernels)('zero-shot kernel learning with the %s kernel', (kernel, kernelOf) => {
  const objective = (w: Matrix) => {
    let total = 0;
    for (let i = 0; i < n; i++) {
      const projected = rowsOf(w).map((row) => dot(row, pictures.row(i)));
      for (let c = 0; c < categories; c++) {
        const value = kernelOf(projected, Array.from(vectors.row(c)), settings.width);
        total += ((c === labels[i] ? -1 : settings.balance / (categories - 1)) * value) / n;
      }
    }
    const coherence = multiply(rowsOf(w), transpose(rowsOf(w)));
    for (let a = 0; a < r; a++)
      for (let b = 0; b < r; b++) total += (settings.incoherence / r) * (coherence[a][b] - (a === b ? 1 : 0)) ** 2;
    return total;
  };

  it('has the objective it states and its gradient', () => {
    const scratch = new Scratch(backend);
    const alignment = new KernelAlignment(backend, scratch, vectors, n, { ...settings, kernel });
    const gradient = Matrix.zeros(r, d);
    expect(alignment.differentiate(gradient, projection, pictures, labels)).toBeCloseTo(objective(projection), 9);
    for (let k = 0; k < r * d; k++) {
      const moved = (by: number) => {
        const copy = projection.copy('float64');
        copy.data[k] += by;
        return objective(copy);
      };
      expect(gradient.data[k]).toBeCloseTo((moved(1e-5) - moved(-1e-5)) / 2e-5, 5);
    }
    scratch.release();
  });

  it('decides by kernels between projected pictures and categories', async () => {
    const method = await new Zsk({ kernel, width: 0.8, epochs: 2, learningRate: 0.1 }, 3).fit(small, { backend });
    const values = method.decisionValues(small.testFeatures);
    expect(values.cols).toBe(4);
    for (const value of values.data) expect(value).toBeGreaterThanOrEqual(0);
    if (kernel !== 'polynomial') for (const value of values.data) expect(value).toBeLessThanOrEqual(1);
  });
});

describe('the soft constraint', () => {
  it('draws the columns of the projection towards an orthonormal set', async () => {
    const distance = async (incoherence: number) => {
      const method = await new Zsk({ incoherence, learningRate: 0.1, epochs: 20 }, 3).fit(small, { backend });
      const w = rowsOf(method.projection_!);
      const coherence = multiply(w, transpose(w));
      return Math.sqrt(
        coherence
          .flatMap((row, a) => row.map((value, b) => (value - (a === b ? 1 : 0)) ** 2))
          .reduce((s, v) => s + v, 0),
      );
    };
    expect(await distance(1)).toBeLessThan(0.5 * (await distance(0)));
  });

  it('keeps the projection finite even where steps are far too long', async () => {
    const method = await new Zsk({ kernel: 'polynomial', learningRate: 1e4, incoherence: 5 }, 3).fit(small, {
      backend,
    });
    for (const value of method.projection_!.data) expect(Math.abs(value)).toBeLessThan(1e6);
  });

  it('refuses a kernel it does not know', () => {
    expect(() => new Zsk({ kernel: 'linear' as 'gaussian' })).toThrow(/kernel is "linear"/);
  });
});
