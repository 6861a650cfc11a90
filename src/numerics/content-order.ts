/**
 * An order of instances that depends on what they are, not on where they stand: rows compared number by number. Random
 * draws and coordinate-wise solvers that walk in this order give the same answer for permuted pictures.
 */
import type { Matrix } from '../linalg/index.js';

/** Row numbers in ascending order of content; equal rows by `labels` where given, else in their present order. */
export function contentOrder(features: Matrix, labels?: ArrayLike<number>): Int32Array {
  const { data, stride, cols } = features;
  const order = Int32Array.from({ length: features.rows }, (_, i) => i);
  return order.sort((a, b) => {
    const [startA, startB] = [a * stride, b * stride];
    for (let j = 0; j < cols; j++) {
      const difference = data[startA + j] - data[startB + j];
      if (difference !== 0) return difference;
    }
    return (labels ? labels[a] - labels[b] : 0) || a - b;
  });
}
