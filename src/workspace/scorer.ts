/**
 * A fitted classifier as a few matrices, whatever method it came from: x̂ = (x − centre)/‖x − centre‖ (each part where
 * it applies; then, for some methods, sign(x̂)|x̂|^p to unit length again), z = x̂ M (to unit length for the cosine distance), scores = z W + b. The learner's nearest category by
 * Euclidean distance is of this form, for −‖z − c‖² = 2 z·c − ‖c‖² − ‖z‖² and the last term is the same for all.
 */
import { ArgumentError, FormatError } from '../errors.js';
import { openSafetensors, toMatrix, writeSafetensors } from '../formats/index.js';
import { Combo, type LearnerModel, PaperLearner } from '../learner/index.js';
import type { Backend } from '../linalg/backend.js';
import { Matrix } from '../linalg/matrix.js';
import { Random } from '../linalg/random.js';
import { Bowerbird as OwnMethod } from '../methods/bowerbird/bowerbird.js';
import type { Method } from '../problem/index.js';

export interface LinearScorer {
  /** Subtracted from the features before anything else, d. */
  readonly centre?: Float64Array;
  /** Whether features are then brought to unit length. */
  readonly normalise: 'unit' | 'none';
  /** Features are then raised to this power, signs kept, and brought to unit length again. */
  readonly power?: number;
  /** To semantic vectors, d×m. */
  readonly map?: Matrix<Float64Array>;
  /** Semantic vectors are brought to unit length: the cosine distance. */
  readonly unitSemantics?: boolean;
  /** m×C with a map, else d×C. */
  readonly weights: Matrix<Float64Array>;
  readonly bias: Float64Array;
  readonly names: readonly string[];
}

/** n×C scores of features as the network gives them; the largest one decides. */
export function scorePictures(scorer: LinearScorer, features: Matrix, backend: Backend): Matrix<Float64Array> {
  const d = (scorer.map ?? scorer.weights).rows;
  if (features.cols !== d)
    throw new ArgumentError(`the classifier takes ${d} features a picture, these have ${features.cols}`);
  let current = features.copy('float64');
  const { centre } = scorer;
  if (centre)
    for (let i = 0; i < current.rows; i++) {
      const row = current.row(i);
      for (let j = 0; j < d; j++) row[j] -= centre[j];
    }
  if (scorer.normalise === 'unit') unitRows(current);
  if (scorer.power !== undefined) {
    const { power } = scorer;
    for (let i = 0; i < current.data.length; i++)
      current.data[i] = Math.sign(current.data[i]) * Math.abs(current.data[i]) ** power;
    unitRows(current);
  }
  if (scorer.map) current = product(backend, current, scorer.map);
  if (scorer.unitSemantics) unitRows(current);
  const scores = product(backend, current, scorer.weights);
  for (let i = 0; i < scores.rows; i++) {
    const row = scores.row(i);
    for (let c = 0; c < row.length; c++) row[c] += scorer.bias[c];
  }
  return scores;
}

/** Rows without length stay as they are. */
function unitRows(matrix: Matrix): void {
  for (let i = 0; i < matrix.rows; i++) {
    const row = matrix.row(i);
    let squares = 0;
    for (let j = 0; j < row.length; j++) squares += row[j] * row[j];
    const length = Math.sqrt(squares) || 1;
    for (let j = 0; j < row.length; j++) row[j] /= length;
  }
}

function product(backend: Backend, a: Matrix<Float64Array>, b: Matrix<Float64Array>): Matrix<Float64Array> {
  const result = Matrix.zeros(a.rows, b.cols);
  backend.gemm(result, a, b);
  return result;
}

/** The scorer of the paper's learner. */
export function learnerScorer(model: LearnerModel, normalise: LinearScorer['normalise']): LinearScorer {
  const { map, candidates, names, metric } = model;
  const weights = Matrix.zeros(candidates.cols, candidates.rows);
  const bias = new Float64Array(candidates.rows);
  for (let c = 0; c < candidates.rows; c++) {
    const category = candidates.row(c);
    const squares = category.reduce((sum, value) => sum + value * value, 0);
    const factor = metric === 'cosine' ? 1 / (Math.sqrt(squares) || 1) : 2;
    for (let j = 0; j < category.length; j++) weights.set(j, c, factor * category[j]);
    if (metric === 'euclidean') bias[c] = -squares;
  }
  return { normalise, map, unitSemantics: metric === 'cosine', weights, bias, names };
}

/** The scorer of Bowerbird's own method: linear in features of its power and unit length. */
function ownScorer(method: OwnMethod, names: readonly string[], normalise: LinearScorer['normalise']): LinearScorer {
  const { weights: rows, intercepts } = method.model_;
  const weights = Matrix.zeros(rows.cols, rows.rows);
  for (let c = 0; c < rows.rows; c++) for (let j = 0; j < rows.cols; j++) weights.set(j, c, rows.at(c, j));
  return { normalise, power: method.options.power, weights, bias: Float64Array.from(intercepts), names };
}

/**
 * The scorer of a fitted method; undefined for one whose decision is not linear in the (scaled) features. Methods that
 * do not say are asked: the decision values of 0 and of the unit vectors give b and W, and random vectors tell whether
 * that is all there is to it.
 */
export function scorerOf(
  method: Method,
  dimension: number,
  names: readonly string[],
  normalise: LinearScorer['normalise'],
): LinearScorer | undefined {
  if (method instanceof PaperLearner || method instanceof Combo) return learnerScorer(method.model_, normalise);
  if (method instanceof OwnMethod) return ownScorer(method, names, normalise);
  try {
    return probe(method, dimension, names, normalise);
  } catch {
    // A method that refuses vectors without length is not of this form.
    return undefined;
  }
}

function probe(method: Method, d: number, names: readonly string[], normalise: LinearScorer['normalise']) {
  const random = new Random(1);
  const trials = 8;
  const probes = Matrix.zeros(1 + d + trials, d);
  for (let j = 0; j < d; j++) probes.set(1 + j, j, 1);
  for (let i = 0; i < trials; i++) {
    const row = probes.row(1 + d + i);
    for (let j = 0; j < d; j++) row[j] = random.normal() / Math.sqrt(d);
  }
  const values = method.decisionValues(probes);
  if (values.cols !== names.length) return undefined;
  const bias = Float64Array.from(values.row(0));
  const weights = Matrix.zeros(d, names.length);
  for (let j = 0; j < d; j++) for (let c = 0; c < names.length; c++) weights.set(j, c, values.at(1 + j, c) - bias[c]);
  let largest = 0;
  let error = 0;
  for (let i = 1 + d; i < probes.rows; i++)
    for (let c = 0; c < names.length; c++) {
      let sum = bias[c];
      for (let j = 0; j < d; j++) sum += probes.at(i, j) * weights.at(j, c);
      largest = Math.max(largest, Math.abs(values.at(i, c) - bias[c]));
      error = Math.max(error, Math.abs(values.at(i, c) - sum));
    }
  return Number.isFinite(error) && error <= 1e-6 * largest ? { normalise, weights, bias, names } : undefined;
}

const format = 'bowerbird-scorer-1';

export async function saveScorer(path: string, scorer: LinearScorer, extra: Record<string, string> = {}) {
  const { centre, map, weights, bias, names, normalise, power, unitSemantics = false } = scorer;
  const settings = {
    normalise,
    unitSemantics: String(unitSemantics),
    ...(power !== undefined && { power: String(power) }),
  };
  const vector = (data: Float64Array) => ({ shape: [data.length], dtype: 'float64' as const, data });
  await writeSafetensors(
    path,
    { ...(centre && { centre: vector(centre) }), ...(map && { map }), weights, bias: vector(bias) },
    { metadata: { format, names: JSON.stringify(names), ...settings, ...extra } },
  );
}

export async function loadScorer(path: string): Promise<{ scorer: LinearScorer; metadata: Record<string, string> }> {
  const file = await openSafetensors(path);
  try {
    const { metadata, names: arrays } = file;
    if (metadata.format !== format)
      throw new FormatError(path, undefined, `is not a saved classifier (format "${metadata.format ?? 'none'}")`);
    const vector = async (name: string) => Float64Array.from((await file.read(name)).data as Float64Array);
    const matrix = async (name: string) => toMatrix(await file.read(name), 'float64', { name, file: path });
    const scorer: LinearScorer = {
      ...(arrays.includes('centre') && { centre: await vector('centre') }),
      ...(arrays.includes('map') && { map: await matrix('map') }),
      weights: await matrix('weights'),
      bias: await vector('bias'),
      normalise: metadata.normalise === 'unit' ? 'unit' : 'none',
      unitSemantics: metadata.unitSemantics === 'true',
      ...(metadata.power !== undefined && { power: Number(metadata.power) }),
      names: JSON.parse(metadata.names) as string[],
    };
    return { scorer, metadata };
  } finally {
    await file.close();
  }
}
