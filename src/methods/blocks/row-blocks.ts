/** Consecutive rows taken together, with their Gram matrix: the working sets of the blocked dual coordinate descents. */
import type { Backend } from '../../linalg/backend.js';
import { Matrix } from '../../linalg/matrix.js';
import { Random } from '../../linalg/random.js';
import { contentOrder } from './content-order.js';
import type { Workspace } from './workspace.js';

export interface RowBlock {
  /** Number of the block's first row. */
  readonly first: number;
  /** The rows themselves, a view. */
  readonly rows: Matrix<Float64Array>;
  /** rows · rows' */
  readonly gram: Matrix<Float64Array>;
}

/**
 * Cuts the rows into blocks. 64 rows make the products long enough to run at full speed, while a sweep inside the block
 * costs less than the products.
 */
export function rowBlocks(
  backend: Backend,
  workspace: Workspace,
  features: Matrix<Float64Array>,
  size = 64,
): RowBlock[] {
  const blocks: RowBlock[] = [];
  for (let first = 0; first < features.rows; first += size) {
    const rows = features.view(first, Math.min(features.rows, first + size));
    const gram = workspace.matrix(rows.rows, rows.rows);
    backend.syrk(gram, rows);
    blocks.push({ first, rows, gram });
  }
  return blocks;
}

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
  workspace: Workspace,
  features: Matrix,
  order: Int32Array,
  constant: number,
): Matrix<Float64Array> {
  const augmented = workspace.matrix(order.length, features.cols + 1);
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
