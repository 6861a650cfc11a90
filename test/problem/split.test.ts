import { describe, expect, it } from 'vitest';
import { ArgumentError, ProblemError } from '../../src/errors.js';
import { Matrix } from '../../src/linalg/matrix.js';
import {
  checkProblem,
  generalize,
  generateProblem,
  type Problem,
  problemHash,
  restrictToCategories,
  subsetWeb,
  syntheticValidationWeb,
  topWeb,
  validationCategoryCount,
  validationSplit,
} from '../../src/problem/index.js';
import fc from '../property.js';

const rows = (matrix: Matrix) => Array.from({ length: matrix.rows }, (_, i) => [...matrix.row(i)].join());

/** What one picture of the problem is, independent of where it stands and how its category is numbered. */
function pictures(features: Matrix, labels: Int32Array, names: readonly string[]): string[] {
  return rows(features).map((row, i) => `${names[labels[i]]}: ${row}`);
}
const auxiliary = (p: Problem) => pictures(p.auxiliaryFeatures, p.auxiliaryLabels, p.auxiliaryNames);
const web = (p: Problem) => pictures(p.webFeatures, p.webLabels, p.testNames);
const test = (p: Problem) =>
  pictures(p.testFeatures, p.testLabels!, p.generalized ? [...p.testNames, ...p.auxiliaryNames] : p.testNames);
const named = (list: string[], names: string[]) => list.filter((picture) => names.includes(picture.split(':')[0]));

const sizes = fc.record({
  seed: fc.integer({ min: 0, max: 1000 }),
  auxiliaryCategories: fc.integer({ min: 2, max: 6 }),
  testCategories: fc.integer({ min: 1, max: 5 }),
  dimensions: fc.integer({ min: 1, max: 4 }),
  semanticDimensions: fc.integer({ min: 1, max: 4 }),
  auxiliaryPerCategory: fc.integer({ min: 1, max: 7 }),
  webPerCategory: fc.integer({ min: 1, max: 7 }),
  testPerCategory: fc.integer({ min: 1, max: 4 }),
});

/** A generated problem with the pictures of each set in random order, so that nothing lies contiguously. */
function shuffled(options: Parameters<typeof generateProblem>[0] & { seed: number }): Problem {
  // Unscaled, so that pictures of one feature differ.
  const p = generateProblem({ ...options, scaling: 'none' });
  const order = (n: number) =>
    Array.from({ length: n }, (_, i) => i).sort((a, b) => ((a * 7919) % 31) - ((b * 7919) % 31));
  const pick = (m: Matrix, o: number[]) => Matrix.from(o.map((i) => m.row(i)));
  const [a, w, t] = [p.auxiliaryFeatures, p.webFeatures, p.testFeatures].map((m) => order(m.rows));
  return {
    ...p,
    auxiliaryFeatures: pick(p.auxiliaryFeatures, a),
    auxiliaryLabels: Int32Array.from(a, (i) => p.auxiliaryLabels[i]),
    webFeatures: pick(p.webFeatures, w),
    webLabels: Int32Array.from(w, (i) => p.webLabels[i]),
    webText: pick(p.webText!, w),
    webTexts: w.map((i) => p.webTexts![i]),
    webKinds: w.map((i) => p.webKinds![i]),
    webVouched: Uint8Array.from(w, (i) => (p.webKinds![i] === 'clean' ? i % 2 : 0)),
    testFeatures: pick(p.testFeatures, t),
    testLabels: Int32Array.from(t, (i) => p.testLabels![i]),
  };
}

/** Runs `check` on many problems and sees to it that the problem given is left as it was. */
function forProblems(check: (problem: Problem, seed: number) => void): void {
  fc.assert(
    fc.property(sizes, (options) => {
      const problem = shuffled(options);
      const before = problemHash(problem);
      check(problem, options.seed);
      expect(problemHash(problem)).toBe(before);
    }),
    { numRuns: 40 },
  );
}

describe('restrictToCategories', () => {
  it('keeps exactly the pictures, vectors and texts of the categories chosen', () => {
    forProblems((problem) => {
      const keptA = problem.auxiliaryNames.filter((_, c) => c % 2 === 1).reverse();
      const keptT = [...problem.testNames].reverse().slice(0, 2);
      const result = restrictToCategories(problem, { auxiliary: keptA, test: keptT });
      checkProblem(result);
      expect(auxiliary(result)).toEqual(named(auxiliary(problem), keptA));
      expect(web(result)).toEqual(named(web(problem), keptT));
      expect(test(result)).toEqual(named(test(problem), keptT));
      const wasKept = (_: unknown, i: number) => keptT.includes(problem.testNames[problem.webLabels[i]]);
      expect(result.webTexts).toEqual(problem.webTexts!.filter(wasKept));
      expect(result.webKinds).toEqual(problem.webKinds!.filter(wasKept));
      expect(rows(result.webText!)).toEqual(rows(problem.webText!).filter(wasKept));
      expect(result.testNames).toEqual(keptT);
      expect(rows(result.testSemantics)).toEqual(
        keptT.map((name) => rows(problem.testSemantics)[problem.testNames.indexOf(name)]),
      );
      const { validationWeb: before } = problem;
      const validation = pictures(before!.features, before!.labels, problem.auxiliaryNames);
      const after = result.validationWeb;
      expect(after ? pictures(after.features, after.labels, result.auxiliaryNames) : []).toEqual(
        named(validation, keptA),
      );
    });
  });

  it('keeps pictures of both kinds of categories in the generalized setting', () => {
    const problem = generalize(generateProblem(), 1);
    const choice = { auxiliary: problem.auxiliaryNames.slice(3, 6), test: problem.testNames.slice(1, 3) };
    const result = restrictToCategories(problem, choice);
    checkProblem(result);
    expect(test(result)).toEqual(named(test(problem), [...choice.test, ...choice.auxiliary]));
  });

  it('shares features that lie next to each other', () => {
    const problem = generateProblem();
    const result = restrictToCategories(problem, { test: [2, 3] });
    expect(result.webFeatures.data.buffer).toBe(problem.webFeatures.data.buffer);
    expect(result.auxiliaryFeatures.data.buffer).toBe(problem.auxiliaryFeatures.data.buffer);
  });

  it('refuses unknown, repeated and no categories', () => {
    const problem = generateProblem();
    expect(() => restrictToCategories(problem, { test: ['dodo'] })).toThrow('there is no test category "dodo"');
    expect(() => restrictToCategories(problem, { auxiliary: [12] })).toThrow(ArgumentError);
    expect(() => restrictToCategories(problem, { test: [1, 1] })).toThrow('named twice');
    expect(() => restrictToCategories(problem, { test: [] })).toThrow('no test category is left');
  });
});

describe('subsetWeb', () => {
  it('keeps at most the number asked for of each category, in their order, and no others', () => {
    forProblems((problem, seed) => {
      const result = subsetWeb(problem, 3, seed);
      const before = web(problem);
      const after = web(result);
      for (const name of problem.testNames) {
        const available = named(before, [name]).length;
        expect(named(after, [name]).length).toBe(Math.min(3, available));
      }
      const positions = after.map((picture) => before.indexOf(picture));
      expect(positions).toEqual([...positions].sort((a, b) => a - b));
      expect(result.webTexts).toEqual(positions.map((i) => problem.webTexts![i]));
      expect(result.webKinds).toEqual(positions.map((i) => problem.webKinds![i]));
      expect([...result.webVouched!]).toEqual(positions.map((i) => problem.webVouched![i]));
    });
  });

  it('gives smaller choices that lie within larger ones, and other choices for other seeds', () => {
    const problem = generateProblem();
    const larger = new Set(web(subsetWeb(problem, 10, 5)));
    expect(web(subsetWeb(problem, 4, 5)).every((picture) => larger.has(picture))).toBe(true);
    expect(web(subsetWeb(problem, 10, 6))).not.toEqual([...larger]);
    expect(() => subsetWeb(problem, 0, 1)).toThrow('at least 1');
  });
});

describe('topWeb', () => {
  it('keeps the first pictures of each category and nothing else', () => {
    forProblems((problem) => {
      const [before, after] = [web(problem), web(topWeb(problem, 3))];
      for (const name of problem.testNames) expect(named(after, [name])).toEqual(named(before, [name]).slice(0, 3));
      expect(after.length).toBe(problem.testNames.reduce((sum, name) => sum + named(after, [name]).length, 0));
    });
    expect(() => topWeb(generateProblem(), 0)).toThrow('at least 1');
  });
});

describe('generalize', () => {
  it('moves a fifth of each auxiliary category, rounded, behind the test pictures', () => {
    forProblems((problem, seed) => {
      const result = generalize(problem, seed);
      checkProblem(result);
      const countT = problem.testFeatures.rows;
      expect(test(result).slice(0, countT)).toEqual(test(problem));
      const moved = test(result).slice(countT);
      for (const name of problem.auxiliaryNames) {
        const count = named(auxiliary(problem), [name]).length;
        expect(named(moved, [name]).length).toBe(Math.min(count - 1, Math.round(count / 5)));
      }
      expect([...moved, ...auxiliary(result)].sort()).toEqual(auxiliary(problem).sort());
      expect(result.generalized).toBe(true);
    });
  });

  it('numbers auxiliary categories after the test categories', () => {
    const result = generalize(generateProblem({ testCategories: 6, auxiliaryCategories: 2 }), 1);
    expect([...new Set(result.testLabels)]).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('chooses by seed', () => {
    const problem = generateProblem();
    expect(problemHash(generalize(problem, 3))).toBe(problemHash(generalize(problem, 3)));
    expect(problemHash(generalize(problem, 3))).not.toBe(problemHash(generalize(problem, 4)));
  });

  it('keeps the marks of pictures that web pictures were made from with their pictures', () => {
    const problem = generateProblem();
    const auxiliaryUsed = Uint8Array.from(problem.auxiliaryLabels, (_, i) => (i % 3) % 2);
    const marked = { ...problem, validationWeb: { ...problem.validationWeb!, auxiliaryUsed } };
    const used = new Set(auxiliary(problem).filter((_, i) => auxiliaryUsed[i]));
    const result = generalize(marked, 1);
    expect([...result.validationWeb!.auxiliaryUsed!]).toEqual(auxiliary(result).map((p) => (used.has(p) ? 1 : 0)));
  });

  it('works without test labels, and refuses a second time and impossible shares', () => {
    const problem = generateProblem();
    expect(generalize({ ...problem, testLabels: undefined }, 1).testLabels).toBeUndefined();
    expect(() => generalize(generalize(problem, 1), 1)).toThrow('already');
    expect(() => generalize(problem, 1, 1)).toThrow(ArgumentError);
  });
});

describe('validationSplit', () => {
  it('takes as many categories as the paper says', () => {
    expect(validationCategoryCount(150, 50)).toBe(38);
    expect(validationCategoryCount(645, 72)).toBe(65);
    expect(validationCategoryCount(85, 28)).toBe(21);
    expect(validationCategoryCount(2, 50)).toBe(1);
    expect(validationCategoryCount(50, 1)).toBe(1);
  });

  it('makes test categories of the first auxiliary ones and leaves the others', () => {
    forProblems((problem) => {
      const count = validationCategoryCount(problem.auxiliaryNames.length, problem.testNames.length);
      const first = problem.auxiliaryNames.slice(0, count);
      const others = problem.auxiliaryNames.slice(count);
      const split = validationSplit(problem);
      checkProblem(split);
      expect(split.testNames).toEqual(first);
      expect(split.auxiliaryNames).toEqual(others);
      expect(auxiliary(split)).toEqual(named(auxiliary(problem), others));
      expect(test(split)).toEqual(named(auxiliary(problem), first));
      expect(web(split)).toEqual(
        pictures(problem.validationWeb!.features, problem.validationWeb!.labels, problem.auxiliaryNames),
      );
      expect(split.webTexts).toEqual(problem.validationWeb!.texts);
      expect(split.webKinds).toEqual(problem.validationWeb!.kinds);
      expect(split.webVouched).toBeUndefined();
      expect([...rows(split.testSemantics), ...rows(split.auxiliarySemantics)]).toEqual(
        rows(problem.auxiliarySemantics),
      );
    });
  });

  it('never tests on pictures that web pictures were made from', () => {
    const problem = generateProblem();
    const auxiliaryUsed = Uint8Array.from(problem.auxiliaryLabels, (_, i) => (i % 4 === 0 ? 1 : 0));
    const split = validationSplit({ ...problem, validationWeb: { ...problem.validationWeb!, auxiliaryUsed } });
    const unused = auxiliary(problem).filter((_, i) => auxiliaryUsed[i] === 0);
    expect(test(split)).toEqual(named(unused, [...split.testNames]));
  });

  it('knows nothing of the test categories of the problem it comes from', () => {
    const problem = generateProblem();
    const other = generateProblem({ seed: 99 });
    const changed = {
      ...problem,
      webFeatures: other.webFeatures,
      testFeatures: other.testFeatures,
      testLabels: undefined,
    };
    expect(problemHash(validationSplit(changed))).toBe(problemHash(validationSplit(problem)));
  });

  it('leaves out web pictures of categories beyond the validation ones', () => {
    const problem = generateProblem();
    const web = problem.validationWeb!;
    const labels = web.labels.map((label, i) => (i === 1 ? 11 : label));
    const split = validationSplit({ ...problem, validationWeb: { ...web, labels } });
    expect(split.webFeatures.rows).toBe(web.features.rows - 1);
  });

  it('explains what is missing', () => {
    const problem = generateProblem();
    expect(() => validationSplit({ ...problem, validationWeb: undefined })).toThrow(ProblemError);
    const labels = problem.validationWeb!.labels.map(() => 0);
    expect(() => validationSplit({ ...problem, validationWeb: { ...problem.validationWeb!, labels } })).toThrow(
      /validation category 1 .* has no web picture/,
    );
    expect(() => validationSplit(generateProblem({ auxiliaryCategories: 1 }))).toThrow('1 auxiliary category');
  });
});

describe('syntheticValidationWeb', () => {
  it('shares the pictures of validation categories out between web and test', () => {
    forProblems((problem, seed) => {
      const count = validationCategoryCount(problem.auxiliaryNames.length, problem.testNames.length);
      const noise = count > 1 ? 0.4 : 0;
      const validationWeb = syntheticValidationWeb(problem, { noise, seed });
      const split = validationSplit({ ...problem, validationWeb });
      const all = named(auxiliary(problem), [...split.testNames]).map((picture) => picture.split(': ')[1]);
      expect([...rows(split.webFeatures), ...rows(split.testFeatures)].sort()).toEqual(all.sort());
      const truth = new Set(auxiliary(problem));
      expect(web(split).map((picture) => (truth.has(picture) ? 'clean' : 'confused'))).toEqual(split.webKinds);
    });
  });

  it('gives the share of wrong labels asked for', () => {
    const problem = generateProblem({ auxiliaryPerCategory: 40 });
    const { kinds } = syntheticValidationWeb(problem, { noise: 0.3, seed: 1 });
    expect(kinds!.length).toBe(4 * 20);
    expect(kinds!.filter((kind) => kind === 'confused').length).toBe(4 * 6);
  });

  it('refuses what it cannot do', () => {
    expect(() => syntheticValidationWeb(generateProblem(), { noise: 1, seed: 1 })).toThrow(ArgumentError);
    const single = generateProblem({ auxiliaryCategories: 2 });
    expect(() => syntheticValidationWeb(single, { noise: 0.2, seed: 1 })).toThrow(ProblemError);
    const lone = generateProblem({ auxiliaryCategories: 3, testCategories: 1 });
    expect(() => syntheticValidationWeb(lone, { noise: 0.2, seed: 1 })).toThrow('no wrong label');
  });
});
