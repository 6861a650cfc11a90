import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../src/errors.js';
import type { Matrix } from '../../src/linalg/matrix.js';
import { checkProblem, generateProblem, type Problem, problemHash } from '../../src/problem/index.js';

/** Accuracy of the nearest mean of the web pictures chosen by `keep`, by cosine. */
function nearestMeanAccuracy(problem: Problem, keep: (row: number) => boolean = () => true): number {
  const means = problem.testNames.map(() => new Float64Array(problem.webFeatures.cols));
  for (let i = 0; i < problem.webFeatures.rows; i++)
    if (keep(i)) for (const [j, x] of problem.webFeatures.row(i).entries()) means[problem.webLabels[i]][j] += x;
  const similarity = (mean: Float64Array, row: ArrayLike<number>) =>
    mean.reduce((sum, x, j) => sum + x * row[j], 0) / Math.hypot(...mean);
  let right = 0;
  for (let i = 0; i < problem.testFeatures.rows; i++) {
    const scores = means.map((mean) => similarity(mean, problem.testFeatures.row(i)));
    if (scores.indexOf(Math.max(...scores)) === problem.testLabels![i]) right++;
  }
  return right / problem.testFeatures.rows;
}

const meanRow = (matrix: Matrix) =>
  Array.from({ length: matrix.cols }, (_, j) => {
    let sum = 0;
    for (let i = 0; i < matrix.rows; i++) sum += matrix.at(i, j);
    return sum / matrix.rows;
  });

describe('generateProblem', () => {
  it('has the sizes asked for and keeps the rules', () => {
    const problem = generateProblem({
      auxiliaryCategories: 5,
      testCategories: 3,
      dimensions: 7,
      semanticDimensions: 4,
      auxiliaryPerCategory: 6,
      webPerCategory: 8,
      testPerCategory: 2,
      dtype: 'float32',
    });
    checkProblem(problem, { scaling: 'l2' });
    expect([problem.auxiliaryFeatures.rows, problem.auxiliaryFeatures.cols]).toEqual([30, 7]);
    expect([problem.webFeatures.rows, problem.testFeatures.rows]).toEqual([24, 6]);
    expect([problem.testSemantics.rows, problem.testSemantics.cols]).toEqual([3, 4]);
    expect(problem.auxiliaryFeatures.dtype).toBe('float32');
    expect(problem.webText!.rows).toBe(24);
    expect(new Set(problem.validationWeb!.labels)).toEqual(new Set([0, 1]));
  });

  it('is the same for the same seed and another for another', () => {
    expect(problemHash(generateProblem({ seed: 4 }))).toBe(problemHash(generateProblem({ seed: 4 })));
    expect(problemHash(generateProblem({ seed: 4 }))).not.toBe(problemHash(generateProblem({ seed: 5 })));
  });

  it('plants the share of wrong pictures asked for, evenly over the kinds', () => {
    const { webKinds } = generateProblem({ testCategories: 5, webPerCategory: 30, wrong: 0.4 });
    const count = (kind: string) => webKinds!.filter((k) => k === kind).length;
    expect(['clean', 'confused', 'other', 'offtopic'].map(count)).toEqual([90, 20, 20, 20]);
    expect(new Set(generateProblem({ wrong: 0 }).webKinds)).toEqual(new Set(['clean']));
  });

  it('shows without noise exactly what the kinds of web pictures say', () => {
    const still = { noise: 0, offset: 0, shift: 0, scaling: 'none', wrong: 0.6, webPerCategory: 10 } as const;
    const { webFeatures, webLabels, webKinds, ...problem } = generateProblem({ ...still, seed: 6, testCategories: 4 });
    const { testFeatures, testLabels, testSemantics, auxiliaryFeatures } = problem;
    const key = (row: ArrayLike<number>) => Array.from(row).join();
    const looks = problem.testNames.map((_, c) => key(testFeatures.row(testLabels!.indexOf(c))));
    const others = new Set(Array.from({ length: auxiliaryFeatures.rows }, (_, i) => key(auxiliaryFeatures.row(i))));
    const distance = (a: number, b: number) =>
      Math.hypot(...Array.from(testSemantics.row(a), (value, k) => value - testSemantics.at(b, k)));
    const nearest = looks.map(
      (_, c) => [0, 1, 2, 3].filter((other) => other !== c).sort((a, b) => distance(c, a) - distance(c, b))[0],
    );
    for (let i = 0; i < webFeatures.rows; i++) {
      const [row, label] = [key(webFeatures.row(i)), webLabels[i]];
      const shown = { clean: looks[label], confused: looks[nearest[label]] }[webKinds![i]];
      if (shown !== undefined) expect(row, webKinds![i]).toBe(shown);
      else expect([others.has(row), looks.includes(row)]).toEqual([webKinds![i] === 'other', false]);
    }
    for (let i = 0; i < testFeatures.rows; i++) expect(key(testFeatures.row(i))).toBe(looks[testLabels![i]]);
  });

  it('moves every web picture along one direction, by up to twice the shift', () => {
    const still = { noise: 0, offset: 0, scaling: 'none', wrong: 0, webPerCategory: 40, seed: 3 } as const;
    const [fixed, moved] = [generateProblem({ ...still, shift: 0 }), generateProblem({ ...still, shift: 2 })];
    const differences = Array.from({ length: fixed.webFeatures.rows }, (_, i) =>
      Array.from(moved.webFeatures.row(i), (value, j) => value - fixed.webFeatures.at(i, j)),
    );
    const dot = (a: number[], b: number[]) => a.reduce((sum, value, j) => sum + value * b[j], 0);
    const longest = differences.reduce((a, b) => (dot(a, a) > dot(b, b) ? a : b));
    const parts = differences.map((one) => dot(one, longest) / dot(longest, longest));
    for (const [i, one] of differences.entries())
      expect(dot(one, one)).toBeCloseTo(parts[i] ** 2 * dot(longest, longest), 6);
    expect(Math.min(...parts)).toBeGreaterThanOrEqual(0);
    expect(parts.reduce((sum, part) => sum + part, 0) / parts.length).toBeGreaterThan(0.4);
    // Elements of the direction have variance 1.
    const deviation = Math.sqrt(dot(longest, longest) / longest.length);
    expect(deviation).toBeGreaterThan(2);
    expect(deviation).toBeLessThan(6);
  });

  it('can be learnt, better without the wrong pictures, worse with more noise', () => {
    const options = { testCategories: 8, wrong: 0.7, shift: 0, noise: 1.2, webPerCategory: 20, testPerCategory: 60 };
    const problem = generateProblem(options);
    const all = nearestMeanAccuracy(problem);
    const clean = nearestMeanAccuracy(problem, (i) => problem.webKinds![i] === 'clean');
    expect(clean).toBeGreaterThan(0.9);
    expect(all).toBeLessThan(clean);
    expect(nearestMeanAccuracy(generateProblem({ ...options, noise: 5 }))).toBeLessThan(all);
  });

  it('ties features to semantic vectors: test categories are found from auxiliary pictures alone', () => {
    const problem = generateProblem({ auxiliaryCategories: 40, noise: 0.5, offset: 0.1, scaling: 'none' });
    const means = problem.auxiliaryNames.map((_, c) => meanRow(problem.auxiliaryFeatures.view(c * 20, (c + 1) * 20)));
    // Least squares of the means on the semantic vectors by gradient descent, then prediction of test means.
    const [m, d] = [problem.testSemantics.cols, problem.testFeatures.cols];
    const dictionary = Array.from({ length: m }, () => new Float64Array(d));
    for (let step = 0; step < 500; step++)
      means.forEach((mean, c) => {
        const a = problem.auxiliarySemantics.row(c);
        for (let j = 0; j < d; j++) {
          const error = mean[j] - dictionary.reduce((sum, atom, k) => sum + a[k] * atom[j], 0);
          for (let k = 0; k < m; k++) dictionary[k][j] += 0.02 * a[k] * error;
        }
      });
    problem.testNames.forEach((_, c) => {
      const truth = meanRow(problem.testFeatures.view(c * 20, (c + 1) * 20));
      const distance = (other: number) => {
        const a = problem.testSemantics.row(other);
        return Math.hypot(...truth.map((x, j) => x - dictionary.reduce((sum, atom, k) => sum + a[k] * atom[j], 0)));
      };
      const distances = problem.testNames.map((_, other) => distance(other));
      expect(distances.indexOf(Math.min(...distances))).toBe(c);
    });
  });

  it('moves web pictures away from test pictures by the shift', () => {
    const distance = (shift: number) => {
      const problem = generateProblem({ wrong: 0, shift, scaling: 'none', webPerCategory: 200, testPerCategory: 200 });
      const [web, test] = [meanRow(problem.webFeatures), meanRow(problem.testFeatures)];
      return Math.hypot(...web.map((x, j) => x - test[j])) / Math.sqrt(web.length);
    };
    expect(distance(0)).toBeLessThan(0.1);
    expect(distance(1)).toBeGreaterThan(0.7);
    expect(distance(1)).toBeLessThan(1.3);
  });

  it('writes texts whose words tell right pictures from wrong ones', () => {
    const problem = generateProblem({ webPerCategory: 60 });
    const words = (kind: string, label: number) =>
      new Set(
        problem
          .webTexts!.filter((_, i) => problem.webKinds![i] === kind && problem.webLabels[i] === label)
          .flatMap((text) => text.split(' ').slice(1, 5)),
      );
    const clean = words('clean', 0);
    expect([...words('offtopic', 0)].some((word) => clean.has(word))).toBe(false);
    expect(problem.webTexts!.every((text, i) => text.startsWith(problem.testNames[problem.webLabels[i]]))).toBe(true);
  });

  it('works with a single category of each kind', () => {
    const problem = generateProblem({ auxiliaryCategories: 1, testCategories: 1 });
    expect(problem.webKinds).not.toContain('confused');
    checkProblem(problem);
  });

  it('refuses impossible options by name', () => {
    expect(() => generateProblem({ wrong: 1.2 })).toThrow('wrong is 1.2');
    expect(() => generateProblem({ testCategories: 0 })).toThrow(ArgumentError);
    expect(() => generateProblem({ noise: Number.NaN })).toThrow('noise is NaN');
  });
});
