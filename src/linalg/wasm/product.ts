/**
 * C ← α op(A) op(B) + β C, by blocks: a block of op(B) is packed by all threads, then the threads take row blocks of
 * op(A), pack them and multiply. Operands that live in ordinary arrays are copied piece by piece into the shared memory
 * on the way, so their size is not limited by it. The blocks, and with them every rounding, depend on the shapes alone.
 * (Goto and van de Geijn, Anatomy of high-performance matrix multiplication, 2008.)
 */
import type { Matrix } from '../matrix.js';
import { blockDepth, panelColumns, panelDepth } from './layout.js';
import { type ElementBytes, kernelsFor, type Machine } from './machine.js';
import { fetchMatrix, stageMatrix } from './staging.js';
import { heightOf, mirrorRows, noDiagonal, packColumns } from './tasks.js';

export interface ProductOptions {
  readonly alpha: number;
  readonly beta: number;
  readonly transposeA: boolean;
  readonly transposeB: boolean;
  /** Only elements on and below the diagonal are written. */
  readonly lower: boolean;
}

/** Rows of A and C staged together: 16 MiB each at most. */
const stagedRows = 960;
/** Fewer multiplications than this are done before another thread is awake. */
const worthSharing = 300_000;
/** An operation is cut into about this many tasks where its rows alone give fewer. */
const fewTasks = 16;
const narrowestGroup = 96;
/** A multiple of every tile width. */
const groupStep = 48;

export function multiply(machine: Machine, c: Matrix, a: Matrix, b: Matrix, options: ProductOptions): void {
  const { alpha, beta, transposeA, transposeB, lower } = options;
  const bytes = c.data.BYTES_PER_ELEMENT as ElementBytes;
  const { rows: m, cols: n } = c;
  const k = transposeA ? a.rows : a.cols;
  const height = heightOf(kernelsFor(machine, bytes));
  const columns = groupColumns(Math.ceil(m / height), Math.min(n, panelColumns));
  const parallel = m * n * k > worthSharing;
  const { packed, staging } = machine.regions;
  const stagedC = staging + stagedRows * panelDepth * bytes;
  const inside = [a, c].every((matrix) => machine.storage.pointerOf(matrix.data) !== undefined);
  const rowsAtOnce = inside ? m : Math.floor(stagedRows / height) * height;

  for (let column = 0; column < n; column += panelColumns) {
    const width = Math.min(panelColumns, n - column);
    for (let start = 0; start < k; start += panelDepth) {
      const depth = Math.min(panelDepth, k - start);
      const bHere = stageMatrix(machine, part(b, transposeB, start, column, depth, width), staging);
      const packs = Math.ceil(depth / blockDepth) * Math.ceil(width / packColumns);
      machine.team.run('packB', packs, parallel, [
        ...[bytes, bHere.pointer, bHere.stride * bytes, Number(transposeB), width, depth, packed],
      ]);
      const betaHere = start === 0 ? beta : 1;
      for (let row = lower ? Math.floor(column / height) * height : 0; row < m; row += rowsAtOnce) {
        const rows = Math.min(rowsAtOnce, m - row);
        const aHere = stageMatrix(machine, part(a, transposeA, row, start, rows, depth), staging);
        const target = part(c, false, row, column, rows, width);
        const cHere = stageMatrix(machine, target, stagedC, betaHere !== 0 || lower);
        const tasks = Math.ceil(rows / height) * Math.ceil(width / columns);
        machine.team.run('product', tasks, parallel, [
          ...[bytes, aHere.pointer, aHere.stride * bytes, Number(transposeA), rows, width, depth, packed],
          ...[cHere.pointer, cHere.stride * bytes, alpha, betaHere, lower ? row - column : noDiagonal, columns],
        ]);
        fetchMatrix(machine, target, cHere.pointer);
      }
    }
  }
}

/** Copies the lower triangle of C onto the upper one. */
export function mirrorLower(machine: Machine, c: Matrix): void {
  const bytes = c.data.BYTES_PER_ELEMENT;
  const pointer = machine.storage.pointerOf(c.data);
  const parallel = c.rows * c.cols > worthSharing;
  const tasks = Math.ceil(c.rows / mirrorRows);
  if (pointer === undefined) mirrorOutside(c);
  else machine.team.run('mirror', tasks, parallel, [bytes, c.rows, pointer, c.stride * bytes]);
}

/** In squares, so that both sides stay in the cache. */
function mirrorOutside({ data, rows, stride }: Matrix): void {
  const square = 32;
  for (let top = 0; top < rows; top += square)
    for (let left = 0; left <= top; left += square)
      for (let i = top; i < Math.min(top + square, rows); i++)
        for (let j = left; j < Math.min(left + square, i); j++) data[j * stride + i] = data[i * stride + j];
}

/** Where few row blocks cannot occupy the threads, the columns are shared out too. */
function groupColumns(rowBlocks: number, n: number): number {
  const groups = Math.min(Math.ceil(fewTasks / rowBlocks), Math.ceil(n / narrowestGroup));
  return Math.ceil(n / groups / groupStep) * groupStep;
}

/** The part of the stored matrix that is rows × cols of op(matrix) at (row, column). */
function part(matrix: Matrix, transposed: boolean, row: number, column: number, rows: number, cols: number): Matrix {
  return transposed
    ? matrix.view(column, column + cols, row, row + rows)
    : matrix.view(row, row + rows, column, column + cols);
}
