/**
 * The Fortran routines used, bound for one precision. Everything here is column-major, as Fortran sees it; triangles
 * are the upper ones, which are the lower ones of a row-major matrix.
 */
import type { Dtype, RealArray } from '../matrix.js';
import type { Foreign, Library } from './library.js';

export interface Routines {
  /** C (m×n) ← α op(A) (m×k) op(B) (k×n) + β C */
  gemm(
    transposeA: boolean,
    transposeB: boolean,
    sizes: { m: number; n: number; k: number; alpha: number; beta: number },
    a: RealArray,
    lda: number,
    b: RealArray,
    ldb: number,
    c: RealArray,
    ldc: number,
  ): void;
  /** Upper triangle of C (n×n) ← α A A' + β C, or α A'A + β C when `transpose` */
  syrk(
    transpose: boolean,
    sizes: { n: number; k: number; alpha: number; beta: number },
    a: RealArray,
    lda: number,
    c: RealArray,
    ldc: number,
  ): void;
  /** y ← α op(A) x + β y for A m×n */
  gemv(
    transpose: boolean,
    sizes: { m: number; n: number; alpha: number; beta: number },
    a: RealArray,
    lda: number,
    x: RealArray,
    y: RealArray,
  ): void;
  /** A = U'U; returns 0, or the 1-based pivot that failed */
  potrf(n: number, a: RealArray, lda: number): number;
  /** Columns of B (n×count) ← (U'U)⁻¹ B */
  potrs(n: number, count: number, u: RealArray, ldu: number, b: RealArray, ldb: number): void;
  /** B (m×n) ← B U⁻¹, or B (U')⁻¹ when `transpose` */
  trsmRight(transpose: boolean, m: number, n: number, u: RealArray, ldu: number, b: RealArray, ldb: number): void;
  /** Eigenvalues ascending into w, eigenvectors into the columns of A; returns 0 when it converged */
  syevd(n: number, a: RealArray, lda: number, w: RealArray): number;
}

const [letterN, letterT, letterU, letterV, letterR] = [...'NTUVR'].map((c) => new Uint8Array([c.charCodeAt(0)]));

export function bindRoutines(library: Library, dtype: Dtype): Routines {
  const kind = dtype === 'float64' ? 'd' : 's';
  const RealType = dtype === 'float64' ? Float64Array : Float32Array;
  const routine = (name: string, pointers: number, characters: number) =>
    library.routine(`${kind}${name}`, pointers, characters);
  const gemm = routine('gemm', 13, 2);
  const syrk = routine('syrk', 10, 2);
  const gemv = routine('gemv', 11, 1);
  const trsm = routine('trsm', 11, 4);
  const potrf = routine('potrf', 5, 1);
  const potrs = routine('potrs', 8, 1);
  const syevd = routine('syevd', 11, 2);

  // Scalars go by reference through these; calls are synchronous, so one set serves them all.
  const [s0, s1, s2, s3, s4, s5, info] = Array.from({ length: 7 }, () => new Int32Array(2));
  const alphaCell = new RealType(1);
  const betaCell = new RealType(1);
  const one = integer(new Int32Array(2), 1);
  const unit = RealType.of(1);

  return {
    gemm(transposeA, transposeB, { m, n, k, alpha, beta }, a, lda, b, ldb, c, ldc) {
      alphaCell[0] = alpha;
      betaCell[0] = beta;
      gemm(
        transposeA ? letterT : letterN,
        transposeB ? letterT : letterN,
        integer(s0, m),
        integer(s1, n),
        integer(s2, k),
        alphaCell,
        a,
        integer(s3, lda),
        b,
        integer(s4, ldb),
        betaCell,
        c,
        integer(s5, ldc),
        1,
        1,
      );
    },
    syrk(transpose, { n, k, alpha, beta }, a, lda, c, ldc) {
      alphaCell[0] = alpha;
      betaCell[0] = beta;
      const letter = transpose ? letterT : letterN;
      const [order, depth, strideA, strideC] = [integer(s0, n), integer(s1, k), integer(s2, lda), integer(s3, ldc)];
      syrk(letterU, letter, order, depth, alphaCell, a, strideA, betaCell, c, strideC, 1, 1);
    },
    gemv(transpose, { m, n, alpha, beta }, a, lda, x, y) {
      alphaCell[0] = alpha;
      betaCell[0] = beta;
      const letter = transpose ? letterT : letterN;
      gemv(letter, integer(s0, m), integer(s1, n), alphaCell, a, integer(s2, lda), x, one, betaCell, y, one, 1);
    },
    potrf(n, a, lda) {
      potrf(letterU, integer(s0, n), a, integer(s1, lda), integer(info, 0), 1);
      return info[0];
    },
    potrs(n, count, u, ldu, b, ldb) {
      const [order, columns, strideU, strideB] = [
        integer(s0, n),
        integer(s1, count),
        integer(s2, ldu),
        integer(s3, ldb),
      ];
      potrs(letterU, order, columns, u, strideU, b, strideB, integer(info, 0), 1);
    },
    trsmRight(transpose, m, n, u, ldu, b, ldb) {
      const letter = transpose ? letterT : letterN;
      const [rows, columns, strideU, strideB] = [integer(s0, m), integer(s1, n), integer(s2, ldu), integer(s3, ldb)];
      trsm(letterR, letterU, letter, letterN, rows, columns, unit, u, strideU, b, strideB, 1, 1, 1, 1);
    },
    syevd(n, a, lda, w) {
      return callSyevd(syevd, RealType, n, a, lda, w);
    },
  };
}

/** Asks the routine for its workspace first, then calls it. */
function callSyevd(
  syevd: Foreign,
  RealType: Float64ArrayConstructor | Float32ArrayConstructor,
  n: number,
  a: RealArray,
  lda: number,
  w: RealArray,
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
