/** Which pictures look alike, against every pair compared. */
import { describe, expect, it } from 'vitest';
import { createBackend } from '../../../src/linalg/create.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { Random } from '../../../src/linalg/random.js';
import { Neighbours } from '../../../src/methods/bowerbird/neighbours.js';

const backend = await createBackend({ threads: 1 });
function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k];
  return sum;
}

function placed(rows: Matrix) {
  return { rows, squaredLengths: Float64Array.from({ length: rows.rows }, (_, i) => dot(rows.row(i), rows.row(i))) };
}

function drawn(n: number, seed: number): Matrix<Float64Array> {
  const random = new Random(seed);
  const rows = Matrix.zeros(n, 4);
  for (let k = 0; k < rows.data.length; k++) rows.data[k] = random.normal();
  return rows;
}

/** Of each row the others, nearest first; of equally near ones the first. */
function byHand(rows: Matrix, count: number): { nearest: number[][]; cosines: number[][] } {
  const lengths = Array.from({ length: rows.rows }, (_, i) => Math.sqrt(dot(rows.row(i), rows.row(i))) || 1);
  const all = Array.from({ length: rows.rows }, (_, i) => {
    const cosines = Array.from(
      { length: rows.rows },
      (__, j) => dot(rows.row(i), rows.row(j)) / lengths[i] / lengths[j],
    );
    const nearest = [...cosines.keys()].filter((j) => j !== i).sort((a, b) => cosines[b] - cosines[a] || a - b);
    return { nearest: nearest.slice(0, count), cosines: nearest.slice(0, count).map((j) => cosines[j]) };
  });
  return { nearest: all.map((each) => each.nearest), cosines: all.map((each) => each.cosines) };
}

/** D^-½ W D^-½ as a whole matrix: half of the cosine from each end that counts the other among its nearest. */
function graphByHand(rows: Matrix, count: number): number[][] {
  const { nearest, cosines } = byHand(rows, count);
  const weights = nearest.map(() => new Array<number>(rows.rows).fill(0));
  nearest.forEach((others, i) => {
    others.forEach((j, place) => {
      const half = Math.max(0, cosines[i][place]) / 2;
      weights[i][j] += half;
      weights[j][i] += half;
    });
  });
  const degrees = weights.map((row) => row.reduce((sum, value) => sum + value, 0));
  return weights.map((row, i) => row.map((value, j) => (value === 0 ? 0 : value / Math.sqrt(degrees[i] * degrees[j]))));
}

describe('the nearest pictures', () => {
  // 256 rows are compared at a time: one block, its very end, one row more, several.
  it.each([2, 5, 256, 257, 520])('of %i are those with the largest cosines, nearest first', (n) => {
    const rows = drawn(n, n);
    const found = new Neighbours(backend, placed(rows), 3);
    const expected = byHand(rows, 3);
    expect(found.count).toBe(Math.min(3, n - 1));
    expect(Array.from(found.nearest)).toEqual(expected.nearest.flat());
    Array.from(found.cosines).forEach((cosine, k) => {
      expect(cosine).toBeCloseTo(expected.cosines.flat()[k], 12);
    });
  });

  it('are the first ones where several are equally near', () => {
    const rows = Matrix.from(Array.from({ length: 300 }, (_, i) => (i % 2 ? [1, 0] : [0, 1])));
    const { nearest } = new Neighbours(backend, placed(rows), 2);
    expect([...nearest.slice(0, 8)]).toEqual([2, 4, 3, 5, 0, 4, 1, 5]);
    expect([...nearest.slice(2 * 298)]).toEqual([0, 2, 1, 3]);
  });

  it('of one picture alone, or where none are wanted, are none', () => {
    for (const [n, wanted] of [
      [1, 3],
      [4, 0],
      [0, 3],
    ]) {
      const alone = new Neighbours(backend, placed(drawn(n, 1)), wanted);
      expect(alone.count).toBe(0);
      expect(alone.means(new Float64Array(n).fill(5))).toEqual(new Float64Array(n));
      const values = drawn(n, 2);
      const before = values.data.slice();
      alone.add(values, 2, drawn(n, 3), new Float64Array(n).fill(1));
      expect(values.data).toEqual(before);
      expect(alone.agreement(values, new Float64Array(n).fill(1))).toBe(0);
    }
  });

  it('of a picture at the origin are some, at a cosine of 0', () => {
    const rows = Matrix.from([
      [0, 0],
      [1, 2],
      [-1, 3],
    ]);
    const { cosines } = new Neighbours(backend, placed(rows), 2);
    expect([...cosines.slice(0, 2)]).toEqual([0, 0]);
  });

  it('give the mean of a value over them', () => {
    const rows = drawn(30, 7);
    const values = Float64Array.from({ length: 30 }, (_, i) => i * i);
    const { nearest } = byHand(rows, 4);
    new Neighbours(backend, placed(rows), 4).means(values).forEach((mean, i) => {
      expect(mean).toBeCloseTo(nearest[i].reduce((sum, j) => sum + values[j], 0) / 4, 10);
    });
  });
});

describe('the graph of pictures that look alike', () => {
  const n = 40;
  const rows = drawn(n, 11);
  // Some of the nearest point away from each other: they count for nothing.
  for (const count of [1, 5, n - 1]) {
    const graph = graphByHand(rows, count);
    const neighbours = new Neighbours(backend, placed(rows), count);
    const random = new Random(12);
    const voices = Float64Array.from({ length: n }, () => random.uniform());

    it(`adds the neighbours' rows, each times its weight and its voice (${count} nearest)`, () => {
      const [values, source] = [drawn(n, 13), drawn(n, 14)];
      const before = values.copy('float64');
      neighbours.add(values, 0.7, source, voices);
      for (let i = 0; i < n; i++)
        for (let k = 0; k < 4; k++) {
          const said = graph[i].reduce((sum, weight, j) => sum + weight * voices[j] * source.at(j, k), 0);
          expect(values.at(i, k)).toBeCloseTo(before.at(i, k) + 0.7 * said, 10);
        }
    });

    it(`sums what both ends of all pairs agree on (${count} nearest)`, () => {
      // Rows of a wider matrix: their stride is not their length.
      const wide = Matrix.zeros(n, 9);
      for (let k = 0; k < wide.data.length; k++) wide.data[k] = random.normal();
      const answers = wide.view(0, n, 2, 6);
      let expected = 0;
      for (let i = 0; i < n; i++)
        for (let j = 0; j < n; j++)
          expected += graph[i][j] * voices[i] * voices[j] * dot(answers.row(i), answers.row(j));
      expect(neighbours.agreement(answers, voices)).toBeCloseTo(expected, 9);
    });
  }
});
