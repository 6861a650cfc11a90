import { describe, expect, it } from 'vitest';
import type { Backend } from '../../src/linalg/backend.js';
import { type Dtype, Matrix, type RealArray } from '../../src/linalg/matrix.js';
import '../allclose.js';
import { backends, type Present } from './backends.js';
import { dtypes, operand, product, Random, transpose } from './naive.js';

/** Runs `compute` on one thread and on several and compares the bits of everything it returns. */
async function sameBits({ create, mostThreads }: Present, compute: (backend: Backend) => RealArray[]) {
  const [one, many] = await Promise.all([create(1), create(mostThreads)]);
  try {
    expect([one.threads, many.threads]).toEqual([1, mostThreads]);
    const [alone, together] = [compute(one), compute(many)];
    alone.forEach((values, i) => {
      const [a, b] = [values, together[i]].map((v) => Buffer.from(v.buffer, v.byteOffset, v.byteLength));
      expect(a.equals(b), `result ${i}`).toBe(true);
    });
  } finally {
    one.dispose();
    many.dispose();
  }
}

describe.each(backends)('threads of the $name backend', (present) => {
  it.each([
    { m: 500, n: 400, k: 300 },
    { m: 1000, n: 90, k: 777 },
    { m: 90, n: 1000, k: 293 },
    { m: 64, n: 64, k: 5000 },
    { m: 2000, n: 3, k: 901 },
  ])('give products of $m×$k and $k×$n the same bits as one thread', async ({ m, n, k }) => {
    const random = new Random(k);
    const operands = (dtype: Dtype) => [operand(random, m, k, dtype, 1), operand(random, k, n, dtype, 2)];
    const inputs = { float64: operands('float64'), float32: operands('float32') };
    await sameBits(present, (backend) =>
      dtypes.flatMap((dtype) => {
        const [a, b] = inputs[dtype];
        const c = Matrix.zeros(m, n, dtype);
        backend.gemm(c, a, b);
        const [gram, outer] = [Matrix.zeros(m, m, dtype), Matrix.zeros(n, n, dtype)];
        backend.syrk(gram, a);
        backend.syrk(outer, b, { transpose: true });
        const [y, z] = [Matrix.zeros(1, m, dtype).data, Matrix.zeros(1, k, dtype).data];
        backend.gemv(y, a, transpose(b).copy(dtype).row(0));
        backend.gemv(z, a, y, { transpose: true });
        return [c.data, gram.data, outer.data, y, z];
      }),
    );
  });

  it('give factorizations and solutions the same bits as one thread', async () => {
    const n = 850;
    const random = new Random(n);
    const a = operand(random, n, n + 10, 'float64');
    const rightSides = operand(random, 70, n, 'float64');
    await sameBits(present, (backend) => {
      const l = Matrix.zeros(n, n);
      backend.syrk(l, a);
      const v = l.view(0, 300, 0, 300).copy();
      const values = new Float64Array(300);
      backend.eigh(values, v);
      backend.cholesky(l);
      const rows = rightSides.copy('float64');
      const columns = transpose(rightSides);
      backend.choleskySolve(l, rows, 'rows');
      backend.choleskySolve(l, columns, 'columns');
      return [l.data, v.data, values, rows.data, columns.data];
    });
  });

  it('give sums, multiples, products and leaders of rows the same bits as one thread', async () => {
    const [rows, cols] = [601, 501];
    const random = new Random(rows);
    const numbers = (length: number) => Float64Array.from({ length }, () => random.uniform() - 0.4);
    const [factors, offsets] = [numbers(rows), numbers(cols)];
    const inputs = dtypes.map((dtype) => [operand(random, rows, cols, dtype), operand(random, rows, cols, dtype)]);
    await sameBits(present, (backend) =>
      inputs.flatMap(([a, b]) => {
        const [added, mixed, scaled] = [a.copy(), a.copy(), a.copy()];
        backend.axpby(added, 1.7, b, 1);
        backend.axpby(mixed, -0.3, b, 0.9);
        const own = a.dtype === 'float32' ? Float32Array.from(factors) : factors;
        backend.scaleRows(scaled, own);
        const dots = own.slice();
        backend.rowDots(dots, a, b);
        const leaders = { columns: new Int32Array(rows), leads: new Float64Array(rows) };
        backend.leadersOfRows(leaders, a, offsets);
        const expected = Array.from({ length: rows * cols }, (_, at) => 1.7 * b.data[at] + a.data[at]);
        expect(added).toBeAllClose(new Matrix(Float64Array.from(expected), rows, cols), { tolerance: 1e-5, scale: 4 });
        return [added.data, mixed.data, scaled.data, dots, leaders.leads, Float64Array.from(leaders.columns)];
      }),
    );
  });

  it('give passes over rows the same bits as one thread', async () => {
    const [rows, cols] = [3000, 150];
    const random = new Random(rows);
    const numbers = (length: number) => Float64Array.from({ length }, () => 0.1 + random.uniform());
    const inputs = {
      float64: operand(random, rows, cols, 'float64', 1),
      float32: operand(random, rows, cols, 'float32', 1),
    };
    const [lengths, weights] = [numbers(rows), numbers(rows)];
    const [squares, scales, shifts] = [numbers(cols), numbers(cols), numbers(cols)];
    const labels = Int32Array.from({ length: rows }, (_, i) => (i % (cols + 1)) - 1);
    const columns = Int32Array.from({ length: 4 * rows }, () => Math.floor(rows * random.uniform()));
    const starts = Int32Array.from({ length: rows + 1 }, (_, i) => 4 * i);
    const segments = Int32Array.of(0, 100, 100, 1700, rows);
    await sameBits(present, (backend) =>
      dtypes.flatMap((dtype) => {
        const given = inputs[dtype];
        const [out, own, counts] = [new Float64Array(rows), new Float64Array(rows), new Float64Array(cols)];
        backend.logPowerSums(out, given, { lengths, squares, scales, shifts, power: 7, labels }, own);
        const chances = Matrix.zeros(rows, cols, dtype);
        backend.softmaxRows(chances, given, squares, weights, counts);
        const energy = Float64Array.of(backend.energyOfRows(chances, given, weights));
        const powered = given.copy();
        backend.powerRows(powered, 0.75);
        const sums = Matrix.zeros(4, cols, dtype);
        backend.segmentSums(sums, given, weights, segments);
        const spread = given.copy();
        backend.addSparse(spread, { starts, columns, values: numbers(4 * rows).fill(0.3) }, chances);
        const [nearest, cosines] = [new Int32Array(5 * rows), new Float64Array(5 * rows)];
        backend.nearestRows(nearest, cosines, given, weights);
        const places = Float64Array.from(nearest);
        const form = backend.sparseForm({ starts, columns, values: numbers(4 * rows).fill(0.3) }, given);
        const far = Float64Array.of(form, backend.sumOfDifferences(given, chances));
        const scores = given.copy();
        backend.scoreRows(scores, { lengths, squares, factors: scales, constants: shifts });
        const lists = [places, cosines, far, scores.data];
        return [out, own, chances.data, counts, energy, powered.data, sums.data, spread.data, ...lists];
      }),
    );
  });

  it('work on the same data at the same time as another backend without mixing up their results', async () => {
    const [first, second] = await Promise.all([1, 2].map(() => present.create(present.mostThreads)));
    const random = new Random(1);
    const [a, b] = [operand(random, 400, 300, 'float64'), operand(random, 300, 400, 'float64')];
    const [c, d] = [Matrix.zeros(400, 400), Matrix.zeros(400, 400)];
    for (let round = 0; round < 20; round++) {
      first.gemm(c, a, b);
      second.gemm(d, a, b, { alpha: 2 });
    }
    first.dispose();
    second.gemm(d, a, b, { alpha: 2 });
    second.dispose();
    expect(c).toBeAllClose(product(a, b));
    expect(d).toBeAllClose(product(a, b, 2));
  });

  it.each([255, 256, 257, 513])('share out the sums of %i segments', async (count) => {
    const backend = await present.create(present.mostThreads);
    try {
      const rows = operand(new Random(count), count, 3, 'float64', 1);
      const weights = Float64Array.from({ length: count }, (_, i) => i + 1);
      const sums = Matrix.zeros(count, 3);
      backend.segmentSums(
        sums,
        rows,
        weights,
        Int32Array.from({ length: count + 1 }, (_, i) => i),
      );
      for (let i = 0; i < count; i++)
        expect(Array.from(sums.row(i))).toBeAllClose(Array.from(rows.row(i), (value) => (i + 1) * value));
    } finally {
      backend.dispose();
    }
  });
});
