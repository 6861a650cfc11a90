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
});
