/** Neighbours that other threads look for while a fit rehearses. */
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Backend } from '../../../src/linalg/index.js';
import { Bowerbird } from '../../../src/methods/bowerbird/bowerbird.js';
import { generateProblem } from '../../../src/problem/index.js';
import { backends } from '../../linalg/backends.js';

const problem = generateProblem({
  ...{ auxiliaryCategories: 12, testCategories: 6, auxiliaryPerCategory: 20, webPerCategory: 20, testPerCategory: 60 },
  ...{ dimensions: 48, semanticDimensions: 10, noise: 3, text: false, validation: false },
});

const several = backends.filter(({ mostThreads }) => mostThreads > 1);

describe.each(several)('a fit on several threads of the $name backend', ({ create, mostThreads }) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await create(mostThreads);
  });
  afterAll(() => backend.dispose());

  it('answers what one thread does, also after fits that were left', async () => {
    const alone = await create(1);
    const expected = await new Bowerbird().fit(problem, { backend: alone });
    for (const turns of [0, 1, 2, 4, 8]) {
      const left = new AbortController();
      const first = new Bowerbird().fit(problem, { backend, signal: left.signal });
      const refused = expect(first).rejects.toThrow(/no longer wanted/);
      for (let turn = 0; turn < turns; turn++) await setImmediate();
      left.abort(new Error('no longer wanted'));
      await refused;
    }
    // Two at a time want the same threads.
    const found = await Promise.all([1, 2].map(() => new Bowerbird().fit(problem, { backend })));
    for (const method of found) {
      expect(method.predict(problem.testFeatures)).toEqual(expected.predict(problem.testFeatures));
      expect(method.probabilities(problem.testFeatures)).toEqual(expected.probabilities(problem.testFeatures));
      expect(method.webWeights_).toEqual(expected.webWeights_);
    }
    alone.dispose();
  });
});
