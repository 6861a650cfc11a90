/**
 * The validation categories of a problem in a form on which a fit takes about a second: 10 auxiliary, 10 web and 10 test pictures a category,
 * features along their 128 main directions. The auxiliary categories that play the test categories are those of a search; no test
 * picture of the problem itself is in it.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Backend, createBackend, type Matrix } from '../../src/linalg/index.js';
import { mainDirections, project } from '../../src/numerics/index.js';
import {
  keepAuxiliary,
  keepTest,
  loadProblem,
  normalize,
  type Problem,
  rowsByCategory,
  saveProblem,
  topWeb,
  validationSplit,
} from '../../src/problem/index.js';
import { type CubFolders, type CubProblemName, cubProblem } from '../shared/cub-problems.js';

/**
 * Kept as a file of its own beside the problems that have to be made.
 * @param words the size of the vocabulary, where there is text. @default 2000
 */
export async function smallProblem(folders: CubFolders, name: CubProblemName, words?: number): Promise<Problem> {
  const path = join(folders.made, `${name}-small.npz`);
  if (!existsSync(path)) {
    const problem = await cubProblem(folders, name);
    mkdirSync(folders.made, { recursive: true });
    const backend = await createBackend({ threads: 1 });
    // Texts alone: their words are counted when the problem is read.
    const small = { ...smallValidation(problem, backend), webText: undefined };
    await saveProblem(path, small, { dtype: 'float16', compress: true });
    backend.dispose();
  }
  return loadProblem(path, { words });
}

const [auxiliaryPerCategory, webPerCategory, testPerCategory, dimensions] = [10, 10, 10, 128];

function smallValidation(problem: Problem, backend: Backend): Problem {
  let small = topWeb(validationSplit(problem), webPerCategory);
  small = keepAuxiliary(small, firstRows(small.auxiliaryLabels, small.auxiliaryNames.length, auxiliaryPerCategory));
  small = keepTest(small, firstRows(small.testLabels!, small.testNames.length, testPerCategory));
  const origin = new Float64Array(small.auxiliaryFeatures.cols);
  const { directions } = mainDirections(backend, small.auxiliaryFeatures, dimensions);
  const along = (features: Matrix) => project(backend, features, origin, directions);
  return normalize({
    ...small,
    auxiliaryFeatures: along(small.auxiliaryFeatures),
    webFeatures: along(small.webFeatures),
    testFeatures: along(small.testFeatures),
  });
}

/** The first `count` rows of each category. */
function firstRows(labels: Int32Array, categories: number, count: number): Int32Array {
  return Int32Array.from(rowsByCategory(labels, categories).flatMap((rows) => Array.from(rows).slice(0, count))).sort();
}
