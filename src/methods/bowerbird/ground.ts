/**
 * What a fit stands on before any test picture is looked at: the space whitened by the auxiliary pictures, how far
 * pictures and categories vary in it, what words say of the categories' looks, and the web pictures, all measured from
 * the mean of the auxiliary pictures.
 */
import { type Backend, Matrix, type RowBlocks } from '../../linalg/index.js';
import { byLabel, rowDots, rowsOn } from '../../numerics/index.js';
import { type Problem, selectIntegers } from '../../problem/index.js';
import { type Features, featuresAt } from '../blocks/feature-rows.js';
import { precisionFor, type WhitenedSpace } from '../blocks/whitened-space.js';
import { imageTextHint } from './image-text.js';
import type { NamedPictures } from './known.js';
import { TextEvidence } from './texts.js';
import { copyOn, productsOn } from './vectors.js';
import { WebPictures } from './web-pictures.js';
import { type KnownCategories, type WordPrior, wordPrior } from './words.js';

/**
 * Rows of the whitened space and their squared lengths. Many pictures are kept in single precision: products are then twice as
 * fast, and what they are summed up to is still kept in double.
 */
export interface Placed<Rows extends RowBlocks = RowBlocks> {
  readonly rows: Rows;
  readonly squaredLengths: Float64Array;
}

export interface Ground {
  readonly backend: Backend;
  readonly space: WhitenedSpace;
  readonly dimension: number;
  readonly known: KnownCategories;
  /** Known categories are candidates too. */
  readonly generalized: boolean;
  readonly prior: WordPrior;
  readonly web: WebPictures;
  /** Products of the web pictures with the means of the known categories, nw×Ca, where they are in memory. */
  readonly webToKnown?: Matrix;
  readonly webLabels: Int32Array;
  /** Where the web pictures of each category begin, and where the last ones end. */
  readonly webStarts: Int32Array;
  /** Row of each web picture in the problem. */
  readonly webOrder: Int32Array;
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

/** @param given the web pictures, where they have been placed before: as the problem has them, or in the order of their labels */
export function layGround(
  backend: Backend,
  space: WhitenedSpace,
  problem: Problem,
  options: GroundOptions,
  given?: Placed<Matrix> | WebPictures,
): Ground {
  const known = knownCategories(space);
  const { trust, smoothing } = options;
  const categories = problem.testSemantics.rows;
  const { order, starts } = byLabel(problem.webLabels, categories);
  const sorted = order.every((row, i) => row === i);
  const inOrder = () => {
    if (!given) return place(space, problem.webFeatures, sorted ? undefined : order);
    return sorted ? given : selectPlaced(backend, given, order);
  };
  const web = given instanceof WebPictures ? given : new WebPictures(backend, inOrder(), starts);
  const webLabels = sorted ? problem.webLabels : selectIntegers(problem.webLabels, order);
  const prior = wordPrior(
    backend,
    { ...known, means: space.auxiliaryMeans },
    problem,
    trust < 0 ? undefined : trust,
    imageTextHint(space, problem),
  );
  return {
    ...{ backend, space, known, prior, web },
    dimension: known.means.cols,
    generalized: problem.generalized,
    ...(web.rows instanceof Matrix && { webToKnown: productsOn(backend, web.rows, known.means) }),
    ...{ webLabels, webStarts: starts, webOrder: order },
    ...(problem.webVouched && { webKnown: Int8Array.from(order, (row) => Number(problem.webVouched![row])) }),
    ...(problem.webText && { text: new TextEvidence(problem.webText, webLabels, categories, smoothing, order) }),
  };
}

export function place(space: WhitenedSpace, features: Matrix, order?: Int32Array): Placed<Matrix> {
  return withLengths(space.backend, space.placeOnce(features, precisionFor(features.rows, features.cols), order));
}

/** Some of the pictures, which are not kept. */
export async function placeSome(space: WhitenedSpace, source: Features, chosen: Int32Array): Promise<Placed<Matrix>> {
  const dtype = precisionFor(chosen.length, source.cols);
  const rows =
    source instanceof Matrix
      ? space.placeRows(source, dtype, chosen)
      : space.placeRows(await featuresAt(source, chosen, space.backend), dtype);
  return withLengths(space.backend, rows);
}

export function withLengths(backend: Backend, rows: Matrix): Placed<Matrix> {
  const squares = rows.dtype === 'float64' ? new Float64Array(rows.rows) : new Float32Array(rows.rows);
  backend.rowDots(squares, rows, rows);
  return { rows, squaredLengths: Float64Array.from(squares) };
}

/** The spread of the categories' means, less what the sampling of their pictures adds to it. */
function knownCategories({
  backend,
  auxiliaryMeans: means,
  auxiliaryCounts: counts,
  within,
}: WhitenedSpace): KnownCategories {
  const spread = backend.dot(means, means) / Math.max(1, means.rows - 1) / means.cols;
  const fromSampling = (within * counts.reduce((sum, count) => sum + 1 / count, 0)) / counts.length;
  const squares = rowDots(backend, means, means);
  const between = Math.max(spread - fromSampling, 0.05 * spread, 1e-9);
  return { means: copyOn(backend, means), squares, counts, within, between };
}

/** Some of them, where the backend computes. */
export function selectPlaced(
  backend: Backend,
  { rows, squaredLengths }: Placed,
  chosen: ArrayLike<number>,
): Placed<Matrix> {
  return {
    rows: rowsOn(backend, rows, chosen),
    squaredLengths: Float64Array.from(chosen, (j) => squaredLengths[j]),
  };
}
