/** CUB-200-2011 with GoogLeNet features as zero-shot problems, whole or cut for choosing parameters. */
import { openNpz, toInt32, toMatrix, toStrings } from '../../src/formats/index.js';
import { Matrix, Random } from '../../src/linalg/index.js';
import { normalise, type Problem, restrictToCategories, validationCategoryCount } from '../../src/problem/index.js';

/** `ss`: the standard split of Akata et al.; `ps`: the proposed split of Xian et al. */
export type CubSplit = 'ss' | 'ps';

/** 150 auxiliary and 50 test categories with 312 attributes; features scaled to unit length; no web pictures. */
export async function loadCub(path: string, split: CubSplit): Promise<Problem> {
  const archive = await openNpz(path);
  try {
    const integers = async (name: string) => toInt32(await archive.read(name));
    const features = toMatrix(await archive.read('features'));
    const attributes = toMatrix(await archive.read('attributes'));
    const labels = await integers('labels');
    const names = toStrings(await archive.read('class_names'));
    const auxiliary = part(features, labels, await integers(`${split}_train`));
    const test = part(features, labels, await integers(`${split}_test`));
    return normalise({
      auxiliaryFeatures: auxiliary.features,
      auxiliaryLabels: auxiliary.labels,
      auxiliarySemantics: rows(attributes, auxiliary.categories),
      auxiliaryNames: Array.from(auxiliary.categories, (category) => names[category]),
      testFeatures: test.features,
      testLabels: test.labels,
      testSemantics: rows(attributes, test.categories),
      testNames: Array.from(test.categories, (category) => names[category]),
      webFeatures: Matrix.zeros(0, features.cols),
      webLabels: new Int32Array(0),
      generalized: false,
    });
  } finally {
    await archive.close();
  }
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

/** The pictures of some categories, labelled by their position among these. */
function part(features: Matrix, labels: Int32Array, categories: Int32Array) {
  const position = new Map(Array.from(categories, (category, index) => [category, index]));
  const chosen = [...labels.keys()].filter((i) => position.has(labels[i]));
  return {
    categories,
    features: rows(features, chosen),
    labels: Int32Array.from(chosen, (i) => position.get(labels[i])!),
  };
}

function rows(matrix: Matrix, chosen: ArrayLike<number>): Matrix {
  return Matrix.from(Array.from(chosen, (row) => matrix.row(row)));
}
