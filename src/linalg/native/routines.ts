/**
 * The Fortran routines used, bound for one precision. Everything here is column-major, as Fortran sees it; triangles
 * are the upper ones, which are the lower ones of a row-major matrix. Arguments are flat, in Fortran's order, and
 * flags are 0 or 1, so that a call can be written down as numbers and made by another thread.
 */
import type { Dtype, RealArray } from '../matrix.js';
import type { Foreign, Library } from './library.js';

/** A typed array, or the address of its first element. */
export type Pointer = RealArray | number;
export type Flag = 0 | 1;

export interface Routines {
  /** C (m×n) ← α op(A) (m×k) op(B) (k×n) + β C */
  gemm(
    transposeA: Flag,
    transposeB: Flag,
    m: number,
    n: number,
    k: number,
    alpha: number,
    a: Pointer,
    lda: number,
    b: Pointer,
    ldb: number,
    beta: number,
    c: Pointer,
    ldc: number,
  ): void;
  /** Upper triangle of C (n×n) ← α A A' + β C, or α A'A + β C when `transpose` */
  syrk(
    transpose: Flag,
    n: number,
    k: number,
    alpha: number,
    a: Pointer,
    lda: number,
    beta: number,
    c: Pointer,
    ldc: number,
  ): void;
  /** y ← α op(A) x + β y for A m×n */
  gemv(
    transpose: Flag,
    m: number,
    n: number,
    alpha: number,
    a: Pointer,
    lda: number,
    x: Pointer,
    beta: number,
    y: Pointer,
  ): void;
  /** B (m×n) ← op(U)⁻¹ B, or B op(U)⁻¹ when `right` */
  trsm(right: Flag, transpose: Flag, m: number, n: number, u: Pointer, ldu: number, b: Pointer, ldb: number): void;
  /** A = U'U; returns 0, or the 1-based pivot that failed */
  potrf(n: number, a: Pointer, lda: number): number;
  /** Eigenvalues ascending into w, eigenvectors into the columns of A; returns 0 when it converged */
  syevd(n: number, a: Pointer, lda: number, w: Pointer): number;
  /** y ← α x + y */
  axpy(n: number, alpha: number, x: Pointer, y: Pointer): void;
  /** x ← α x */
  scal(n: number, alpha: number, x: Pointer): void;
  /** B ← A, both m×n */
  lacpy(m: number, n: number, a: Pointer, lda: number, b: Pointer, ldb: number): void;
  /** x · y */
  dot(n: number, x: Pointer, y: Pointer): number;
}

const [letterN, letterT, letterU, letterV, letterR, letterL] = [...'NTUVRL'].map(
  (letter) => new Uint8Array([letter.charCodeAt(0)]),
);
const operation = [letterN, letterT];

export function bindRoutines(library: Library, dtype: Dtype): Routines {
  const kind = dtype === 'float64' ? 'd' : 's';
  const RealType = dtype === 'float64' ? Float64Array : Float32Array;
  const bind = (name: string, pointers: number, characters: number, result?: string) =>
    library.routine(`${kind}${name}`, pointers, characters, result);
  const gemm = bind('gemm', 13, 2);
  const syrk = bind('syrk', 10, 2);
  const gemv = bind('gemv', 11, 1);
  const trsm = bind('trsm', 11, 4);
  const potrf = bind('potrf', 5, 1);
  const syevd = bind('syevd', 11, 2);
  const axpy = bind('axpy', 6, 0);
  const scal = bind('scal', 4, 0);
  const lacpy = bind('lacpy', 7, 1);
  const dot = bind('dot', 5, 0, dtype === 'float64' ? 'double' : 'float');

  // Scalars go by reference through these; calls are synchronous, so one set serves them all.
  const [s0, s1, s2, s3, s4, s5] = Array.from({ length: 6 }, () => new Int32Array(2));
  const one = integer(new Int32Array(2), 1);
  const [r0, r1] = [new RealType(1), new RealType(1)];
  const unit = RealType.of(1);

  return {
    gemm(transposeA, transposeB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) {
      const [ta, tb] = [operation[transposeA], operation[transposeB]];
      const [rows, columns, depth] = [integer(s0, m), integer(s1, n), integer(s2, k)];
      const [strideA, strideB, strideC] = [integer(s3, lda), integer(s4, ldb), integer(s5, ldc)];
      gemm(ta, tb, rows, columns, depth, real(r0, alpha), a, strideA, b, strideB, real(r1, beta), c, strideC, 1, 1);
    },
    syrk(transpose, n, k, alpha, a, lda, beta, c, ldc) {
      const [order, depth, strideA, strideC] = [integer(s0, n), integer(s1, k), integer(s2, lda), integer(s3, ldc)];
      const t = operation[transpose];
      syrk(letterU, t, order, depth, real(r0, alpha), a, strideA, real(r1, beta), c, strideC, 1, 1);
    },
    gemv(transpose, m, n, alpha, a, lda, x, beta, y) {
      const [rows, columns, strideA] = [integer(s0, m), integer(s1, n), integer(s2, lda)];
      gemv(operation[transpose], rows, columns, real(r0, alpha), a, strideA, x, one, real(r1, beta), y, one, 1);
    },
    trsm(right, transpose, m, n, u, ldu, b, ldb) {
      const [rows, columns, strideU, strideB] = [integer(s0, m), integer(s1, n), integer(s2, ldu), integer(s3, ldb)];
      const [side, t] = [right ? letterR : letterL, operation[transpose]];
      trsm(side, letterU, t, letterN, rows, columns, unit, u, strideU, b, strideB, 1, 1, 1, 1);
    },
    potrf(n, a, lda) {
      const info = integer(s2, 0);
      potrf(letterU, integer(s0, n), a, integer(s1, lda), info, 1);
      return info[0];
    },
    syevd(n, a, lda, w) {
      return callSyevd(syevd, RealType, n, a, lda, w);
    },
    axpy(n, alpha, x, y) {
      axpy(integer(s0, n), real(r0, alpha), x, one, y, one);
    },
    scal(n, alpha, x) {
      scal(integer(s0, n), real(r0, alpha), x, one);
    },
    lacpy(m, n, a, lda, b, ldb) {
      const [rows, columns, strideA, strideB] = [integer(s0, m), integer(s1, n), integer(s2, lda), integer(s3, ldb)];
      lacpy(letterN, rows, columns, a, strideA, b, strideB, 1);
    },
    dot(n, x, y) {
      return dot(integer(s0, n), x, one, y, one) as number;
    },
  };
}

/** Asks the routine for its workspace first, then calls it. */
function callSyevd(
  syevd: Foreign,
  RealType: Float64ArrayConstructor | Float32ArrayConstructor,
  n: number,
  a: Pointer,
  lda: number,
  w: Pointer,
): number {
  const [order, stride, size, integerSize, info] = Array.from({ length: 5 }, () => new Int32Array(2));
  integer(order, n);
  integer(stride, lda);
  const call = (work: RealArray, integers: Int32Array) =>
    syevd(letterV, letterU, order, a, stride, w, work, size, integers, integerSize, info, 1, 1);
  integer(size, -1);
  integer(integerSize, -1);
  const answer = new RealType(1);
  const integerAnswer = new Int32Array(2);
  call(answer, integerAnswer);
  // The answer is a real number: in single precision it may have been rounded down.
  const needed = Math.max(Math.ceil(answer[0]), 1 + 6 * n + 2 * n * n);
  const integersNeeded = Math.max(integerAnswer[0], 3 + 5 * n);
  integer(size, needed);
  integer(integerSize, integersNeeded);
  call(new RealType(needed), new Int32Array(2 * integersNeeded));
  return info[0];
}

/** Writes a whole number into a slot of eight bytes. */
function integer(slot: Int32Array, value: number): Int32Array {
  slot[0] = value;
  slot[1] = Math.floor(value / 2 ** 32);
  return slot;
}

function real(slot: RealArray, value: number): RealArray {
  slot[0] = value;
  return slot;
}
