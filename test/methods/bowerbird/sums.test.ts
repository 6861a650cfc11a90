/** Sums of pictures of several kinds about the prior's means. */
import { describe, expect, it } from 'vitest';
import { createBackend, Matrix, Random } from '../../../src/linalg/index.js';
import { priorSums, sumsAbout, sumsOfNamed } from '../../../src/methods/bowerbird/sums.js';

const backend = await createBackend({ device: 'wasm', threads: 1 });
const random = new Random(5);
const [categories, d] = [3, 4];
const drawn = (rows: number) => {
  const matrix = Matrix.zeros(rows, d);
  for (let k = 0; k < matrix.data.length; k++) matrix.data[k] = random.normal();
  return matrix;
};
const means = drawn(categories);
const labels = [2, 0, 2, 2];
const pictures = drawn(labels.length);

describe('sums about the prior', () => {
  it('are those of the pictures less shift and mean, each kind stretched by its factor', () => {
    const weights = [0.5, 2, 1, 0.25];
    const shift = Float64Array.from({ length: d }, () => random.normal());
    const stretch = Float64Array.of(1.5, 1, 2);
    const sums = Matrix.zeros(categories, d);
    const totals = new Float64Array(categories);
    labels.forEach((label, i) => {
      totals[label] += weights[i] / 4;
      for (let j = 0; j < d; j++) sums.row(label)[j] += (weights[i] / 4) * pictures.at(i, j);
    });
    const named = sumsOfNamed({ rows: pictures, labels }, categories, 0.8);
    const found = sumsAbout(backend, means, [{ sums, totals, shift, stretch, weight: 4 }, named]);
    for (let c = 0; c < categories; c++) {
      const own = [...labels.keys()].filter((i) => labels[i] === c);
      const precision = own.reduce((sum, i) => sum + weights[i] * stretch[c] ** 2 + 1 / 0.8, 0);
      expect(found.totals[c]).toBeCloseTo(precision, 12);
      for (let j = 0; j < d; j++) {
        const pulls = own.map(
          (i) =>
            weights[i] * stretch[c] * (pictures.at(i, j) - shift[j] - stretch[c] * means.at(c, j)) +
            (pictures.at(i, j) - means.at(c, j)) / 0.8,
        );
        expect(found.sums.at(c, j)).toBeCloseTo(
          pulls.reduce((sum, pull) => sum + pull, 0),
          12,
        );
      }
    }
  });

  it('of some categories are those of their means and of the covariances between them', () => {
    const covariance = Matrix.from([
      [1, 0.2, 0.3],
      [0.2, 2, 0.5],
      [0.3, 0.5, 4],
    ]) as Matrix<Float64Array>;
    const found = priorSums(backend, { trust: 0, trusts: {}, means, covariance }, [0, 2]);
    expect(found.covariance).toBeCloseTo(5.6, 12);
    for (let j = 0; j < d; j++) expect(found.means[j]).toBeCloseTo(means.at(0, j) + means.at(2, j), 12);
  });
});
