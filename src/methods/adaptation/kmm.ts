/**
 * Kernel mean matching (Huang, Smola, Gretton, Borgwardt and Schölkopf, "Correcting sample selection bias by unlabeled
 * data", NIPS 2006): weights β under which the web pictures have the mean of the test pictures in the feature space of a
 * Gaussian kernel, min ½ β'Kβ − κ'β over 0 ≤ βᵢ ≤ B, |Σβ/n − 1| ≤ ε, with Kᵢⱼ = k(xᵢ, xⱼ) and κᵢ = n/n_t Σⱼ k(xᵢ, tⱼ).
 * The width is the median distance between web and test pictures, ε = B/√n (at most ½) as Gretton et al. 2009 advise. Then
 * a ridge regression to one-hot labels in which picture i counts βᵢ times. The width is multiplied by `width`, because
 * with many features all distances are alike and a narrow kernel sees each picture only by itself.
 */
import type { Backend } from '../../linalg/index.js';
import {
  type BoxProgramme,
  gaussianKernel,
  type LinearModel,
  labelTargets,
  medianWidth,
  ridgeRegression,
  solveBoxProgramme,
  squaredDistances,
  withScratch,
} from '../../numerics/index.js';
import { log, number, type OptionsOf, resolveParameters } from '../../parameters.js';
import type { FitOptions, Problem } from '../../problem/index.js';
import { LinearMethod } from '../blocks/linear-method.js';
import { preparedNow } from '../blocks/preparation.js';
import { ridgeParameter } from '../blocks/ridge-parameter.js';
import { requireWeb } from '../blocks/web-problem.js';
import type { MethodSpec } from '../spec.js';

const parameters = {
  bound: number('the largest weight a web picture may have', 1.5, { above: 0, range: log(1.1, 20) }),
  width: number('width of the kernel in median distances', 1, { above: 0, range: log(0.3, 3) }),
  ridge: ridgeParameter,
};

export class KernelMeanMatching extends LinearMethod {
  readonly options: OptionsOf<typeof parameters>;
  /** β, one per web picture. */
  importance_: Float64Array | undefined;

  constructor(given: Partial<OptionsOf<typeof parameters>> = {}) {
    super();
    this.options = resolveParameters('kmm', parameters, given);
  }

  protected override async learn(problem: Problem, { backend, signal }: FitOptions): Promise<LinearModel> {
    requireWeb(problem, 'kmm');
    const { webFeatures, webLabels, testNames } = problem;
    const matching = meanMatching(backend, problem, this.options.bound, this.options.width);
    this.importance_ = await withScratch(backend, (scratch) =>
      solveBoxProgramme(backend, { ...matching, quadratic: scratch.copy(matching.quadratic) }, { signal }),
    );
    const targets = labelTargets(webLabels, testNames.length);
    return ridgeRegression(backend, webFeatures, targets, {
      ridge: this.options.ridge,
      instanceWeights: this.importance_,
    });
  }
}

/** The programme of β. */
export function meanMatching(backend: Backend, problem: Problem, bound: number, width: number): BoxProgramme {
  const { webFeatures, testFeatures } = problem;
  const n = webFeatures.rows;
  const {
    across: plain,
    within,
    median,
  } = preparedNow('distances', backend, [webFeatures, testFeatures], [], () => {
    const distances = squaredDistances(backend, webFeatures, testFeatures);
    return {
      across: distances,
      within: squaredDistances(backend, webFeatures, webFeatures),
      median: medianWidth(distances),
    };
  });
  const sigma = width * median;
  const across = gaussianKernel(plain.copy('float64'), sigma);
  const linear = Float64Array.from({ length: n }, (_, i) => {
    const row = across.row(i);
    let sum = 0;
    for (let j = 0; j < row.length; j++) sum += row[j];
    return (n / row.length) * sum;
  });
  const slack = Math.min(0.5, bound / Math.sqrt(n));
  const quadratic = gaussianKernel(within.copy('float64'), sigma);
  // A bound below 1 − ε leaves no room to reach the sum; every weight is at the bound then.
  return { quadratic, linear, bound, low: Math.min(n * (1 - slack), n * bound), high: n * (1 + slack) };
}

export const kmmSpec: MethodSpec<typeof parameters> = {
  name: 'kmm',
  title: 'KMM',
  citation:
    'Huang, Smola, Gretton, Borgwardt and Schölkopf, Correcting sample selection bias by unlabeled data, NIPS 2006',
  uses: ['web', 'test'],
  setting: 'standard',
  parameters,
  create: (options) => new KernelMeanMatching(options),
};
