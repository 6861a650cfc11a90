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
