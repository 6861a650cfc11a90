import { describe, expect, it } from 'vitest';
import { ProblemError } from '../../src/errors.js';
import { Matrix } from '../../src/linalg/matrix.js';
import {
  brokenRules,
  type CheckOptions,
  checkProblem,
  generateProblem,
  type Problem,
} from '../../src/problem/index.js';
import { smallProblem } from './small-problem.js';

/** The first broken rule of the small problem with these changes. */
function broken(changes: Partial<Problem>, options?: CheckOptions): ProblemError {
  try {
    checkProblem(smallProblem(changes), options);
  } catch (error) {
    expect(error).toBeInstanceOf(ProblemError);
    return error as ProblemError;
  }
  throw new Error('no rule was broken');
}

const empty = (cols: number) => Matrix.zeros(0, cols);

describe('checkProblem', () => {
  it('accepts sound problems', () => {
    expect(() => checkProblem(smallProblem(), { scaling: 'l2' })).not.toThrow();
    expect(() => checkProblem(generateProblem())).not.toThrow();
    expect(() => checkProblem(generateProblem({ dtype: 'float32', text: false, validation: false }))).not.toThrow();
  });

  it('names array, row, value and range of a label out of range', () => {
    const error = broken({ webLabels: Int32Array.of(0, 2) });
    expect(error).toMatchObject({ array: 'web_labels', row: 1, code: 'BOWERBIRD_PROBLEM' });
    expect(error.message).toBe('web_labels, row 1: label 2 is out of range; the 2 test categories are numbered 0…1');
    expect(error.hint).toContain('count from 1');
    expect(broken({ auxiliaryLabels: Int32Array.of(-1, 0, 1) })).toMatchObject({ array: 'aux_labels', row: 0 });
    expect(broken({ testLabels: Int32Array.of(0, 3) })).toMatchObject({ array: 'test_labels', row: 1 });
  });

  it('lets test labels reach into the auxiliary categories in the generalized setting only', () => {
    expect(() => checkProblem(smallProblem({ testLabels: Int32Array.of(1, 3), generalized: true }))).not.toThrow();
    expect(broken({ testLabels: Int32Array.of(1, 4), generalized: true }).message).toContain('test and auxiliary');
  });

  it('asks for one label for each picture', () => {
    expect(broken({ webLabels: Int32Array.of(0, 1, 1) }).message).toBe(
      'web_labels: has 3 labels, web_features has 2 rows',
    );
  });

  it('asks for the same number of features everywhere', () => {
    expect(broken({ testFeatures: Matrix.zeros(2, 3).fill(1) }).message).toBe(
      'test_features: has 3 features per picture, aux_features has 2',
    );
  });

  it('asks for semantic vectors of one length', () => {
    expect(broken({ testSemantics: Matrix.zeros(2, 5) }).message).toContain('test_semantics: vectors have 5 elements');
  });

  it('asks for one precision', () => {
    expect(
      broken({
        webFeatures: Matrix.from(
          [
            [1, 2],
            [2, 1],
          ],
          'float32',
        ),
      }).message,
    ).toContain('is float32');
  });

  it.each([
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['-Infinity', Number.NEGATIVE_INFINITY],
  ])('refuses %s among features, semantic vectors and text', (text, value) => {
    const spoilt = Matrix.from([
      [1, 2],
      [3, value],
    ]);
    const cases: [Partial<Problem>, string][] = [
      [{ webFeatures: spoilt }, 'web_features'],
      [{ testFeatures: spoilt }, 'test_features'],
      [{ auxiliarySemantics: spoilt }, 'aux_semantics'],
      [{ testSemantics: spoilt }, 'test_semantics'],
      [{ webText: spoilt }, 'web_text'],
    ];
    for (const [changes, array] of cases) {
      expect(broken(changes)).toMatchObject({ array, row: 1 });
      expect(broken(changes).message).toContain(`column 1 is ${text}`);
    }
  });

  it('finds an infinite feature beyond the end of a view’s rows harmless and one inside it not', () => {
    const wide = Matrix.from([
      [1, 2, Number.NaN],
      [2, 1, Number.NaN],
    ]);
    expect(() => checkProblem(smallProblem({ webFeatures: wide.view(0, 2, 0, 2) }))).not.toThrow();
    expect(broken({ webFeatures: wide.view(0, 2, 1, 3) })).toMatchObject({ array: 'web_features', row: 0 });
  });

  it('refuses a category without pictures and says which', () => {
    expect(broken({ webLabels: Int32Array.of(1, 1) }).message).toBe('web_labels: category 0 ("rook") has no picture');
    expect(broken({ auxiliaryLabels: Int32Array.of(0, 0, 0) }).message).toContain('category 1 ("raven")');
  });

  it('does not ask for test pictures of every test category', () => {
    expect(() => checkProblem(smallProblem({ testLabels: Int32Array.of(0, 0) }))).not.toThrow();
    expect(() => checkProblem(smallProblem({ testLabels: undefined }))).not.toThrow();
  });

  it('refuses a picture without length under l2 only', () => {
    const webFeatures = Matrix.from([
      [1, 1],
      [0, 0],
    ]);
    expect(broken({ webFeatures }, { scaling: 'l2' })).toMatchObject({ array: 'web_features', row: 1 });
    expect(() => checkProblem(smallProblem({ webFeatures }))).not.toThrow();
  });

  it('refuses a name used twice, within a set and across the two', () => {
    expect(broken({ testNames: ['rook', 'rook'] })).toMatchObject({ array: 'test_names', row: 1 });
    expect(broken({ testNames: ['rook', 'crow'] }).message).toContain(
      '"crow" is already the name of category 0 in aux_names',
    );
  });

  it('asks for one name for each semantic vector', () => {
    expect(broken({ auxiliaryNames: ['crow'] }).message).toContain('has 1 names, aux_semantics has 2 rows');
  });

  it('refuses empty sets', () => {
    expect(broken({ testFeatures: empty(2), testLabels: new Int32Array(0) }).array).toBe('test_features');
    expect(broken({ auxiliaryFeatures: empty(2), auxiliaryLabels: new Int32Array(0) }).array).toBe('aux_features');
    expect(broken({ webFeatures: empty(2), webLabels: new Int32Array(0) }).array).toBe('web_features');
    expect(broken({ testSemantics: empty(2), testNames: [] }).array).toBe('test_semantics');
    expect(broken({ auxiliarySemantics: Matrix.zeros(2, 0), testSemantics: Matrix.zeros(2, 0) }).array).toBe(
      'aux_semantics',
    );
  });

  it('does without web pictures where that is allowed', () => {
    const none = smallProblem({ webFeatures: empty(2), webLabels: new Int32Array(0) });
    expect(() => checkProblem(none, { web: 'optional' })).not.toThrow();
    expect(() => checkProblem(smallProblem({ webLabels: Int32Array.of(1, 1) }), { web: 'optional' })).toThrow('rook');
  });

  it('asks for one text, kind and mark for each picture', () => {
    const web = { features: Matrix.from([[1, 2]]), labels: Int32Array.of(0) };
    expect(broken({ webText: Matrix.zeros(3, 4) }).message).toBe('web_text: has 3 rows, web_features has 2');
    expect(broken({ webTexts: ['a'] }).array).toBe('web_texts');
    expect(broken({ webKinds: ['clean'] }).array).toBe('web_kind');
    expect(broken({ webVouched: Uint8Array.of(1) }).array).toBe('web_vouched');
    expect(broken({ validationWeb: { ...web, texts: ['a', 'b'] } }).array).toBe('validation_web_texts');
    expect(broken({ validationWeb: { ...web, auxiliaryUsed: new Uint8Array(2) } }).array).toBe('aux_in_validation_web');
  });

  it('asks for 0 or 1 where a person may have vouched', () => {
    expect(() => checkProblem(smallProblem({ webVouched: Uint8Array.of(0, 1) }))).not.toThrow();
    expect(broken({ webVouched: Uint8Array.of(1, 2) }).message).toBe(
      'web_vouched, row 1: the mark is 2; 0 or 1 was expected',
    );
  });

  it('checks validation web pictures like the others', () => {
    const features = Matrix.from([[1, 2]]);
    expect(broken({ validationWeb: { features, labels: Int32Array.of(2) } })).toMatchObject({
      array: 'validation_web_labels',
      row: 0,
    });
    expect(broken({ validationWeb: { features: Matrix.zeros(1, 3), labels: Int32Array.of(0) } }).array).toBe(
      'validation_web_features',
    );
  });

  it('lists every broken rule', () => {
    const errors = [...brokenRules(smallProblem({ testNames: ['rook', 'rook'], webLabels: Int32Array.of(5, 5) }))];
    expect(errors.map((error) => error.array)).toEqual(['test_names', 'web_labels', 'web_labels']);
  });
});
