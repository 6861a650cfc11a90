/**
 * The native backend: row-major matrices handed to a column-major BLAS/LAPACK without copying. A row-major matrix is
 * the transpose of a column-major one, so C = A B is computed as C' = B' A', and lower triangles become upper ones.
 */
import { ArgumentError, BackendError, MemoryError, NotPositiveDefiniteError } from '../../errors.js';
import type { Backend, GemmOptions, GemvOptions, SyrkOptions } from '../backend.js';
import type { ArrayOf, Dtype } from '../matrix.js';
import { Matrix, type RealArray } from '../matrix.js';
import {
  checkAxpby,
  checkCholesky,
  checkCholeskySolve,
  checkEigh,
  checkGemm,
  checkGemv,
  checkRowDots,
  checkScaleRows,
  checkSyrk,
} from '../shapes.js';
import { addScaled, mirrorLowerTriangle, rowDotProducts, scale, scaleEachRow } from './elementwise.js';
import type { Library } from './library.js';
import { bindRoutines, type Routines } from './routines.js';

/** Up to this order a factorisation is faster on one thread: the panels are too small to share out. */
const singleThreadedOrder = 800;

export class NativeBackend implements Backend {
  readonly device = 'native';
  readonly description: string;
  readonly threads: number;
  readonly #library: Library;
  readonly #largest: number;
  #routines: Partial<Record<Dtype, Routines>> = {};
  #disposed = false;

  constructor(library: Library, threads: number) {
    this.#library = library;
    this.threads = threads;
    this.#largest = library.integerBits === 32 ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER;
    this.description = [
      library.version,
      library.path,
      ...(library.lapackPath ? [`LAPACK ${library.lapackPath}`] : []),
      `${library.integerBits}-bit integers`,
      `${threads} ${threads === 1 ? 'thread' : 'threads'}`,
    ].join(', ');
  }

  matrix<D extends Dtype = 'float64'>(rows: number, cols: number, dtype: D = 'float64' as D): Matrix<ArrayOf<D>> {
    try {
      return Matrix.zeros(rows, cols, dtype);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const bytes = rows * cols * (dtype === 'float64' ? 8 : 4);
      throw new MemoryError(bytes, `a ${rows}×${cols} ${dtype} matrix`, 'Use fewer rows at a time, or float32.');
    }
  }

  release(): void {
    // The garbage collector owns this backend's storage.
  }

  gemm(c: Matrix, a: Matrix, b: Matrix, options: GemmOptions = {}): void {
    const { m, n, k, alpha, beta } = checkGemm(c, a, b, options);
    if (m === 0 || n === 0) return;
    if (k === 0) {
      scale(c, beta);
      return;
    }
    const routines = this.#prepare('gemm', a.data, this.threads, m, n, k, a.stride, b.stride, c.stride);
    const { transposeA = false, transposeB = false } = options;
    const sizes = { m: n, n: m, k, alpha, beta };
    routines.gemm(transposeB, transposeA, sizes, b.data, b.stride, a.data, a.stride, c.data, c.stride);
  }

  syrk(c: Matrix, a: Matrix, options: SyrkOptions = {}): void {
    const { n, k, alpha, beta } = checkSyrk(c, a, options);
    if (n === 0) return;
    if (k === 0) {
      scale(c, beta);
      return;
    }
    const routines = this.#prepare('syrk', a.data, this.threads, n, k, a.stride, c.stride);
    routines.syrk(!options.transpose, { n, k, alpha, beta }, a.data, a.stride, c.data, c.stride);
    mirrorLowerTriangle(c);
  }

  gemv(y: RealArray, a: Matrix, x: RealArray, options: GemvOptions = {}): void {
    const { outputs, inputs, alpha, beta } = checkGemv(y, a, x, options);
    if (outputs === 0) return;
    // Some versions multiply the old content by a beta of zero, which keeps a NaN.
    if (beta === 0) y.fill(0);
    if (inputs === 0) {
      scale(new Matrix(y, 1, outputs), beta);
      return;
    }
    const routines = this.#prepare('gemv', a.data, this.threads, a.rows, a.cols, a.stride);
    routines.gemv(!options.transpose, { m: a.cols, n: a.rows, alpha, beta }, a.data, a.stride, x, y);
  }

  axpby(y: Matrix, alpha: number, x: Matrix, beta: number): void {
    checkAxpby(y, x);
    addScaled(y, alpha, x, beta);
  }

  scaleRows(a: Matrix, factors: RealArray): void {
    checkScaleRows(a, factors);
    scaleEachRow(a, factors);
  }

  rowDots(out: RealArray, a: Matrix, b: Matrix): void {
    checkRowDots(out, a, b);
    rowDotProducts(out, a, b);
  }

  cholesky(a: Matrix): void {
    const n = checkCholesky(a);
    if (n === 0) return;
    const routines = this.#prepare('cholesky', a.data, this.#factorisationThreads(n), n, a.stride);
    const failed = routines.potrf(n, a.data, a.stride);
    if (failed > 0) throw new NotPositiveDefiniteError(failed - 1);
    // Some versions let a pivot that is not a number pass.
    for (let i = 0; i < n; i++) if (!(a.at(i, i) > 0)) throw new NotPositiveDefiniteError(i);
  }

  choleskySolve(l: Matrix, b: Matrix, layout: 'rows' | 'columns'): void {
    const { n, count } = checkCholeskySolve(l, b, layout);
    if (n === 0 || count === 0) return;
    const routines = this.#prepare('choleskySolve', l.data, this.threads, n, count, l.stride, b.stride);
    if (layout === 'rows') routines.potrs(n, count, l.data, l.stride, b.data, b.stride);
    else {
      // Column-major, B is B': X U'U = B' is solved from the right, first for X U'.
      routines.trsmRight(false, count, n, l.data, l.stride, b.data, b.stride);
      routines.trsmRight(true, count, n, l.data, l.stride, b.data, b.stride);
    }
  }

  eigh(values: RealArray, a: Matrix): void {
    const n = checkEigh(values, a);
    if (n === 0) return;
    const workspace = 1 + 6 * n + 2 * n * n;
    const routines = this.#prepare('eigh', a.data, this.#factorisationThreads(n), n, a.stride, workspace);
    const failed = routines.syevd(n, a.data, a.stride, values);
    if (failed !== 0)
      throw new BackendError(`eigh: the eigendecomposition of order ${n} did not converge (syevd returned ${failed})`);
  }

  dispose(): void {
    this.#disposed = true;
    this.#routines = {};
  }

  #factorisationThreads(order: number): number {
    return order <= singleThreadedOrder ? 1 : this.threads;
  }

  /**
   * The routines for this data, after a look at the sizes and with the threads set. The number of threads belongs to
   * the whole process: another backend or worker may have changed it since the last call.
   */
  #prepare(operation: string, data: RealArray, threads: number, ...sizes: number[]): Routines {
    if (this.#disposed) throw new BackendError(`${operation}: this backend has been disposed of`);
    for (const size of sizes)
      if (size > this.#largest)
        throw new ArgumentError(
          `${operation}: a size of ${size} is beyond the ${this.#library.integerBits}-bit integers of ${this.#library.path}`,
          'Work on fewer rows or columns at a time, or give a library with 64-bit integers in BOWERBIRD_BLAS.',
        );
    this.#library.setThreads(threads);
    const dtype = data instanceof Float64Array ? 'float64' : 'float32';
    this.#routines[dtype] ??= bindRoutines(this.#library, dtype);
    return this.#routines[dtype];
  }
}
