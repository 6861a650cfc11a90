/** CUB-200-2011 with GoogLeNet features as zero-shot problems, whole or cut for choosing parameters. */
import { openNpz, toInt32, toMatrix, toStrings } from '../../src/formats/index.js';
import { Matrix, Random } from '../../src/linalg/index.js';
import { normalize, type Problem, restrictToCategories, validationCategoryCount } from '../../src/problem/index.js';

/** `ss`: the standard split of Akata et al.; `ps`: the proposed split of Xian et al. */
export type CubSplit = 'ss' | 'ps';

export interface Cub {
  features: Matrix;
  labels: Int32Array;
  attributes: Matrix;
  names: string[];
  /** 1 for the pictures of the data set's own training half. */
  officialTrain: Int32Array;
  auxiliary: Int32Array;
  test: Int32Array;
}

/** Everything the file holds, with the categories of one split. */
export async function readCub(path: string, split: CubSplit): Promise<Cub> {
  const archive = await openNpz(path);
  try {
    const integers = async (name: string) => toInt32(await archive.read(name));
    return {
      features: toMatrix(await archive.read('features')),
      labels: await integers('labels'),
      attributes: toMatrix(await archive.read('attributes')),
      names: toStrings(await archive.read('class_names')),
      officialTrain: await integers('official_train'),
      auxiliary: await integers(`${split}_train`),
      test: await integers(`${split}_test`),
    };
  } finally {
    await archive.close();
  }
}

/** 150 auxiliary and 50 test categories with 312 attributes; features scaled to unit length; no web pictures. */
export async function loadCub(path: string, split: CubSplit): Promise<Problem> {
  const cub = await readCub(path, split);
  const every = [...cub.labels.keys()];
  return cubProblem(cub, every, every, []);
}

/** The pictures `auxiliary` and `test` whose categories belong there, and web pictures with the categories they claim. */
export function cubProblem(
  { features, labels, attributes, names, auxiliary, test }: Cub,
  auxiliaryRows: readonly number[],
  testRows: readonly number[],
  web: readonly { row: number; claimed: number; kind: string }[],
): Problem {
  const [auxiliaryPart, testPart] = [
    part(features, labels, auxiliary, auxiliaryRows),
    part(features, labels, test, testRows),
  ];
  const webRows = web.map(({ row }) => row);
  return normalize({
    auxiliaryFeatures: auxiliaryPart.features,
    auxiliaryLabels: auxiliaryPart.labels,
    auxiliarySemantics: rows(attributes, auxiliary),
    auxiliaryNames: Array.from(auxiliary, (category) => names[category]),
    testFeatures: testPart.features,
    testLabels: testPart.labels,
    testSemantics: rows(attributes, test),
    testNames: Array.from(test, (category) => names[category]),
    webFeatures: web.length > 0 ? rows(features, webRows) : Matrix.zeros(0, features.cols),
    webLabels: Int32Array.from(web, ({ claimed }) => test.indexOf(claimed)),
    ...(web.length > 0 && { webKinds: web.map(({ kind }) => kind) }),
    generalized: false,
  });
}

/** The problem in which some auxiliary categories, chosen at random, play the test categories. */
export function heldOutProblem(problem: Problem, seed: number): Problem {
  const total = problem.auxiliaryNames.length;
  const count = validationCategoryCount(total, problem.testNames.length);
  const order = Array.from(new Random(seed).permutation(total));
  const held = restrictToCategories(problem, { auxiliary: order.slice(0, count) });
  return {
    ...restrictToCategories(problem, { auxiliary: order.slice(count) }),
    testFeatures: held.auxiliaryFeatures,
    testLabels: held.auxiliaryLabels,
    testSemantics: held.auxiliarySemantics,
    testNames: held.auxiliaryNames,
  };
}

/** Those of the pictures that belong to some categories, labelled by their position among these. */
function part(features: Matrix, labels: Int32Array, categories: Int32Array, among: readonly number[]) {
  const position = new Map(Array.from(categories, (category, index) => [category, index]));
  const chosen = among.filter((i) => position.has(labels[i]));
  return { features: rows(features, chosen), labels: Int32Array.from(chosen, (i) => position.get(labels[i])!) };
}

function rows(matrix: Matrix, chosen: ArrayLike<number>): Matrix {
  return Matrix.from(Array.from(chosen, (row) => matrix.row(row)));
}
