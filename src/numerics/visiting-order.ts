/** Instances in the order in which the dual coordinate descents visit them. */
import { Matrix, Random } from '../linalg/index.js';
import { contentOrder } from './content-order.js';
import type { Scratch } from './scratch.js';

/**
 * The order in which instances are visited: shuffled, because neighbours of one category slow coordinate descent down,
 * and independent of the order they are given in.
 */
export function visitingOrder(features: Matrix): Int32Array {
  const order = contentOrder(features);
  return new Random(1).permutation(order.length).map((position) => order[position]);
}

/** Rows in the given order with a constant behind them, so that the last weight makes the intercept. */
export function augmentedRows(
  scratch: Scratch,
  features: Matrix,
  order: Int32Array,
  constant: number,
): Matrix<Float64Array> {
  const augmented = scratch.matrix(order.length, features.cols + 1);
  order.forEach((row, position) => {
    augmented.row(position).set(features.row(row));
    augmented.set(position, features.cols, constant);
  });
  return augmented;
}

/** C×n from n×C, instances in the given order. */
export function transposed(matrix: Matrix, order: Int32Array): Matrix<Float64Array> {
  const result = Matrix.zeros(matrix.cols, matrix.rows);
  order.forEach((row, position) => {
    for (let c = 0; c < matrix.cols; c++) result.set(c, position, matrix.at(row, c));
  });
  return result;
}

/** n×C from C×n, instances back where they came from. */
export function inOldOrder(matrix: Matrix, order: Int32Array): Matrix<Float64Array> {
  const result = Matrix.zeros(matrix.cols, matrix.rows);
  order.forEach((row, position) => {
    for (let c = 0; c < matrix.rows; c++) result.set(row, c, matrix.at(c, position));
  });
  return result;
}
