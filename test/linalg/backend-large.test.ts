import { freemem } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Backend } from '../../src/linalg/backend.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { backends } from './backends.js';

/** A bit more than 2³¹ bytes, mostly zeros, so that little of it is ever touched. */
const cols = 4096;
const rows = Math.ceil((2.1 * 2 ** 30) / 4 / cols);
const enoughMemory = freemem() > 8 * 2 ** 30;

describe.skipIf(!enoughMemory).each(backends)(
  'more than 2³¹ bytes on the $name backend (needs 8 GiB of free memory)',
  ({ create }) => {
    let backend: Backend;
    let a: Matrix<Float32Array>;
    const last = rows - 1;
    beforeAll(async () => {
      backend = await create();
      a = Matrix.zeros(rows, cols, 'float32');
      a.set(0, 0, 1);
      a.set(last, 0, 2);
      a.set(last, cols - 1, 3);
    });
    afterAll(() => backend.dispose());

    it('multiplies a matrix and a vector', () => {
      expect(a.data.byteLength).toBeGreaterThan(2 ** 31);
      const x = new Float32Array(cols).fill(1);
      const y = new Float32Array(rows);
      backend.gemv(y, a, x);
      expect([y[0], y[1], y[last - 1], y[last]]).toEqual([1, 0, 0, 5]);
      y.fill(1);
      backend.gemv(x, a, y, { transpose: true });
      expect([x[0], x[1], x[cols - 1]]).toEqual([3, 0, 3]);
    });

    it('multiplies by a thin matrix', () => {
      const b = Matrix.zeros(cols, 2, 'float32').fill(1);
      const c = Matrix.zeros(rows, 2, 'float32');
      backend.gemm(c, a, b);
      expect([c.at(0, 0), c.at(1, 1), c.at(last, 0), c.at(last, 1)]).toEqual([1, 0, 5, 5]);
    });

    it('takes products of rows and scales rows at the far end', () => {
      const out = new Float32Array(rows);
      backend.rowDots(out, a, a);
      expect([out[0], out[1], out[last]]).toEqual([1, 0, 13]);
      const end = a.view(rows - 2, rows);
      backend.scaleRows(end, new Float32Array([1, 10]));
      expect([a.at(last, 0), a.at(last, cols - 1)]).toEqual([20, 30]);
      backend.axpby(end, 1, a.view(0, 2), 0.1);
      expect([a.at(last - 1, 0), a.at(last, 0)]).toEqual([1, 2]);
      a.set(last - 1, 0, 0);
    });
  },
);
