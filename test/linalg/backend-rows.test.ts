import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ArgumentError } from '../../src/errors.js';
import type { Backend } from '../../src/linalg/backend.js';
import { Matrix } from '../../src/linalg/matrix.js';
import fc from '../property.js';
import '../allclose.js';
import { backends } from './backends.js';
import { changesAround, epsilon, operand, Random, shapesWith } from './naive.js';

const shapes = shapesWith(fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 190, max: 300 })));
const positive = (random: Random, length: number) => Float64Array.from({ length }, () => 0.1 + 2 * random.uniform());
const normal = (random: Random, length: number) => Float64Array.from({ length }, () => random.normal());

describe.each(backends)('passes over rows on the $name backend', ({ create }) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await create();
  });
  afterAll(() => backend.dispose());

  it('sums powers of distances without the label of a row, in logarithms', () => {
    fc.assert(
      fc.property(fc.record(shapes), ({ seed, rows, cols, pad, dtype }) => {
        const random = new Random(seed);
        const products = operand(random, rows, cols, dtype, pad);
        const [lengths, squares] = [positive(random, rows), positive(random, cols)];
        const [scales, shifts] = [positive(random, cols), positive(random, cols)];
        const power = 0.05 + 60 * random.uniform();
        const labels = Int32Array.from({ length: rows }, () => Math.floor((cols + 1) * random.uniform()) - 1);
        const [out, own] = [new Float64Array(rows), new Float64Array(rows)];
        backend.logPowerSums(out, products, { lengths, squares, scales, shifts, power, labels }, own);
        for (let i = 0; i < rows; i++) {
          const far = (c: number) => Math.max(0, lengths[i] - 2 * products.at(i, c) + squares[c]);
          const logs = Array.from({ length: cols }, (_, c) => -power * Math.log(scales[c] * (shifts[c] + far(c))));
          const others = logs.filter((_, c) => c !== labels[i]);
          const most = Math.max(...others);
          const sum = others.reduce((total, value) => total + Math.exp(value - most), 0);
          if (others.length === 0) expect(out[i]).toBe(Number.NEGATIVE_INFINITY);
          else {
            // Rounding of the distances' terms, by how much smaller the distances are, in each of the powers.
            const size = (c: number) => lengths[i] + 2 * Math.abs(products.at(i, c)) + squares[c];
            const worst = Math.max(...logs.map((_, c) => size(c) / (shifts[c] + far(c))));
            const allowed = 16 * epsilon[dtype] * (1 + power) * (1 + worst) + 1e-13;
            expect(Math.abs(out[i] - most - Math.log(sum))).toBeLessThanOrEqual(allowed);
            if (labels[i] >= 0)
              expect(Math.abs(own[i] - far(labels[i]))).toBeLessThanOrEqual(4 * epsilon[dtype] * size(labels[i]));
          }
        }
        expect(changesAround(products)).toBe(0);
      }),
      { numRuns: 40 },
    );
  });

  it('turns scores into chances and counts them by weight, also in place', () => {
    fc.assert(
      fc.property(fc.record(shapes), ({ seed, rows, cols, pad, dtype }) => {
        const random = new Random(seed);
        const [target, scores] = [operand(random, rows, cols, dtype, pad), operand(random, rows, cols, dtype, 2 - pad)];
        const [offsets, weights] = [normal(random, cols), positive(random, rows)];
        const counts = new Float64Array(cols).fill(7);
        backend.softmaxRows(target, scores, offsets, weights, counts);
        const expected = new Float64Array(cols);
        for (let i = 0; i < rows; i++) {
          const values = Array.from({ length: cols }, (_, c) => Math.exp(scores.at(i, c) + offsets[c]));
          const total = values.reduce((sum, value) => sum + value, 0);
          values.forEach((value, c) => {
            expect(Math.abs(target.at(i, c) - value / total)).toBeLessThanOrEqual(4 * epsilon[dtype]);
            expected[c] += (weights[i] * value) / total;
          });
        }
        for (let c = 0; c < cols; c++)
          expect(Math.abs(counts[c] - expected[c])).toBeLessThanOrEqual(rows * 8 * epsilon[dtype]);
        expect(changesAround(target)).toBe(0);
        const again = target.copy();
        backend.softmaxRows(scores, scores, offsets, weights, counts);
        expect(scores.copy().data).toEqual(again.data);
      }),
      { numRuns: 40 },
    );
  });

  it('keeps chances of scores that are far apart', () => {
    const chances = Matrix.zeros(1, 3);
    backend.softmaxRows(
      chances,
      Matrix.from([[-5000, 3, 2]]),
      new Float64Array(3),
      Float64Array.of(1),
      new Float64Array(3),
    );
    expect(chances.at(0, 0)).toBe(0);
    expect(chances.at(0, 1)).toBeCloseTo(1 / (1 + Math.exp(-1)), 14);
  });

  it('adds up expected scores and entropies', () => {
    fc.assert(
      fc.property(fc.record(shapes), ({ seed, rows, cols, pad, dtype }) => {
        const random = new Random(seed);
        const [chances, scores] = [
          operand(random, rows, cols, dtype, pad),
          operand(random, rows, cols, dtype, 2 - pad),
        ];
        const weights = positive(random, rows);
        backend.softmaxRows(chances, scores.copy(), new Float64Array(cols), weights, new Float64Array(cols));
        if (rows > 0) chances.set(0, 0, 0);
        let expected = 0;
        for (let i = 0; i < rows; i++)
          for (let c = 0; c < cols; c++) {
            const q = chances.at(i, c);
            if (q > 0) expected += weights[i] * q * (scores.at(i, c) - Math.log(q));
          }
        expect(Math.abs(backend.energyOfRows(chances, scores, weights) - expected)).toBeLessThanOrEqual(
          1e-12 * rows * (10 + cols),
        );
      }),
      { numRuns: 40 },
    );
  });

  it('turns products into scores that fall with the squared distance', () => {
    fc.assert(
      fc.property(fc.record(shapes), ({ seed, rows, cols, pad, dtype }) => {
        const random = new Random(seed);
        const products = operand(random, rows, cols, dtype, pad);
        const before = products.copy();
        const [lengths, squares] = [positive(random, rows), positive(random, cols)];
        const [factors, constants] = [normal(random, cols), normal(random, cols)];
        backend.scoreRows(products, { lengths, squares, factors, constants });
        for (let i = 0; i < rows; i++)
          for (let c = 0; c < cols; c++) {
            const distance = Math.max(0, lengths[i] - 2 * before.at(i, c) + squares[c]);
            const expected = factors[c] * distance + constants[c];
            const size = Math.abs(expected) + Math.abs(constants[c]) + Math.abs(factors[c]) * (distance + 10);
            expect(Math.abs(products.at(i, c) - expected)).toBeLessThanOrEqual(2 * epsilon[dtype] * size);
          }
        expect(changesAround(products)).toBe(0);
      }),
      { numRuns: 40 },
    );
  });

  it.each([false, true])('finds what stands out in rows; with values of their own at labels: %s', (labelled) => {
    fc.assert(
      fc.property(fc.record(shapes), ({ seed, rows, cols, pad, dtype }) => {
        const random = new Random(seed);
        const products = operand(random, rows, cols, dtype, pad);
        const [lengths, squares, inverses] = [positive(random, rows), positive(random, cols), positive(random, cols)];
        const [factors, constants] = [normal(random, cols).map((value) => 3 * value), normal(random, cols)];
        const labels = Int32Array.from({ length: rows }, () => Math.floor((cols + 1) * random.uniform()) - 1);
        const own = positive(random, 3 * rows);
        const [closest, largest, second, logSums] = [1, 2, 3, 4].map(() => new Float64Array(rows));
        const nearest = new Int32Array(rows);
        const scores = { lengths, squares, factors, constants, inverses, ...(labelled && { labels, own }) };
        backend.peaksOfRows({ closest, nearest, largest, second, logSums }, products, scores);
        for (let i = 0; i < rows; i++) {
          const at = (c: number) =>
            labelled && c === labels[i] ? own.subarray(3 * i) : [products.at(i, c), squares[c], inverses[c]];
          const cosines = Array.from({ length: cols }, (_, c) => at(c)[0] * at(c)[2]);
          const values = Array.from({ length: cols }, (_, c) => {
            const [product, square] = at(c);
            return factors[c] * Math.max(0, lengths[i] - 2 * product + square) + constants[c];
          });
          expect(closest[i]).toBe(Math.max(...cosines));
          expect(nearest[i]).toBe(cosines.indexOf(closest[i]));
          const ordered = [...values].sort((a, b) => b - a);
          expect(largest[i]).toBeCloseTo(ordered[0], 11);
          if (cols > 1) expect(second[i]).toBeCloseTo(ordered[1], 11);
          else expect(second[i]).toBe(Number.NEGATIVE_INFINITY);
          const sum = values.reduce((total, value) => total + Math.exp(value - ordered[0]), 0);
          expect(logSums[i]).toBeCloseTo(ordered[0] + Math.log(sum), 11);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('tells which column leads in each row and by how much, the first of equal ones', () => {
    fc.assert(
      fc.property(fc.record(shapes), ({ seed, rows, cols, pad, dtype }) => {
        const random = new Random(seed);
        const scores = operand(random, rows, cols, dtype, pad);
        // Whole numbers, so that some are equal.
        for (let i = 0; i < rows; i++) for (let c = 0; c < cols; c++) scores.set(i, c, Math.round(3 * scores.at(i, c)));
        const offsets = normal(random, cols).map(Math.round);
        const [columns, leads] = [new Int32Array(rows), new Float64Array(rows)];
        backend.leadersOfRows({ columns, leads }, scores, offsets);
        for (let i = 0; i < rows; i++) {
          const values = Array.from({ length: cols }, (_, c) => scores.at(i, c) + offsets[c]);
          const ordered = [...values].sort((a, b) => b - a);
          expect(columns[i]).toBe(values.indexOf(ordered[0]));
          expect(leads[i]).toBe(cols > 1 ? ordered[0] - ordered[1] : Number.POSITIVE_INFINITY);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('adds up how far two matrices are apart', () => {
    fc.assert(
      fc.property(fc.record(shapes), ({ seed, rows, cols, pad, dtype }) => {
        const random = new Random(seed);
        const [a, b] = [operand(random, rows, cols, dtype, pad), operand(random, rows, cols, dtype, 2 - pad)];
        let expected = 0;
        for (let i = 0; i < rows; i++) for (let c = 0; c < cols; c++) expected += Math.abs(a.at(i, c) - b.at(i, c));
        expect(Math.abs(backend.sumOfDifferences(a, b) - expected)).toBeLessThanOrEqual(1e-13 * expected);
      }),
      { numRuns: 40 },
    );
  });

  it.each([0.75, 1, 0.5, 0.6, 2])('raises features to the power %f and gives rows unit length', (power) => {
    fc.assert(
      fc.property(fc.record(shapes), ({ seed, rows, cols, pad, dtype }) => {
        const rowsOf = operand(new Random(seed), rows, cols, dtype, pad);
        if (rows > 0) rowsOf.row(0).fill(0);
        const before = rowsOf.copy();
        backend.powerRows(rowsOf, power);
        for (let i = 0; i < rows; i++) {
          const raised = Array.from(before.row(i), (value) => Math.sign(value) * Math.abs(value) ** power);
          const length = Math.sqrt(raised.reduce((sum, value) => sum + value * value, 0)) || 1;
          for (let c = 0; c < cols; c++)
            expect(Math.abs(rowsOf.at(i, c) - raised[c] / length)).toBeLessThanOrEqual(8 * epsilon[dtype]);
        }
        expect(changesAround(rowsOf)).toBe(0);
      }),
      { numRuns: 20 },
    );
  });

  it('brings rows to unit length by what they were measured to be when they were first seen', () => {
    fc.assert(
      fc.property(fc.record(shapes), ({ seed, rows, cols, pad, dtype }) => {
        const given = operand(new Random(seed), rows, cols, dtype, pad);
        const [before, largests, lengths] = [given.copy(), new Float64Array(rows), new Float64Array(rows)];
        backend.unitRows(given, largests, lengths);
        for (let i = 0; i < rows; i++) {
          const row = Array.from(before.row(i));
          const largest = Math.max(...row.map(Math.abs));
          let squares = 0;
          for (const value of row) squares += (value / largest) * (value / largest);
          expect(largests[i]).toBe(largest);
          expect(lengths[i]).toBe(Math.sqrt(squares));
          const scaled = row.map((value) => value / largest / Math.sqrt(squares));
          expect(Array.from(given.row(i))).toEqual(dtype === 'float64' ? scaled : scaled.map(Math.fround));
        }
        expect(changesAround(given)).toBe(0);
        const again = before.copy();
        backend.unitRows(again, largests, lengths);
        expect(again.data).toEqual(given.copy().data);
      }),
      { numRuns: 40 },
    );
  });

  it('leaves rows without a length as they are, and scales the others, however large or small', () => {
    const given = Matrix.from([
      [0, 0, 0],
      [1, Number.NaN, 2],
      [3, Number.NEGATIVE_INFINITY, 1],
      [3e200, 4e200, 0],
      [0, -3e-200, 4e-200],
    ]);
    const [before, largests, lengths] = [given.copy(), new Float64Array(5), new Float64Array(5)];
    backend.unitRows(given, largests, lengths);
    expect(largests).toEqual(Float64Array.of(0, Number.NaN, Number.POSITIVE_INFINITY, 4e200, 4e-200));
    for (const i of [0, 1, 2]) expect(given.row(i)).toEqual(before.row(i));
    expect(given.row(3)).toBeAllClose([0.6, 0.8, 0], { tolerance: 1e-15 });
    expect(given.row(4)).toBeAllClose([0, -0.6, 0.8], { tolerance: 1e-15 });
  });

  it('visits features of power and unit length block by block, in any order, measured from a centre', () => {
    fc.assert(
      fc.property(fc.record(shapes), fc.boolean(), ({ seed, rows, cols, pad, dtype }, ordered) => {
        const random = new Random(seed);
        const given = operand(random, rows, cols, dtype === 'float64' ? 'float32' : 'float64', pad);
        const places = { length: rows === 0 ? 0 : 2 * rows };
        const order = ordered ? Int32Array.from(places, () => Math.floor(rows * random.uniform())) : undefined;
        const centre = normal(random, cols);
        const expected = (order ? Matrix.from(Array.from(order, (i) => given.row(i))) : given).copy(dtype);
        if (order && rows === 0) return;
        backend.powerRows(expected, 0.75);
        const seen: number[] = [];
        backend.visitPowered(given, { power: 0.75, dtype, centre, order }, (block, start) => {
          expect(block.dtype).toBe(dtype);
          // Passes over other rows leave the block as it is.
          backend.powerRows(Matrix.zeros(30, 40).fill(3), 0.5);
          for (let i = 0; i < block.rows; i++)
            for (let c = 0; c < cols; c++) {
              const value = expected.at(start + i, c) - centre[c];
              expect(Math.abs(block.at(i, c) - value)).toBeLessThanOrEqual(8 * epsilon[dtype] * (1 + Math.abs(value)));
            }
          for (let i = 0; i < block.rows; i++) seen.push(start + i);
        });
        expect(seen).toEqual([...Array(expected.rows).keys()]);
      }),
      { numRuns: 40 },
    );
  });

  it('visits more features than a block holds, all of them once', () => {
    const given = operand(new Random(3), 2500, 3, 'float32');
    const seen = Matrix.zeros(2500, 3, 'float32');
    let blocks = 0;
    backend.visitPowered(given, { power: 0.75, dtype: 'float32' }, (block, start) => {
      seen.view(start, start + block.rows).copyFrom(block);
      blocks++;
    });
    backend.powerRows(given, 0.75);
    expect(blocks).toBeGreaterThan(1);
    expect(seen.data).toEqual(given.copy().data);
    expect(() =>
      backend.visitPowered(given, { power: 1, dtype: 'float32', order: Int32Array.of(0, 2500) }, () => {}),
    ).toThrow(/place 1 names row 2500 of 2500/);
    expect(() =>
      backend.visitPowered(given, { power: 1, dtype: 'float32', centre: new Float64Array(2) }, () => {}),
    ).toThrow(ArgumentError);
  });

  it('adds rows of another matrix as a sparse one says', () => {
    fc.assert(
      fc.property(fc.record(shapes), fc.integer({ min: 1, max: 30 }), ({ seed, rows, cols, pad, dtype }, others) => {
        const random = new Random(seed);
        const [target, source] = [
          operand(random, rows, cols, dtype, pad),
          operand(random, others, cols, dtype, 2 - pad),
        ];
        const lengths = Array.from({ length: rows }, () => Math.floor(6 * random.uniform()));
        const starts = new Int32Array(rows + 1);
        lengths.forEach((length, i) => {
          starts[i + 1] = starts[i] + length;
        });
        const columns = Int32Array.from({ length: starts[rows] }, () => Math.floor(others * random.uniform()));
        const values = normal(random, starts[rows]);
        const before = target.copy();
        backend.addSparse(target, { starts, columns, values }, source);
        for (let i = 0; i < rows; i++)
          for (let c = 0; c < cols; c++) {
            let [expected, size] = [before.at(i, c), Math.abs(before.at(i, c))];
            for (let e = starts[i]; e < starts[i + 1]; e++) {
              expected += values[e] * source.at(columns[e], c);
              size += Math.abs(values[e] * source.at(columns[e], c));
            }
            expect(Math.abs(target.at(i, c) - expected)).toBeLessThanOrEqual(8 * epsilon[dtype] * size);
          }
        expect(changesAround(target)).toBe(0);
      }),
      { numRuns: 40 },
    );
  });

  it('adds up products of the rows that a sparse matrix joins', () => {
    fc.assert(
      fc.property(fc.record(shapes), ({ seed, rows, cols, pad, dtype }) => {
        const random = new Random(seed);
        const a = operand(random, rows, cols, dtype, pad);
        const starts = new Int32Array(rows + 1);
        for (let i = 0; i < rows; i++) starts[i + 1] = starts[i] + Math.floor(6 * random.uniform());
        const columns = Int32Array.from({ length: starts[rows] }, () => Math.floor(rows * random.uniform()));
        const values = normal(random, starts[rows]);
        let [expected, size] = [0, 0];
        for (let i = 0; i < rows; i++)
          for (let e = starts[i]; e < starts[i + 1]; e++)
            for (let c = 0; c < cols; c++) {
              const term = values[e] * a.at(i, c) * a.at(columns[e], c);
              expected += term;
              size += Math.abs(term);
            }
        expect(Math.abs(backend.sparseForm({ starts, columns, values }, a) - expected)).toBeLessThanOrEqual(
          1e-13 * size,
        );
      }),
      { numRuns: 40 },
    );
  });

  it('works on matrices that are too large for one piece, wherever they lie', () => {
    const random = new Random(9);
    const [rows, cols] = [700, 211];
    const host = operand(random, rows, cols, 'float32', 3);
    const other = operand(random, rows, cols, 'float32');
    const own = backend.matrix(rows, cols, 'float32');
    backend.copy(own, host);
    const weights = positive(random, rows);
    const offsets = normal(random, cols);
    const starts = Int32Array.from({ length: rows + 1 }, (_, i) => 2 * i);
    const columns = Int32Array.from({ length: 2 * rows }, () => Math.floor(rows * random.uniform()));
    const sparse = { starts, columns, values: normal(random, 2 * rows) };
    const passes = (matrix: Matrix) => {
      const counts = new Float64Array(cols);
      backend.addSparse(matrix, sparse, other);
      const form = backend.sparseForm(sparse, matrix);
      backend.softmaxRows(matrix, matrix, offsets, weights, counts);
      const far = backend.sumOfDifferences(matrix, other);
      return [form, far, backend.energyOfRows(matrix, other, weights), ...counts];
    };
    expect(passes(own)).toEqual(passes(host));
    const back = Matrix.zeros(rows, cols, 'float32');
    backend.copy(back, own);
    expect(back.data).toEqual(host.copy().data);
    expect(changesAround(host)).toBe(0);
    backend.release(own);
  });

  it('refuses vectors and labels that do not fit', () => {
    const products = Matrix.zeros(3, 2);
    const [three, two] = [new Float64Array(3).fill(1), new Float64Array(2).fill(1)];
    const mixture = { lengths: three, squares: two, scales: two, shifts: two, power: 1 };
    const sums = (change: object, own?: Float64Array) => () =>
      backend.logPowerSums(new Float64Array(3), products, { ...mixture, ...change }, own);
    expect(sums({ lengths: two })).toThrow(ArgumentError);
    expect(sums({ scales: three })).toThrow(ArgumentError);
    expect(sums({ labels: Int32Array.of(0, 2, 1) })).toThrow(/label 2 of row 1/);
    expect(sums({ labels: Int32Array.of(0) })).toThrow(ArgumentError);
    expect(sums({}, three)).toThrow(/need labels/);
    expect(() => backend.softmaxRows(Matrix.zeros(2, 2), products, two, three, two)).toThrow(ArgumentError);
    expect(() => backend.softmaxRows(products, products, three, three, two)).toThrow(ArgumentError);
    expect(() => backend.energyOfRows(products, products, two)).toThrow(ArgumentError);
    const sparse = { starts: Int32Array.of(0, 1, 1, 2), columns: Int32Array.of(0, 1), values: two };
    const add =
      (change: object, source = Matrix.zeros(2, 2)) =>
      () =>
        backend.addSparse(products, { ...sparse, ...change }, source);
    expect(add({})).not.toThrow();
    expect(add({ columns: Int32Array.of(0, 2) })).toThrow(/entry 1 names row 2 of 2/);
    expect(add({ starts: Int32Array.of(0, 1, 2) })).toThrow(/4 ascending starts/);
    expect(add({ starts: Int32Array.of(0, 1, 1, 3) })).toThrow(ArgumentError);
    expect(add({}, Matrix.zeros(2, 3))).toThrow(ArgumentError);
    expect(add({}, products.view(0, 2))).toThrow(/shares storage/);
    const form = (change: object) => () => backend.sparseForm({ ...sparse, ...change }, products);
    expect(form({})).not.toThrow();
    expect(form({ columns: Int32Array.of(0, 3) })).toThrow(/sparseForm: entry 1 names row 3 of 3/);
    expect(form({ starts: Int32Array.of(0, 1, 2) })).toThrow(/4 ascending starts/);
    const scores = { lengths: three, squares: two, factors: two, constants: two };
    expect(() => backend.scoreRows(products, { ...scores, lengths: two })).toThrow(ArgumentError);
    expect(() => backend.scoreRows(products, { ...scores, factors: three })).toThrow(ArgumentError);
    expect(() => backend.sumOfDifferences(products, Matrix.zeros(2, 3))).toThrow(ArgumentError);
    const out = { closest: three, nearest: new Int32Array(3), largest: three, second: three, logSums: three };
    const peaks = (change: object, matrix = products) => {
      backend.peaksOfRows(out, matrix, { ...scores, inverses: two, ...change });
    };
    expect(() => peaks({ inverses: three })).toThrow(ArgumentError);
    expect(() => peaks({ labels: Int32Array.of(0, 1, 1) })).toThrow(ArgumentError);
    expect(() => peaks({}, Matrix.zeros(3, 0))).toThrow(/nothing stands out/);
    const leaders = (columns: number, leads: Float64Array, offsets: Float64Array, matrix = products) => {
      backend.leadersOfRows({ columns: new Int32Array(columns), leads }, matrix, offsets);
    };
    expect(() => leaders(2, three, two)).toThrow(ArgumentError);
    expect(() => leaders(3, two, two)).toThrow(ArgumentError);
    expect(() => leaders(3, three, three)).toThrow(ArgumentError);
    expect(() => leaders(3, three, new Float64Array(0), Matrix.zeros(3, 0))).toThrow(/nothing leads/);
  });
});
