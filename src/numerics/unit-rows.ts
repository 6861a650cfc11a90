/** Vectors as directions: rows of unit length, as they are or around a mean. */
import type { Matrix } from '../linalg/index.js';
import { centred, columnMeans } from './centring.js';

export interface Directions {
  /** Of the categories that were learnt from. */
  readonly learnt: Matrix<Float64Array>;
  /** Of the categories to choose from. */
  readonly candidates: Matrix<Float64Array>;
}

/**
 * (s − mean)/‖s − mean‖ with the mean of the learnt categories. Attributes and word vectors of one domain share a large
 * common part that tells categories nothing; without it their angles do.
 */
export function directions(learnt: Matrix, candidates: Matrix): Directions {
  const mean = columnMeans(learnt);
  return { learnt: unitRows(centred(learnt, mean)), candidates: unitRows(centred(candidates, mean)) };
}

/** A copy whose rows have length one; rows of zeros stay. */
export function unitRows(matrix: Matrix): Matrix<Float64Array> {
  return toUnitRows(matrix.copy('float64'));
}

/** Brings rows to unit length in place; rows of zeros stay. */
export function toUnitRows(matrix: Matrix<Float64Array>): Matrix<Float64Array> {
  for (let i = 0; i < matrix.rows; i++) toUnitLength(matrix.row(i));
  return matrix;
}

/** Brings one row to unit length in place. */
export function toUnitLength(row: Float64Array): void {
  let squares = 0;
  for (let j = 0; j < row.length; j++) squares += row[j] * row[j];
  const factor = squares > 0 ? 1 / Math.sqrt(squares) : 0;
  for (let j = 0; j < row.length; j++) row[j] *= factor;
}
