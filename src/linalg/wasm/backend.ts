/** The WebAssembly backend: always there, float64 and float32, several threads over one shared memory. */
import { ArgumentError, BackendError, MemoryError, NotPositiveDefiniteError } from '../../errors.js';
import type { Backend, GemmOptions, GemvOptions, SyrkOptions } from '../backend.js';
import { HostPasses } from '../host-passes.js';
import { type ArrayOf, type Dtype, elementsOf, Matrix, type RealArray, type Vector } from '../matrix.js';
import type { RowWorkbench } from '../rows/workbench.js';
import {
  checkAxpby,
  checkCholesky,
  checkCholeskySolve,
  checkCopy,
  checkEigh,
  checkFinite,
  checkGemm,
  checkGemv,
  checkRowDots,
  checkSameShape,
  checkScaleRows,
  checkSegments,
  checkSyrk,
} from '../shapes.js';
import { Factorizations } from './factorizations.js';
import type { Machine } from './machine.js';
import { addScaled, rowDots, scaleRows, timesVector, timesVectorTransposed } from './passes.js';
import { mirrorLower, multiply } from './product.js';
import { largestMagnitude, sumOfProducts } from './reductions.js';
import { segmentDots, segmentSums, takesSegments } from './segments.js';

export class WasmBackend extends HostPasses implements Backend {
  readonly device = 'wasm';
  readonly description: string;
  readonly threads: number;
  #machine: Machine | undefined;
  #factorizations: Factorizations | undefined;

  constructor(machine: Machine, description: string, workbench?: RowWorkbench) {
    super(workbench);
    this.#machine = machine;
    this.#factorizations = new Factorizations(machine);
    this.description = description;
    this.threads = machine.team.size;
  }

  matrix<D extends Dtype = 'float64'>(rows: number, cols: number, dtype: D = 'float64' as D): Matrix<ArrayOf<D>> {
    const { storage } = this.#ready('matrix');
    if (!(Number.isSafeInteger(rows) && rows >= 0 && Number.isSafeInteger(cols) && cols >= 0))
      throw new ArgumentError(`matrix: impossible shape ${rows}×${cols}`);
    const Type = dtype === 'float64' ? Float64Array : Float32Array;
    const bytes = rows * cols * Type.BYTES_PER_ELEMENT;
    const pointer = storage.allocate(bytes, true);
    if (pointer === undefined)
      throw new MemoryError(
        bytes,
        `a ${rows}×${cols} ${dtype} matrix in the WebAssembly memory (${(storage.usedBytes / 2 ** 30).toFixed(2)} of 4 GiB in use)`,
        'Use an ordinary Matrix (Matrix.zeros): operations then bring it into the memory piece by piece. Or use the native backend.',
      );
    return new Matrix(new Type(storage.buffer, pointer, rows * cols) as RealArray as ArrayOf<D>, rows, cols);
  }

  release(matrix: Matrix): void {
    const { storage } = this.#ready('release');
    const pointer = storage.pointerOf(matrix.data);
    if (pointer !== undefined && !storage.free(pointer))
      throw new ArgumentError(
        `release: this ${matrix.rows}×${matrix.cols} matrix was released before, or is a view`,
        'Release the matrix that `matrix` returned, once; not a view of it.',
      );
  }

  gemm(c: Matrix, a: Matrix, b: Matrix, options: GemmOptions = {}): void {
    const machine = this.#ready('gemm');
    const { m, n, k, alpha, beta } = checkGemm(c, a, b, options);
    if (m === 0 || n === 0) return;
    if (k === 0 || alpha === 0) {
      addScaled(machine, c, 0, c, beta);
      return;
    }
    const { transposeA = false, transposeB = false } = options;
    multiply(machine, c, a, b, { alpha, beta, transposeA, transposeB, lower: false });
  }

  syrk(c: Matrix, a: Matrix, options: SyrkOptions = {}): void {
    const machine = this.#ready('syrk');
    const { n, k, alpha, beta } = checkSyrk(c, a, options);
    if (n === 0) return;
    if (k === 0 || alpha === 0) addScaled(machine, c, 0, c, beta);
    else {
      const transposeA = options.transpose ?? false;
      multiply(machine, c, a, a, { alpha, beta, transposeA, transposeB: !transposeA, lower: true });
    }
    mirrorLower(machine, c);
  }

  gemv(result: Vector, a: Matrix, vector: Vector, options: GemvOptions = {}): void {
    const machine = this.#ready('gemv');
    const { outputs, inputs, alpha, beta } = checkGemv(result, a, vector, options);
    if (outputs === 0) return;
    const [y, x] = [elementsOf(result), elementsOf(vector)];
    if (inputs === 0 || alpha === 0) {
      const row = new Matrix(y, 1, outputs);
      addScaled(machine, row, 0, row, beta);
    } else if (options.transpose) timesVectorTransposed(machine, y, alpha, a, x, beta);
    else timesVector(machine, y, alpha, a, x, beta);
  }

  axpby(y: Matrix, alpha: number, x: Matrix, beta: number): void {
    const machine = this.#ready('axpby');
    checkAxpby(y, x);
    if (y.rows > 0 && y.cols > 0) addScaled(machine, y, alpha, x, beta);
  }

  scaleRows(a: Matrix, factors: Vector): void {
    const machine = this.#ready('scaleRows');
    checkScaleRows(a, factors);
    if (a.rows > 0 && a.cols > 0) scaleRows(machine, a, elementsOf(factors));
  }

  rowDots(out: Vector, a: Matrix, b: Matrix): void {
    const machine = this.#ready('rowDots');
    checkRowDots(out, a, b);
    if (a.cols === 0) out.fill(0);
    else rowDots(machine, elementsOf(out), a, b);
  }

  override copy(target: Matrix, source: Matrix): void {
    const { storage } = this.#ready('copy');
    checkCopy(target, source);
    const apart = storage.apart(target, source) && target.dtype === source.dtype;
    if (apart && target.rows > 0 && target.cols > 0) this.axpby(target, 1, source, 0);
    else super.copy(target, source);
  }

  override dot(a: Matrix, b: Matrix): number {
    const machine = this.#ready('dot');
    checkSameShape('dot', a, b);
    return sumOfProducts(machine, a, b);
  }

  override maxAbs(a: Matrix): number {
    return largestMagnitude(this.#ready('maxAbs'), a);
  }

  override segmentDots(out: Vector, a: Matrix, directions: Matrix, starts: Int32Array): void {
    const machine = this.#ready('segmentDots');
    checkSegments('segmentDots', a, directions, starts, out);
    if (takesSegments(machine, a, directions, starts))
      segmentDots(machine, elementsOf(out) as Float64Array, a, directions, starts);
    else super.segmentDots(out, a, directions, starts);
  }

  override segmentSums(out: Matrix, a: Matrix, weights: Vector, starts: Int32Array, beta = 0): void {
    const machine = this.#ready('segmentSums');
    checkSegments('segmentSums', a, out, starts, weights);
    const values = elementsOf(weights);
    const factors = a.dtype === 'float32' ? Float32Array.from(values) : values;
    if (out.rows > 0 && out.cols > 0) segmentSums(machine, out, a, factors, starts, beta);
  }

  cholesky(a: Matrix): void {
    this.#ready('cholesky');
    if (checkCholesky(a) === 0) return;
    const failed = this.#factorizations!.cholesky(a);
    if (failed > 0) throw new NotPositiveDefiniteError(failed - 1);
  }

  choleskySolve(l: Matrix, b: Matrix, layout: 'rows' | 'columns', way: 'whole' | 'half' = 'whole'): void {
    this.#ready('choleskySolve');
    const { n, count } = checkCholeskySolve(l, b, layout);
    if (n > 0 && count > 0) this.#factorizations!.choleskySolve(l, b, layout, way);
  }

  eigh(values: RealArray, a: Matrix): void {
    this.#ready('eigh');
    if (checkEigh(values, a) === 0) return;
    checkFinite('eigh', a);
    this.#factorizations!.eigh(values, a);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.dispose();
  }

  dispose(): void {
    this.#machine?.team.stop();
    this.#machine = undefined;
    this.#factorizations = undefined;
  }

  #ready(operation: string): Machine {
    if (!this.#machine) throw new BackendError(`${operation}: this backend has been disposed of`);
    return this.#machine;
  }
}
