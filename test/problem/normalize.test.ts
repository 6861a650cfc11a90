import { describe, expect, it } from 'vitest';
import { ProblemError } from '../../src/errors.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { generateProblem, normalize, problemHash } from '../../src/problem/index.js';
import { smallProblem } from './small-problem.js';

const raw = generateProblem({ scaling: 'none', dimensions: 5 });
const features = ['auxiliaryFeatures', 'webFeatures', 'testFeatures'] as const;
const column = (matrices: Matrix[], j: number) =>
  matrices.flatMap((matrix) => Array.from({ length: matrix.rows }, (_, i) => matrix.at(i, j)));
const mean = (values: number[]) => values.reduce((sum, x) => sum + x, 0) / values.length;

describe('normalize', () => {
  it('scales every picture to unit length, validation web pictures too', () => {
    const problem = normalize(raw);
    for (const matrix of [...features.map((name) => problem[name]), problem.validationWeb!.features])
      for (let i = 0; i < matrix.rows; i++) expect(Math.hypot(...matrix.row(i))).toBeCloseTo(1, 12);
  });

  it('keeps directions', () => {
    const problem = normalize(smallProblem());
    expect([...problem.testFeatures.row(0)]).toEqual(
      [3 / Math.sqrt(10), 1 / Math.sqrt(10)].map((x) => expect.closeTo(x, 14)),
    );
  });

  it('gives features mean 0 and deviation 1 over the three sets together', () => {
    const problem = normalize(raw, { scaling: 'zscore' });
    for (let j = 0; j < 5; j++) {
      const values = column(
        features.map((name) => problem[name]),
        j,
      );
      expect(mean(values)).toBeCloseTo(0, 10);
      expect(mean(values.map((x) => x * x))).toBeCloseTo(1, 10);
    }
  });

  it('moves validation web pictures by the same numbers as the others', () => {
    const validationWeb = { features: raw.webFeatures, labels: raw.webLabels };
    const problem = normalize({ ...raw, validationWeb }, { scaling: 'zscore' });
    expect(problem.validationWeb!.features.data).toEqual(problem.webFeatures.data);
  });

  it('leaves a constant feature at zero under zscore', () => {
    const constant = (matrix: Matrix) =>
      Matrix.from(Array.from({ length: matrix.rows }, (_, i) => [7, matrix.at(i, 0)]));
    const small = smallProblem();
    const problem = normalize(
      {
        ...small,
        auxiliaryFeatures: constant(small.auxiliaryFeatures),
        webFeatures: constant(small.webFeatures),
        testFeatures: constant(small.testFeatures),
      },
      { scaling: 'zscore' },
    );
    expect(
      column(
        features.map((name) => problem[name]),
        0,
      ),
    ).toEqual(new Array(7).fill(0));
  });

  it('centres each domain on its own mean before scaling', () => {
    const problem = normalize(raw, { scaling: 'none', centreFeatures: true });
    for (const name of features)
      for (let j = 0; j < 5; j++) expect(mean(column([problem[name]], j))).toBeCloseTo(0, 12);
    const scaled = normalize(raw, { scaling: 'l2', centreFeatures: true });
    const row = problem.webFeatures.row(3);
    expect([...scaled.webFeatures.row(3)]).toEqual([...row].map((x) => expect.closeTo(x / Math.hypot(...row), 12)));
  });

  it('centres semantic vectors over all categories and leaves features alone', () => {
    const problem = normalize(raw, { scaling: 'none', centreSemantics: true });
    for (let k = 0; k < raw.testSemantics.cols; k++)
      expect(mean(column([problem.auxiliarySemantics, problem.testSemantics], k))).toBeCloseTo(0, 12);
    expect(problem.webFeatures).toBe(raw.webFeatures);
  });

  it('brings semantic vectors to unit length, leaving the input and vectors without length as they are', () => {
    const before = problemHash(raw);
    const problem = normalize(raw, { scaling: 'none', unitSemantics: true });
    for (const vectors of [problem.auxiliarySemantics, problem.testSemantics])
      for (let c = 0; c < vectors.rows; c++) expect(Math.hypot(...vectors.row(c))).toBeCloseTo(1, 12);
    const [x, y] = [raw.testSemantics.row(1), problem.testSemantics.row(1)];
    expect([...y]).toEqual([...x].map((value) => expect.closeTo(value / Math.hypot(...x), 12)));
    expect(problemHash(raw)).toBe(before);
  });

  it('never changes its input, and shares everything when nothing is to be done', () => {
    const before = problemHash(raw);
    for (const scaling of ['l2', 'none', 'zscore'] as const)
      normalize(raw, { scaling, centreFeatures: true, centreSemantics: true });
    expect(problemHash(raw)).toBe(before);
    expect(normalize(raw, { scaling: 'none' })).toEqual(raw);
  });

  it('survives vectors whose squares overflow or vanish', () => {
    const webFeatures = Matrix.from([
      [3e200, 4e200],
      [3e-200, 4e-200],
    ]);
    const problem = normalize(smallProblem({ webFeatures }));
    for (const i of [0, 1])
      expect([...problem.webFeatures.row(i)]).toEqual([0.6, 0.8].map((x) => expect.closeTo(x, 14)));
  });

  it('names the picture that has no length', () => {
    const testFeatures = Matrix.from([
      [1, 1],
      [0, 0],
    ]);
    expect(() => normalize(smallProblem({ testFeatures }))).toThrow(ProblemError);
    expect(() => normalize(smallProblem({ testFeatures }))).toThrow('test_features, row 1: all features are zero');
  });

  it('refuses an unknown scaling', () => {
    expect(() => normalize(raw, { scaling: 'unit' as 'l2' })).toThrow('must be one of l2, none, zscore');
  });
});
