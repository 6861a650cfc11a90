/**
 * The CUDA backend. Matrices obtained from `matrix` live on the device and stay there from call to call; ordinary
 * matrices are taken to the device and back. A row-major matrix is the transpose of a column-major one, so C = A B is
 * computed as C' = B'A' and lower triangles become upper ones.
 */
import { BackendError, NotPositiveDefiniteError } from '../../errors.js';
import type {
  Backend,
  DeviceProgram,
  GemmOptions,
  GemvOptions,
  KernelValue,
  PoweredOptions,
  SyrkOptions,
} from '../backend.js';
import { type ArrayOf, asRow, type Dtype, elementsOf, Matrix, type RealArray, type Vector } from '../matrix.js';
import { copyRowsHere, dotHere, rowDotsHere, scaleColumnsHere, scaleRowsHere, unitRowsHere } from '../plain-loops.js';
import { visitRows } from '../row-blocks.js';
import * as check from '../shapes.js';
import { address, type KernelArgument, Launcher, Program, real, whole } from './compile.js';
import type { Gpu } from './device.js';
import { KeptArrays } from './kept-arrays.js';
import { blockThreads, type KernelName, kernelNames, kernelSource, reductionBlocks } from './kernels.js';
import { DeviceMatrix, DevicePool, DeviceStorage } from './memory.js';
import { type Operand, Operands } from './operands.js';
import { bindRoutines, left, operation, type Routines, right, scalar, upper } from './routines.js';
import { DeviceRowPasses } from './row-passes.js';
import { TensorProducts } from './tensor-products.js';

/** The calling thread's own stream (cudaStreamPerThread), as the calls with _ptds and _ptsz use it: threads overlap. */
const threadStream = 2;

/** Rows that are brought to power and length at a time. */
const blockRows = 2048;
/** Bytes of the products of rows with all rows that are held at a time, in double precision. */
const productBytes = 2 ** 29;
/** Rows that are compared with all rows at a time, at least: fewer leave most of a GPU idle. */
const leastCompared = 512;
/**
 * Rows beyond which those in single precision are compared by the tensor cores, which read 11 significant bits of each number: of
 * the nearest ones a few in a thousand are then others, as near as makes no difference.
 */
const mostExact = 50_000;

/** Whether a matrix lies in this process's memory. */
const ordinary = (matrix: Matrix): boolean => !(matrix instanceof DeviceMatrix);

export class CudaBackend implements Backend {
  readonly device = 'cuda';
  readonly description: string;
  readonly threads = 1;
  readonly #pool: DevicePool;
  readonly #operands: Operands;
  readonly #launcher: Launcher;
  readonly #programs: Partial<Record<Dtype, Program<KernelName>>> = {};
  /** Kernels of others, by their source. */
  readonly #compiled = new Map<string, Program<string>>();
  readonly #gpu: Gpu;
  readonly #blas: bigint;
  readonly #solver: bigint;
  readonly #routines: Partial<Record<Dtype, Routines>> = {};
  readonly #kept: KeptArrays;
  readonly #rows: DeviceRowPasses;
  readonly #tensor: TensorProducts;
  #disposed = false;

  constructor(gpu: Gpu) {
    const { calls } = gpu;
    const version = `${Math.floor(gpu.runtimeVersion / 1000)}.${Math.floor((gpu.runtimeVersion % 1000) / 10)}`;
    this.description = `${gpu.name}, ${(gpu.memoryBytes / 2 ** 30).toFixed(0)} GiB, CUDA ${version}, ${gpu.libraries.paths.blas}`;
    this.#gpu = gpu;
    this.#pool = new DevicePool(calls);
    this.#operands = new Operands(this.#pool);
    this.#launcher = new Launcher(calls);
    this.#kept = new KeptArrays(this.#pool);
    this.#rows = new DeviceRowPasses(gpu, this.#pool, this.#operands, this.#launcher, this.#kept);
    const handle = new BigUint64Array(1);
    calls.bind('blas', 'cublasCreate_v2', ['void *'])(handle);
    this.#blas = handle[0];
    const kernel = (name: KernelName) => this.#kernel(name, 'float32');
    this.#tensor = new TensorProducts(gpu, this.#blas, this.#operands, this.#launcher, kernel);
    calls.bind('blas', 'cublasSetStream_v2', ['size_t', 'size_t'])(this.#blas, threadStream);
    calls.bind('solver', 'cusolverDnCreate', ['void *'])(handle);
    this.#solver = handle[0];
    calls.bind('solver', 'cusolverDnSetStream', ['size_t', 'size_t'])(this.#solver, threadStream);
  }

  matrix<D extends Dtype = 'float64'>(rows: number, cols: number, dtype: D = 'float64' as D): Matrix<ArrayOf<D>> {
    this.#ready();
    const storage = new DeviceStorage(this.#pool, rows * cols, dtype);
    return new DeviceMatrix(storage, 0, rows, cols, cols) as Matrix as Matrix<ArrayOf<D>>;
  }

  release(matrix: Matrix): void {
    if (matrix instanceof DeviceMatrix) matrix.device.release();
  }

  gemm(c: Matrix, a: Matrix, b: Matrix, options: GemmOptions = {}): void {
    const { m, n, k, alpha, beta } = check.checkGemm(c, a, b, options);
    if (m === 0 || n === 0) return;
    const { transposeA = false, transposeB = false } = options;
    if (k === 0) {
      this.axpby(c, 0, c, beta);
      return;
    }
    this.#with([a, b], c, beta !== 0, ([ma, mb], mc) => {
      const factors = [
        { ...ma, transposed: transposeA },
        { ...mb, transposed: transposeB },
      ] as const;
      if (c.dtype === 'float32' && this.#tensor.split({ m, n, k, alpha, beta }, ...factors, mc)) return;
      const [opA, opB] = [transposeA, transposeB].map((t) => (t ? operation.transpose : operation.none));
      const { gemm } = this.#library(c.dtype);
      gemm(
        this.#blas,
        opB,
        opA,
        n,
        m,
        k,
        scalar(c, alpha),
        mb.pointer,
        mb.stride,
        ma.pointer,
        ma.stride,
        scalar(c, beta),
        mc.pointer,
        mc.stride,
      );
    });
  }

  syrk(c: Matrix, a: Matrix, options: SyrkOptions = {}): void {
    const { n, k, alpha, beta } = check.checkSyrk(c, a, options);
    if (n === 0) return;
    if (k === 0) {
      this.axpby(c, 0, c, beta);
      return;
    }
    this.#with([a], c, beta !== 0, ([ma], mc) => {
      const op = options.transpose ? operation.none : operation.transpose;
      const { syrk } = this.#library(c.dtype);
      syrk(
        this.#blas,
        upper,
        op,
        n,
        k,
        scalar(c, alpha),
        ma.pointer,
        ma.stride,
        scalar(c, beta),
        mc.pointer,
        mc.stride,
      );
      this.#launch('mirrorLower', c.dtype, n * n, [address(mc.pointer), whole(mc.stride), whole(n)]);
    });
  }

  gemv(y: Vector, a: Matrix, x: Vector, options: GemvOptions = {}): void {
    const { outputs, inputs, alpha, beta } = check.checkGemv(y, a, x, options);
    if (outputs === 0) return;
    if (inputs === 0) {
      const row = asRow(y);
      this.axpby(row, 0, row, beta);
      return;
    }
    this.#with([a, asRow(x)], asRow(y), beta !== 0, ([ma, mx], my) => {
      const op = options.transpose ? operation.none : operation.transpose;
      const { gemv } = this.#library(a.dtype);
      gemv(
        this.#blas,
        op,
        a.cols,
        a.rows,
        scalar(a, alpha),
        ma.pointer,
        ma.stride,
        mx.pointer,
        1,
        scalar(a, beta),
        my.pointer,
        1,
      );
    });
  }

  axpby(y: Matrix, alpha: number, x: Matrix, beta: number): void {
    check.checkAxpby(y, x);
    if (y.rows === 0 || y.cols === 0) return;
    this.#with([x], y, beta !== 0 || x === y, ([mx], my) => {
      const sizes = [whole(y.rows), whole(y.cols), real(alpha), real(beta)];
      this.#launch('axpby', y.dtype, y.rows * y.cols, [
        address(my.pointer),
        whole(my.stride),
        address(mx.pointer),
        whole(mx.stride),
        ...sizes,
      ]);
    });
  }

  scaleRows(a: Matrix, factors: Vector): void {
    check.checkScaleRows(a, factors);
    if (a.rows === 0 || a.cols === 0) return;
    if (ordinary(a) && ordinary(asRow(factors))) {
      scaleRowsHere(a, elementsOf(factors));
      return;
    }
    this.#with([asRow(factors)], a, true, ([mf], ma) => {
      this.#launch('scaleRows', a.dtype, a.rows * a.cols, [
        address(ma.pointer),
        whole(ma.stride),
        address(mf.pointer),
        whole(a.rows),
        whole(a.cols),
      ]);
    });
  }

  scaleColumns(a: Matrix, factors: Float64Array): void {
    check.checkScaleColumns(a, factors);
    if (a.rows === 0 || a.cols === 0) return;
    if (ordinary(a)) {
      scaleColumnsHere(a, factors);
      return;
    }
    this.#with([asRow(factors)], a, true, ([mf], ma) => {
      const operands = [address(ma.pointer), whole(ma.stride), address(mf.pointer), whole(a.rows), whole(a.cols)];
      this.#launch('scaleColumns', a.dtype, a.rows * a.cols, operands);
    });
  }

  rowDots(out: Vector, a: Matrix, b: Matrix): void {
    check.checkRowDots(out, a, b);
    if (a.rows === 0) return;
    if ([asRow(out), a, b].every(ordinary)) {
      rowDotsHere(elementsOf(out), a, b);
      return;
    }
    this.#with([a, b], asRow(out), false, ([ma, mb], mo) => {
      const operands = [
        address(mo.pointer),
        address(ma.pointer),
        whole(ma.stride),
        address(mb.pointer),
        whole(mb.stride),
      ];
      this.#launch('rowDots', a.dtype, a.rows * 32, [...operands, whole(a.rows), whole(a.cols)]);
    });
  }

  copy(target: Matrix, source: Matrix): void {
    check.checkCopy(target, source);
    if (target.rows === 0 || target.cols === 0) return;
    if (!(target instanceof DeviceMatrix)) {
      if (source instanceof DeviceMatrix && source.dtype === target.dtype) this.#download(target, source);
      else target.copyFrom(source);
      return;
    }
    if (target.dtype !== source.dtype) {
      this.#with([source], target, false, ([from], to) => {
        const sizes = [whole(target.rows), whole(target.cols)];
        const operands = [address(to.pointer), whole(to.stride), address(from.pointer), whole(from.stride)];
        this.#launch('convert', target.dtype, target.rows * target.cols, [...operands, ...sizes]);
      });
      return;
    }
    const { width } = target.device;
    const to = target.device.onDevice() + target.offset * width;
    const [toPitch, fromPitch, bytes] = [target.stride * width, source.stride * width, target.cols * width];
    if (source instanceof DeviceMatrix) {
      const from = source.device.onDevice() + source.offset * width;
      this.#pool.copies.onDevice(to, toPitch, from, fromPitch, bytes, target.rows);
    } else this.#pool.copies.toDevice(to, toPitch, source.data, fromPitch, bytes, target.rows);
  }

  #download(target: Matrix, source: DeviceMatrix): void {
    const { width } = source.device;
    const from = source.device.onDevice() + source.offset * width;
    const bytes = target.cols * width;
    this.#pool.copies.toHost(target.data, target.stride * width, from, source.stride * width, bytes, target.rows);
  }

  copyRows(target: Matrix, source: Matrix, rows: Int32Array): void {
    this.#ready();
    check.checkCopyRows(target, source, rows);
    if (source instanceof DeviceMatrix) {
      this.#rows.copyRows(target, source, rows);
      return;
    }
    const here = ordinary(target) ? target : Matrix.zeros(target.rows, target.cols, target.dtype);
    copyRowsHere(here, source, rows);
    if (here !== target) this.copy(target, here);
  }

  addDiagonal(a: Matrix, value: number): void {
    check.checkSquare('addDiagonal', a);
    if (a.rows === 0) return;
    this.#with([], a, true, (_, ma) => {
      this.#launch('addDiagonal', a.dtype, a.rows, [address(ma.pointer), whole(ma.stride), whole(a.rows), real(value)]);
    });
  }

  dot(a: Matrix, b: Matrix): number {
    check.checkSameShape('dot', a, b);
    if (ordinary(a) && ordinary(b)) return dotHere(a, b);
    return this.#reduce('dotPartial', [a, b]).reduce((sum, value) => sum + value, 0);
  }

  maxAbs(a: Matrix): number {
    return this.#reduce('maxPartial', [a]).reduce(
      (most, value) => (value > most || Number.isNaN(value) ? value : most),
      0,
    );
  }

  segmentDots(out: Vector, a: Matrix, directions: Matrix, starts: Int32Array): void {
    check.checkSegments('segmentDots', a, directions, starts, out);
    if (a.rows === 0) return;
    const plan = this.#kept.segments(starts);
    this.#with([a, directions], asRow(out), false, ([ma, md], mo) => {
      const operands = [
        address(mo.pointer),
        address(ma.pointer),
        whole(ma.stride),
        address(md.pointer),
        whole(md.stride),
      ];
      this.#launch('segmentDots', a.dtype, a.rows * 32, [
        ...operands,
        address(plan.segmentOf),
        whole(a.rows),
        whole(a.cols),
      ]);
    });
  }

  segmentSums(out: Matrix, a: Matrix, weights: Vector, starts: Int32Array, beta = 0): void {
    check.checkSegments('segmentSums', a, out, starts, weights);
    if (out.rows === 0 || out.cols === 0) return;
    const plan = this.#kept.segments(starts);
    const across = Math.ceil(a.cols / blockThreads);
    this.#operands.borrowing(Math.max(1, plan.chunks) * a.cols * 8, (partial) =>
      this.#with([a, asRow(weights)], out, beta !== 0, ([ma, mw], mo) => {
        if (plan.chunks > 0)
          this.#launcher.launch(this.#kernel('segmentPartial', a.dtype), [across, plan.chunks], blockThreads, [
            address(partial),
            address(ma.pointer),
            whole(ma.stride),
            address(mw.pointer),
            address(plan.chunkStarts),
            whole(a.cols),
          ]);
        this.#launcher.launch(this.#kernel('segmentFinish', a.dtype), [across, out.rows], blockThreads, [
          address(mo.pointer),
          whole(mo.stride),
          address(partial),
          address(plan.firstChunk),
          whole(a.cols),
          real(beta),
        ]);
      }),
    );
  }

  logPowerSums(...all: Parameters<Backend['logPowerSums']>): void {
    this.#ready();
    this.#rows.logPowerSums(...all);
  }

  softmaxRows(...all: Parameters<Backend['softmaxRows']>): void {
    this.#ready();
    this.#rows.softmaxRows(...all);
  }

  energyOfRows(...all: Parameters<Backend['energyOfRows']>): number {
    this.#ready();
    return this.#rows.energyOfRows(...all);
  }

  scoreRows(...all: Parameters<Backend['scoreRows']>): void {
    this.#ready();
    this.#rows.scoreRows(...all);
  }

  peaksOfRows(...all: Parameters<Backend['peaksOfRows']>): void {
    this.#ready();
    this.#rows.peaksOfRows(...all);
  }

  leadersOfRows(...all: Parameters<Backend['leadersOfRows']>): void {
    this.#ready();
    this.#rows.leadersOfRows(...all);
  }

  sumOfDifferences(a: Matrix, b: Matrix): number {
    this.#ready();
    return this.#rows.sumOfDifferences(a, b);
  }

  powerRows(a: Matrix, power: number): void {
    this.#ready();
    this.#rows.powerRows(a, power);
  }

  /** Features that are read from files, which lie in this process's memory. */
  unitRows(a: Matrix, largests: Float64Array, lengths: Float64Array): void {
    check.checkUnitRows(a, largests, lengths);
    const here = ordinary(a) ? a : Matrix.zeros(a.rows, a.cols, a.dtype);
    if (here !== a) this.copy(here, a);
    unitRowsHere(here, largests, lengths);
    if (here !== a) this.copy(a, here);
  }

  addSparse(...all: Parameters<Backend['addSparse']>): void {
    this.#ready();
    this.#rows.addSparse(...all);
  }

  visitPowered(a: Matrix, options: PoweredOptions, visit: (block: Matrix, start: number) => void): void {
    this.#ready();
    check.checkPowered(a, options);
    const { power, dtype, centre, order } = options;
    const count = order?.length ?? a.rows;
    const step = Math.max(1, Math.min(count, blockRows));
    const room = this.matrix(step, a.cols, dtype);
    const gathered = order && Matrix.zeros(step, a.cols, a.dtype);
    try {
      for (let start = 0; start < count; start += step) {
        const end = Math.min(count, start + step);
        const block = room.view(0, end - start);
        if (gathered) for (let i = start; i < end; i++) gathered.row(i - start).set(a.row(order[i]));
        this.copy(block, gathered?.view(0, end - start) ?? a.view(start, end));
        this.#rows.powerRows(block, power, centre);
        visit(block, start);
      }
    } finally {
      this.release(room);
    }
  }

  nearestRows(...asked: Parameters<Backend['nearestRows']>): void {
    this.#ready();
    if (check.checkNearest(...asked) === 0) return;
    const [nearest, cosines, a, squaredLengths, among] = asked;
    const there = a instanceof DeviceMatrix ? a : this.matrix(a.rows, a.cols, a.dtype);
    const columns = among?.rows ?? there;
    const step = Math.min(a.rows, Math.max(leastCompared, Math.floor(productBytes / (8 * columns.rows))));
    const products = this.matrix(step, columns.rows, a.dtype);
    try {
      if (there !== a) visitRows(a, (block, start) => this.copy(there.view(start, start + block.rows), block));
      if (!among && a.dtype === 'float32' && a.rows > mostExact && this.#tensor.there)
        this.#nearestByTensorCores(nearest, cosines, there, squaredLengths, products);
      else {
        const multiply = (start: number, end: number) =>
          this.gemm(products.view(0, end - start), there.view(start, end), columns, { transposeB: true });
        this.#rows.nearestRows(nearest, cosines, squaredLengths, products, multiply, among?.squaredLengths);
      }
    } finally {
      this.release(products);
      if (there !== a) this.release(there);
    }
  }

  /** Rows are brought to unit length, in half precision: their products are the cosines. */
  #nearestByTensorCores(
    nearest: Int32Array,
    cosines: Float64Array,
    a: Matrix,
    squaredLengths: Float64Array,
    products: Matrix,
  ): void {
    const { rows, cols } = a;
    const inverses = squaredLengths.map((square) => 1 / (Math.sqrt(square) || 1));
    this.#operands.borrowing(this.#tensor.bytesOfHalf(rows, cols), (half) => {
      this.#operands.reading([a, asRow(inverses)], ([from, factors]) =>
        this.#tensor.toHalf(half, from, factors.pointer, rows, cols),
      );
      const unit = new Float64Array(rows).fill(1);
      this.#rows.nearestRows(nearest, cosines, unit, products, (start, end) =>
        this.#with([], products.view(0, end - start), true, (_, to) =>
          this.#tensor.ofHalf(to, half + this.#tensor.bytesOfHalf(start, cols), half, end - start, rows, cols),
        ),
      );
    });
  }

  sparseForm(...all: Parameters<Backend['sparseForm']>): number {
    this.#ready();
    return this.#rows.sparseForm(...all);
  }

  cholesky(a: Matrix): void {
    const n = check.checkCholesky(a);
    if (n === 0) return;
    this.#with([], a, true, (_, ma) => {
      const { potrf, potrfSize } = this.#library(a.dtype);
      const size = new Int32Array(1);
      potrfSize(this.#solver, upper, n, ma.pointer, ma.stride, size);
      this.#operands.workspace(size[0], a.dtype, (work, info) => {
        potrf(this.#solver, upper, n, ma.pointer, ma.stride, work, size[0], info);
        const failed = this.#operands.integerAt(info);
        if (failed > 0) throw new NotPositiveDefiniteError(failed - 1);
        // cuSOLVER lets a pivot that is not a number pass.
        const pivot = this.#operands.diagonalOf(ma, n, a.dtype).findIndex((value) => !(value > 0));
        if (pivot >= 0) throw new NotPositiveDefiniteError(pivot);
      });
    });
  }

  choleskySolve(l: Matrix, b: Matrix, layout: 'rows' | 'columns', way: 'whole' | 'half' = 'whole'): void {
    const { n, count } = check.checkCholeskySolve(l, b, layout);
    if (n === 0 || count === 0) return;
    this.#with([l], b, true, ([ml], mb) => {
      const { trsm, potrs } = this.#library(l.dtype);
      const { none, transpose } = operation;
      const solve = (side: number, op: number, m: number, k: number) =>
        trsm(this.#blas, side, upper, op, 0, m, k, scalar(b, 1), ml.pointer, ml.stride, mb.pointer, mb.stride);
      if (layout === 'columns')
        for (const op of way === 'half' ? [none] : [none, transpose]) solve(right, op, count, n);
      else if (way === 'half') solve(left, transpose, n, count);
      else
        this.#operands.workspace(0, l.dtype, (_, info) => {
          potrs(this.#solver, upper, n, count, ml.pointer, ml.stride, mb.pointer, mb.stride, info);
        });
    });
  }

  eigh(values: RealArray, a: Matrix): void {
    const n = check.checkEigh(values, a);
    if (n === 0) return;
    this.#mirrorAndCheck(a);
    this.#with([], a, true, (_, ma) => {
      const { syevd, syevdSize } = this.#library(a.dtype);
      const bytes = n * values.BYTES_PER_ELEMENT;
      this.#operands.borrowing(bytes, (onDevice) => {
        const size = new Int32Array(1);
        syevdSize(this.#solver, 1, upper, n, ma.pointer, ma.stride, onDevice, size);
        this.#operands.workspace(size[0], a.dtype, (work, info) => {
          syevd(this.#solver, 1, upper, n, ma.pointer, ma.stride, onDevice, work, size[0], info);
        });
        this.#pool.copies.toHost(values, bytes, onDevice, bytes, bytes, 1);
      });
    });
  }

  compile(source: string, names: readonly string[]): DeviceProgram {
    this.#ready();
    const { calls, computeCapability } = this.#gpu;
    const program = this.#compiled.get(source) ?? new Program(calls, computeCapability, source, names);
    this.#compiled.set(source, program);
    return {
      launch: (name, blocks, threads, values) =>
        this.#launcher.launch(
          program.kernel(name),
          [blocks, 1],
          threads,
          values.map((value) => this.#argument(value)),
        ),
    };
  }

  #argument(value: KernelValue): KernelArgument {
    if (value instanceof Int32Array) return address(this.#kept.addressOf(value));
    if (!(value instanceof Matrix)) return value;
    if (!(value instanceof DeviceMatrix)) throw new BackendError('a kernel was given a matrix outside the device');
    return address(value.device.onDevice() + value.offset * value.device.width);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.dispose();
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    const { calls } = this.#gpu;
    this.#pool.close();
    calls.bind('blas', 'cublasDestroy_v2', ['size_t'])(this.#blas);
    calls.bind('solver', 'cusolverDnDestroy', ['size_t'])(this.#solver);
  }

  /** Only the lower triangle counts: the upper one is overwritten by it, then all elements must be finite. */
  #mirrorAndCheck(a: Matrix): void {
    this.#with([], a, true, (_, ma) => {
      this.#launch('mirrorLower', a.dtype, a.rows * a.rows, [address(ma.pointer), whole(ma.stride), whole(a.rows)]);
    });
    if (!Number.isFinite(this.maxAbs(a))) check.checkFinite('eigh', a);
  }

  #ready(): void {
    if (this.#disposed) throw new BackendError('this backend has been disposed of');
  }

  #library(dtype: Dtype): Routines {
    this.#routines[dtype] ??= bindRoutines(this.#gpu.calls, dtype);
    return this.#routines[dtype];
  }

  #kernel(name: KernelName, dtype: Dtype): bigint {
    const { calls, computeCapability } = this.#gpu;
    const source = () => kernelSource(dtype === 'float64' ? 'double' : 'float');
    this.#programs[dtype] ??= new Program(calls, computeCapability, source(), kernelNames);
    return this.#programs[dtype].kernel(name);
  }

  #launch(name: KernelName, dtype: Dtype, work: number, values: KernelArgument[]): void {
    const blocks = Math.min(Math.ceil(work / blockThreads), 2 ** 31 - 1);
    this.#launcher.launch(this.#kernel(name, dtype), [blocks, 1], blockThreads, values);
  }

  #reduce(name: 'dotPartial' | 'maxPartial', operands: Matrix[]): Float64Array {
    const partial = new Float64Array(reductionBlocks);
    const [a] = operands;
    if (a.rows === 0 || a.cols === 0) return partial;
    this.#with(operands, asRow(partial), false, (inputs, mo) => {
      const values = inputs.flatMap(({ pointer, stride }) => [address(pointer), whole(stride)]);
      this.#launcher.launch(this.#kernel(name, a.dtype), [reductionBlocks, 1], blockThreads, [
        address(mo.pointer),
        ...values,
        whole(a.rows),
        whole(a.cols),
      ]);
    });
    return partial;
  }

  #with(inputs: Matrix[], output: Matrix, read: boolean, run: (inputs: Operand[], output: Operand) => void): void {
    this.#ready();
    this.#operands.with(inputs, output, read, run);
  }
}
