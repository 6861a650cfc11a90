import { describe, expect, it } from 'vitest';
import { ProblemError } from '../../src/errors.js';
import { createBackend } from '../../src/linalg/create.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { Random } from '../../src/linalg/random.js';
import { createMethod, methods } from '../../src/methods/index.js';
import { allows } from '../../src/parameters.js';
import { generalize } from '../../src/problem/generalize.js';
import { generateProblem } from '../../src/problem/generate.js';
import { problemHash } from '../../src/problem/hash.js';
import { candidateNames, type Problem } from '../../src/problem/problem.js';
import { selectIntegers, selectRows, selectStrings } from '../../src/problem/rows.js';
import { restrictToCategories } from '../../src/problem/subset.js';

const backend = await createBackend({ threads: 1 });
const sizes = {
  seed: 31,
  auxiliaryCategories: 8,
  testCategories: 4,
  auxiliaryPerCategory: 10,
  webPerCategory: 12,
  testPerCategory: 8,
  noise: 0.6,
};
/** Methods that compare pictures with category vectors directly need both in one space. */
const jointSpace = ['clip'];

/** With thirty pictures and the defaults the zero-shot learner makes rounding large (docs/learner.md): a firmer hold is needed. */
const smallScale: Readonly<Record<string, Record<string, number>>> = {
  'se-gzsl': { steps: 150, hidden: 32 },
  'paper-zsl': { lambda1: 1, lambda2: 0.05 },
  combo: { 'paper-zsl.lambda1': 1, 'paper-zsl.lambda2': 0.05 },
};

const names = (given: Problem, predicted: Int32Array) => [...predicted].map((c) => candidateNames(given)[c]);

const inEverySetting = methods.flatMap((spec) =>
  (['standard', 'generalized'] as const).flatMap((setting) =>
    spec.setting === setting || spec.setting === 'both' ? [[spec.name, setting, spec] as const] : [],
  ),
);

describe.each(inEverySetting)('%s, %s setting', (_, setting, spec) => {
  const space = jointSpace.includes(spec.name) ? { dimensions: 20, semanticDimensions: 20 } : {};
  const inSetting = (given: Problem) => (setting === 'generalized' ? generalize(given, 2) : given);
  const standard = generateProblem({ ...sizes, ...space });
  const problem = inSetting(standard);
  const another = inSetting(generateProblem({ seed: 32, testCategories: 3, ...space }));
  const fitted = (given: Problem) => createMethod(spec, smallScale[spec.name] ?? {}, 5).fit(given, { backend });

  it('refuses a parameter that it does not have, and values that its own declaration excludes', () => {
    expect(() => createMethod(spec, { unheard: 1 })).toThrow(`${spec.name} has no parameter "unheard"`);
    for (const name of Object.keys(spec.parameters))
      for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 'nonsense'])
        expect(() => createMethod(spec, { [name]: value })).toThrow(`${spec.name}: ${name} is `);
  });

  it('has defaults and search ranges that its own declaration allows', () => {
    for (const parameter of Object.values(spec.parameters)) {
      const { range } = parameter;
      const searched = range === undefined ? [] : range.kind === 'choice' ? range.values : [range.low, range.high];
      for (const value of [parameter.default, ...searched]) expect(allows(parameter, value)).toBe(true);
    }
  });

  it('gives the same answer for the same seed, forgets an earlier fit and leaves its input alone', async () => {
    const before = problemHash(problem);
    const first = (await fitted(problem)).decisionValues(problem.testFeatures);
    const again = await fitted(another);
    await again.fit(problem, { backend });
    expect(again.decisionValues(problem.testFeatures).copy().data).toEqual(first.copy().data);
    expect(problemHash(problem)).toBe(before);
    expect([first.rows, first.cols]).toEqual([problem.testFeatures.rows, candidateNames(problem).length]);
  });

  it('renumbers its predictions when the categories are renumbered', async () => {
    const order = [2, 0, 3, 1];
    const renumbered: Problem = {
      ...problem,
      testSemantics: Matrix.from(order.map((c) => problem.testSemantics.row(c))),
      testNames: order.map((c) => problem.testNames[c]),
      webLabels: problem.webLabels.map((c) => order.indexOf(c)),
    };
    const expected = names(problem, (await fitted(problem)).predict(problem.testFeatures));
    expect(names(renumbered, (await fitted(renumbered)).predict(problem.testFeatures))).toEqual(expected);
  });

  it('permutes its predictions when pictures are permuted', async () => {
    const [web, auxiliary, test] = [
      problem.webFeatures.rows,
      problem.auxiliaryFeatures.rows,
      problem.testFeatures.rows,
    ].map((count, stream) => new Random(7, stream).permutation(count));
    const permuted: Problem = {
      ...problem,
      webFeatures: selectRows(problem.webFeatures, web),
      webLabels: selectIntegers(problem.webLabels, web),
      webText: selectRows(problem.webText!, web),
      webTexts: selectStrings(problem.webTexts!, web),
      webKinds: selectStrings(problem.webKinds!, web),
      auxiliaryFeatures: selectRows(problem.auxiliaryFeatures, auxiliary),
      auxiliaryLabels: selectIntegers(problem.auxiliaryLabels, auxiliary),
      testFeatures: selectRows(problem.testFeatures, test),
      testLabels: selectIntegers(problem.testLabels!, test),
    };
    const expected = (await fitted(problem)).predict(problem.testFeatures);
    const found = (await fitted(permuted)).predict(permuted.testFeatures);
    expect([...found]).toEqual(Array.from(test, (row) => expected[row]));
  });

  it('refuses a problem without test pictures', async () => {
    const empty: Problem = {
      ...problem,
      testFeatures: problem.testFeatures.view(0, 0),
      testLabels: new Int32Array(0),
    };
    await expect(fitted(empty)).rejects.toBeInstanceOf(ProblemError);
  });

  it('refuses a problem with one category and stops when it is told to', async () => {
    const single = restrictToCategories(standard, { test: [0] });
    await expect(fitted(single)).rejects.toMatchObject({ code: expect.stringMatching(/^BOWERBIRD_/) });
    await expect(
      createMethod(spec, {}, 5).fit(problem, { backend, signal: AbortSignal.abort(new Error('enough')) }),
    ).rejects.toThrow();
  });
});
