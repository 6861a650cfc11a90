/**
 * Large operations cut into calls that do not depend on one another. Where the cuts lie depends on the shapes alone, and
 * every call runs on one thread, so the answer has the same bits whatever the number of threads.
 */
import type { Matrix, RealArray } from '../matrix.js';
import type { Flag, Pointer } from './routines.js';

/** Routines that can be handed to another thread. */
export const sharedRoutines = ['gemm', 'syrk', 'gemv', 'trsm', 'lacpy', 'axpy', 'scal'] as const;

/** A routine of `Routines` and its arguments in order. */
export interface Call {
  routine: (typeof sharedRoutines)[number];
  values: (number | RealArray)[];
}

/** Less work than this (in floating-point operations) is not worth waking another thread. */
const smallestWork = 1.5e7;
/** A matrix-vector product of this many elements or fewer comes from the cache in one go. */
const smallestMatrix = 2 ** 18;

/** Rows of a product are cut into at most `mostPieces`; where that gives fewer than enough, its columns are cut too. */
const mostPieces = 64;
const enoughPieces = 32;

/** [0, size) in equal pieces: a power of two of them, each with at least `smallest` elements. */
function pieces(size: number, smallest: number, most = mostPieces): [number, number][] {
  let count = 1;
  while (count < most && size >= 2 * count * smallest) count *= 2;
  return Array.from({ length: count }, (_, i) => [
    Math.floor((i * size) / count),
    Math.floor(((i + 1) * size) / count),
  ]);
}

/** C ← α op(A) op(B) + β C by rows of C, or by columns where there are few rows. */
export function gemmCalls(
  c: Matrix,
  a: Matrix,
  b: Matrix,
  transposeA: boolean,
  transposeB: boolean,
  k: number,
  alpha: number,
  beta: number,
): Call[] {
  const { rows: m, cols: n } = c;
  const large = 2 * m * n * k >= smallestWork;
  const rowPieces = large ? pieces(m, 192) : whole(m);
  const colPieces =
    large && rowPieces.length < enoughPieces ? pieces(n, 192, enoughPieces / rowPieces.length) : whole(n);
  const [flagA, flagB] = [flag(transposeA), flag(transposeB)];
  return rowPieces.flatMap(([top, bottom]) =>
    colPieces.map(([left, right]) => {
      const aPart = from(a, transposeA ? 0 : top, transposeA ? top : 0);
      const bPart = from(b, transposeB ? left : 0, transposeB ? 0 : left);
      const cPart = from(c, top, left);
      const sizes = [right - left, bottom - top, k, alpha];
      return call('gemm', flagB, flagA, ...sizes, bPart, b.stride, aPart, a.stride, beta, cPart, c.stride);
    }),
  );
}

/** The lower triangle of C ← α op(A) op(A)' + β C: for each block of rows a square on the diagonal and what is left of it. */
export function syrkCalls(c: Matrix, a: Matrix, transposed: boolean, k: number, alpha: number, beta: number): Call[] {
  const n = c.rows;
  const blocks = n * n * k >= smallestWork ? pieces(n, 256) : whole(n);
  const [plain, opposite] = [flag(transposed), flag(!transposed)];
  const part = (row: number) => from(a, transposed ? 0 : row, transposed ? row : 0);
  return blocks.flatMap(([top, bottom]) => {
    const rows = bottom - top;
    const square = call('syrk', opposite, rows, k, alpha, part(top), a.stride, beta, from(c, top, top), c.stride);
    if (top === 0) return [square];
    const sizes = [top, rows, k, alpha];
    const left = from(c, top, 0);
    return [
      square,
      call('gemm', opposite, plain, ...sizes, part(0), a.stride, part(top), a.stride, beta, left, c.stride),
    ];
  });
}

/** y ← α op(A) x + β y by elements of y. */
export function gemvCalls(
  y: RealArray,
  a: Matrix,
  x: RealArray,
  transposed: boolean,
  alpha: number,
  beta: number,
): Call[] {
  const large = a.rows * a.cols > smallestMatrix;
  if (transposed)
    return (large ? pieces(a.cols, 256) : whole(a.cols)).map(([left, right]) =>
      call('gemv', 0, right - left, a.rows, alpha, from(a, 0, left), a.stride, x, beta, y.subarray(left, right)),
    );
  return (large ? pieces(a.rows, 64) : whole(a.rows)).map(([top, bottom]) =>
    call('gemv', 1, a.cols, bottom - top, alpha, from(a, top, 0), a.stride, x, beta, y.subarray(top, bottom)),
  );
}

/**
 * One triangular solve with L (n×n, lower): rows b of B become L⁻¹ b, or (L')⁻¹ b when `transposed`; for columns the
 * same for the columns of B. Right sides are independent of one another.
 */
export function triangularCalls(l: Matrix, b: Matrix, layout: 'rows' | 'columns', transposed: boolean): Call[] {
  const n = l.rows;
  const count = layout === 'rows' ? b.rows : b.cols;
  const parts = n * n * count >= smallestWork ? pieces(count, 64) : whole(count);
  // Column-major, L is U' and the rows of B are columns.
  return parts.map(([first, end]) =>
    layout === 'rows'
      ? call('trsm', 0, flag(!transposed), n, end - first, l.data, l.stride, from(b, first, 0), b.stride)
      : call('trsm', 1, flag(transposed), end - first, n, l.data, l.stride, from(b, 0, first), b.stride),
  );
}

function call(routine: Call['routine'], ...values: Call['values']): Call {
  return { routine, values };
}

function whole(size: number): [number, number][] {
  return [[0, size]];
}

function flag(value: boolean): Flag {
  return value ? 1 : 0;
}

/** The storage from element (row, col) on. */
function from(matrix: Matrix, row: number, col: number): Pointer {
  const start = row * matrix.stride + col;
  return start === 0 ? matrix.data : matrix.data.subarray(start);
}

/** Copies all rows of a matrix to an address, one after the other. */
export function bringCalls(matrix: Matrix, address: number): Call[] {
  const { rows, cols, stride, data } = matrix;
  return pieces(rows, 1).map(([top, bottom]) => {
    const there = address + top * cols * data.BYTES_PER_ELEMENT;
    return call('lacpy', cols, bottom - top, from(matrix, top, 0), stride, there, cols);
  });
}

/** Elements of a sum in multiples of which it is cut, so that no piece but the last ends in the middle of a vector. */
const wholeVectors = 2048;

/** y ← α x + β y of matrices without gaps, neither factor 0: what is to be done first, and then. */
export function addCalls({ data: y, rows, cols }: Matrix, alpha: number, { data: x }: Matrix, beta: number): Call[][] {
  const parts = pieces(Math.ceil((rows * cols) / wholeVectors), 1).map(
    ([first, end]) => [first * wholeVectors, Math.min(rows * cols, end * wholeVectors)] as const,
  );
  const scaled = parts.map(([from, to]) => call('scal', to - from, beta, y.subarray(from, to)));
  const added = parts.map(([from, to]) => call('axpy', to - from, alpha, x.subarray(from, to), y.subarray(from, to)));
  return beta === 1 ? [added] : [scaled, added];
}

/** Target ← source, of one shape and precision. */
export function copyCalls(target: Matrix, source: Matrix): Call[] {
  return pieces(target.rows, 1).map(([top, bottom]) => {
    const [to, back] = [from(target, top, 0), from(source, top, 0)];
    return call('lacpy', target.cols, bottom - top, back, source.stride, to, target.stride);
  });
}
