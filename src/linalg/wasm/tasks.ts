/**
 * The pieces of work that the threads share. An operation is a list of tasks over fixed blocks; a task reads its
 * parameters from the shared memory and writes its own part of the output, so that the result does not depend on which
 * thread did what.
 */
import type { KernelSet, Kernels } from './kernels.js';
import { blockDepth, blockRows, parameterCount, parametersPointer, roundUp, tileOffset } from './layout.js';

export type Operation = keyof typeof tasks | (typeof rowTasks)[number];

/** Task i makes call i of those written down for the kernels over rows, or the one for piece i of a matrix. */
const rowTasks = ['rowCalls', 'rowPieces'] as const;

/** Parameters are numbers in the order in which the task takes them. */
type Task = (kernels: Kernels, index: number, workspace: number, parameters: Float64Array) => void;

/** A diagonal beyond every column: the whole block is wanted. */
export const noDiagonal = 2 ** 29;
/** Columns of B packed by one task: a multiple of every tile width. */
export const packColumns = 192;
/** Rows mirrored by one task. */
export const mirrorRows = 128;

const packB: Task = (kernels, index, _workspace, [, source, stride, transposed, n, k, target]) => {
  const groups = Math.ceil(n / packColumns);
  const column = (index % groups) * packColumns;
  const start = Math.floor(index / groups) * blockDepth;
  const depth = Math.min(blockDepth, k - start);
  const padded = roundUp(n, kernels.tileColumns);
  const to = target + (start * padded + column * depth) * kernels.bytes;
  const count = Math.min(packColumns, n - column);
  if (transposed) kernels.packB.along(count, depth, source + column * stride + start * kernels.bytes, stride, to);
  else kernels.packB.across(count, depth, source + start * stride + column * kernels.bytes, stride, to);
};

const product: Task = (kernels, index, workspace, parameters) => {
  const [, a, lda, transposed, m, n, k, packed, c, ldc, alpha, beta, diagonal, columns] = parameters;
  const { bytes } = kernels;
  const height = heightOf(kernels);
  const groups = Math.ceil(n / columns);
  // Of a triangle the last rows are the longest: they go first, so that the threads end together.
  const last = Math.ceil(m / height) - 1;
  const row = (last - Math.floor(index / groups)) * height;
  const column = (index % groups) * columns;
  const rows = Math.min(height, m - row);
  const diagonalHere = diagonal + row - column;
  const width = Math.min(columns, n - column, rows + diagonalHere);
  if (width <= 0) return;
  const padded = roundUp(n, kernels.tileColumns);
  const target = c + row * ldc + column * bytes;
  for (let start = 0; start < k; start += blockDepth) {
    const depth = Math.min(blockDepth, k - start);
    if (transposed) kernels.packA.across(rows, depth, a + start * lda + row * bytes, lda, workspace);
    else kernels.packA.along(rows, depth, a + row * lda + start * bytes, lda, workspace);
    const panel = packed + (start * padded + column * depth) * bytes;
    const betaHere = start === 0 ? beta : 1;
    const tile = workspace + tileOffset;
    kernels.block(rows, width, depth, workspace, panel, target, ldc, alpha, betaHere, diagonalHere, tile);
  }
};

/** Rows of A in one task: as many whole tiles as fit the workspace. */
export function heightOf(kernels: Kernels): number {
  return Math.floor(blockRows / kernels.tileRows) * kernels.tileRows;
}

const mirror: Task = (kernels, index, _workspace, [, n, c, ldc]) => {
  const begin = index * mirrorRows;
  kernels.mirror(begin, Math.min(begin + mirrorRows, n), c, ldc);
};

const rowDots: Task = (kernels, index, _workspace, [, rows, m, n, a, lda, b, ldb, out]) => {
  const row = index * rows;
  const count = Math.min(rows, m - row);
  kernels.rowDots(count, n, a + row * lda, lda, b + row * ldb, ldb, out + row * kernels.bytes);
};

const timesVector: Task = (kernels, index, workspace, [, rows, m, n, alpha, a, lda, x, beta, y]) => {
  const row = index * rows;
  const target = y + row * kernels.bytes;
  kernels.timesVector(Math.min(rows, m - row), n, alpha, a + row * lda, lda, x, beta, target, workspace);
};

/** Task i sums its rows into partial sum i, which it clears first. */
const addRows: Task = (kernels, index, _workspace, [, rows, m, n, a, lda, x, partial]) => {
  const row = index * rows;
  const sums = partial + index * n * kernels.bytes;
  kernels.addScaled(1, n, 0, sums, 0, 0, sums, 0);
  kernels.addRows(Math.min(rows, m - row), n, a + row * lda, lda, x + row * kernels.bytes, sums);
};

const addScaled: Task = (kernels, index, _workspace, [, rows, m, n, alpha, x, ldx, beta, y, ldy]) => {
  const row = index * rows;
  kernels.addScaled(Math.min(rows, m - row), n, alpha, x + row * ldx, ldx, beta, y + row * ldy, ldy);
};

const scaleRows: Task = (kernels, index, _workspace, [, rows, m, n, a, lda, factors]) => {
  const row = index * rows;
  kernels.scaleRows(Math.min(rows, m - row), n, a + row * lda, lda, factors + row * kernels.bytes);
};

const rowDotsWide: Task = (kernels, index, _workspace, [, rows, m, n, a, lda, b, ldb, out]) => {
  const row = index * rows;
  kernels.rowDotsWide(Math.min(rows, m - row), n, a + row * lda, lda, b + row * ldb, ldb, out + row * 8);
};

const largest: Task = (kernels, index, _workspace, [, rows, m, n, a, lda, out]) => {
  const row = index * rows;
  kernels.largest(Math.min(rows, m - row), n, a + row * lda, lda, out + index * 8);
};

const segmentDots: Task = (kernels, index, _workspace, [, rows, m, n, a, lda, b, ldb, starts, out]) => {
  const row = index * rows;
  kernels.segmentDots(row, Math.min(row + rows, m), n, a, lda, b, ldb, starts, out);
};

/** A task is one segment and one range of columns. */
const segmentSums: Task = (kernels, index, _workspace, parameters) => {
  const [, columns, n, a, lda, weights, starts, beta, out, ldo] = parameters;
  const groups = Math.ceil(n / columns);
  const segment = Math.floor(index / groups);
  const column = (index % groups) * columns;
  const shift = column * kernels.bytes;
  const width = Math.min(columns, n - column);
  kernels.segmentSum(segment, width, a + shift, lda, weights, starts, beta, out + segment * ldo + shift);
};

const tasks = {
  packB,
  product,
  mirror,
  rowDots,
  timesVector,
  addRows,
  addScaled,
  scaleRows,
  rowDotsWide,
  largest,
  segmentDots,
  segmentSums,
} satisfies Record<string, Task>;
/** Operations travel between threads as an index into this list; the first parameter is the element size. */
export const operations = [...Object.keys(tasks), ...rowTasks] as Operation[];

export function runTask(
  kernels: KernelSet,
  operation: Operation,
  index: number,
  workspace: number,
  parameters: Float64Array,
): void {
  if (operation === 'rowCalls') kernels.rows!.make(index);
  else if (operation === 'rowPieces') kernels.rows!.makePiece(index, index);
  else tasks[operation](parameters[0] === 8 ? kernels.float64 : kernels.float32, index, workspace, parameters);
}

export function parametersOf(memory: WebAssembly.Memory): Float64Array {
  return new Float64Array(memory.buffer, parametersPointer, parameterCount);
}
