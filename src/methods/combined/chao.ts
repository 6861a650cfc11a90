/**
 * Calibrated stacking (Chao, Changpinyo, Gong and Sha, "An empirical study and analysis of generalized zero-shot learning
 * for object recognition in the wild", ECCV 2016): a zero-shot classifier prefers the categories it was trained on, so a
 * penalty is taken off their values, argmax_c f_c(x) − γ [c was seen]. f is SynC, the authors' own and their best. γ comes from
 * a rehearsal without test pictures: some auxiliary categories play the unseen ones, a fifth of the pictures of the others
 * is held out, SynC learns from the rest, and γ is where the harmonic mean of seen and unseen accuracy is largest on the
 * seen-unseen curve. The area under that curve (AUSUC) is what the authors compare methods by; `ausuc_` holds it.
 */
import { ArgumentError, ProblemError } from '../../errors.js';
import { Matrix } from '../../linalg/index.js';
import { contentOrder } from '../../numerics/index.js';
import type { Problem } from '../../problem/index.js';
import {
  type FitOptions,
  type LinearDecision,
  type Method,
  notFitted,
  requireLearnable,
  rowMaxima,
  rowsWhere,
  selectIntegers,
  selectRows,
} from '../../problem/index.js';
import { type CurvePoint, curveArea, seenUnseenCurve } from '../blocks/seen-unseen-curve.js';
import { Sync, type SyncOptions, syncSpec } from '../zero-shot/sync.js';

/** Every n-th picture of a category is held out in the rehearsal. */
const heldOut = 5;

export class CalibratedStacking implements Method {
  readonly base: Sync;
  readonly #options: Partial<SyncOptions>;
  /** γ. */
  penalty_: number | undefined;
  /** Area under the seen-unseen curve of the rehearsal. */
  ausuc_: number | undefined;
  #unseen = 0;

  constructor(options: Partial<SyncOptions> = {}) {
    this.#options = options;
    this.base = new Sync(options);
  }

  async fit(problem: Problem, options: FitOptions): Promise<this> {
    options.signal?.throwIfAborted();
    if (!problem.generalized)
      throw new ArgumentError(
        'chao chooses among test and auxiliary categories, and this problem is in the standard setting',
        'Use the generalized setting (--generalized), or sync, the zero-shot method it builds on.',
      );
    requireLearnable(problem);
    this.penalty_ = undefined;
    const { rehearsal, labels } = rehearse(problem);
    const actor = await new Sync(this.#options).fit(rehearsal, options);
    const curve = seenUnseenCurve(actor.decisionValues(rehearsal.testFeatures), labels, rehearsal.testNames.length);
    await this.base.fit(problem, options);
    this.#unseen = problem.testNames.length;
    this.ausuc_ = curveArea(curve);
    this.penalty_ = bestPenalty(curve);
    return this;
  }

  decisionValues(features: Matrix): Matrix {
    const values = this.base.decisionValues(features);
    if (this.penalty_ === undefined) throw notFitted();
    for (let i = 0; i < values.rows; i++) {
      const row = values.row(i);
      for (let c = this.#unseen; c < row.length; c++) row[c] -= this.penalty_;
    }
    return values;
  }

  predict(features: Matrix): Int32Array {
    return rowMaxima(this.decisionValues(features));
  }

  linear(): LinearDecision | undefined {
    const base = this.base.linear();
    return base && { ...base, bias: base.bias.map((value, c) => (c < this.#unseen ? value : value - this.penalty_!)) };
  }
}

/** The middle of the penalties that give the largest harmonic mean. */
function bestPenalty(curve: readonly CurvePoint[]): number {
  const harmonic = ({ seen, unseen }: CurvePoint) => (seen + unseen > 0 ? (2 * seen * unseen) / (seen + unseen) : 0);
  const best = curve.reduce((most, point, k) => (harmonic(point) > harmonic(curve[most]) ? k : most), 0);
  const [from, to] = [curve[best].penalty, curve[best + 1]?.penalty ?? curve[best].penalty];
  if (Number.isFinite(from)) return (from + to) / 2;
  return Number.isFinite(to) ? to : 0;
}

/** The problem in which auxiliary categories play both parts, in a choice that depends on content alone. */
function rehearse(problem: Problem): { rehearsal: Problem; labels: Int32Array } {
  const { auxiliaryFeatures: features, auxiliaryLabels: labels, auxiliarySemantics: semantics } = problem;
  const categories = semantics.rows;
  const unseenCount = Math.round((categories * problem.testNames.length) / (categories + problem.testNames.length));
  if (unseenCount < 1 || categories - unseenCount < 2)
    throw new ProblemError(
      'aux_semantics',
      undefined,
      `there are ${categories} auxiliary categories, and chao rehearses with at least three`,
      'Add auxiliary categories, or choose sync.',
    );
  // Spread evenly over the order of content.
  const order = contentOrder(semantics);
  const plays = new Int32Array(categories);
  const [unseen, seen]: number[][] = [[], []];
  order.forEach((category, k) => {
    const isUnseen = Math.floor(((k + 1) * unseenCount) / categories) > Math.floor((k * unseenCount) / categories);
    plays[category] = isUnseen ? unseen.push(category) - 1 : unseenCount + seen.push(category) - 1;
  });
  const asked = new Uint8Array(labels.length);
  const count = new Int32Array(categories);
  for (const row of contentOrder(features, labels))
    asked[row] = Number(plays[labels[row]] < unseenCount || count[labels[row]]++ % heldOut === heldOut - 1);
  const test = rowsWhere(labels.length, (i) => asked[i] === 1);
  const train = rowsWhere(labels.length, (i) => asked[i] === 0);
  const names = (chosen: readonly number[]) => chosen.map((category) => problem.auxiliaryNames[category]);
  const rehearsal: Problem = {
    auxiliaryFeatures: selectRows(features, train),
    auxiliaryLabels: selectIntegers(labels, train).map((label) => plays[label] - unseenCount),
    auxiliarySemantics: selectRows(semantics, seen),
    auxiliaryNames: names(seen),
    webFeatures: Matrix.zeros(0, features.cols),
    webLabels: new Int32Array(0),
    testFeatures: selectRows(features, test),
    testSemantics: selectRows(semantics, unseen),
    testNames: names(unseen),
    generalized: true,
  };
  return { rehearsal, labels: selectIntegers(labels, test).map((label) => plays[label]) };
}

export const chaoSpec: typeof syncSpec = {
  name: 'chao',
  title: 'Chao et al.',
  citation:
    'Chao, Changpinyo, Gong and Sha, An empirical study and analysis of generalized zero-shot learning for object recognition in the wild, ECCV 2016',
  uses: ['auxiliary', 'semantics'],
  setting: 'generalized',
  parameters: syncSpec.parameters,
  create: (options) => new CalibratedStacking(options),
};
