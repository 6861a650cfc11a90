/** What people said of test pictures, as part of a problem. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { generalize } from '../../src/problem/generalize.js';
import { generateProblem } from '../../src/problem/generate.js';
import {
  checkProblem,
  keepTest,
  loadProblem,
  problemHash,
  restrictToCategories,
  saveProblem,
  unanswered,
  validationSplit,
} from '../../src/problem/index.js';

const problem = generateProblem({ seed: 1, testCategories: 4, testPerCategory: 3 });
const testKnown = new Int32Array(problem.testFeatures.rows).fill(unanswered);
testKnown.set([3, -1, 0], 4);
const answered = { ...problem, testKnown };

it('is saved, loaded and part of the hash', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bowerbird-known-'));
  try {
    const file = join(folder, 'problem.npz');
    await saveProblem(file, answered);
    expect((await loadProblem(file)).testKnown).toEqual(testKnown);
    expect(problemHash(answered)).not.toBe(problemHash(problem));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('follows the pictures and categories that are kept', () => {
  expect([...keepTest(answered, Int32Array.of(6, 4, 0)).testKnown!]).toEqual([0, 3, unanswered]);
  // Category 3 becomes the first; a picture of a category that is left out shows none of the others.
  const { testLabels: _, ...unlabelled } = answered;
  expect([...restrictToCategories(unlabelled, { test: [3, 1] }).testKnown!.slice(4, 7)]).toEqual([0, -1, -1]);
  const larger = generalize(answered, 1);
  expect(larger.testKnown!.length).toBe(larger.testFeatures.rows);
  expect(larger.testKnown!.at(-1)).toBe(unanswered);
});

it('is no part of a split whose test pictures are others', () => {
  expect(validationSplit(answered).testKnown).toBeUndefined();
});

it('is refused with the row where it names no candidate or has another length', () => {
  const wrong = testKnown.slice();
  wrong[2] = 4;
  expect(() => checkProblem({ ...problem, testKnown: wrong })).toThrow(/test_known.*4/);
  expect(() => checkProblem({ ...problem, testKnown: wrong.slice(0, 3) })).toThrow('test_known');
  expect(() => checkProblem(answered)).not.toThrow();
});
