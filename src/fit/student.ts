/**
 * A classifier for pictures that come later, learnt from a fitted method: ridge regression from features to categories,
 * min over W, b of Σ w_i ‖x_i W + b − e(y_i)‖² + ρ‖W‖², over the test pictures with the method's own answers (w = 1) and,
 * for a method that learns from them, the web pictures with their labels and the weights the method gave them. A method
 * that looks at all test pictures together is often better on them than the map it leaves behind; this keeps the gain.
 */
import type { Backend } from '../linalg/backend.js';
import { Matrix } from '../linalg/matrix.js';
import { candidateNames, type Method, type Problem } from '../problem/index.js';
import type { LinearScorer } from './scorer.js';

export interface StudentOptions {
  ridge: number;
  /** Test pictures to learn from. @default all */
  rows?: readonly number[];
  /** Whether the method learnt from the web pictures. */
  web: boolean;
  normalise: LinearScorer['normalise'];
  backend: Backend;
}

export function studentOf(method: Method, problem: Problem, options: StudentOptions): LinearScorer {
  const { ridge, web, normalise, backend } = options;
  const { testFeatures, webFeatures, webLabels } = problem;
  const lessons = options.rows ?? Array.from({ length: testFeatures.rows }, (_, i) => i);
  const names = candidateNames(problem);
  const theta = method.webWeights?.();
  const fromWeb = web ? webFeatures.rows : 0;
  const rows = lessons.length + fromWeb;
  const d = testFeatures.cols;
  // One column more, always one, is the bias; rows are multiplied by the roots of their weights.
  const features = Matrix.zeros(rows, d + 1);
  const targets = Matrix.zeros(rows, names.length);
  const put = (row: number, values: ArrayLike<number>, label: number, weight: number) => {
    const root = Math.sqrt(weight);
    const target = features.row(row);
    for (let j = 0; j < d; j++) target[j] = root * values[j];
    target[d] = root;
    targets.set(row, label, root);
  };
  const answers = method.predict(testFeatures);
  for (const [k, i] of lessons.entries()) put(k, testFeatures.row(i), answers[i], 1);
  for (let i = 0; i < fromWeb; i++)
    put(lessons.length + i, webFeatures.row(i), webLabels[i], theta?.length === fromWeb ? Math.max(0, theta[i]) : 1);
  const solution = solveRidge(features, targets, ridge, backend);
  return {
    normalise,
    weights: solution.view(0, d).copy('float64'),
    bias: Float64Array.from(solution.row(d)),
    names,
  };
}

/** (X'X + ρ I)⁻¹ X'Y, the last column of X left unpenalised but for what keeps the system regular. */
function solveRidge(features: Matrix, targets: Matrix, ridge: number, backend: Backend): Matrix<Float64Array> {
  const columns = features.cols;
  const gram = Matrix.zeros(columns, columns);
  backend.syrk(gram, features, { transpose: true });
  for (let j = 0; j < columns; j++) gram.set(j, j, gram.at(j, j) + (j < columns - 1 ? ridge : 1e-8));
  const solution = Matrix.zeros(columns, targets.cols);
  backend.gemm(solution, features, targets, { transposeA: true });
  backend.cholesky(gram);
  backend.choleskySolve(gram, solution, 'columns');
  return solution;
}
