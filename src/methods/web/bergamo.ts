/**
 * Transductive SVM over web pictures (labelled) and test pictures (unlabelled), the best of the adaptation schemes that
 * Bergamo and Torresani compare ("Exploiting weakly-labeled web images to improve object classification: a domain adaptation
 * approach", NIPS 2010), one category against the rest:
 * min over w, b and signs s of ½(‖w‖² + b²/100) + C Σ_web pᵢ ℓ(yᵢ f(xᵢ)) + C_t Σ_test ℓ(s_j f(x_j)), ℓ(z) = max(0, 1 − z)²,
 * where a fixed share of the test pictures, the category's share of the web pictures, is positive. For given f
 * the best signs are +1 on the highest values; for given signs f is a weighted SVM. The two alternate while C_t grows
 * to its full value (Joachims 1999; Sindhwani and Keerthi 2006), so that early mistakes on test pictures count for little. The
 * original also has some labelled target pictures; there are none here.
 */
import { Matrix } from '../../linalg/index.js';
import {
  centred,
  columnMeans,
  type LinearModel,
  labelTargets,
  linearDecisions,
  linearSvm,
  uncentred,
} from '../../numerics/index.js';
import { log, number, type OptionsOf, resolveParameters } from '../../parameters.js';
import type { FitOptions, Problem } from '../../problem/index.js';
import { rowsByCategory, stackRows } from '../../problem/index.js';
import { LinearMethod } from '../blocks/linear-method.js';
import { requireWeb } from '../blocks/web-problem.js';
import type { MethodSpec } from '../spec.js';

/** C_t grows to its full value in these steps. */
const annealing = [0.01, 0.1, 0.3, 1];

const parameters = {
  cost: number('price of squared slack of web pictures', 0.3, { above: 0, range: log(1e-2, 1e1) }),
  testCost: number('price of squared slack of test pictures', 0.1, { above: 0, range: log(1e-3, 1) }),
  positiveWeight: number('how much more the slack of a positive costs than that of a negative', 3, {
    above: 0,
    range: log(1, 10),
  }),
};

export class Bergamo extends LinearMethod {
  readonly options: OptionsOf<typeof parameters>;
  /** Signs of the test pictures for every category, nt×C. */
  signs_: Matrix<Float64Array> | undefined;

  constructor(given: Partial<OptionsOf<typeof parameters>> = {}) {
    super();
    this.options = resolveParameters('bergamo', parameters, given);
  }

  protected override async learn(problem: Problem, { backend, signal, onProgress }: FitOptions): Promise<LinearModel> {
    requireWeb(problem, 'bergamo');
    const { webFeatures, webLabels, testFeatures, testNames } = problem;
    const mean = columnMeans(webFeatures);
    const web = centred(webFeatures, mean);
    const test = centred(testFeatures, mean);
    const options = { loss: 'squared-hinge', interceptScale: 0.1, tolerance: 0.05, maxSweeps: 30, signal } as const;
    const webTargets = labelTargets(webLabels, testNames.length, { absent: -1 });
    const webCosts = scaled(webTargets, this.options.cost, this.options.positiveWeight);
    let solution = await linearSvm(backend, web, webTargets, { ...options, cost: webCosts });
    const counts = rowsByCategory(webLabels, testNames.length).map(({ length }) =>
      Math.max(1, Math.round((length / webLabels.length) * test.rows)),
    );
    const all = stackRows(web, test);
    let duals = stackRows(solution.duals, Matrix.zeros(test.rows, testNames.length)).copy('float64');
    let signs = bestSigns(linearDecisions(backend, solution, test), counts);
    for (const [level, factor] of annealing.entries()) {
      for (let turn = 0; turn < 3; turn++) {
        const cost = stackRows(webCosts, scaled(signs, factor * this.options.testCost, this.options.positiveWeight));
        const targets = stackRows(webTargets, signs);
        solution = await linearSvm(backend, all, targets, { ...options, cost, start: duals });
        const next = bestSigns(linearDecisions(backend, solution, test), counts);
        duals = solution.duals;
        if (!forgetChanged(duals, signs, next, web.rows)) break;
        signs = next;
      }
      onProgress?.({ done: level + 1, total: annealing.length });
    }
    this.signs_ = signs;
    return uncentred(solution, mean);
  }
}

/** +1 for the highest values of each category, as many as `counts` says, −1 for the others. */
function bestSigns(values: Matrix, counts: readonly number[]): Matrix<Float64Array> {
  const signs = Matrix.zeros(values.rows, values.cols).fill(-1);
  for (let c = 0; c < values.cols; c++) {
    const order = Array.from({ length: values.rows }, (_, i) => i);
    order.sort((a, b) => values.at(b, c) - values.at(a, c) || a - b);
    for (const i of order.slice(0, counts[c])) signs.set(i, c, 1);
  }
  return signs;
}

/** A picture that changed sides starts from a dual variable of 0; tells whether any did. */
function forgetChanged(duals: Matrix, before: Matrix, after: Matrix, firstTestRow: number): boolean {
  let changed = false;
  for (let i = 0; i < before.rows; i++)
    for (let c = 0; c < before.cols; c++)
      if (before.at(i, c) !== after.at(i, c)) {
        duals.set(firstTestRow + i, c, 0);
        changed = true;
      }
  return changed;
}

/** n×C costs: `cost`, times the weight where the sign is positive. */
function scaled(signs: Matrix, cost: number, positiveWeight: number): Matrix<Float64Array> {
  const costs = signs.copy('float64');
  for (let k = 0; k < costs.data.length; k++) costs.data[k] = costs.data[k] > 0 ? cost * positiveWeight : cost;
  return costs;
}

export const bergamoSpec: MethodSpec<typeof parameters> = {
  name: 'bergamo',
  title: 'Bergamo and Torresani',
  citation:
    'Bergamo and Torresani, Exploiting weakly-labeled web images to improve object classification: a domain adaptation approach, NIPS 2010',
  uses: ['web', 'test'],
  setting: 'standard',
  parameters,
  create: (options) => new Bergamo(options),
};
