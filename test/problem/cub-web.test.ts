import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { diagnose, loadProblem, type Problem, validationSplit } from '../../src/problem/index.js';

const file = '../shared/data/cub-web.npz';

describe.skipIf(!existsSync(file))(`cub-web.npz (skipped where ${file} is absent)`, () => {
  let problem: Problem;

  it('has the counts its description states', async () => {
    problem = await loadProblem(file, { dtype: 'float32' });
    expect(problem.auxiliaryNames.length).toBe(150);
    expect(problem.testNames.length).toBe(50);
    expect(problem.testFeatures.rows).toBe(1461);
    expect(problem.webFeatures.rows).toBe(2000);
    expect(problem.webFeatures.cols).toBe(1024);
    expect(problem.auxiliarySemantics.cols).toBe(100);
    expect(problem.validationWeb!.features.rows).toBe(1520);
    const wrong = problem.webKinds!.filter((kind) => kind !== 'clean').length / 2000;
    expect(wrong).toBeCloseTo(0.38, 2);
    expect(problem.testNames[0]).toBe('Black footed Albatross');
  });

  it('offers 312 attributes as other semantic vectors', async () => {
    const attributes = await loadProblem(file, { semantics: 'attributes', dtype: 'float32' });
    expect(attributes.testSemantics.cols).toBe(312);
    expect(Math.hypot(...attributes.testSemantics.row(7))).toBeCloseTo(1, 5);
  });

  it('splits off the 38 validation categories whose web pictures it holds', () => {
    const split = validationSplit(problem);
    expect([split.testNames.length, split.auxiliaryNames.length]).toEqual([38, 112]);
    expect(split.webFeatures.rows).toBe(1520);
    expect(new Set(split.webLabels).size).toBe(38);
    const unused = problem.auxiliaryLabels.filter(
      (label, i) => label < 38 && !problem.validationWeb!.auxiliaryUsed![i],
    );
    expect(split.testFeatures.rows).toBe(unused.length);
  });

  it('has two names that one word vector was given for', () => {
    expect(diagnose(problem)).toEqual([
      expect.objectContaining({ array: 'test_semantics', message: expect.stringContaining('"Sayornis"') }),
    ]);
  });
});
