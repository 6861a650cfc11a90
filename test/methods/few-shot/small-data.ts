/** Unit vectors of a few categories, labelled and not, for tests of few-shot methods. */
import { createBackend } from '../../../src/linalg/create.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { Random } from '../../../src/linalg/random.js';
import type { FewShotData } from '../../../src/methods/few-shot/few-shot-method.js';
import { toUnitRows } from '../../../src/numerics/unit-rows.js';

export const backend = await createBackend({ threads: 1 });

/** `wrong` of the web pictures bear the label of another category. */
export function smallData({
  seed = 1,
  categories = 4,
  perCategory = 8,
  dimensions = 12,
  noise = 0.25,
  wrong = 0.2,
} = {}) {
  const random = new Random(seed);
  const means = toUnitRows(draw(random, categories, dimensions, 1));
  const sample = () => {
    const labels = Int32Array.from({ length: categories * perCategory }, (_, i) => i % categories);
    const points = draw(random, labels.length, dimensions, noise);
    labels.forEach((label, i) => {
      const row = points.row(i);
      for (let j = 0; j < dimensions; j++) row[j] += means.at(label, j);
    });
    return { points: toUnitRows(points), labels };
  };
  const [web, test] = [sample(), sample()];
  const labels = web.labels.map((label) => (random.uniform() < wrong ? (label + 1) % categories : label));
  const data: FewShotData = {
    backend,
    support: web.points,
    labels,
    web: labels.length,
    categories,
    test: test.points,
    onRound: () => undefined,
  };
  return { data, truth: test.labels };
}

function draw(random: Random, rows: number, cols: number, deviation: number): Matrix<Float64Array> {
  const result = Matrix.zeros(rows, cols);
  for (let k = 0; k < result.data.length; k++) result.data[k] = deviation * random.normal();
  return result;
}

export function agreement(values: Matrix, truth: Int32Array): number {
  let right = 0;
  for (let i = 0; i < truth.length; i++) {
    const row = Array.from(values.row(i));
    if (row.indexOf(Math.max(...row)) === truth[i]) right++;
  }
  return right / truth.length;
}

export function neverRises(values: readonly number[], tolerance = 1e-9): boolean {
  return values.every((value, k) => k === 0 || value <= values[k - 1] + tolerance * Math.abs(value));
}
