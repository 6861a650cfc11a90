/**
 * A fitted classifier as a few matrices, whatever method it came from: x̂ = x/‖x‖ where features are scaled to unit
 * length, then the method's formula (`LinearDecision`). With it go, where they were learnt, how sharply its scores decide
 * and what tells pictures that show no candidate.
 */
import { ArgumentError } from '../errors.js';
import type { Backend, Matrix } from '../linalg/index.js';
import { strangerSigns, times, toUnitRows } from '../numerics/index.js';
import type { LinearDecision, StrangerDecision } from '../problem/index.js';
import { type Answers, collectAnswers, type Said } from './answers.js';
import { chancesOf, type Sharpness } from './calibration.js';

export interface LinearScorer extends LinearDecision {
  /** Whether features are brought to unit length first. */
  readonly normalize: 'unit' | 'none';
  readonly names: readonly string[];
}

/** What classifies pictures that were not part of the fit. */
export interface Model {
  readonly scorer: LinearScorer;
  readonly method: string;
  /** How the scorer came about, in words. */
  readonly kind: string;
  /** Absent where no confidence could be learnt. */
  readonly sharpness?: Sharpness;
  /** Absent where nobody can tell. */
  readonly strangers?: StrangerDecision;
  /** Fingerprint of how the features were made, where that is known. */
  readonly features?: string;
}

/** n×C scores of features as the network gives them; the largest one decides. */
export function scorePictures(scorer: LinearScorer, features: Matrix, backend: Backend): Matrix<Float64Array> {
  const d = (scorer.map ?? scorer.weights).rows;
  if (features.cols !== d)
    throw new ArgumentError(`the classifier takes ${d} features a picture, these have ${features.cols}`);
  let current = prepared(features, scorer.normalize, scorer.power);
  if (scorer.map) current = times(backend, current, scorer.map);
  if (scorer.unitSemantics) toUnitRows(current);
  return affine(backend, current, scorer);
}

/** The chance of each picture to show no candidate. */
export function unlistedChances(
  strangers: StrangerDecision,
  normalize: LinearScorer['normalize'],
  features: Matrix,
  backend: Backend,
): Float64Array {
  const { candidates, coefficients, intercept } = strangers;
  const scores = affine(backend, prepared(features, normalize, strangers.power), strangers);
  return Float64Array.from({ length: scores.rows }, (_, i) => {
    const row = scores.row(i);
    const signs = strangerSigns(row.subarray(0, candidates), row.subarray(candidates));
    return 1 / (1 + Math.exp(-signs.reduce((sum, sign, k) => sum + coefficients[k] * sign, intercept)));
  });
}

/** What a model says about pictures, from their features as the network gives them. */
export function classifyFeatures(model: Model, features: Matrix, backend: Backend): Answers {
  const { scorer, sharpness, strangers } = model;
  const said: Said = (from, to) => {
    const some = features.view(from, to);
    const scores = scorePictures(scorer, some, backend);
    if (!sharpness) return { scores };
    const listed = chancesOf(scores, sharpness);
    if (!strangers) return { scores, chances: { listed } };
    const unlisted = unlistedChances(strangers, scorer.normalize, some, backend);
    for (let i = 0; i < listed.rows; i++) {
      const row = listed.row(i);
      for (let c = 0; c < row.length; c++) row[c] *= 1 - unlisted[i];
    }
    return { scores, chances: { listed, unlisted } };
  };
  return collectAnswers(features.rows, said, scorer.names);
}

/** To unit length where that is wanted, and, where there is a power, raised to it and to unit length again. */
function prepared(features: Matrix, normalize: LinearScorer['normalize'], power?: number): Matrix<Float64Array> {
  const rows = features.copy('float64');
  if (normalize === 'unit') toUnitRows(rows);
  if (power === undefined) return rows;
  for (let i = 0; i < rows.data.length; i++) rows.data[i] = Math.sign(rows.data[i]) * Math.abs(rows.data[i]) ** power;
  toUnitRows(rows);
  return rows;
}

function affine(
  backend: Backend,
  rows: Matrix<Float64Array>,
  { weights, bias }: { weights: Matrix<Float64Array>; bias: Float64Array },
): Matrix<Float64Array> {
  const result = times(backend, rows, weights);
  for (let i = 0; i < result.rows; i++) {
    const row = result.row(i);
    for (let c = 0; c < row.length; c++) row[c] += bias[c];
  }
  return result;
}
