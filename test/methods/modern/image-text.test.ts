/** Pictures and names in the joint space of one image-text model: the method `clip`, and what the default method makes of it. */
import { beforeAll, describe, expect, it } from 'vitest';
import { ProblemError } from '../../../src/errors.js';
import { createBackend } from '../../../src/linalg/create.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { Random } from '../../../src/linalg/random.js';
import { WhitenedSpace } from '../../../src/methods/blocks/whitened-space.js';
import { Bowerbird } from '../../../src/methods/bowerbird/bowerbird.js';
import { imageTextHint } from '../../../src/methods/bowerbird/image-text.js';
import { Clip } from '../../../src/methods/modern/clip.js';
import type { Problem } from '../../../src/problem/problem.js';
import { selectRows, stackColumns } from '../../../src/problem/rows.js';

const backend = await createBackend({ threads: 1 });
const [joint, other, auxiliary, test] = [48, 5, 14, 8];
const random = new Random(9);
const normal = (rows: number, cols: number, scale = 1) =>
  Matrix.from(Array.from({ length: rows }, () => Array.from(random.normalArray(cols)).map((value) => scale * value)));

/** Looks of categories in the joint space; names lie where looks do, but for noise and a gap common to all names. */
const looks = normal(auxiliary + test, joint);
const gap = random.normalArray(joint);
const names = Matrix.from(
  Array.from({ length: looks.rows }, (_, c) =>
    Array.from(looks.row(c), (value, j) => value + 2 * gap[j] + 0.8 * random.normal()),
  ),
);

function pictures(labels: Int32Array, offset: number, noise: number): Matrix {
  const shown = Matrix.from(
    Array.from(labels, (label) => Array.from(looks.row(label + offset), (value) => value + noise * random.normal())),
  );
  return stackColumns(normal(labels.length, other, 0.3), shown);
}

const labelsOf = (categories: number, each: number) =>
  Int32Array.from({ length: categories * each }, (_, i) => Math.floor(i / each));
const [auxiliaryLabels, testLabels, webLabels] = [labelsOf(auxiliary, 10), labelsOf(test, 20), labelsOf(test, 2)];
const problem: Problem = {
  auxiliaryFeatures: pictures(auxiliaryLabels, 0, 2.5),
  auxiliaryLabels,
  auxiliarySemantics: names.view(0, auxiliary),
  auxiliaryNames: Array.from({ length: auxiliary }, (_, c) => `known ${c}`),
  // Every web picture shows the next category: without the names all is lost.
  webFeatures: pictures(
    webLabels.map((label) => (label + 1) % test),
    auxiliary,
    1.2,
  ),
  webLabels,
  testFeatures: pictures(testLabels, auxiliary, 2.5),
  testLabels,
  testSemantics: names.view(auxiliary, names.rows),
  testNames: Array.from({ length: test }, (_, c) => `listed ${c}`),
  generalized: false,
  featureBlocks: [
    { name: 'small', width: other },
    { name: 'tower', width: joint, space: 'both' },
  ],
  semanticBlocks: [{ name: 'text', width: joint, space: 'both' }],
};

const accuracy = (predictions: Int32Array) =>
  predictions.filter((label, i) => label === testLabels[i]).length / testLabels.length;

describe('clip', () => {
  it('compares names with the features of their own tower, whatever lies beside them', async () => {
    const method = await new Clip().fit(problem, { backend });
    const alone = await new Clip().fit(
      {
        ...problem,
        ...Object.fromEntries(
          (['auxiliaryFeatures', 'webFeatures', 'testFeatures'] as const).map((key) => [
            key,
            problem[key].view(0, problem[key].rows, other, other + joint),
          ]),
        ),
        featureBlocks: undefined,
        semanticBlocks: undefined,
      },
      { backend },
    );
    const expected = alone.decisionValues(problem.testFeatures.view(0, testLabels.length, other, other + joint));
    expect(method.decisionValues(problem.testFeatures).copy().data).toEqual(expected.copy().data);
    expect(accuracy(method.predict(problem.testFeatures))).toBeGreaterThan(0.5);
  });

  it('takes a name without a vector for an average one', async () => {
    const testSemantics = problem.testSemantics.copy();
    testSemantics.row(3).fill(0);
    const method = await new Clip().fit({ ...problem, testSemantics }, { backend });
    const values = method.decisionValues(problem.testFeatures);
    for (let i = 0; i < values.rows; i++) {
      const others = Array.from(values.row(i)).filter((_, c) => c !== 3);
      expect(values.at(i, 3)).toBeCloseTo(others.reduce((sum, value) => sum + value, 0) / others.length, 10);
    }
  });

  it('refuses vectors that are not known to belong to a network', async () => {
    const strange = { ...problem, semanticBlocks: [{ name: 'words', width: joint }] };
    await expect(new Clip().fit(strange, { backend })).rejects.toBeInstanceOf(ProblemError);
  });

  it('is a formula in the features where every picture has the same share of the tower in its length', async () => {
    expect((await new Clip().fit(problem, { backend })).linear()).toBeUndefined();
    const scaled = problem.testFeatures.copy('float64');
    for (let i = 0; i < scaled.rows; i++)
      for (const [from, to, share] of [
        [0, other, 0.6],
        [other, other + joint, 0.8],
      ]) {
        const part = scaled.row(i).subarray(from, to);
        const length = Math.hypot(...part);
        for (let j = 0; j < part.length; j++) part[j] *= share / length;
      }
    const method = await new Clip().fit({ ...problem, testFeatures: scaled }, { backend });
    const { weights } = method.linear()!;
    const values = method.decisionValues(scaled);
    for (let c = 0; c < test; c++) {
      const sum = scaled.row(5).reduce((total, value, j) => total + value * weights.at(j, c), 0);
      expect(sum).toBeCloseTo(values.at(5, c), 10);
    }
  });
});

describe('the hint of an image-text model', () => {
  it('scores whitened pictures as the names score the pictures themselves', async () => {
    const space = await WhitenedSpace.learn(problem, backend, { power: 1, shrinkage: 0.2 });
    const hint = imageTextHint(space, problem)!;
    const unit = (row: Float64Array) => row.map((value) => value / Math.hypot(...row));
    const placed = space.place(problem.testFeatures, space.auxiliaryCentre);
    const texts = Array.from({ length: names.rows }, (_, c) => unit(Float64Array.from(names.row(c))));
    const mean = texts[0].map((_, j) => texts.slice(0, auxiliary).reduce((sum, row) => sum + row[j], 0) / auxiliary);
    for (const [i, c] of [
      [0, 2],
      [7, auxiliary + 3],
    ]) {
      const picture = unit(Float64Array.from(problem.testFeatures.row(i)));
      const direct = texts[c].reduce(
        (sum, value, j) => sum + (value - mean[j]) * (picture[other + j] - space.auxiliaryCentre[other + j]),
        0,
      );
      const carried = placed.row(i).reduce((sum, value, j) => sum + value * hint.at(c, j), 0);
      expect(carried).toBeCloseTo(direct, 8);
    }
  });

  let [told, untold, misled] = [undefined, undefined, undefined] as unknown as [Bowerbird, Bowerbird, Bowerbird];
  beforeAll(async () => {
    const shuffled = (matrix: Matrix) => selectRows(matrix, new Random(3).permutation(matrix.rows));
    told = await new Bowerbird().fit(problem, { backend });
    untold = await new Bowerbird().fit({ ...problem, featureBlocks: undefined }, { backend });
    misled = await new Bowerbird().fit(
      {
        ...problem,
        auxiliarySemantics: shuffled(problem.auxiliarySemantics),
        testSemantics: shuffled(problem.testSemantics),
      },
      { backend },
    );
  });

  it('is believed as far as it explains the looks of known categories, and not at all where names are mixed up', () => {
    expect(told.trusts_['image-text']).toBeGreaterThan(0.15);
    expect(misled.trusts_['image-text']).toBeLessThan(0.05);
    expect(untold.trusts_['image-text']).toBeUndefined();
  });

  it('mends what web pictures that are all wrong say', () => {
    const [with_, without] = [told, untold].map((method) => accuracy(method.predict(problem.testFeatures)));
    expect(with_).toBeGreaterThan(without + 0.05);
  });
});
