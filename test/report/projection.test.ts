import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Backend, createBackend, Matrix, Random } from '../../src/linalg/index.js';
import { principalPlane } from '../../src/report/projection.js';

describe('the principal plane', () => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await createBackend({ device: 'wasm', threads: 1 });
  });
  afterAll(() => backend.dispose());

  it('finds the axes of points that were stretched along known directions', () => {
    const random = new Random(4);
    // Along u with deviation 5, along v with 2, elsewhere 0.1.
    const u = [0.6, 0.8, 0, 0];
    const v = [0.8, -0.6, 0, 0];
    const rows = Array.from({ length: 800 }, () => {
      const [a, b, c, d] = [5, 2, 0.1, 0.1].map((deviation) => deviation * random.normal());
      return [a * u[0] + b * v[0] + 7, a * u[1] + b * v[1] - 3, c, d];
    });
    const plane = principalPlane(backend, Matrix.from(rows));
    const mean = [0, 1, 2, 3].map((j) => rows.reduce((sum, row) => sum + row[j] / rows.length, 0));
    const [[x, y]] = plane.of(Matrix.from([[mean[0] + u[0], mean[1] + u[1], mean[2], mean[3]]]));
    expect(Math.abs(x)).toBeCloseTo(1, 2);
    expect(Math.abs(y)).toBeLessThan(0.05);
    expect(plane.shares[0]).toBeCloseTo(25 / 29.02, 1);
    expect(plane.shares[1]).toBeCloseTo(4 / 29.02, 1);
  });

  it('gives coordinates of mean zero whose variance is the share it states', () => {
    const random = new Random(9);
    const rows = Matrix.from(
      Array.from({ length: 60 }, () => Array.from({ length: 7 }, (_, j) => (j + 1) * random.normal())),
    );
    const plane = principalPlane(backend, rows);
    const points = plane.of(rows);
    let total = 0;
    for (let j = 0; j < 7; j++) {
      const column = Array.from({ length: 60 }, (_, i) => rows.at(i, j));
      const mean = column.reduce((a, b) => a + b) / 60;
      total += column.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 60;
    }
    for (const k of [0, 1] as const) {
      expect(points.reduce((sum, point) => sum + point[k], 0)).toBeCloseTo(0, 9);
      expect(points.reduce((sum, point) => sum + point[k] ** 2, 0) / 60 / total).toBeCloseTo(plane.shares[k], 9);
    }
  });
});
