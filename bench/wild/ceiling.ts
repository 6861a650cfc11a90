/**
 * What could be had with the truth: nearest class means, in the whitened space and by cosine, of the true test labels and the clean web
 * pictures together, five-fold, so that no picture is in the mean it is compared with.
 */
import { type Backend, Matrix } from '../../src/linalg/index.js';
import { WhitenedSpace } from '../../src/methods/blocks/whitened-space.js';
import { labelTargets } from '../../src/numerics/linear-model.js';
import { timesTransposed } from '../../src/numerics/products.js';
import { toUnitRows } from '../../src/numerics/unit-rows.js';
import { type Folder, rowMaxima } from '../../src/problem/index.js';
import { rowsWhere, selectIntegers, selectRows } from '../../src/problem/rows.js';

const folds = 5;

/** The category of every test picture; for folders without strangers. */
export async function ceiling({ problem, truth }: Folder, backend: Backend): Promise<Int32Array> {
  const space = await WhitenedSpace.learn(problem, backend, { power: 0.75, shrinkage: 0.3 });
  const categories = problem.testNames.length;
  const placed = (features: Matrix) => toUnitRows(space.place(features, space.centreOf(features)));
  const [web, test] = [placed(problem.webFeatures), placed(problem.testFeatures)];
  const sums = (points: Matrix, labels: Int32Array, into: Matrix<Float64Array>) => {
    if (labels.length === 0) return;
    backend.gemm(into, labelTargets(labels, categories), points, { transposeA: true, beta: 1 });
  };
  const fixed = Matrix.zeros(categories, web.cols);
  const clean = rowsWhere(web.rows, (i) => problem.webKinds?.[i] === 'clean');
  sums(selectRows(web, clean), selectIntegers(problem.webLabels, clean), fixed);
  const predicted = new Int32Array(truth.length);
  for (let fold = 0; fold < folds; fold++) {
    const inside = rowsWhere(truth.length, (i) => i % folds === fold);
    const outside = rowsWhere(truth.length, (i) => i % folds !== fold);
    const means = fixed.copy('float64');
    sums(selectRows(test, outside), selectIntegers(truth, outside), means);
    const values = timesTransposed(backend, selectRows(test, inside).copy('float64'), toUnitRows(means));
    rowMaxima(values).forEach((category, k) => {
      predicted[inside[k]] = category;
    });
  }
  return predicted;
}
