/**
 * Bringing arrays that live outside the shared memory into its staging area, and results back. Arrays inside are used
 * where they are.
 */
import { Matrix, type RealArray } from '../matrix.js';
import type { Machine } from './machine.js';

export interface Located {
  readonly pointer: number;
  /** In elements. */
  readonly stride: number;
}

const mib = 2 ** 20;
/** Places in the staging area for passes over a matrix: two vectors, partial sums, and pieces of two matrices. */
export const slots = { input: 0, output: 8 * mib, sums: 16 * mib, first: 20 * mib, second: 24 * mib } as const;
/** Elements of a staged vector, rows of a piece: at most 8 MiB. */
export const tallest = 2 ** 20;
/** Columns of a piece: a row takes at most 2 MiB. */
export const widest = 2 ** 18;
/** Rows that the kernels take together where rows are long. */
export const rowGroup = 8;
/** Half of a second cache: a piece is still there when the kernel reads it. */
const pieceBytes = 2 ** 18;

/** The pointer of a vector, which is first copied to `slot` if it lives outside. */
export function stageVector({ storage, regions }: Machine, vector: RealArray, slot: number, read = true): number {
  const pointer = storage.pointerOf(vector);
  if (pointer !== undefined) return pointer;
  const target = regions.staging + slot;
  if (read) arrayAt(storage.buffer, vector, target, vector.length).set(vector);
  return target;
}

/** Copies a staged result to the outside vector it belongs to. */
export function fetchVector({ storage }: Machine, vector: RealArray, pointer: number): void {
  if (storage.pointerOf(vector) === undefined) vector.set(arrayAt(storage.buffer, vector, pointer, vector.length));
}

/** Where a matrix lies, after it was copied to the byte address `target` if it lives outside. */
export function stageMatrix({ storage }: Machine, matrix: Matrix, target: number, read = true): Located {
  const pointer = storage.pointerOf(matrix.data);
  if (pointer !== undefined) return { pointer, stride: matrix.stride };
  if (read) matrixAt(storage.buffer, matrix, target).copyFrom(matrix);
  return { pointer: target, stride: matrix.cols };
}

/** Copies a staged result to the outside matrix it belongs to. */
export function fetchMatrix({ storage }: Machine, matrix: Matrix, pointer: number): void {
  if (storage.pointerOf(matrix.data) === undefined) matrix.copyFrom(matrixAt(storage.buffer, matrix, pointer));
}

/** Visits row ranges of matrices with equally many rows: large ranges where all live inside, cached pieces otherwise. */
export function forEachPiece(
  machine: Machine,
  matrices: readonly Matrix[],
  visit: (row: number, rows: number, located: Located[]) => void,
): void {
  const { rows, cols, data } = matrices[0];
  const inside = matrices.every((matrix) => machine.storage.pointerOf(matrix.data) !== undefined);
  const fitting = Math.max(1, Math.floor(pieceBytes / (cols * data.BYTES_PER_ELEMENT)));
  const most = inside ? tallest : fitting - (fitting > rowGroup ? fitting % rowGroup : 0);
  const places = [slots.first, slots.second];
  for (let row = 0; row < rows; row += most) {
    const count = Math.min(most, rows - row);
    const located = matrices.map((matrix, index) =>
      stageMatrix(machine, matrix.view(row, row + count), machine.regions.staging + places[index]),
    );
    visit(row, count, located);
  }
}

function matrixAt(buffer: ArrayBuffer, like: Matrix, pointer: number): Matrix {
  return new Matrix(arrayAt(buffer, like.data, pointer, like.rows * like.cols), like.rows, like.cols);
}

function arrayAt(buffer: ArrayBuffer, like: RealArray, pointer: number, length: number): RealArray {
  return like instanceof Float64Array
    ? new Float64Array(buffer, pointer, length)
    : new Float32Array(buffer, pointer, length);
}
