/**
 * The native backend: row-major matrices handed to a column-major BLAS/LAPACK without copying. A row-major matrix is
 * the transpose of a column-major one, so C = A B is computed as C' = B' A', and lower triangles become upper ones.
 */
import { ArgumentError, BackendError, MemoryError, NotPositiveDefiniteError } from '../../errors.js';
import type { Backend, Begun, GemmOptions, GemvOptions, SyrkOptions } from '../backend.js';
import { HostPasses } from '../host-passes.js';
import type { ArrayOf, Dtype } from '../matrix.js';
import { elementsOf, Matrix, type RealArray, type Vector } from '../matrix.js';
import type { RowBlocks } from '../row-blocks.js';
import { NearestSearch } from '../rows/nearest.js';
import {
  checkAxpby,
  checkCholesky,
  checkCholeskySolve,
  checkCopy,
  checkEigh,
  checkFinite,
  checkGemm,
  checkGemv,
  checkNearest,
  checkRowDots,
  checkSameShape,
  checkScaleRows,
  checkSegments,
  checkSyrk,
} from '../shapes.js';
import { addCalls, type Call, copyCalls, gemmCalls, gemvCalls, syrkCalls, triangularCalls } from './calls.js';
import { addScaled, dotProduct, mirrorLowerTriangle, scale } from './elementwise.js';
import { IdleArrays } from './idle-arrays.js';
import type { Library } from './library.js';
import type { Pool } from './pool.js';
import { type BoundRoutines, lazyRoutines } from './records.js';
import type { Routines } from './routines.js';

/** Up to this order one thread factorizes faster than several: the panels are too small to share out. */
const singleThreadedOrder = 800;
/** Elements from which on several threads copy and add. */
const worthSharing = 2 ** 18;
/** Columns of a panel of the blocked Cholesky factorization. */
const panel = 256;

export class NativeBackend extends HostPasses implements Backend {
  readonly device = 'native';
  readonly description: string;
  readonly threads: number;
  readonly #library: Library;
  readonly #pool: Pool | undefined;
  readonly #routinesOf: BoundRoutines;
  readonly #largest: number;
  readonly #idle = new IdleArrays();
  #disposed = false;

  /** `pool` has one thread fewer than the backend: the calling thread works too. */
  constructor(library: Library, threads: number, pool: Pool | undefined) {
    super(pool?.workbench);
    this.#library = library;
    this.#pool = pool;
    this.#routinesOf = lazyRoutines(library);
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
      const data = this.#idle.take(rows * cols, dtype, () => {
        const fresh = Matrix.zeros(rows, cols, dtype).data;
        this.#library.adviseLargePages(fresh);
        return fresh;
      });
      return new Matrix(data as RealArray as ArrayOf<D>, rows, cols);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const bytes = rows * cols * (dtype === 'float64' ? 8 : 4);
      throw new MemoryError(bytes, `a ${rows}×${cols} ${dtype} matrix`, 'Use fewer rows at a time, or float32.');
    }
  }

  release({ data }: Matrix): void {
    this.#idle.give(data);
  }

  gemm(c: Matrix, a: Matrix, b: Matrix, options: GemmOptions = {}): void {
    const { m, n, k, alpha, beta } = checkGemm(c, a, b, options);
    if (m === 0 || n === 0) return;
    const routines = this.#routines('gemm', c.data, m, n, k, a.stride, b.stride, c.stride);
    const { transposeA = false, transposeB = false } = options;
    if (k === 0) scale(routines, c, beta);
    else this.#run(routines, c, gemmCalls(c, a, b, transposeA, transposeB, k, alpha, beta));
  }

  syrk(c: Matrix, a: Matrix, options: SyrkOptions = {}): void {
    const { n, k, alpha, beta } = checkSyrk(c, a, options);
    if (n === 0) return;
    const routines = this.#routines('syrk', c.data, n, k, a.stride, c.stride);
    if (k === 0) scale(routines, c, beta);
    else {
      this.#run(routines, c, syrkCalls(c, a, options.transpose ?? false, k, alpha, beta));
      mirrorLowerTriangle(c);
    }
  }

  gemv(result: Vector, a: Matrix, vector: Vector, options: GemvOptions = {}): void {
    const { outputs, inputs, alpha, beta } = checkGemv(result, a, vector, options);
    if (outputs === 0) return;
    const [y, x] = [elementsOf(result), elementsOf(vector)];
    const routines = this.#routines('gemv', y, a.rows, a.cols, a.stride);
    // Some versions multiply the old content by a beta of zero, which keeps a NaN.
    if (beta === 0) y.fill(0);
    if (inputs === 0) scale(routines, new Matrix(y, 1, outputs), beta);
    else this.#run(routines, a, gemvCalls(y, a, x, options.transpose ?? false, alpha, beta));
  }

  axpby(y: Matrix, alpha: number, x: Matrix, beta: number): void {
    checkAxpby(y, x);
    const routines = this.#routines('axpby', y.data);
    const dense = y.contiguous && x.contiguous && y.storage !== x.storage;
    if (!this.#pool || y.rows * y.cols < worthSharing || !dense || alpha === 0 || beta === 0)
      addScaled(routines, y, alpha, x, beta);
    else for (const calls of addCalls(y, alpha, x, beta)) this.#run(routines, y, calls);
  }

  scaleRows(a: Matrix, factors: Vector): void {
    checkScaleRows(a, factors);
    this.#routines('scaleRows', a.data);
    this.rows.scaleRows(a, elementsOf(factors));
  }

  rowDots(out: Vector, a: Matrix, b: Matrix): void {
    checkRowDots(out, a, b);
    this.#routines('rowDots', a.data);
    this.rows.rowDots(elementsOf(out), a, b);
  }

  /** The sums of all segments at once, so that threads can share them out. */
  override segmentSums(out: Matrix, a: Matrix, weights: Vector, starts: Int32Array, beta = 0): void {
    checkSegments('segmentSums', a, out, starts, weights);
    const values = elementsOf(weights);
    const factors = a.dtype === 'float32' ? new Float32Array(values) : values;
    const routines = this.#routines('segmentSums', a.data, a.rows, a.cols, a.stride);
    const calls: Call[] = [];
    for (let c = 0; c < out.rows; c++) {
      const [from, to] = [starts[c], starts[c + 1]];
      const row = out.row(c);
      if (beta === 0) row.fill(0);
      if (from === to) scale(routines, out.view(c, c + 1), beta);
      else calls.push(...gemvCalls(row, a.view(from, to), factors.subarray(from, to), true, 1, beta));
    }
    this.#run(routines, a, calls);
  }

  /** The products of all segments at once, for the same reason. */
  override segmentDots(out: Vector, a: Matrix, directions: Matrix, starts: Int32Array): void {
    checkSegments('segmentDots', a, directions, starts, out);
    const values = elementsOf(out).fill(0);
    const products = a.dtype === 'float32' ? new Float32Array(a.rows) : values;
    const calls = Array.from({ length: directions.rows }, (_, c) => {
      const [from, to] = [starts[c], starts[c + 1]];
      return from < to ? gemvCalls(products.subarray(from, to), a.view(from, to), directions.row(c), false, 1, 0) : [];
    });
    this.#run(this.#routines('segmentDots', a.data, a.rows, a.cols, a.stride), a, calls.flat());
    if (products !== values) values.set(products);
  }

  override copy(target: Matrix, source: Matrix): void {
    checkCopy(target, source);
    const large = target.rows * target.cols >= worthSharing;
    const apart = target.dtype === source.dtype && target.storage !== source.storage;
    if (!this.#pool || !large || !apart) target.copyFrom(source);
    else this.#run(this.#routines('copy', target.data), target, copyCalls(target, source));
  }

  override dot(a: Matrix, b: Matrix): number {
    if (a.dtype === 'float32') return super.dot(a, b);
    checkSameShape('dot', a, b);
    return dotProduct(this.#routines('dot', a.data, a.cols), a, b);
  }

  cholesky(a: Matrix): void {
    const n = checkCholesky(a);
    const routines = this.#routines('cholesky', a.data, n, a.stride);
    const width = n <= singleThreadedOrder ? n : panel;
    for (let start = 0; start < n; start += width) {
      const end = Math.min(start + width, n);
      const corner = a.view(start, end, start, end);
      const failed = routines.potrf(end - start, corner.data, a.stride);
      if (failed > 0) throw new NotPositiveDefiniteError(start + failed - 1);
      // Some versions let a pivot that is not a number pass.
      for (let i = start; i < end; i++) if (!(a.at(i, i) > 0)) throw new NotPositiveDefiniteError(i);
      if (end === n) return;
      const below = a.view(end, n, start, end);
      this.#run(routines, a, triangularCalls(corner, below, 'rows', false));
      this.#run(routines, a, syrkCalls(a.view(end, n, end, n), below, false, end - start, -1, 1));
    }
  }

  choleskySolve(l: Matrix, b: Matrix, layout: 'rows' | 'columns', way: 'whole' | 'half' = 'whole'): void {
    const { n, count } = checkCholeskySolve(l, b, layout);
    if (n === 0 || count === 0) return;
    const routines = this.#routines('choleskySolve', l.data, n, count, l.stride, b.stride);
    this.#run(routines, b, triangularCalls(l, b, layout, false));
    if (way === 'whole') this.#run(routines, b, triangularCalls(l, b, layout, true));
  }

  eigh(values: RealArray, a: Matrix): void {
    const n = checkEigh(values, a);
    checkFinite('eigh', a);
    if (n === 0) return;
    const workspace = 1 + 6 * n + 2 * n * n;
    const routines = this.#routines('eigh', a.data, n, a.stride, workspace);
    const failed = routines.syevd(n, a.data, a.stride, values);
    if (failed !== 0)
      throw new BackendError(`eigh: the eigendecomposition of order ${n} did not converge (syevd returned ${failed})`);
  }

  beginNearest(
    nearest: Int32Array,
    cosines: Float64Array,
    a: RowBlocks,
    squaredLengths: Float64Array,
  ): Begun | undefined {
    const count = checkNearest(nearest, cosines, a, squaredLengths);
    // Whoever comes last shares out few calls quickly; and what is read from a file is read by the calling thread.
    if (!this.#pool || count === 0 || !(a instanceof Matrix)) return undefined;
    this.#routines('beginNearest', a.data, a.rows, a.cols, a.stride);
    this.#pool.workbench.clear();
    return this.#pool.beginNearest(new NearestSearch(this.#pool.workbench, nearest, cosines, a, squaredLengths));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.dispose();
  }

  dispose(): void {
    this.#disposed = true;
    this.#pool?.end();
  }

  /** The routines for this data, after a look at the sizes they are to be called with. */
  #routines(operation: string, data: RealArray, ...sizes: number[]): Routines {
    if (this.#disposed) throw new BackendError(`${operation}: this backend has been disposed of`);
    for (const size of sizes)
      if (size > this.#largest)
        throw new ArgumentError(
          `${operation}: a size of ${size} is beyond the ${this.#library.integerBits}-bit integers of ${this.#library.path}`,
          'Work on fewer rows or columns at a time, or give a library with 64-bit integers in BOWERBIRD_BLAS.',
        );
    return this.#routinesOf(dtypeOf(data));
  }

  /** Makes calls that are independent of one another, on all threads if there are several. */
  #run(routines: Routines, matrix: Matrix, calls: Call[]): void {
    if (this.#pool && calls.length > 1) this.#pool.run(matrix.dtype, calls);
    else for (const { routine, values } of calls) (routines[routine] as (...values: unknown[]) => void)(...values);
  }
}

function dtypeOf(data: RealArray): Dtype {
  return data instanceof Float64Array ? 'float64' : 'float32';
}
