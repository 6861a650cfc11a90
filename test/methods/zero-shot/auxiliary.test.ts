import { describe, expect, it } from 'vitest';
import { Matrix } from '../../../src/linalg/matrix.js';
import { Random } from '../../../src/linalg/random.js';
import { type AuxiliaryData, categorySums, gatherAuxiliary } from '../../../src/methods/zero-shot/auxiliary.js';
import { spanCoordinates } from '../../../src/methods/zero-shot/span-coordinates.js';
import { Scratch } from '../../../src/numerics/scratch.js';
import type { Problem } from '../../../src/problem/problem.js';
import { backend, dot, rowsOf, small } from './small.js';
import '../../allclose.js';

function gather(problem: Problem): AuxiliaryData {
  const scratch = new Scratch(backend);
  const data = gatherAuxiliary(scratch, problem, 'test');
  const copy = { ...data, features: data.features.copy('float64') };
  scratch.release();
  return copy;
}

describe('the auxiliary part of a problem', () => {
  it('is the same to the last bit when pictures are permuted and categories renumbered', () => {
    const order = new Random(4).permutation(small.auxiliaryLabels.length);
    const numbers = new Random(5).permutation(small.auxiliaryNames.length);
    const newNumber = (c: number) => numbers.indexOf(c);
    const shuffled: Problem = {
      ...small,
      auxiliaryFeatures: Matrix.from(Array.from(order, (i) => small.auxiliaryFeatures.row(i))),
      auxiliaryLabels: order.map((i) => newNumber(small.auxiliaryLabels[i])),
      auxiliarySemantics: Matrix.from(Array.from(numbers, (c) => small.auxiliarySemantics.row(c))),
    };
    const { prepared: _, ...wanted } = gather(small);
    expect(gather(shuffled)).toMatchObject(wanted);
  });

  it('keeps every picture with the vector of its category, around the mean picture', () => {
    const { features, mean, labels, classVectors, counts } = gather(small);
    const pairs = (rows: number[][], vectors: number[][]) => rows.map((row, i) => [row[0].toFixed(9), vectors[i][0]]);
    const expected = pairs(
      rowsOf(small.auxiliaryFeatures),
      Array.from(small.auxiliaryLabels, (c) => Array.from(small.auxiliarySemantics.row(c))),
    );
    const found = pairs(
      rowsOf(features).map((row) => row.map((value, j) => value + mean[j])),
      Array.from(labels, (c) => Array.from(classVectors.row(c))),
    );
    expect(found.sort()).toEqual(expected.sort());
    expect([...counts]).toEqual(new Array(7).fill(8));
  });

  it('adds up the pictures of each category', () => {
    const data = gather(small);
    const sums = categorySums(data);
    for (let c = 0; c < 7; c++) {
      const own = rowsOf(data.features).filter((_, i) => data.labels[i] === c);
      expect(sums.row(c)).toBeAllClose(own[0].map((_, j) => own.reduce((sum, row) => sum + row[j], 0)));
    }
  });

  it('leaves categories without pictures out and refuses a problem with fewer than two others', () => {
    const rows = [...small.auxiliaryLabels.keys()].filter((i) => small.auxiliaryLabels[i] < 2);
    const few = (labels: number[]): Problem => ({
      ...small,
      auxiliaryFeatures: Matrix.from(labels.map((_, k) => small.auxiliaryFeatures.row(rows[k]))),
      auxiliaryLabels: Int32Array.from(labels),
    });
    expect(gather(few([0, 0, 3])).classVectors.rows).toBe(2);
    expect(() => gather(few([3, 3]))).toThrow(/one auxiliary category with pictures/);
    expect(() =>
      gather({ ...few([3, 3]), auxiliaryFeatures: Matrix.zeros(0, 9), auxiliaryLabels: new Int32Array() }),
    ).toThrow(/no auxiliary categories/);
  });
});

describe('coordinates in the span of some vectors', () => {
  it('keep the products between them, and the part of another vector that lies in the span', () => {
    const vectors = Matrix.from([
      [1, 0, 2, 0],
      [0, 1, 1, 0],
      [1, 1, 3, 0],
    ]) as Matrix<Float64Array>;
    const others = Matrix.from([
      [3, 1, 7, 0],
      [0, 0, 0, 5],
    ]) as Matrix<Float64Array>;
    const found = spanCoordinates(backend, vectors, others);
    expect(found.learnt.cols).toBe(2);
    for (let a = 0; a < 3; a++)
      for (let b = 0; b < 3; b++)
        expect(dot(found.learnt.row(a), found.learnt.row(b))).toBeCloseTo(dot(vectors.row(a), vectors.row(b)), 9);
    // (3, 1, 7, 0) = 3 (1, 0, 2, 0) + (0, 1, 1, 0) lies within, (0, 0, 0, 5) is orthogonal.
    expect(dot(found.others.row(0), found.others.row(0))).toBeCloseTo(59, 9);
    expect(found.others.row(1)).toBeAllClose([0, 0], { scale: 1 });
  });
});
