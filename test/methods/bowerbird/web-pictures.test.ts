import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Backend } from '../../../src/linalg/backend.js';
import { createBackend } from '../../../src/linalg/create.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { WebPictures } from '../../../src/methods/bowerbird/web-pictures.js';

let backend: Backend;
beforeAll(async () => {
  backend = await createBackend({ threads: 1 });
});
afterAll(() => backend.dispose());

describe('passes over web pictures in blocks', () => {
  const [rows, cols] = [17, 4];
  const matrix = Matrix.from(
    Array.from({ length: rows }, (_, i) => Array.from({ length: cols }, (_, j) => Math.sin(7 * i + j))),
  );
  // Categories 0, 2 and 5 have no picture.
  const starts = Int32Array.of(0, 0, 6, 6, 7, 17, 17);
  const labelOf = (i: number) => (i < 6 ? 1 : i < 7 ? 3 : 4);
  const squaredLengths = new Float64Array(rows);
  const weights = Float64Array.from({ length: rows }, (_, i) => 1 + (i % 3));

  it.each([1, 2, 5, 6, 17])('of %i rows sum up by category what all rows do', (atOnce) => {
    const blocks = { rows, cols, dtype: 'float64' as const, atOnce, view: (a: number, b: number) => matrix.view(a, b) };
    const web = new WebPictures(backend, { rows: blocks, squaredLengths }, starts);
    expect(web.resident).toBe(atOnce === rows);
    const ones = new Float64Array(rows).fill(1);
    for (const [k, given] of [weights, ones].entries()) {
      const { sums, totals } = web.sumsBy([weights, ones])[k];
      for (let c = 0; c < 6; c++) {
        const own = Array.from({ length: rows }, (_, i) => i).filter((i) => labelOf(i) === c);
        expect(totals[c]).toBeCloseTo(
          own.reduce((sum, i) => sum + given[i], 0),
          12,
        );
        for (let j = 0; j < cols; j++)
          expect(sums.at(c, j)).toBeCloseTo(
            own.reduce((sum, i) => sum + given[i] * matrix.at(i, j), 0),
            12,
          );
      }
    }
  });

  it.each([1, 4, 17])('of %i rows multiply each picture with a vector and with its own direction', (atOnce) => {
    const blocks = { rows, cols, dtype: 'float64' as const, atOnce, view: (a: number, b: number) => matrix.view(a, b) };
    const web = new WebPictures(backend, { rows: blocks, squaredLengths }, starts);
    const directions = Matrix.from(
      Array.from({ length: 6 }, (_, c) => Array.from({ length: cols }, (_, j) => Math.cos(3 * c + j))),
    );
    const { along, own } = web.along(Float64Array.from(directions.row(2)), directions.copy('float64'));
    const dot = (i: number, c: number) =>
      Array.from(matrix.row(i)).reduce((sum, x, j) => sum + x * directions.at(c, j), 0);
    for (let i = 0; i < rows; i++) {
      expect(along[i]).toBeCloseTo(dot(i, 2), 12);
      expect(own[i]).toBeCloseTo(dot(i, labelOf(i)), 12);
    }
  });
});
