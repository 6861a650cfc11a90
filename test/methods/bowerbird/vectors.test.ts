/** What both sides of the estimate compute with, written out. */
import { describe, expect, it } from 'vitest';
import { createBackend } from '../../../src/linalg/create.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import {
  addByLabel,
  axpy,
  distances,
  entropy,
  inPrecision,
  logOdds,
  productsWith,
  shrunken,
  timesVector,
} from '../../../src/methods/bowerbird/vectors.js';

const backend = await createBackend({ threads: 1 });
const rows = [
  [1, 2, -1],
  [0, 0.5, 3],
];
const means = Matrix.from([
  [1, 2, -1],
  [-2, 0, 1],
  [4, 4, 4],
]) as Matrix<Float64Array>;

describe.each(['float32', 'float64'] as const)('pictures in %s', (dtype) => {
  const pictures = Matrix.from(rows).copy(dtype);

  it('are multiplied with rows and with a vector in their own precision', () => {
    const products = productsWith(backend, pictures, means);
    expect(products.dtype).toBe(dtype);
    expect([...products.data]).toEqual([6, -3, 8, -2, 3, 14]);
    const along = timesVector(backend, pictures, Float64Array.of(2, -4, 1));
    expect(along).toBeInstanceOf(dtype === 'float32' ? Float32Array : Float64Array);
    expect([...along]).toEqual([-7, 1]);
  });

  it('are as far from means as the squares of the differences say', () => {
    const found = distances(backend, { rows: pictures, squaredLengths: Float64Array.of(6, 9.25) }, means);
    expect([...found.data]).toEqual([0, 9 + 4 + 4, 9 + 4 + 25, 1 + 2.25 + 16, 4 + 0.25 + 4, 16 + 12.25 + 1]);
  });

  it('are never nearer than at no distance, though rounding says so', () => {
    const found = distances(backend, { rows: pictures, squaredLengths: Float64Array.of(5.999, 9.25) }, means);
    expect(found.at(0, 0)).toBe(0);
  });

  it('are copied only where the precision differs', () => {
    expect(inPrecision(backend, pictures, { dtype }, (same) => same)).toBe(pictures);
    const other = inPrecision(
      backend,
      pictures,
      { dtype: dtype === 'float32' ? 'float64' : 'float32' },
      (converted) => ({ dtype: converted.dtype, values: [...converted.data] }),
    );
    expect(other.dtype).not.toBe(dtype);
    expect(other.values).toEqual(rows.flat());
  });
});

describe('sums', () => {
  it('of rows by their label are weighted, and so are their numbers', () => {
    const sums = Matrix.from([
      [1, 0, 0],
      [0, 0, 0],
    ]) as Matrix<Float64Array>;
    const totals = Float64Array.of(0.5, 0);
    addByLabel(sums, totals, means, [1, 0, 1], Float64Array.of(0.5, 2, 0));
    expect([...sums.data]).toEqual([-3, 0, 2, 0.5, 1, -0.5]);
    expect([...totals]).toEqual([2.5, 0.5]);
  });

  it('with a factor of 0 ignore what is not a number', () => {
    const target = Float64Array.of(1, 2);
    axpy(target, 0, [Number.NaN, Number.POSITIVE_INFINITY] as unknown as Float64Array);
    expect([...target]).toEqual([1, 2]);
    axpy(target, -2, Float64Array.of(3, 4));
    expect([...target]).toEqual([-5, -6]);
  });
});

describe('a mean difference', () => {
  it('is shrunken by what chance explains of its mean square', () => {
    // Mean square 5; 1.25 by chance: 3 of 4 parts are left.
    expect([...shrunken(Float64Array.of(1, -3), 1.25)]).toEqual([0.75, -2.25]);
    expect([...shrunken(Float64Array.of(1, -3), 0)]).toEqual([1, -3]);
  });

  it('is nothing where chance explains all of it', () => {
    for (const chance of [5, 9])
      for (const value of shrunken(Float64Array.of(1, -3), chance)) expect(value).toBeCloseTo(0, 12);
    for (const value of shrunken(Float64Array.of(0, 0), 0)) expect(value).toBe(0);
  });
});

describe('chances', () => {
  it('have entropy and log odds', () => {
    expect(entropy(0.25)).toBeCloseTo(0.25 * Math.log(4), 14);
    expect([entropy(0), entropy(1)]).toEqual([0, -0]);
    expect(logOdds(0.8)).toBeCloseTo(Math.log(4), 14);
    expect(logOdds(0.5)).toBe(0);
  });
});
