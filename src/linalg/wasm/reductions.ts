/** Numbers drawn from whole matrices: the sum of products and the largest magnitude. */
import type { Matrix } from '../matrix.js';
import { type ElementBytes, kernelsFor, type Machine } from './machine.js';
import { rowsPerTask, runRowDots, worthSharing } from './passes.js';
import { forEachPiece, slots, widest } from './staging.js';

/** Σ aᵢⱼ bᵢⱼ in double precision: the dot products of the rows, added in order. */
export function sumOfProducts(machine: Machine, a: Matrix, b: Matrix): number {
  const bytes = a.data.BYTES_PER_ELEMENT;
  const parallel = a.rows * a.cols > worthSharing;
  const out = machine.regions.staging + slots.output;
  let total = 0;
  for (let column = 0; column < a.cols; column += widest) {
    const end = Math.min(column + widest, a.cols);
    const parts = [a.view(0, a.rows, column, end), b.view(0, b.rows, column, end)];
    forEachPiece(machine, parts, (_row, rows, [left, right]) => {
      runRowDots(machine, 'rowDotsWide', { bytes, rows, width: end - column, parallel }, left, right, out);
      for (const sum of new Float64Array(machine.storage.buffer, out, rows)) total += sum;
    });
  }
  return total;
}

/** Largest |aᵢⱼ|; NaN if any element is. */
export function largestMagnitude(machine: Machine, a: Matrix): number {
  const bytes = a.data.BYTES_PER_ELEMENT as ElementBytes;
  const parallel = a.rows * a.cols > worthSharing;
  const out = machine.regions.staging + slots.output;
  const found = new Float64Array(machine.storage.buffer, out, 1);
  let most = 0;
  for (let column = 0; column < a.cols; column += widest) {
    const end = Math.min(column + widest, a.cols);
    const step = rowsPerTask(end - column);
    forEachPiece(machine, [a.view(0, a.rows, column, end)], (_row, rows, [{ pointer, stride }]) => {
      const count = Math.ceil(rows / step);
      machine.team.run('largest', count, parallel, [
        ...[bytes, step, rows, end - column, pointer, stride * bytes, out],
      ]);
      kernelsFor(machine, 8).largest(1, count, out, 0, out);
      most = Math.max(most, found[0]);
    });
  }
  return most;
}
