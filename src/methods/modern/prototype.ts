/**
 * Nearest class mean of the web pictures: the category c with the least ‖x − μ_c‖² (Mensink, Verbeek, Perronnin and Csurka,
 * "Distance-based image classification", PAMI 2013, with the Euclidean metric), written as the linear function
 * μ_c'x − ½‖μ_c‖². A method without parameters, to see how far means alone go.
 */
import { Matrix } from '../../linalg/index.js';
import type { LinearModel } from '../../numerics/index.js';
import { columnMeans } from '../../numerics/index.js';
import type { FitOptions, Problem } from '../../problem/index.js';
import { rowsByCategory, selectRows } from '../../problem/index.js';
import { LinearMethod } from '../blocks/linear-method.js';
import { requireWeb } from '../blocks/web-problem.js';
import type { MethodSpec } from '../spec.js';

export class Prototype extends LinearMethod {
  protected override async learn(problem: Problem, _options: FitOptions): Promise<LinearModel> {
    requireWeb(problem, 'prototype');
    const groups = rowsByCategory(problem.webLabels, problem.testNames.length);
    const weights = Matrix.zeros(groups.length, problem.webFeatures.cols);
    const intercepts = new Float64Array(groups.length);
    groups.forEach((rows, c) => {
      const mean = columnMeans(selectRows(problem.webFeatures, rows));
      weights.row(c).set(mean);
      intercepts[c] = -mean.reduce((sum, value) => sum + value * value, 0) / 2;
    });
    return { weights, intercepts };
  }
}

export const prototypeSpec: MethodSpec = {
  name: 'prototype',
  title: 'Nearest class mean',
  citation:
    'Mensink, Verbeek, Perronnin and Csurka, Distance-based image classification: generalizing to new classes at near-zero cost, PAMI 2013',
  uses: ['web'],
  setting: 'standard',
  parameters: {},
  create: () => new Prototype(),
};
