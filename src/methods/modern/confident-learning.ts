/**
 * Confident learning (Northcutt, Jiang and Chuang, "Confident learning: estimating uncertainty in dataset labels", JAIR
 * 2021): clean the web labels, then train on what is left. Softmax regressions give every web picture
 * probabilities p̂ by cross-validation; t_j is the mean of p̂_j over pictures labelled j; a picture labelled i counts into
 * the confident joint J[i, j] for the most probable j with p̂_j ≥ t_j. With the rows of J scaled to the label counts, the
 * J[i, j] pictures labelled i with the largest p̂_j − p̂_i are pruned for every j ≠ i ("prune by noise rate"). The
 * rest trains a softmax regression, pictures of category i weighted by 1/p(label i | truth i) so that categories that
 * lost much count no less.
 */
import { Matrix } from '../../linalg/index.js';
import {
  contentOrder,
  type LinearModel,
  labelTargets,
  softmaxProbabilities,
  softmaxRegression,
} from '../../numerics/index.js';
import { log, number, type OptionsOf, resolveParameters, whole } from '../../parameters.js';
import type { FitOptions, Problem } from '../../problem/index.js';
import { rowsWhere, selectIntegers, selectRows } from '../../problem/index.js';
import { LinearMethod } from '../blocks/linear-method.js';
import { requireWeb } from '../blocks/web-problem.js';
import type { MethodSpec } from '../spec.js';

const parameters = {
  decay: number('penalty on the squared weights of the softmax regressions', 0.05, { above: 0, range: log(1e-2, 1e1) }),
  folds: whole('folds of the cross-validation', 4, { least: 2 }),
};

export class ConfidentLearning extends LinearMethod {
  readonly options: OptionsOf<typeof parameters>;
  /** Rows of the web pictures that were kept, ascending. */
  kept_: Int32Array | undefined;
  /** Estimated numbers of pictures by label (rows) and true category (columns). */
  joint_: Matrix<Float64Array> | undefined;

  constructor(given: Partial<OptionsOf<typeof parameters>> = {}) {
    super();
    this.options = resolveParameters('confident-learning', parameters, given);
  }

  protected override async learn(problem: Problem, { backend, signal, onProgress }: FitOptions): Promise<LinearModel> {
    requireWeb(problem, 'confident-learning');
    const { webFeatures, webLabels, testNames } = problem;
    const categories = testNames.length;
    const train = (rows: Int32Array, weights?: Float64Array) =>
      softmaxRegression(
        backend,
        selectRows(webFeatures, rows),
        weightedTargets(selectIntegers(webLabels, rows), categories, weights),
        { decay: this.options.decay, tolerance: 0.03, signal },
      );
    const fold = stratifiedFolds(webFeatures, webLabels, categories, this.options.folds);
    const probabilities = Matrix.zeros(webFeatures.rows, categories);
    for (let f = 0; f < this.options.folds; f++) {
      const held = rowsWhere(fold.length, (i) => fold[i] === f);
      if (held.length === 0) continue;
      const model = await train(rowsWhere(fold.length, (i) => fold[i] !== f));
      const answers = softmaxProbabilities(backend, model, selectRows(webFeatures, held));
      held.forEach((row, i) => {
        probabilities.row(row).set(answers.row(i));
      });
      onProgress?.({ done: f + 1, total: this.options.folds + 1 });
    }
    this.joint_ = confidentJoint(probabilities, webLabels);
    this.kept_ = pruneByNoiseRate(probabilities, webLabels, this.joint_);
    return train(this.kept_, truthWeights(this.joint_));
  }
}

/** Fold of each picture, every category spread evenly, independent of the order of pictures and categories. */
function stratifiedFolds(features: Matrix, labels: Int32Array, categories: number, folds: number): Int32Array {
  const fold = new Int32Array(labels.length);
  const next = new Int32Array(categories);
  for (const row of contentOrder(features, labels)) fold[row] = next[labels[row]]++ % folds;
  return fold;
}

/** The confident joint, its rows scaled to the number of pictures with each label. */
export function confidentJoint(probabilities: Matrix, labels: Int32Array): Matrix<Float64Array> {
  const categories = probabilities.cols;
  const counts = new Float64Array(categories);
  const thresholds = new Float64Array(categories);
  for (let i = 0; i < labels.length; i++) {
    counts[labels[i]]++;
    thresholds[labels[i]] += probabilities.at(i, labels[i]);
  }
  for (let c = 0; c < categories; c++) thresholds[c] /= Math.max(1, counts[c]);
  const joint = Matrix.zeros(categories, categories);
  for (let i = 0; i < labels.length; i++) {
    const row = probabilities.row(i);
    let likely = -1;
    for (let c = 0; c < categories; c++)
      if (row[c] >= thresholds[c] && (likely < 0 || row[c] > row[likely])) likely = c;
    if (likely >= 0) joint.row(labels[i])[likely]++;
  }
  for (let c = 0; c < categories; c++) {
    const row = joint.row(c);
    const total = row.reduce((sum, value) => sum + value, 0);
    if (total === 0) row[c] = counts[c];
    else for (let j = 0; j < categories; j++) row[j] *= counts[c] / total;
  }
  return joint;
}

/** Rows that stay; at least one picture of every label does. */
export function pruneByNoiseRate(probabilities: Matrix, labels: Int32Array, joint: Matrix): Int32Array {
  const pruned = new Uint8Array(labels.length);
  for (let label = 0; label < joint.rows; label++) {
    const rows = rowsWhere(labels.length, (i) => labels[i] === label);
    for (let other = 0; other < joint.cols; other++) {
      const count = Math.round(joint.at(label, other));
      if (other === label || count === 0) continue;
      const margin = (row: number) => probabilities.at(row, other) - probabilities.at(row, label);
      const worst = Array.from(rows).sort((a, b) => margin(b) - margin(a) || a - b);
      for (const row of worst.slice(0, count)) pruned[row] = 1;
    }
    if (rows.every((row) => pruned[row] === 1)) {
      const best = rows.reduce((a, b) => (probabilities.at(b, label) > probabilities.at(a, label) ? b : a));
      pruned[best] = 0;
    }
  }
  return rowsWhere(labels.length, (i) => pruned[i] === 0);
}

/** 1/p(label i | truth i) from the joint, at most 10 for categories whose own label is hardly ever right. */
function truthWeights(joint: Matrix): Float64Array {
  return Float64Array.from({ length: joint.rows }, (_, c) => {
    let column = 0;
    for (let i = 0; i < joint.rows; i++) column += joint.at(i, c);
    return joint.at(c, c) > 0 ? Math.min(10, column / joint.at(c, c)) : 1;
  });
}

function weightedTargets(labels: Int32Array, categories: number, weights?: Float64Array): Matrix<Float64Array> {
  const targets = labelTargets(labels, categories);
  if (weights) for (let i = 0; i < labels.length; i++) targets.set(i, labels[i], weights[labels[i]]);
  return targets;
}

export const confidentLearningSpec: MethodSpec<typeof parameters> = {
  name: 'confident-learning',
  title: 'Confident learning',
  citation: 'Northcutt, Jiang and Chuang, Confident learning: estimating uncertainty in dataset labels, JAIR 2021',
  uses: ['web'],
  setting: 'standard',
  parameters,
  create: (options) => new ConfidentLearning(options),
};
