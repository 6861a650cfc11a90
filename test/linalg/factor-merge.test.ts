import { describe, expect, it } from 'vitest';
import { Random } from '../../src/linalg/random.js';
import { instantiateKernels } from '../../src/linalg/wasm/factor-kernels.js';
import { deflate, inBoth, inBottom, inTop, mergeOrders } from '../../src/linalg/wasm/factor-merge.js';
import fc from '../property.js';
import { createPlainContext } from './factor-context.js';
import { jacobiEigenvalues, symmetric } from './factor-matrices.js';

const noRotation = () => {
  throw new Error('no rotation was expected');
};

describe('deflate', () => {
  it('keeps every index of a well separated problem', () => {
    const update = {
      d: Float64Array.of(3, 1, 2),
      z: Float64Array.of(0.6, 0.6, 0.52),
      rho: 1,
      part: Uint8Array.of(inTop, inTop, inBottom),
    };
    expect(deflate(update, Int32Array.of(1, 2, 0), noRotation)).toEqual({ kept: [1, 2, 0], deflated: [] });
  });

  it('sets aside what the update does not touch', () => {
    const update = { d: Float64Array.of(1, 2, 3), z: Float64Array.of(0.7, 0, 0.7), rho: 1, part: new Uint8Array(3) };
    expect(deflate(update, Int32Array.of(0, 1, 2), noRotation)).toEqual({ kept: [0, 2], deflated: [1] });
    const none = { ...update, rho: 0 };
    expect(deflate(none, Int32Array.of(0, 1, 2), noRotation)).toEqual({ kept: [], deflated: [0, 1, 2] });
  });

  it('rotates the weight of equal values onto one of them, which then lives in both parts', () => {
    const update = {
      d: Float64Array.of(5, 5),
      z: Float64Array.of(0.6, 0.8),
      rho: 1,
      part: Uint8Array.of(inTop, inBottom),
    };
    const rotations: number[][] = [];
    const result = deflate(update, Int32Array.of(0, 1), (...rotation) => rotations.push(rotation));
    expect(result).toEqual({ kept: [1], deflated: [0] });
    expect(update.z).toEqual(Float64Array.of(0, 1));
    expect(update.part[1]).toBe(inBoth);
    const [[first, second, c, s]] = rotations;
    expect([first, second]).toEqual([0, 1]);
    // The rotation that was asked for does to (z₀, z₁) what happened to z.
    expect(c * 0.6 + s * 0.8).toBeCloseTo(0, 15);
    expect(c * 0.8 - s * 0.6).toBeCloseTo(1, 15);
  });

  it('leaves the eigenvalues of diag(d) + ρ z z as they were, to rounding', () => {
    const value = fc.constantFrom(0, 1, 1 + 2e-16, 1 + 1e-12, 2, -3, 1e-8);
    const weight = fc.constantFrom(0, 1e-17, 1e-9, 0.3, -1);
    const entries = fc.array(fc.tuple(value, weight), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(entries, fc.constantFrom(1e-12, 0.5, 4), (pairs, rho) => {
        const d = Float64Array.from(pairs, ([x]) => x);
        const z = Float64Array.from(pairs, ([, x]) => x);
        const matrix = () => symmetric(d.length, (i, j) => (i === j ? d[i] : 0) + rho * z[i] * z[j]);
        const before = jacobiEigenvalues(matrix());
        const order = Int32Array.from(d.keys()).sort((a, b) => d[a] - d[b]);
        const { kept, deflated } = deflate({ d, z, rho, part: new Uint8Array(d.length) }, order, () => {});
        for (const index of deflated) z[index] = 0;
        const after = jacobiEigenvalues(matrix());
        for (let i = 0; i < d.length; i++) expect(Math.abs(after[i] - before[i])).toBeLessThan(1e-13);
        expect([...kept, ...deflated].sort()).toEqual([...d.keys()].sort());
        for (let i = 1; i < kept.length; i++) expect(d[kept[i]]).toBeGreaterThan(d[kept[i - 1]]);
      }),
    );
  });
});

describe('mergeOrders', () => {
  it('interleaves two ascending orders', () => {
    const d = Float64Array.of(1, 5, 9, 2, 5, 6);
    expect(mergeOrders(d, [0, 1, 2], [3, 4, 5])).toEqual(Int32Array.of(0, 3, 1, 4, 5, 2));
    expect(mergeOrders(d, [], [3, 4])).toEqual(Int32Array.of(3, 4));
  });
});

describe('the secular equation', () => {
  const context = createPlainContext();
  const kernels = instantiateKernels(context.memory);

  /** Eigenvalues and unit eigenvectors (rows) of diag(d) + ρ z z'. */
  function solve(d: Float64Array, z: Float64Array, rho: number) {
    const k = d.length;
    const [dAt, zAt, values, scratch] = [k, k, k, 2 * k].map((count) => context.allocate(8 * count));
    const s = context.allocate(8 * k * k);
    const columns = context.allocate(4 * k);
    const view = (pointer: number, count: number) => new Float64Array(context.memory.buffer, pointer, count);
    view(dAt, k).set(d);
    view(zAt, k).set(z);
    new Int32Array(context.memory.buffer, columns, k).set([...d.keys()]);
    kernels.secularRoots(k, rho, dAt, zAt, values, s, 8 * k, scratch);
    const differences = view(s, k * k).slice();
    kernels.secularVectors(k, dAt, zAt, s, 8 * k, columns, scratch);
    const result = { values: view(values, k).slice(), differences, vectors: view(s, k * k).slice() };
    for (const pointer of [...context.used.keys()]) context.free(pointer);
    return result;
  }

  it('is solved in closed form for one and two poles', () => {
    expect(solve(Float64Array.of(3), Float64Array.of(1), 2).values[0]).toBeCloseTo(5, 14);
    const { values } = solve(Float64Array.of(0, 1), Float64Array.of(0.6, 0.8), 1);
    // λ² - 2 λ + 0.36 = 0
    expect(values[0]).toBeCloseTo(1 - 0.8, 14);
    expect(values[1]).toBeCloseTo(1 + 0.8, 14);
  });

  it('interlaces the poles, and its vectors are orthogonal eigenvectors, however close poles and small weights are', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.nat(),
        fc.nat(14),
        fc.nat(13),
        (k, seed, closeness, smallness) => {
          const random = new Random(seed);
          const gaps = Float64Array.from({ length: k }, () => 10 ** (-closeness * random.uniform()));
          let sum = -1;
          const d = gaps.map((gap) => {
            sum += gap;
            return sum;
          });
          const raw = Float64Array.from(
            { length: k },
            () => 10 ** (-smallness * random.uniform()) * Math.sign(random.normal()),
          );
          const length = Math.hypot(...raw);
          const z = raw.map((x) => x / length);
          const rho = 10 ** (2 * random.uniform() - 1);
          const { values, differences, vectors } = solve(d, z, rho);
          const size = Math.max(Math.abs(d[0]), Math.abs(d[k - 1])) + rho;
          for (let i = 0; i < k; i++) {
            expect(values[i]).toBeGreaterThanOrEqual(d[i]);
            expect(values[i]).toBeLessThanOrEqual(i < k - 1 ? d[i + 1] : d[i] + rho * (1 + 1e-14));
            for (let j = 0; j < k; j++) {
              expect(Math.sign(differences[i * k + j])).toBe(j <= i ? -1 : 1);
              let cosine = 0;
              let along = 0;
              for (let t = 0; t < k; t++) {
                cosine += vectors[i * k + t] * vectors[j * k + t];
                along += z[t] * vectors[i * k + t];
              }
              expect(Math.abs(cosine - (i === j ? 1 : 0))).toBeLessThan(4 * (k + 4) * Number.EPSILON);
              const defect = (d[j] - values[i]) * vectors[i * k + j] + rho * z[j] * along;
              expect(Math.abs(defect)).toBeLessThan(4 * (k + 4) * Number.EPSILON * size);
            }
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});
