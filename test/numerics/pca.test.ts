import { describe, expect, it } from 'vitest';
import { createBackend } from '../../src/linalg/create.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { Random } from '../../src/linalg/random.js';
import { principalComponents, project } from '../../src/numerics/pca.js';
import { identity, jacobi, multiply, type Rows, transpose } from '../learner/plain.js';
import '../allclose.js';

const backend = await createBackend({ threads: 1 });
const wasm = await createBackend({ device: 'wasm', threads: 1 });
const rowsOf = (matrix: Matrix): Rows => Array.from({ length: matrix.rows }, (_, i) => Array.from(matrix.row(i)));

describe.each([
  ['more pictures than features', 30, 7],
  ['fewer pictures than features', 6, 15],
])('principal components of %s', (_, n, d) => {
  const random = new Random(8);
  const x = Array.from({ length: n }, () => Array.from(random.normalArray(d), (value, j) => 3 + value * (1 + j)));
  const mean = x[0].map((_, j) => x.reduce((sum, row) => sum + row[j] / n, 0));
  const centred = x.map((row) => row.map((value, j) => value - mean[j]));
  const scatter = multiply(transpose(centred), centred);
  const found = principalComponents(backend, Matrix.from(x));
  const rank = Math.min(n - 1, d);

  it('are orthonormal eigenvectors of the scatter, in descending order, as many as the pictures span', () => {
    const directions = rowsOf(found.directions);
    expect(directions.length).toBe(rank);
    expect(multiply(directions, transpose(directions)).flat()).toBeAllClose(identity(rank).flat(), { tolerance: 1e-9 });
    const images = multiply(directions, scatter);
    directions.forEach((row, k) => {
      expect(images[k]).toBeAllClose(
        row.map((value) => value * found.energies[k]),
        { tolerance: 1e-9, scale: scatter[d - 1][d - 1] },
      );
    });
    const expected = jacobi(scatter)
      .values.sort((a, b) => b - a)
      .slice(0, rank);
    expect(found.energies).toBeAllClose(Float64Array.from(expected), { tolerance: 1e-9 });
  });

  it('give coordinates around the mean', () => {
    const coordinates = project(backend, Matrix.from(x), found.mean, found.directions);
    const back = multiply(rowsOf(coordinates), rowsOf(found.directions));
    expect(back.flat()).toBeAllClose(centred.flat(), { tolerance: 1e-9 });
  });

  it('point the same way on every backend', () => {
    const onWasm = principalComponents(wasm, Matrix.from(x)).directions;
    expect(onWasm.data).toBeAllClose(found.directions.data, { tolerance: 1e-9 });
    for (const row of rowsOf(found.directions)) expect(Math.max(...row)).toBe(Math.max(...row.map(Math.abs)));
  });

  it('are cut to the number asked for', () => {
    expect(principalComponents(backend, Matrix.from(x), 2).directions.rows).toBe(2);
  });
});

it.each([backend, wasm])('principal components of hardly any variance are orthonormal too ($device)', (on) => {
  const random = new Random(3);
  const directions = Array.from({ length: 5 }, () => Array.from(random.normalArray(20)));
  const x = Array.from({ length: 8 }, () => {
    const at = random.normalArray(5);
    return directions[0].map((_, j) => directions.reduce((sum, row, k) => sum + at[k] * row[j] * 10 ** -k, 0));
  });
  const found = rowsOf(principalComponents(on, Matrix.from(x)).directions);
  expect(found.length).toBe(5);
  expect(multiply(found, transpose(found)).flat()).toBeAllClose(identity(5).flat(), { tolerance: 1e-13 });
});
