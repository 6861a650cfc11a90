import { describe, expect, it } from 'vitest';
import { createBackend } from '../../src/linalg/create.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { Random } from '../../src/linalg/random.js';
import { labelTargets, linearDecisions } from '../../src/numerics/linear-model.js';
import { ridgeRegression } from '../../src/numerics/ridge.js';
import '../allclose.js';

const backend = await createBackend({ threads: 1 });

function randomMatrix(rows: number, cols: number, seed: number): Matrix<Float64Array> {
  return new Matrix(new Random(seed).normalArray(rows * cols), rows, cols);
}

/** Σᵢ sᵢ ‖W xᵢ + b − yᵢ‖² + ridge ‖W‖², written out. */
function objective(x: Matrix, y: Matrix, s: number[], ridge: number, w: Matrix, b: Float64Array): number {
  let sum = 0;
  for (let c = 0; c < w.rows; c++) {
    for (let j = 0; j < w.cols; j++) sum += ridge * w.at(c, j) ** 2;
    for (let i = 0; i < x.rows; i++) {
      let value = b[c] - y.at(i, c);
      for (let j = 0; j < w.cols; j++) value += w.at(c, j) * x.at(i, j);
      sum += s[i] * value ** 2;
    }
  }
  return sum;
}

describe('ridge regression', () => {
  for (const [rows, cols] of [
    [30, 7],
    [9, 20],
  ])
    it(`is where no change of a weight or an intercept lowers the objective (${rows}×${cols})`, () => {
      const x = randomMatrix(rows, cols, 1);
      const y = randomMatrix(rows, 3, 2);
      const s = Array.from(new Random(3).uniformArray(rows));
      s[4] = 0;
      const { weights, intercepts } = ridgeRegression(backend, x, y, { ridge: 0.3, instanceWeights: s });
      const at = (w = weights, b = intercepts) => objective(x, y, s, 0.3, w, b);
      for (let k = 0; k < weights.data.length; k++) {
        const up = weights.copy('float64');
        const down = weights.copy('float64');
        up.data[k] += 1e-4;
        down.data[k] -= 1e-4;
        expect(Math.abs(at(up) - at(down))).toBeLessThan(1e-11);
      }
      for (let c = 0; c < 3; c++) {
        const up = Float64Array.from(intercepts);
        const down = Float64Array.from(intercepts);
        up[c] += 1e-4;
        down[c] -= 1e-4;
        expect(Math.abs(at(weights, up) - at(weights, down))).toBeLessThan(1e-11);
      }
    });

  it('gives the same weights through either system', () => {
    const x = randomMatrix(12, 12, 4);
    const wide = Matrix.zeros(12, 13);
    for (let i = 0; i < 12; i++) wide.row(i).set(x.row(i));
    const y = randomMatrix(12, 2, 5);
    const primal = ridgeRegression(backend, x, y, { ridge: 0.5, intercept: false });
    const dual = ridgeRegression(backend, wide, y, { ridge: 0.5, intercept: false });
    expect(dual.weights.view(0, 2, 0, 12).copy()).toBeAllClose(primal.weights);
  });

  it('treats a weight of two as the instance occurring twice', () => {
    const x = randomMatrix(8, 3, 6);
    const y = randomMatrix(8, 2, 7);
    const rows = [0, 0, 1, 2, 3, 4, 5, 6, 7];
    const doubled = ridgeRegression(
      backend,
      Matrix.from(rows.map((i) => x.row(i))),
      Matrix.from(rows.map((i) => y.row(i))),
      { ridge: 1 },
    );
    const weighted = ridgeRegression(backend, x, y, { ridge: 1, instanceWeights: [2, 1, 1, 1, 1, 1, 1, 1] });
    expect(weighted.weights).toBeAllClose(doubled.weights);
    expect(weighted.intercepts).toBeAllClose(doubled.intercepts);
  });

  it('takes single-precision features and gives their decision values', () => {
    const x = randomMatrix(10, 4, 8).copy('float32');
    const model = ridgeRegression(backend, x, labelTargets([0, 1, 0, 1, 0, 1, 0, 1, 0, 1], 2), { ridge: 1e-2 });
    const values = linearDecisions(backend, model, x);
    for (let i = 0; i < 10; i++) expect(values.at(i, 0) + values.at(i, 1)).toBeCloseTo(1, 10);
  });

  it('says what is wrong with its arguments', () => {
    const x = randomMatrix(3, 2, 9);
    const y = randomMatrix(3, 1, 10);
    expect(() => ridgeRegression(backend, x, y, { ridge: 0 })).toThrow(/ridge is 0/);
    expect(() => ridgeRegression(backend, x, y, { ridge: 1, instanceWeights: [1, -1, 1] })).toThrow(/weight 1 is -1/);
    expect(() => ridgeRegression(backend, x, y.view(0, 2), { ridge: 1 })).toThrow(/3 rows of features, 2 rows/);
    const model = ridgeRegression(backend, x, y, { ridge: 1 });
    expect(() => linearDecisions(backend, model, randomMatrix(2, 5, 1))).toThrow(/5 dimensions/);
  });
});
