import { describe, expect, it } from 'vitest';
import { accuracy } from '../../../src/fit/index.js';
import { createBackend } from '../../../src/linalg/create.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { Random } from '../../../src/linalg/random.js';
import { createMethod, type ParameterValue } from '../../../src/methods/spec.js';
import { transductiveMethods } from '../../../src/methods/transductive/index.js';
import { generalize } from '../../../src/problem/generalize.js';
import { generateProblem } from '../../../src/problem/generate.js';
import type { Problem } from '../../../src/problem/problem.js';
import { selectRows } from '../../../src/problem/rows.js';

const backend = await createBackend({ threads: 1 });
type Parameters = Record<string, ParameterValue>;

/** Fewer or smaller steps than the defaults, which are made for thousands of pictures. */
const quick: Record<string, Parameters> = { 'se-gzsl': { steps: 600, hidden: 64, latentSize: 8, learningRate: 3e-3 } };
/** Parameters that leave the test pictures out, or nearly so. */
const inductive: Record<string, Parameters> = {
  li: { rounds: 0, spread: 1 },
  kodirov: { adaptation: 1e9 },
  'zhang-saligrama': { strength: 1e6 },
  xu: { smoothness: 0, rounds: 0, hubness: 'none' },
  shojaee: { balance: 0 },
  'se-gzsl': { testShare: 0 },
};

function worldOf(seed: number): Problem {
  return generateProblem({
    seed,
    auxiliaryCategories: 40,
    testCategories: 5,
    semanticDimensions: 12,
    dimensions: 50,
    noise: 0.6,
    offset: 0.5,
    testPerCategory: 30,
    text: false,
  });
}

/** The auxiliary categories with each other's vectors. */
function shuffled(problem: Problem, seed: number): Problem {
  const order = new Random(seed).permutation(problem.auxiliaryNames.length);
  return { ...problem, auxiliarySemantics: selectRows(problem.auxiliarySemantics, order) };
}

describe.each(transductiveMethods.map((spec) => [spec.name, spec] as const))('%s', (name, spec) => {
  const problem = worldOf(51);
  const fitted = (given: Problem, parameters: Parameters = {}, seed = 3) =>
    createMethod(spec, { ...quick[name], ...parameters }, seed).fit(given, { backend });
  const score = async (given: Problem, parameters: Parameters = {}, seed = 3) =>
    accuracy((await fitted(given, parameters, seed)).predict(given.testFeatures), given.testLabels!);

  it('recognizes categories it has never seen, and is at chance when vectors are shuffled', async () => {
    expect(await score(problem)).toBeGreaterThan(0.5);
    const seeds = [1, 2, 3, 4, 5, 6, 7, 8];
    let mean = 0;
    for (const seed of seeds) mean += (await score(shuffled(problem, seed), {}, seed)) / seeds.length;
    expect(mean).toBeLessThan(0.36);
    expect(mean).toBeGreaterThan(0.04);
  });

  it('is more accurate with the unlabelled test pictures than without them', async () => {
    let [withThem, without] = [0, 0];
    for (const seed of [61, 62, 63, 64]) {
      const world = worldOf(seed);
      withThem += (await score(world)) / 4;
      without += (await score(world, inductive[name])) / 4;
    }
    expect(withThem).toBeGreaterThan(without);
  });

  it('sees a picture differently in other company', async () => {
    const half = { ...problem, testFeatures: problem.testFeatures.view(0, 75), testLabels: undefined };
    const whole = (await fitted(problem)).decisionValues(problem.testFeatures).view(0, 75);
    const alone = (await fitted(half)).decisionValues(half.testFeatures);
    let most = 0;
    for (let i = 0; i < 75; i++)
      for (let c = 0; c < 5; c++) most = Math.max(most, Math.abs(whole.at(i, c) - alone.at(i, c)));
    expect(most).toBeGreaterThan(1e-6);
  });

  it('answers alike when auxiliary and test pictures are permuted', async () => {
    const order = new Random(7).permutation(problem.auxiliaryLabels.length);
    const testOrder = new Random(8).permutation(problem.testFeatures.rows);
    const permuted: Problem = {
      ...problem,
      auxiliaryFeatures: selectRows(problem.auxiliaryFeatures, order),
      auxiliaryLabels: order.map((i) => problem.auxiliaryLabels[i]),
      testFeatures: selectRows(problem.testFeatures, testOrder),
    };
    const first = (await fitted(problem)).decisionValues(problem.testFeatures);
    const second = (await fitted(permuted)).decisionValues(permuted.testFeatures);
    expect(second.copy().data).toEqual(selectRows(first, testOrder).copy().data);
  });

  it('answers pictures that were not in the fit through what it learnt', async () => {
    const order = new Random(9).permutation(150);
    const [kept, others] = [order.subarray(0, 110), order.subarray(110)];
    const method = await fitted({ ...problem, testFeatures: selectRows(problem.testFeatures, kept) });
    const predicted = method.predict(selectRows(problem.testFeatures, others));
    expect(
      accuracy(
        predicted,
        others.map((i) => problem.testLabels![i]),
      ),
    ).toBeGreaterThan(0.45);
  });

  it('gives finite values for a single test picture, single auxiliary pictures and few categories', async () => {
    const tiny = generateProblem({
      auxiliaryCategories: 2,
      auxiliaryPerCategory: 1,
      testCategories: 3,
      testPerCategory: 1,
      text: false,
      validation: false,
    });
    const lonely = { ...problem, testFeatures: problem.testFeatures.view(0, 1), testLabels: undefined };
    for (const given of [tiny, lonely]) {
      const method = await fitted(given);
      for (const features of [given.testFeatures, given.auxiliaryFeatures])
        expect(method.decisionValues(features).copy().data.every(Number.isFinite)).toBe(true);
    }
  });

  it('stops when it is told to between two steps', async () => {
    const controller = new AbortController();
    const onProgress = () => controller.abort(new Error('enough'));
    const fit = createMethod(spec, quick[name] ?? {}, 3).fit(problem, {
      backend,
      signal: controller.signal,
      onProgress,
    });
    await expect(fit).rejects.toThrow('enough');
  });

  it('says what is wrong with the generalized setting and with features of another length', async () => {
    if (spec.setting === 'standard')
      await expect(fitted(generalize(problem, 1))).rejects.toThrow(/generalized setting/);
    const method = await fitted(problem);
    expect(() => method.predict(Matrix.zeros(3, 7))).toThrow(/7 dimensions/);
    expect(() => createMethod(spec, {}, 3).predict(problem.testFeatures)).toThrow(/before fit/);
  });
});
