/** What a method that learns from web pictures asks of a problem. */
import { ArgumentError, ProblemError } from '../../errors.js';
import type { Matrix } from '../../linalg/index.js';
import { unitRows } from '../../numerics/index.js';
import type { Problem } from '../../problem/index.js';
import { requireLearnable } from '../../problem/index.js';
import type { MethodSpec } from '../spec.js';

/** Every candidate must have labelled pictures: listed categories those of the web. A method of one setting refuses problems of the other. */
export function requireWeb(problem: Problem, method: string, setting: MethodSpec['setting'] = 'standard'): void {
  if (setting === 'standard' && problem.generalized)
    throw new ArgumentError(
      `${method} chooses among test categories only, and this problem is in the generalized setting`,
      'Use the problem in the standard setting, or a method of the generalized setting such as lr-mix.',
    );
  if (setting === 'generalized' && !problem.generalized)
    throw new ArgumentError(
      `${method} chooses among test and auxiliary categories, and this problem is in the standard setting`,
      'Use the generalized setting (--generalized), or a method of the standard setting such as lr.',
    );
  requireLearnable(problem);
  if (problem.webFeatures.rows === 0)
    throw new ProblemError(
      'web_features',
      undefined,
      `there are no web pictures, and ${method} learns from them`,
      'Add web pictures, or choose a zero-shot method.',
    );
  requireCovered('web_labels', problem.webLabels, problem.testNames, method);
  if (problem.generalized) requireCovered('aux_labels', problem.auxiliaryLabels, problem.auxiliaryNames, method);
}

function requireCovered(array: string, labels: Int32Array, names: readonly string[], method: string): void {
  const found = new Uint8Array(names.length);
  for (const label of labels) found[label] = 1;
  const missing = found.indexOf(0);
  if (missing >= 0)
    throw new ProblemError(
      array,
      undefined,
      `category ${missing} ("${names[missing]}") has no pictures, and ${method} needs some of every category`,
      'Add pictures of the category, or leave it out of the problem.',
    );
}

/** The text features of the web pictures, or the error that says they are missing. */
export function requireText(problem: Problem, method: string): Matrix {
  if (problem.webText) return problem.webText;
  throw new ProblemError(
    'web_text',
    undefined,
    `the web pictures have no text, and ${method} learns from it`,
    'Add web_text or web_texts to the problem, or choose a method without text.',
  );
}

/** Text features of the web pictures as unit vectors, so that long descriptions count no more than short ones. */
export function unitText(problem: Problem, method: string): Matrix<Float64Array> {
  return unitRows(requireText(problem, method));
}

/** Labels of web pictures followed by those of auxiliary pictures, counted as predictions of the generalized setting. */
export function mixedLabels(problem: Problem): Int32Array {
  const { webLabels, auxiliaryLabels, testNames } = problem;
  return Int32Array.from({ length: webLabels.length + auxiliaryLabels.length }, (_, i) =>
    i < webLabels.length ? webLabels[i] : testNames.length + auxiliaryLabels[i - webLabels.length],
  );
}
