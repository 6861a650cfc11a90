/**
 * Zero-shot classification in a joint space of pictures and texts (Radford et al., "Learning transferable visual models from
 * natural language supervision", ICML 2021): cos(x, a_c) between a picture's embedding and that of the category's name.
 * Nothing is learnt; features and semantic vectors must come from the two towers of one model. Where a problem has features
 * of several networks, or several kinds of vectors, those of one image-text model are taken.
 */
import { ProblemError } from '../../errors.js';
import { type Backend, Matrix } from '../../linalg/index.js';
import { columnMeans, linearDecisions, toUnitLength, unitRows } from '../../numerics/index.js';
import type { LinearDecision, Problem } from '../../problem/index.js';
import {
  type FitOptions,
  imageTextPair,
  type Method,
  notFitted,
  requireLearnable,
  rowMaxima,
  rowsWhere,
  selectRows,
  stackRows,
} from '../../problem/index.js';
import type { MethodSpec } from '../spec.js';

interface Towers {
  /** Columns of the features. */
  readonly from: number;
  readonly to: number;
  /** Vectors of the names. */
  readonly auxiliary: Matrix;
  readonly test: Matrix;
}

export class Clip implements Method {
  /** Unit vectors of the candidate categories, C×p. */
  categories_: Matrix<Float64Array> | undefined;
  #backend: Backend | undefined;
  #columns = { from: 0, to: 0 };
  #linear: LinearDecision | undefined;

  async fit(problem: Problem, { backend, signal }: FitOptions): Promise<this> {
    signal?.throwIfAborted();
    requireLearnable(problem);
    const { from, to, auxiliary, test } = towersOf(problem);
    const candidates = problem.generalized ? stackRows(test, auxiliary) : test;
    this.categories_ = withoutGaps(unitRows(candidates));
    this.#backend = backend;
    this.#columns = { from, to };
    this.#linear = linearDecision(this.categories_, problem.testFeatures, from, to);
    return this;
  }

  decisionValues(features: Matrix): Matrix {
    if (!this.categories_ || !this.#backend) throw notFitted();
    const { from, to } = this.#columns;
    const model = { weights: this.categories_, intercepts: new Float64Array(this.categories_.rows) };
    return linearDecisions(this.#backend, model, unitRows(features.view(0, features.rows, from, to)));
  }

  predict(features: Matrix): Int32Array {
    return rowMaxima(this.decisionValues(features));
  }

  linear(): LinearDecision | undefined {
    return this.#linear;
  }
}

function towersOf(problem: Problem): Towers {
  const { testFeatures, testSemantics, auxiliarySemantics, featureBlocks = [], semanticBlocks = [] } = problem;
  const pair = imageTextPair(problem);
  if (pair) return { ...pair, ...pair.text };
  // Blocks without a space are not known to belong together.
  const plain = featureBlocks.length < 2 && semanticBlocks.length < 2;
  if (plain && testFeatures.cols === testSemantics.cols)
    return { from: 0, to: testFeatures.cols, auxiliary: auxiliarySemantics, test: testSemantics };
  const hint =
    'Extract features and embed the category names with the two towers of one image-text model (model: clip-vit-b32 and semantics: { text: clip-vit-b32-text } in a workspace), or choose another zero-shot method.';
  throw new ProblemError(
    'test_semantics',
    undefined,
    plain
      ? `the category vectors have ${testSemantics.cols} dimensions and the features ${testFeatures.cols}; clip compares them directly and needs both from one joint image-text model`
      : 'none of the networks and none of the kinds of vectors come from one image-text model, and clip compares the two directly',
    hint,
  );
}

/** A name without a vector is as near to a picture as names are on average. */
function withoutGaps(vectors: Matrix<Float64Array>): Matrix<Float64Array> {
  const known = rowsWhere(vectors.rows, (c) => vectors.row(c).some((value) => value !== 0));
  if (known.length === vectors.rows) return vectors;
  const mean = columnMeans(selectRows(vectors, known));
  for (let c = 0; c < vectors.rows; c++) if (!known.includes(c)) vectors.row(c).set(mean);
  return vectors;
}

/** The same as a formula in all features, where those of the model are the same share of every picture's length. */
function linearDecision(
  categories: Matrix<Float64Array>,
  features: Matrix,
  from: number,
  to: number,
): LinearDecision | undefined {
  const shares = Float64Array.from({ length: features.rows }, (_, i) => {
    const row = Float64Array.from(features.row(i));
    toUnitLength(row);
    return Math.hypot(...row.subarray(from, to));
  });
  const [least, most] = [Math.min(...shares), Math.max(...shares)];
  if (!(most - least < 1e-3 * most)) return undefined;
  const weights = Matrix.zeros(features.cols, categories.rows);
  for (let c = 0; c < categories.rows; c++)
    for (let j = from; j < to; j++) weights.set(j, c, categories.at(c, j - from) / most);
  return { power: 1, weights, bias: new Float64Array(categories.rows) };
}

export const clipSpec: MethodSpec = {
  name: 'clip',
  title: 'CLIP zero-shot',
  citation: 'Radford et al., Learning transferable visual models from natural language supervision, ICML 2021',
  uses: ['semantics'],
  setting: 'both',
  parameters: {},
  create: () => new Clip(),
};
