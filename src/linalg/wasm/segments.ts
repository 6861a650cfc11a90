/**
 * Passes over rows in consecutive segments, segment c being rows [starts[c], starts[c+1]): each row against the vector of
 * its segment, and the weighted sum of each segment.
 */
import type { Matrix, RealArray } from '../matrix.js';
import { type ElementBytes, kernelsFor, type Machine } from './machine.js';
import { rowsPerTask, worthSharing } from './passes.js';
import { fetchVector, forEachPiece, slots, stageVector, tallest, widest } from './staging.js';

/** Segments whose starts fit the staging area. */
const mostSegments = 2 ** 19;
/** Few segments are cut into column ranges, about so many tasks in all. */
const fewTasks = 16;
/** Ranges of whole vectors: a shorter range than the row must not have a rest of its own. */
const columnStep = 64;

/** Whether `segmentDots` takes these operands; others go through products with vectors. */
export function takesSegments({ storage }: Machine, a: Matrix, b: Matrix, starts: Int32Array): boolean {
  const inside = [a, b].every((matrix) => storage.pointerOf(matrix.data) !== undefined);
  return inside && a.rows <= tallest && a.cols <= widest && starts.length <= mostSegments;
}

/** out[i] ← (row i of A) · (row c(i) of directions), both in the shared memory. */
export function segmentDots(
  machine: Machine,
  out: Float64Array,
  a: Matrix,
  directions: Matrix,
  starts: Int32Array,
): void {
  const bytes = a.data.BYTES_PER_ELEMENT;
  const step = rowsPerTask(a.cols);
  const outPointer = stageVector(machine, out, slots.output, false);
  const [left, right] = [a, directions].map((matrix) => machine.storage.pointerOf(matrix.data)!);
  const parallel = a.rows * a.cols > worthSharing;
  machine.team.run('segmentDots', Math.ceil(a.rows / step), parallel, [
    ...[bytes, step, a.rows, a.cols, left, a.stride * bytes, right, directions.stride * bytes],
    ...[stageStarts(machine, starts), outPointer],
  ]);
  fetchVector(machine, out, outPointer);
}

/** Row c of out ← β (row c of out) + Σ over segment c of weights[i] (row i of A), rows in order. */
export function segmentSums(
  machine: Machine,
  out: Matrix,
  a: Matrix,
  weights: RealArray,
  starts: Int32Array,
  beta: number,
): void {
  if (!takesSegments(machine, a, out, starts)) {
    for (let c = 0; c < out.rows; c++)
      sumOutside(
        machine,
        out.row(c),
        a.view(starts[c], starts[c + 1]),
        weights.subarray(starts[c], starts[c + 1]),
        beta,
      );
    return;
  }
  const bytes = a.data.BYTES_PER_ELEMENT;
  const groups = Math.ceil(fewTasks / out.rows);
  const columns = Math.ceil(a.cols / groups / columnStep) * columnStep;
  const [from, to] = [a, out].map((matrix) => machine.storage.pointerOf(matrix.data)!);
  const weightsPointer = stageVector(machine, weights, slots.input);
  const parallel = a.rows * a.cols > worthSharing;
  machine.team.run('segmentSums', out.rows * Math.ceil(a.cols / columns), parallel, [
    ...[bytes, columns, a.cols, from, a.stride * bytes, weightsPointer, stageStarts(machine, starts), beta],
    ...[to, out.stride * bytes],
  ]);
}

/** One segment, of operands that live anywhere. */
function sumOutside(machine: Machine, out: RealArray, a: Matrix, weights: RealArray, beta: number): void {
  const bytes = a.data.BYTES_PER_ELEMENT as ElementBytes;
  const kernels = kernelsFor(machine, bytes);
  for (let column = 0; column < a.cols; column += widest) {
    const end = Math.min(column + widest, a.cols);
    const target = out.subarray(column, end);
    const pointer = stageVector(machine, target, slots.output, beta !== 0);
    kernels.addScaled(1, end - column, 0, pointer, 0, beta, pointer, 0);
    forEachPiece(machine, [a.view(0, a.rows, column, end)], (row, rows, [piece]) => {
      const weightsPointer = stageVector(machine, weights.subarray(row, row + rows), slots.input);
      kernels.addRows(rows, end - column, piece.pointer, piece.stride * bytes, weightsPointer, pointer);
    });
    fetchVector(machine, target, pointer);
  }
}

function stageStarts({ storage, regions }: Machine, starts: Int32Array): number {
  const pointer = regions.staging + slots.first;
  new Int32Array(storage.buffer, pointer, starts.length).set(starts);
  return pointer;
}
