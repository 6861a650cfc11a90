// Matrices in other shapes, and vectors given as matrices.
import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../src/errors.js';
import { asRow, elementsOf, Matrix } from '../../src/linalg/matrix.js';

const matrix = () => new Matrix(Float64Array.of(1, 2, 3, 4, 5, 6), 2, 3);

describe('a matrix of an array', () => {
  it('is refused in a shape that no matrix has, or that the array is too short for', () => {
    const ten = new Float64Array(10);
    for (const shape of [
      [-1, 2],
      [2, -1, 3],
      [1.5, 2],
      [2, 1.5, 2],
      [Number.NaN, 2],
      [2, 3, 2],
      [2, 3, 3.5],
    ] as const)
      expect(() => new Matrix(ten, ...(shape as [number, number])), String(shape)).toThrow('impossible shape');
    for (const shape of [
      [2, 6],
      [3, 2, 5],
      [11, 1],
    ] as const)
      expect(() => new Matrix(ten, ...(shape as [number, number])), String(shape)).toThrow('the array has 10');
    for (const shape of [
      [2, 5],
      [3, 2, 4],
      [10, 1],
      [0, 100],
      [100, 0],
    ] as const)
      expect(new Matrix(ten, ...(shape as [number, number])).rows).toBe(shape[0]);
  });
});

describe('another shape of a matrix', () => {
  it('has the same elements, and shares them', () => {
    const given = matrix();
    const column = given.reshaped(6, 1);
    expect([column.rows, column.cols, column.stride]).toEqual([6, 1, 1]);
    column.set(4, 0, 50);
    expect(given.at(1, 1)).toBe(50);
  });

  it('can be had of one row in the middle of a matrix', () => {
    const row = matrix().view(1, 2, 1, 3);
    expect([...row.reshaped(2, 1).data.subarray(0, 2)]).toEqual([5, 6]);
  });

  it('is refused where rows are apart or the number of elements differs', () => {
    expect(() => matrix().view(0, 2, 0, 2).reshaped(4, 1)).toThrow(ArgumentError);
    expect(() => matrix().reshaped(2, 2)).toThrow('2×3');
  });
});

describe('a vector', () => {
  it('is a row, whatever it was', () => {
    for (const vector of [Float64Array.of(1, 2, 3), new Matrix(Float64Array.of(1, 2, 3), 3, 1)]) {
      const row = asRow(vector);
      expect([row.rows, row.cols, ...row.row(0)]).toEqual([1, 3, 1, 2, 3]);
      expect([...elementsOf(vector)]).toEqual([1, 2, 3]);
    }
  });

  it('has no elements beyond its own where it is part of a matrix', () => {
    expect([...elementsOf(matrix().view(0, 1, 0, 2))]).toEqual([1, 2]);
  });
});

describe('a part of a matrix', () => {
  it('is a window that shares its elements and knows where it lies', () => {
    const given = matrix();
    const window = given.view(0, 2, 1, 3);
    expect([window.rows, window.cols, window.stride, window.contiguous]).toEqual([2, 2, 3, false]);
    expect([...window.row(1)]).toEqual([5, 6]);
    expect([window.storage === given.storage, window.storageOffset]).toEqual([true, 1]);
    window.set(1, 0, 50);
    expect(given.at(1, 1)).toBe(50);
    expect(given.view(1, 2).contiguous).toBe(true);
    expect(given.view(1, 1, 1, 2)).toMatchObject({ rows: 0, cols: 1 });
  });

  it('is refused where it reaches out of the matrix', () => {
    for (const window of [
      [-1, 1],
      [0, 3],
      [2, 1],
      [0, 1, -1, 2],
      [0, 1, 0, 4],
      [0, 1, 2, 1],
    ] as [number, number, number?, number?][])
      expect(() => matrix().view(...window), String(window)).toThrow('do not lie within 2×3');
  });

  it('can be every so-manieth row', () => {
    const rows = Matrix.from([[0], [1], [2], [3], [4]]);
    const of = (first: number, step: number) => {
      const part = rows.everyRow(first, step);
      return Array.from({ length: part.rows }, (_, i) => part.at(i, 0));
    };
    expect([of(0, 2), of(1, 2), of(1, 3), of(5, 2), of(0, 1)]).toEqual([
      [0, 2, 4],
      [1, 3],
      [1, 4],
      [],
      [0, 1, 2, 3, 4],
    ]);
  });
});

describe('elements of a matrix', () => {
  it('are filled and copied in a window and nowhere else, in any precision', () => {
    const given = matrix();
    expect([...given.view(0, 2, 1, 2).fill(9).row(0)]).toEqual([9]);
    expect([...given.data]).toEqual([1, 9, 3, 4, 9, 6]);
    given.view(0, 2, 0, 2).copyFrom(
      Matrix.from(
        [
          [0.5, 1],
          [2, 3],
        ],
        'float32',
      ),
    );
    expect([...given.data]).toEqual([0.5, 1, 3, 2, 3, 6]);
    expect([...matrix().fill(2).data]).toEqual([2, 2, 2, 2, 2, 2]);
    expect(() => given.copyFrom(Matrix.zeros(3, 2))).toThrow('3×2 into 2×3');
    expect(() => given.copyFrom(Matrix.zeros(2, 2))).toThrow('2×2 into 2×3');
  });

  it('of a copy lie together, in its own or another precision', () => {
    const copy = matrix().view(0, 2, 1, 3).copy();
    expect([copy.stride, copy.dtype, ...copy.data]).toEqual([2, 'float64', 2, 3, 5, 6]);
    const single = Matrix.from([[0.1]]).copy('float32');
    expect([single.dtype, single.at(0, 0)]).toEqual(['float32', Math.fround(0.1)]);
    expect(single.copy().dtype).toBe('float32');
  });

  it('come from rows of one length', () => {
    expect(Matrix.from([])).toMatchObject({ rows: 0, cols: 0 });
    expect(() => Matrix.from([[1, 2], [3]])).toThrow('row 1 has 1 elements, row 0 has 2');
    expect(Matrix.zeros(2, 3, 'float32').data).toEqual(new Float32Array(6));
  });
});
