import { describe, expect, it } from 'vitest';
import { accuracy } from '../../../src/fit/index.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { Random } from '../../../src/linalg/random.js';
import { createMethod } from '../../../src/methods/spec.js';
import { zeroShotMethods } from '../../../src/methods/zero-shot/index.js';
import { generalize } from '../../../src/problem/generalize.js';
import { generateProblem } from '../../../src/problem/generate.js';
import type { Problem } from '../../../src/problem/problem.js';
import { backend, rowsOf } from './small.js';

const problem = generateProblem({
  seed: 51,
  auxiliaryCategories: 40,
  testCategories: 5,
  semanticDimensions: 12,
  dimensions: 50,
  noise: 0.6,
  testPerCategory: 30,
  text: false,
});

/** The auxiliary categories with each other's vectors. */
function shuffled(seed: number): Problem {
  const order = new Random(seed).permutation(problem.auxiliaryNames.length);
  return {
    ...problem,
    auxiliarySemantics: Matrix.from(Array.from(order, (c) => problem.auxiliarySemantics.row(c))),
  };
}

describe.each(zeroShotMethods.map((spec) => [spec.name, spec] as const))('%s', (_, spec) => {
  const score = async (given: Problem) => {
    const method = await createMethod(spec, {}, 3).fit(given, { backend });
    return accuracy(method.predict(given.testFeatures), given.testLabels!);
  };

  it('recognizes categories it has never seen, and is at chance when vectors are shuffled', async () => {
    expect(await score(problem)).toBeGreaterThan(0.45);
    const seeds = [1, 2, 3, 4, 5, 6];
    let mean = 0;
    for (const seed of seeds) mean += (await score(shuffled(seed))) / seeds.length;
    expect(mean).toBeLessThan(0.34);
    expect(mean).toBeGreaterThan(0.06);
  });

  it('answers with auxiliary categories too in the generalized setting', async () => {
    const mixed = generalize(problem, 1);
    const method = await createMethod(spec, {}, 3).fit(mixed, { backend });
    const predicted = method.predict(mixed.testFeatures);
    expect(method.decisionValues(mixed.testFeatures).cols).toBe(45);
    // Far above the 2 % of chance among 45 categories.
    expect(accuracy(predicted, mixed.testLabels!)).toBeGreaterThan(0.3);
  });

  it('answers alike when auxiliary pictures are permuted, and picture by picture', async () => {
    const order = new Random(7).permutation(problem.auxiliaryLabels.length);
    const permuted: Problem = {
      ...problem,
      auxiliaryFeatures: Matrix.from(Array.from(order, (i) => problem.auxiliaryFeatures.row(i))),
      auxiliaryLabels: order.map((i) => problem.auxiliaryLabels[i]),
    };
    const first = await createMethod(spec, {}, 3).fit(problem, { backend });
    const second = await createMethod(spec, {}, 3).fit(permuted, { backend });
    expect(second.decisionValues(problem.testFeatures)).toEqual(first.decisionValues(problem.testFeatures));
    const backwards = Matrix.from(rowsOf(problem.testFeatures).reverse());
    expect([...first.predict(backwards)]).toEqual([...first.predict(problem.testFeatures)].reverse());
  });

  it('stops when it is told to between two steps', async () => {
    const controller = new AbortController();
    let steps = 0;
    const onProgress = () => {
      steps++;
      controller.abort(new Error('enough'));
    };
    const fit = createMethod(spec, {}, 3).fit(problem, { backend, signal: controller.signal, onProgress });
    if (['eszsl', 'sae'].includes(spec.name)) expect(await fit.then(() => steps)).toBe(0);
    else {
      await expect(fit).rejects.toThrow('enough');
      expect(steps).toBe(1);
    }
  });

  it('says what is wrong with features of another length', async () => {
    const method = await createMethod(spec, {}, 3).fit(problem, { backend });
    expect(() => method.predict(Matrix.zeros(3, 7))).toThrow(/7 dimensions/);
    expect(() => createMethod(spec, {}, 3).predict(problem.testFeatures)).toThrow(/before fit/);
  });
});
