import { describe, expect, it } from 'vitest';
import { Matrix } from '../../../src/linalg/matrix.js';
import { Random } from '../../../src/linalg/random.js';
import { column, fitLogistic, logisticValues } from '../../../src/methods/bowerbird/logistic.js';

describe('logistic regression', () => {
  const random = new Random(3);
  const rows = Array.from({ length: 3000 }, () => Float64Array.of(5 + 2 * random.normal(), random.normal()));
  const targets = rows.map((row) =>
    random.uniform() < 1 / (1 + Math.exp(-(0.8 * row[0] - 1.5 * row[1] - 3))) ? 1 : 0,
  );

  it('finds the weights that labels were drawn with', () => {
    const model = fitLogistic(Matrix.from(rows), targets, 1e-3);
    expect(model.weights[0]).toBeCloseTo(0.8, 0);
    expect(model.weights[1]).toBeCloseTo(-1.5, 0);
    expect(model.intercept / -3).toBeGreaterThan(0.8);
  });

  it('leaves no gradient but that of the penalty, in standard units', () => {
    const ridge = 7;
    const model = fitLogistic(Matrix.from(rows), targets, ridge);
    const values = logisticValues(model, Matrix.from(rows));
    for (const k of [0, 1]) {
      const mean = rows.reduce((sum, row) => sum + row[k], 0) / rows.length;
      const deviation = Math.sqrt(rows.reduce((sum, row) => sum + (row[k] - mean) ** 2, 0) / rows.length);
      const gradient = rows.reduce((sum, row, i) => {
        const p = 1 / (1 + Math.exp(-values[i]));
        return sum + ((targets[i] - p) * (row[k] - mean)) / deviation;
      }, 0);
      expect(gradient).toBeCloseTo(ridge * model.weights[k] * deviation, 5);
    }
  });

  it('is the same of some columns of more, and of what lies apart', () => {
    const wide = Matrix.from(rows.map((row) => [7, ...row, 9])).view(0, rows.length, 1, 3);
    const model = fitLogistic(wide, targets, 2);
    expect(model).toEqual(fitLogistic(Matrix.from(rows), targets, 2));
    expect(logisticValues(model, wide)).toEqual(logisticValues(model, Matrix.from(rows)));
  });

  it('stays finite where a line separates the classes', () => {
    const model = fitLogistic(column([1, 2, 3]), [0, 0, 1], 0.1);
    expect(Number.isFinite(model.weights[0])).toBe(true);
    const [first, , third] = logisticValues(model, column([1, 2, 3]));
    expect(third).toBeGreaterThan(first);
  });
});
