/**
 * What a fit stands on before any test picture is looked at: the space whitened by the auxiliary pictures, how far
 * pictures and categories vary in it, what words say of the categories' looks, and the web pictures, all measured from
 * the mean of the auxiliary pictures.
 */
import type { Backend, Matrix } from '../../linalg/index.js';
import { rowDots, timesTransposed } from '../../numerics/index.js';
import { type Problem, selectRows } from '../../problem/index.js';
import type { WhitenedSpace } from '../blocks/whitened-space.js';
import { imageTextHint } from './image-text.js';
import type { NamedPictures } from './known.js';
import { TextEvidence } from './texts.js';
import { type KnownCategories, type WordPrior, wordPrior } from './words.js';

/** Rows of the whitened space and their squared lengths. */
export interface Placed {
  readonly rows: Matrix<Float64Array>;
  readonly squaredLengths: Float64Array;
}

export interface Ground {
  readonly backend: Backend;
  readonly space: WhitenedSpace;
  readonly dimension: number;
  readonly known: KnownCategories;
  readonly prior: WordPrior;
  readonly web: Placed;
  /** Products of the web pictures with the means of the known categories, nw×Ca. */
  readonly webToKnown: Matrix<Float64Array>;
  readonly webLabels: Int32Array;
  /** What people said: 1 for web pictures that show what their label says, −1 for those that do not. */
  readonly webKnown?: Int8Array;
  /** Test pictures that people named. */
  readonly named?: NamedPictures;
  readonly text?: TextEvidence;
}

export interface GroundOptions {
  /** Trust in words from 0 to 1; below 0 it is learnt. */
  trust: number;
  smoothing: number;
}

export function layGround(
  backend: Backend,
  space: WhitenedSpace,
  problem: Problem,
  options: GroundOptions,
  web = place(backend, space, problem.webFeatures),
): Ground {
  const known = knownCategories(space);
  const { trust, smoothing } = options;
  return {
    ...{ backend, space, known },
    dimension: known.means.cols,
    prior: wordPrior(backend, known, problem, trust < 0 ? undefined : trust, imageTextHint(space, problem)),
    web,
    webToKnown: timesTransposed(backend, web.rows, known.means),
    webLabels: problem.webLabels,
    ...(problem.webVouched && { webKnown: Int8Array.from(problem.webVouched) }),
    ...(problem.webText && {
      text: new TextEvidence(problem.webText, problem.webLabels, problem.testSemantics.rows, smoothing),
    }),
  };
}

export function place(backend: Backend, space: WhitenedSpace, features: Matrix): Placed {
  const rows = space.place(features, space.auxiliaryCentre);
  return { rows, squaredLengths: rowDots(backend, rows, rows) };
}

/** The spread of the categories' means, less what the sampling of their pictures adds to it. */
function knownCategories({ auxiliaryMeans: means, auxiliaryCounts: counts, within }: WhitenedSpace): KnownCategories {
  let squares = 0;
  for (const value of means.data) squares += value * value;
  const spread = squares / Math.max(1, means.rows - 1) / means.cols;
  const fromSampling = (within * counts.reduce((sum, count) => sum + 1 / count, 0)) / counts.length;
  return { means, counts, within, between: Math.max(spread - fromSampling, 0.05 * spread, 1e-9) };
}

export function selectPlaced({ rows, squaredLengths }: Placed, chosen: ArrayLike<number>): Placed {
  return {
    rows: selectRows(rows, chosen) as Matrix<Float64Array>,
    squaredLengths: Float64Array.from(chosen, (j) => squaredLengths[j]),
  };
}
