/**
 * The pair of files that zero-shot benchmarks are handed around in (Xian et al., "Zero-shot learning: the good, the bad
 * and the ugly", CVPR 2017): `res101.mat` with features as columns and labels from 1, `att_splits.mat` with attributes
 * and the lists of training and test pictures, also from 1. Web pictures come from a file of their own.
 */
import { access } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { FormatError, ProblemError } from '../errors.js';
import { type MatValue, matColumns, matTexts, matToArray, readMat, toInt32, toStrings } from '../formats/index.js';
import { Matrix } from '../linalg/index.js';
import { isFolder, openArrays } from './array-source.js';
import type { Problem } from './problem.js';
import { type ReadOptions, readWeb, type WebPart, withTermFrequencies } from './read-arrays.js';
import { selectRows, selectStrings } from './rows.js';

export interface Xlsa17Options extends ReadOptions {
  /** The file with attributes and splits. @default att_splits.mat beside the features */
  splits?: string;
  webFile?: string;
  /** Test on the held-out pictures of auxiliary categories too. @default false */
  generalized?: boolean;
}

const featuresFile = 'res101.mat';
const splitsFile = 'att_splits.mat';

/** Whether a path names such a pair: a folder with both files, the features file, or any with `splits` given. */
export async function isXlsa17(path: string, splits?: string): Promise<boolean> {
  if (splits !== undefined || basename(path) === featuresFile) return true;
  if (!(await isFolder(path))) return false;
  return access(join(path, featuresFile)).then(
    () => true,
    () => false,
  );
}

export async function readXlsa17(path: string, options: Xlsa17Options): Promise<Problem> {
  const file = (await isFolder(path)) ? join(path, featuresFile) : path;
  const splits = await readSplits(options.splits ?? join(dirname(file), splitsFile), options);
  options.signal?.throwIfAborted();
  const variables = await readMat(file, { variables: ['features', 'labels'] });
  const features = matColumns(need(file, variables, 'features'), options.dtype, { name: 'features', file });
  const labels = integers(file, variables, 'labels');
  if (labels.length !== features.rows)
    throw new ProblemError('labels', undefined, `has ${labels.length} labels, features has ${features.rows} columns`);
  const { semantics, names } = splits;
  const categoryOf = (row: number) => {
    const label = labels[row];
    if (label < 1 || label > semantics.rows)
      throw new ProblemError('labels', row, `label ${label} is not one of the classes 1…${semantics.rows}`);
    return label - 1;
  };
  const training = rowsOf('trainval_loc', splits.training, features.rows);
  const unseen = rowsOf('test_unseen_loc', splits.unseen, features.rows);
  const seen = options.generalized ? rowsOf('test_seen_loc', splits.seen, features.rows) : new Int32Array(0);
  const auxiliary = categoriesOf(training, categoryOf);
  const test = categoriesOf(unseen, categoryOf);
  for (const category of test.keys())
    if (auxiliary.has(category))
      throw new ProblemError(
        'test_unseen_loc',
        undefined,
        `class ${category + 1} ("${names[category]}") is trained on too`,
      );
  const testLabels = [
    ...Array.from(unseen, (row) => test.get(categoryOf(row))!),
    ...Array.from(seen, (row) => test.size + auxiliaryLabel(auxiliary, categoryOf(row), row)),
  ];
  const testNames = selectStrings(names, [...test.keys()]);
  const problem: Problem = {
    auxiliaryFeatures: selectRows(features, training),
    auxiliaryLabels: Int32Array.from(training, (row) => auxiliary.get(categoryOf(row))!),
    auxiliarySemantics: selectRows(semantics, [...auxiliary.keys()]),
    auxiliaryNames: selectStrings(names, [...auxiliary.keys()]),
    ...(await readWebFile(file, testNames, features.cols, options)),
    testFeatures: selectRows(features, Int32Array.from([...unseen, ...seen])),
    testLabels: Int32Array.from(testLabels),
    testSemantics: selectRows(semantics, [...test.keys()]),
    testNames,
    generalized: options.generalized === true,
  };
  return withTermFrequencies(problem, options);
}

async function readSplits(file: string, options: Xlsa17Options) {
  const attributes = options.semantics === undefined || options.semantics === 'semantics' ? 'att' : options.semantics;
  const locations = ['trainval_loc', 'test_unseen_loc', 'test_seen_loc'] as const;
  const variables = await readMat(file, { variables: [attributes, 'allclasses_names', ...locations] });
  const semantics = matColumns(need(file, variables, attributes), options.dtype, { name: attributes, file });
  const names = matTexts(need(file, variables, 'allclasses_names'), { name: 'allclasses_names', file });
  if (names.length !== semantics.rows)
    throw new ProblemError(
      'allclasses_names',
      undefined,
      `has ${names.length} names, ${attributes} ${semantics.rows} columns`,
    );
  const [training, unseen, seen] = locations.map((name) =>
    name === 'test_seen_loc' && !options.generalized ? new Int32Array(0) : integers(file, variables, name),
  );
  return { semantics, names, training, unseen, seen };
}

/** Web pictures; where their file names its categories, the labels are matched by name. */
async function readWebFile(
  file: string,
  testNames: string[],
  dimensions: number,
  options: Xlsa17Options,
): Promise<WebPart> {
  if (options.webFile === undefined) {
    if (options.web === 'optional')
      return { webFeatures: Matrix.zeros(0, dimensions, options.dtype), webLabels: new Int32Array(0) };
    throw new FormatError(
      file,
      undefined,
      'this kind of file has no web pictures',
      'Name a file with web_features and web_labels (webFile); methods that need none do without (web: "optional").',
    );
  }
  const source = await openArrays(options.webFile);
  try {
    const web = await readWeb(source, dimensions, options);
    if (!source.has('test_names')) return web;
    const theirs = toStrings(await source.read('test_names'), { name: 'test_names', file: options.webFile });
    const position = theirs.map((name) => testNames.indexOf(name));
    const row = web.webLabels.findIndex((label) => !(position[label] >= 0));
    if (row >= 0)
      throw new ProblemError('web_labels', row, `"${theirs[web.webLabels[row]]}" is not a test category of this split`);
    return { ...web, webLabels: web.webLabels.map((label) => position[label]) };
  } finally {
    await source.close();
  }
}

function need(file: string, variables: Map<string, MatValue>, name: string): MatValue {
  const value = variables.get(name);
  if (value === undefined)
    throw new FormatError(
      file,
      undefined,
      `there is no variable "${name}"`,
      `An xlsa17 pair is ${featuresFile} (features, labels) and ${splitsFile} (att, allclasses_names, trainval_loc, test_unseen_loc).`,
    );
  return value;
}

function integers(file: string, variables: Map<string, MatValue>, name: string): Int32Array {
  return toInt32(matToArray(need(file, variables, name), { name, file }), { name, file });
}

/** Rows from 0 out of locations from 1. */
function rowsOf(array: string, locations: Int32Array, count: number): Int32Array {
  const row = locations.findIndex((location) => location < 1 || location > count);
  if (row >= 0)
    throw new ProblemError(
      array,
      row,
      `location ${locations[row]} is not one of the ${count} pictures, counted from 1`,
    );
  return locations.map((location) => location - 1);
}

/** The categories of these pictures in ascending order, each with its new label. */
function categoriesOf(rows: Int32Array, categoryOf: (row: number) => number): Map<number, number> {
  const categories = [...new Set(Array.from(rows, categoryOf))].sort((a, b) => a - b);
  return new Map(categories.map((category, label) => [category, label]));
}

function auxiliaryLabel(auxiliary: Map<number, number>, category: number, row: number): number {
  const label = auxiliary.get(category);
  if (label === undefined)
    throw new ProblemError('test_seen_loc', row, `class ${category + 1} is not among the classes trained on`);
  return label;
}
