/**
 * The rules every problem keeps. Each broken rule is a ProblemError that names the array (as it is called in a problem
 * file), the row and the rule.
 */
import { ProblemError } from '../errors.js';
import type { Matrix } from '../linalg/index.js';
import { checkBlocks } from './blocks.js';
import { type FeatureScaling, featureArrays, zeroVectorError } from './normalize.js';
import { candidateNames, type Problem, unanswered } from './problem.js';

export interface CheckOptions {
  /** With `l2`, a picture whose features are all zero is an error. @default 'none' */
  scaling?: FeatureScaling;
  /** Whether there must be web pictures; methods that learn from semantic vectors alone need none. @default 'required' */
  web?: 'required' | 'optional';
  /** Numbers of pictures whose features stay in their file, by the names of their arrays. @default none do */
  streamed?: Readonly<Record<string, number>>;
}

/** @throws ProblemError for the first rule that is broken */
export function checkProblem(problem: Problem, options: CheckOptions = {}): void {
  for (const error of brokenRules(problem, options)) throw error;
}

/** All broken rules, at most one for each array and rule. */
export function* brokenRules(problem: Problem, options: CheckOptions = {}): Generator<ProblemError> {
  yield* checkSizes(problem, options);
  yield* checkBlocks(problem);
  yield* checkNames(problem);
  yield* checkLabels(problem, options);
  yield* checkShares(problem);
  yield* checkAttachments(problem, options);
  yield* checkValues(problem, options);
}

/** Rows of a matrix of features, or those that its file has. */
function rowsOf(name: string, matrix: Matrix, { streamed }: CheckOptions): number {
  return streamed?.[name] ?? matrix.rows;
}

function* checkSizes(problem: Problem, options: CheckOptions): Generator<ProblemError> {
  const { auxiliaryFeatures, auxiliarySemantics, testSemantics } = problem;
  for (const { name, matrix } of featureArrays(problem)) {
    if (rowsOf(name, matrix, options) === 0 && !(name === 'web_features' && options.web === 'optional'))
      yield new ProblemError(
        name,
        undefined,
        'is empty; at least one picture was expected',
        name === 'web_features'
          ? 'Add web pictures; for methods that learn without them, allow their absence with web: "optional".'
          : 'Add pictures to this set.',
      );
    if (matrix.cols !== auxiliaryFeatures.cols)
      yield new ProblemError(
        name,
        undefined,
        `has ${matrix.cols} features per picture, aux_features has ${auxiliaryFeatures.cols}`,
        'Extract all features with the same model.',
      );
    if (matrix.dtype !== auxiliaryFeatures.dtype)
      yield new ProblemError(name, undefined, `is ${matrix.dtype}, aux_features is ${auxiliaryFeatures.dtype}`);
  }
  if (auxiliaryFeatures.cols === 0)
    yield new ProblemError('aux_features', undefined, 'has no columns; at least one feature per picture was expected');
  if (testSemantics.cols !== auxiliarySemantics.cols)
    yield new ProblemError(
      'test_semantics',
      undefined,
      `vectors have ${testSemantics.cols} elements, those of aux_semantics ${auxiliarySemantics.cols}`,
      'Take both from the same word vectors or the same list of attributes.',
    );
  if (auxiliarySemantics.cols === 0)
    yield new ProblemError('aux_semantics', undefined, 'has no columns; semantic vectors need at least one element');
}

function* checkNames(problem: Problem): Generator<ProblemError> {
  const sets = [
    { name: 'aux', names: problem.auxiliaryNames, semantics: problem.auxiliarySemantics },
    { name: 'test', names: problem.testNames, semantics: problem.testSemantics },
  ];
  const seen = new Map<string, string>();
  for (const { name, names, semantics } of sets) {
    if (semantics.rows === 0)
      yield new ProblemError(`${name}_semantics`, undefined, 'is empty; at least one category was expected');
    if (names.length !== semantics.rows)
      yield new ProblemError(
        `${name}_names`,
        undefined,
        `has ${names.length} names, ${name}_semantics has ${semantics.rows} rows`,
        'One name and one semantic vector belong to each category, in the same order.',
      );
    for (let row = 0; row < names.length; row++) {
      const place = seen.get(names[row]);
      if (place !== undefined) {
        yield new ProblemError(
          `${name}_names`,
          row,
          `"${names[row]}" is already the name of ${place}`,
          'Each category needs a name of its own, and a test category must not be an auxiliary one too.',
        );
        break;
      }
      seen.set(names[row], `category ${row} in ${name}_names`);
    }
  }
}

function* checkLabels(problem: Problem, options: CheckOptions): Generator<ProblemError> {
  const { validationWeb: web, testLabels } = problem;
  const countA = problem.auxiliaryNames.length;
  const countT = problem.testNames.length;
  const rowsIn = (set: string, matrix: Matrix) => rowsOf(`${set}_features`, matrix, options);
  const webPictures = rowsIn('web', problem.webFeatures);
  const auxiliaryPictures = rowsIn('aux', problem.auxiliaryFeatures);
  yield* checkLabelArray('aux', problem.auxiliaryLabels, auxiliaryPictures, countA, 'auxiliary');
  yield* checkLabelArray('web', problem.webLabels, webPictures, countT, 'test');
  if (testLabels) {
    const count = problem.generalized ? countT + countA : countT;
    yield* checkLabelArray(
      'test',
      testLabels,
      rowsIn('test', problem.testFeatures),
      count,
      problem.generalized ? 'test and auxiliary' : 'test',
      // A picture that shows no candidate.
      -1,
    );
  }
  if (web) yield* checkLabelArray('validation_web', web.labels, web.features.rows, countA, 'auxiliary');
  yield* checkCovered('aux_labels', problem.auxiliaryLabels, problem.auxiliaryNames);
  if (webPictures > 0 || options.web !== 'optional')
    yield* checkCovered('web_labels', problem.webLabels, problem.testNames);
}

function* checkLabelArray(
  set: string,
  labels: Int32Array,
  pictures: number,
  categories: number,
  kind: string,
  least = 0,
): Generator<ProblemError> {
  if (labels.length !== pictures)
    yield new ProblemError(
      `${set}_labels`,
      undefined,
      `has ${labels.length} labels, ${set}_features has ${pictures} rows`,
      'One label belongs to each picture, in the same order.',
    );
  const row = labels.findIndex((label) => label < least || label >= categories);
  if (row >= 0)
    yield new ProblemError(
      `${set}_labels`,
      row,
      `label ${labels[row]} is out of range; the ${categories} ${kind} categories are numbered 0…${categories - 1}`,
      labels[row] === categories
        ? 'If the labels count from 1, subtract 1 from each.'
        : 'Labels count the rows of the semantic vectors, from 0.',
    );
}

function* checkCovered(array: string, labels: Int32Array, names: readonly string[]): Generator<ProblemError> {
  const counts = new Int32Array(names.length);
  for (const label of labels) if (label >= 0 && label < names.length) counts[label]++;
  const empty = counts.indexOf(0);
  if (empty >= 0)
    yield new ProblemError(
      array,
      undefined,
      `category ${empty} ("${names[empty]}") has no picture`,
      'Add pictures for it, or leave the category out.',
    );
}

function* checkShares(problem: Problem): Generator<ProblemError> {
  const { testShares: shares } = problem;
  if (!shares) return;
  const names = candidateNames(problem);
  if (shares.length !== names.length)
    yield new ProblemError(
      'test_shares',
      undefined,
      `has ${shares.length} numbers for ${names.length} categories to choose from`,
      'Give one number for each test category, and in the generalized setting for each auxiliary one after them.',
    );
  const row = shares.findIndex((share) => !(share >= 0 && Number.isFinite(share)));
  if (row >= 0) yield new ProblemError('test_shares', row, `is ${shares[row]}; a number of at least 0 was expected`);
  else if (Math.abs(shares.reduce((sum, share) => sum + share, 0) - 1) > 1e-6)
    yield new ProblemError('test_shares', undefined, 'does not add up to 1', 'Make it with withShares.');
}

/** Text, kinds and marks must have one entry for each picture. */
function* checkAttachments(problem: Problem, options: CheckOptions): Generator<ProblemError> {
  const { validationWeb: web } = problem;
  const webPictures = rowsOf('web_features', problem.webFeatures, options);
  const attachments: [string, number | undefined, string, number][] = [
    ['web_text', problem.webText?.rows, 'web_features', webPictures],
    ['web_texts', problem.webTexts?.length, 'web_features', webPictures],
    ['web_kind', problem.webKinds?.length, 'web_features', webPictures],
    ['web_vouched', problem.webVouched?.length, 'web_features', webPictures],
    ['test_known', problem.testKnown?.length, 'test_features', rowsOf('test_features', problem.testFeatures, options)],
  ];
  if (web) {
    for (const [name, length] of [
      ['text', web.text?.rows],
      ['texts', web.texts?.length],
      ['kind', web.kinds?.length],
    ] as const)
      attachments.push([`validation_web_${name}`, length, 'validation_web_features', web.features.rows]);
    const marks = web.auxiliaryUsed?.length;
    const pictures = rowsOf('aux_features', problem.auxiliaryFeatures, options);
    attachments.push(['aux_in_validation_web', marks, 'aux_features', pictures]);
  }
  for (const [name, length, features, rows] of attachments)
    if (length !== undefined && length !== rows)
      yield new ProblemError(name, undefined, `has ${length} rows, ${features} has ${rows}`);
}

function* checkValues(problem: Problem, options: CheckOptions): Generator<ProblemError> {
  const features = featureArrays(problem);
  const others = [
    { name: 'aux_semantics', matrix: problem.auxiliarySemantics },
    { name: 'test_semantics', matrix: problem.testSemantics },
    { name: 'web_text', matrix: problem.webText },
    { name: 'validation_web_text', matrix: problem.validationWeb?.text },
  ];
  for (const { name, matrix } of [...features, ...others]) if (matrix) yield* checkFinite(name, matrix);
  const row = problem.webVouched?.findIndex((mark) => mark > 1) ?? -1;
  if (row >= 0)
    yield new ProblemError('web_vouched', row, `the mark is ${problem.webVouched![row]}; 0 or 1 was expected`);
  const candidates = candidateNames(problem).length;
  const known = problem.testKnown?.findIndex((label) => label < unanswered || label >= candidates) ?? -1;
  if (known >= 0)
    yield new ProblemError(
      'test_known',
      known,
      `the answer is ${problem.testKnown![known]}; a candidate from 0 to ${candidates - 1} was expected, -1 for none of them, or ${unanswered} for no answer`,
    );
  if (options.scaling === 'l2') for (const { name, matrix } of features) yield* checkNonzero(name, matrix);
}

function* checkFinite(name: string, matrix: Matrix): Generator<ProblemError> {
  for (let i = 0; i < matrix.rows; i++) {
    const row = matrix.row(i);
    for (let j = 0; j < row.length; j++)
      if (!Number.isFinite(row[j])) {
        yield notFiniteError(name, i, j, row[j]);
        return;
      }
  }
}

export function notFiniteError(array: string, row: number, column: number, value: number): ProblemError {
  return new ProblemError(
    array,
    row,
    `column ${column} is ${value}; all values must be finite`,
    'Remove the row, or extract its features again.',
  );
}

function* checkNonzero(name: string, matrix: Matrix): Generator<ProblemError> {
  for (let i = 0; i < matrix.rows; i++)
    if (matrix.row(i).every((value) => value === 0)) {
      yield zeroVectorError(name, i);
      return;
    }
}
