import { describe, expect, it } from 'vitest';
import { Matrix } from '../../src/linalg/matrix.js';
import { generateProblem, type Problem, problemHash } from '../../src/problem/index.js';
import { smallProblem } from './small-problem.js';

describe('problemHash', () => {
  it('depends on contents, not on where they lie in memory', () => {
    const { webFeatures } = smallProblem();
    const wide = Matrix.zeros(3, 5);
    wide.view(1, 3, 2, 4).copyFrom(webFeatures);
    expect(problemHash(smallProblem({ webFeatures: wide.view(1, 3, 2, 4) }))).toBe(problemHash(smallProblem()));
    expect(problemHash(smallProblem())).toMatch(/^[0-9a-f]{64}$/);
  });

  it('changes with every part of a problem', () => {
    const base = generateProblem({ dimensions: 3, webPerCategory: 3, testPerCategory: 3, auxiliaryPerCategory: 3 });
    const nudged = (matrix: Matrix) => {
      const copy = matrix.copy();
      copy.set(copy.rows - 1, copy.cols - 1, copy.at(copy.rows - 1, copy.cols - 1) + 1e-9);
      return copy;
    };
    const reversed = <T extends { slice(): T; reverse(): T }>(list: T) => list.slice().reverse();
    const web = base.validationWeb!;
    const changes: Partial<Problem>[] = [
      {},
      { auxiliaryFeatures: nudged(base.auxiliaryFeatures) },
      { auxiliaryFeatures: base.auxiliaryFeatures.copy('float32') },
      { auxiliaryLabels: reversed(base.auxiliaryLabels) },
      { auxiliarySemantics: nudged(base.auxiliarySemantics) },
      { auxiliaryNames: [...base.auxiliaryNames].reverse() },
      { webFeatures: nudged(base.webFeatures) },
      { webLabels: reversed(base.webLabels) },
      { webText: nudged(base.webText!) },
      { webText: undefined },
      { webTexts: [...base.webTexts!].reverse() },
      { webKinds: undefined },
      { webVouched: new Uint8Array(18) },
      { webVouched: new Uint8Array(18).fill(1) },
      { testFeatures: nudged(base.testFeatures) },
      { testLabels: undefined },
      { testShares: Float64Array.of(1, 0, 0) },
      { testSemantics: nudged(base.testSemantics) },
      { testNames: [...base.testNames].reverse() },
      { generalized: true },
      { validationWeb: undefined },
      { validationWeb: { ...web, features: nudged(web.features) } },
      { validationWeb: { ...web, labels: reversed(web.labels) } },
      { validationWeb: { ...web, text: nudged(web.text!) } },
      { validationWeb: { ...web, texts: undefined } },
      { validationWeb: { ...web, kinds: undefined } },
      { validationWeb: { ...web, auxiliaryUsed: new Uint8Array(36) } },
    ];
    const hashes = changes.map((change) => problemHash({ ...base, ...change }));
    expect(new Set(hashes).size).toBe(changes.length);
  });
});
