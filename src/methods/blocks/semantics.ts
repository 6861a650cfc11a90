/**
 * Semantic vectors of categories as methods use them: the candidates of a prediction, vectors as directions around the
 * mean of the auxiliary categories, and decision values of different methods on one scale.
 */
import { Matrix } from '../../linalg/matrix.js';
import type { Problem } from '../../problem/problem.js';
import { centred, columnMeans } from './centring.js';

/** Vectors of the categories a prediction may take: test categories first, auxiliary ones too when generalized. */
export function candidateSemantics(problem: Problem): Matrix<Float64Array> {
  const { testSemantics, auxiliarySemantics, generalized } = problem;
  if (!generalized) return testSemantics.copy('float64');
  const all = Matrix.zeros(testSemantics.rows + auxiliarySemantics.rows, testSemantics.cols);
  all.view(0, testSemantics.rows).copyFrom(testSemantics);
  all.view(testSemantics.rows, all.rows).copyFrom(auxiliarySemantics);
  return all;
}

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
  const result = matrix.copy('float64');
  for (let i = 0; i < result.rows; i++) {
    const row = result.row(i);
    let squares = 0;
    for (let j = 0; j < row.length; j++) squares += row[j] * row[j];
    const factor = squares > 0 ? 1 / Math.sqrt(squares) : 0;
    for (let j = 0; j < row.length; j++) row[j] *= factor;
  }
  return result;
}

/** n×m: for each picture the vector of its category. */
export function expandByLabel(vectors: Matrix, labels: ArrayLike<number>): Matrix<Float64Array> {
  const result = Matrix.zeros(labels.length, vectors.cols);
  for (let i = 0; i < labels.length; i++) result.row(i).set(vectors.row(labels[i]));
  return result;
}

/** Mean and deviation of all entries. */
export interface Scale {
  readonly mean: number;
  readonly deviation: number;
}

export function scaleOf(values: Matrix): Scale {
  const count = Math.max(1, values.rows * values.cols);
  let mean = 0;
  for (let i = 0; i < values.rows; i++) for (const value of values.row(i)) mean += value / count;
  let variance = 0;
  for (let i = 0; i < values.rows; i++) for (const value of values.row(i)) variance += (value - mean) ** 2 / count;
  return { mean, deviation: variance > 0 ? Math.sqrt(variance) : 1 };
}

/** (v − mean)/deviation: decision values of two methods can be averaged then. */
export function standardised(values: Matrix, scale: Scale = scaleOf(values)): Matrix<Float64Array> {
  const result = values.copy('float64');
  for (let k = 0; k < result.data.length; k++) result.data[k] = (result.data[k] - scale.mean) / scale.deviation;
  return result;
}
