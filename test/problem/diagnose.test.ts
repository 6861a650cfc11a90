import { describe, expect, it } from 'vitest';
import { Matrix } from '../../src/linalg/matrix.js';
import { diagnose, generateProblem, type Problem } from '../../src/problem/index.js';
import { smallProblem } from './small-problem.js';

function messages(changes: Partial<Problem>): string[] {
  return diagnose(smallProblem(changes)).map(({ array, message }) => `${array}: ${message}`);
}

describe('diagnose', () => {
  it('finds nothing wrong with a generated problem', () => {
    expect(diagnose(generateProblem())).toEqual([]);
  });

  it('counts features that never vary', () => {
    const webFeatures = Matrix.from([
      [7, 1],
      [7, 2],
    ]);
    expect(messages({ webFeatures })).toContain('web_features: 1 of 2 features are the same for every picture.');
  });

  it('finds test pictures among the pictures learnt from', () => {
    const webFeatures = Matrix.from([
      [2, 1],
      [3, 1],
    ]);
    expect(messages({ webFeatures })).toContain(
      'web_features: 1 picture is also among the test pictures (row 1 is test row 0).',
    );
  });

  it('finds web pictures that came twice', () => {
    const webFeatures = Matrix.from([
      [2, 1],
      [2, 1],
    ]);
    expect(messages({ webFeatures })).toContain('web_features: 1 web pictures repeat an earlier one.');
  });

  it('finds equal and empty semantic vectors across both sets', () => {
    const testSemantics = Matrix.from([
      [1, 0],
      [0, 0],
    ]);
    expect(messages({ testSemantics })).toEqual(
      expect.arrayContaining([
        'test_semantics: "rook" (row 0) and "crow" have the same vector and cannot be told apart by it.',
        'test_semantics: the vector of "jackdaw" (row 1) is zero: nothing is known of it.',
      ]),
    );
  });

  it('remarks on very unbalanced categories and on empty ones', () => {
    const auxiliaryFeatures = Matrix.zeros(12, 2).fill(1);
    const auxiliaryLabels = Int32Array.from({ length: 12 }, (_, i) => (i === 0 ? 0 : 1));
    expect(messages({ auxiliaryFeatures, auxiliaryLabels })).toContain(
      'aux_labels: very unbalanced: "raven" has 11 pictures, "crow" 1.',
    );
    expect(messages({ testLabels: Int32Array.of(1, 1) })).toContain(
      'test_labels: 1 of 2 categories have no picture, the first is "rook".',
    );
  });

  it('remarks on features of very different length', () => {
    const testFeatures = Matrix.from([
      [300, 100],
      [100, 300],
    ]);
    expect(messages({ testFeatures }).join()).toContain('were they extracted with the same model and settings?');
  });

  it('says when feature vectors are not of equal length', () => {
    expect(messages({})).toContain(
      'aux_features: lengths of feature vectors vary from 1 to 1.41; the l2 scaling makes them 1.',
    );
  });

  it('says nothing of what is just within bounds', () => {
    const auxiliaryLabels = Int32Array.from({ length: 11 }, (_, i) => (i === 0 ? 0 : 1));
    expect(messages({ auxiliaryFeatures: Matrix.zeros(11, 2).fill(1), auxiliaryLabels }).join()).not.toContain(
      'unbalanced',
    );
    expect(messages({ webFeatures: Matrix.from([[2, 1]]), webLabels: Int32Array.of(0) }).join()).not.toContain(
      'the same for',
    );
    expect(messages({ testLabels: undefined }).join()).not.toContain('test_labels');
    expect(messages({ testLabels: Int32Array.of(0, 1, -1) }).join()).not.toContain('test_labels');
  });

  it('compares the lengths of all sets with those of the auxiliary pictures', () => {
    const axes = (length: number) =>
      Matrix.from([
        [length, 0],
        [0, length],
      ]);
    const sets = { auxiliaryFeatures: axes(1), auxiliaryLabels: Int32Array.of(0, 1), webFeatures: axes(1) };
    const lengths = (length: number) =>
      messages({ ...sets, testFeatures: axes(length) }).filter((one) => one.includes('length'));
    for (const length of [0.5, 1, 2]) expect(lengths(length)).toEqual([]);
    for (const length of [0.4, 2.1])
      expect(lengths(length)).toEqual([
        `test_features: vectors have mean length ${length}, those of aux_features 1: were they extracted with the same model and settings?`,
      ]);
    const testFeatures = Matrix.from([
      [2, 0],
      [0, 0.5],
    ]);
    expect(
      messages({ ...sets, webFeatures: testFeatures, testFeatures }).filter((one) => one.includes('vary')),
    ).toEqual([
      'web_features, test_features: lengths of feature vectors vary from 0.5 to 2; the l2 scaling makes them 1.',
    ]);
  });

  it('counts every repeated picture, and the auxiliary categories in the generalized setting', () => {
    const webFeatures = Matrix.from([
      [1, 3],
      [3, 1],
    ]);
    expect(messages({ webFeatures })).toContain(
      'web_features: 2 pictures are also among the test pictures (row 0 is test row 1).',
    );
    expect(messages({ generalized: true, testLabels: Int32Array.of(0, 1, 3) })).toContain(
      'test_labels: 1 of 4 categories have no picture, the first is "crow".',
    );
  });
});
