/** The passes over rows on the device. Matrices of the backend stay there; numbers of rows and columns are taken to it and back. */
import type { DistanceScores, PeakScores, PowerMixture, RowLeaders, RowPeaks, SparseMatrix } from '../backend.js';
import { asRow, type Dtype, type Matrix } from '../matrix.js';
import { peakWidth, takePeaks, unlabelled } from '../rows/peaks.js';
import * as check from '../shapes.js';
import { address, type KernelArgument, type Launcher, Program, real, whole } from './compile.js';
import type { Gpu } from './device.js';
import type { KeptArrays } from './kept-arrays.js';
import type { DevicePool } from './memory.js';
import type { Operand, Operands } from './operands.js';
import { type RowKernelName, rowBlocks, rowKernelNames, rowKernelSource, rowThreads } from './row-kernels.js';

/** Chunks of rows whose column sums are added up. */
const mostChunks = 512;
const leastChunk = 64;

const inverseRoot = (square: number): number => 1 / (Math.sqrt(square) || 1);

export class DeviceRowPasses {
  readonly #gpu: Gpu;
  readonly #pool: DevicePool;
  readonly #operands: Operands;
  readonly #launcher: Launcher;
  readonly #kept: KeptArrays;
  readonly #programs: Partial<Record<Dtype, Program<RowKernelName>>> = {};

  constructor(gpu: Gpu, pool: DevicePool, operands: Operands, launcher: Launcher, kept: KeptArrays) {
    this.#gpu = gpu;
    this.#pool = pool;
    this.#operands = operands;
    this.#launcher = launcher;
    this.#kept = kept;
  }

  /** `Backend.copyRows`, of a source on the device. */
  copyRows(target: Matrix, source: Matrix, rows: Int32Array): void {
    if (target.rows === 0 || target.cols === 0) return;
    this.#numbers([rows], ([places]) =>
      this.#operands.with([source], target, false, ([from], to) =>
        this.#launch('copyRows', target.dtype, target.rows, [
          ...[address(to.pointer), whole(to.stride), address(from.pointer), whole(from.stride)],
          ...[places, whole(target.cols)],
        ]),
      ),
    );
  }

  /** `Backend.scoreRows` */
  scoreRows(products: Matrix, scores: DistanceScores): void {
    check.checkScores(products, scores);
    if (products.rows === 0 || products.cols === 0) return;
    const { lengths, squares, factors, constants } = scores;
    this.#numbers([lengths, squares, factors, constants], (vectors) =>
      this.#operands.with([], products, true, (_, { pointer, stride }) =>
        this.#launch('scoreRows', products.dtype, products.rows, [
          ...[address(pointer), whole(stride), ...vectors],
          ...[whole(products.rows), whole(products.cols)],
        ]),
      ),
    );
  }

  /** `Backend.softmaxRows` */
  softmaxRows(
    target: Matrix,
    scores: Matrix,
    offsets: Float64Array,
    weights: Float64Array,
    counts: Float64Array,
  ): void {
    check.checkSoftmax(target, scores, offsets, weights, counts);
    const { rows, cols, dtype } = scores;
    counts.fill(0);
    if (rows === 0 || cols === 0) return;
    const chunk = Math.max(leastChunk, Math.ceil(rows / mostChunks));
    const chunks = Math.ceil(rows / chunk);
    const across = Math.ceil(cols / rowThreads);
    this.#numbers([offsets, weights], ([added, weighing]) =>
      this.#operands.with([scores], target, false, ([from], to) => {
        this.#launch('softmaxRows', dtype, rows, [
          ...[address(to.pointer), whole(to.stride), address(from.pointer), whole(from.stride)],
          ...[added, whole(cols)],
        ]);
        this.#operands.borrowing((chunks + 1) * cols * 8, (partial) => {
          const sums = partial + chunks * cols * 8;
          this.#launcher.launch(this.#kernel('columnPartial', dtype), [across, chunks], rowThreads, [
            ...[address(partial), address(to.pointer), whole(to.stride), weighing],
            ...[whole(rows), whole(cols), whole(chunk)],
          ]);
          this.#launch('columnFinish', dtype, across, [address(sums), address(partial), whole(chunks), whole(cols)]);
          this.#pool.copies.toHost(counts, cols * 8, sums, cols * 8, cols * 8, 1);
        });
      }),
    );
  }

  /** `Backend.energyOfRows` */
  energyOfRows(chances: Matrix, scores: Matrix, weights: Float64Array): number {
    check.checkEnergy(chances, scores, weights);
    if (chances.rows === 0 || chances.cols === 0) return 0;
    let total = 0;
    this.#numbers([weights], ([weighing]) => {
      total = this.#sum('energyPartial', [chances, scores], [weighing, whole(chances.rows), whole(chances.cols)]);
    });
    return total;
  }

  /** `Backend.peaksOfRows` */
  peaksOfRows(out: RowPeaks, products: Matrix, scores: PeakScores): void {
    check.checkPeaks(out, products, scores);
    const { rows, cols, dtype } = products;
    if (rows === 0) return;
    const { lengths, squares, factors, constants, inverses } = scores;
    const labels = scores.labels ?? new Int32Array(rows).fill(unlabelled);
    const own = scores.own ?? new Float64Array(1);
    const found = new Float64Array(rows * peakWidth);
    this.#numbers([lengths, squares, factors, constants, inverses, labels, own], (vectors) =>
      this.#operands.with([products], asRow(found), false, ([{ pointer, stride }], { pointer: to }) =>
        this.#launch('peaksOfRows', dtype, rows, [
          ...[address(to), address(pointer), whole(stride), ...vectors],
          whole(cols),
        ]),
      ),
    );
    takePeaks(out, found, 0);
  }

  /** `Backend.leadersOfRows` */
  leadersOfRows(out: RowLeaders, scores: Matrix, offsets: Float64Array): void {
    check.checkLeaders(out, scores, offsets);
    const { rows, cols, dtype } = scores;
    if (rows === 0) return;
    const bytes = rows * 8;
    this.#numbers([offsets], ([added]) =>
      this.#operands.borrowing(2 * bytes, (leads) =>
        this.#operands.reading([scores], ([{ pointer, stride }]) => {
          const columns = leads + bytes;
          this.#launch('leadersOfRows', dtype, rows, [
            ...[address(columns), address(leads), address(pointer), whole(stride), added, whole(cols)],
          ]);
          this.#pool.copies.toHost(out.leads, bytes, leads, bytes, bytes, 1);
          this.#pool.copies.toHost(out.columns, bytes / 2, columns, bytes / 2, bytes / 2, 1);
        }),
      ),
    );
  }

  /** `Backend.sumOfDifferences` */
  sumOfDifferences(a: Matrix, b: Matrix): number {
    check.checkSameShape('sumOfDifferences', a, b);
    if (a.rows === 0 || a.cols === 0) return 0;
    return this.#sum('differencePartial', [a, b], [whole(a.rows), whole(a.cols)]);
  }

  /** `Backend.logPowerSums` */
  logPowerSums(out: Float64Array, products: Matrix, mixture: PowerMixture, own?: Float64Array): void {
    check.checkPowerSums(out, products, mixture, own);
    const { rows, cols, dtype } = products;
    if (rows === 0) return;
    const { lengths, squares, scales, shifts, power } = mixture;
    const labels = mixture.labels ?? new Int32Array(rows).fill(unlabelled);
    const bytes = rows * 8;
    this.#numbers([lengths, squares, scales, shifts, labels], (vectors) =>
      this.#operands.borrowing(2 * bytes, (sums) =>
        this.#operands.reading([products], ([{ pointer, stride }]) => {
          this.#launch('logPowerSums', dtype, rows, [
            ...[address(sums), address(sums + bytes), address(pointer), whole(stride)],
            ...[...vectors, real(power), whole(cols)],
          ]);
          this.#pool.copies.toHost(out, bytes, sums, bytes, bytes, 1);
          if (own) this.#pool.copies.toHost(own, bytes, sums + bytes, bytes, bytes, 1);
        }),
      ),
    );
  }

  /** `Backend.powerRows`, measured from a centre in the end. */
  powerRows(a: Matrix, power: number, centre: Float64Array = new Float64Array(a.cols)): void {
    if (a.rows === 0 || a.cols === 0) return;
    this.#numbers([centre], ([origin]) =>
      this.#operands.with([], a, true, (_, { pointer, stride }) =>
        this.#launch('powerRows', a.dtype, a.rows, [
          ...[address(pointer), whole(stride), real(power)],
          ...[origin, whole(a.cols)],
        ]),
      ),
    );
  }

  /** `Backend.addSparse` */
  addSparse(target: Matrix, sparse: SparseMatrix, source: Matrix): void {
    check.checkSparse(target, sparse, source);
    if (target.rows === 0 || target.cols === 0) return;
    this.#operands.with([source], target, true, ([from], to) =>
      this.#launch('addSparse', target.dtype, target.rows, [
        ...[address(to.pointer), whole(to.stride), ...this.#entries(sparse)],
        ...[address(from.pointer), whole(from.stride), whole(target.cols)],
      ]),
    );
  }

  /** `Backend.sparseForm` */
  sparseForm(sparse: SparseMatrix, a: Matrix): number {
    check.checkEntries('sparseForm', sparse, a.rows, a.rows);
    if (a.rows === 0 || a.cols === 0) return 0;
    return this.#sum('sparseFormPartial', [a], [whole(a.rows), whole(a.cols)], this.#entries(sparse));
  }

  /**
   * `Backend.nearestRows`
   * @param others squared lengths of the rows that are looked at in place of all; these have the first numbers then, the rows
   * themselves the ones behind them
   * @param multiply fills the first rows of `products` with those of rows [start, end) and all rows, or the others
   */
  nearestRows(
    nearest: Int32Array,
    cosines: Float64Array,
    squaredLengths: Float64Array,
    products: Matrix,
    multiply: (start: number, end: number) => void,
    others: Float64Array = new Float64Array(0),
  ): void {
    const n = squaredLengths.length;
    const count = nearest.length / n;
    const columns = others.length || n;
    const inverses = new Float64Array(others.length + n);
    inverses.set(others.map(inverseRoot));
    inverses.set(squaredLengths.map(inverseRoot), others.length);
    const room = inverses.length * count * 8;
    this.#numbers([inverses], ([scales]) =>
      this.#operands.borrowing(2 * room, (lists) => {
        for (let start = 0; start < n; start += products.rows) {
          const end = Math.min(n, start + products.rows);
          multiply(start, end);
          this.#operands.reading([products], ([{ pointer, stride }]) =>
            this.#launch('nearestOfRows', products.dtype, end - start, [
              ...[address(lists + room), address(lists), address(pointer), whole(stride), scales],
              ...[whole(others.length + start), whole(columns), whole(count)],
            ]),
          );
        }
        const [first, bytes] = [others.length * count, nearest.length * 4];
        this.#pool.copies.toHost(cosines, 2 * bytes, lists + 8 * first, 2 * bytes, 2 * bytes, 1);
        this.#pool.copies.toHost(nearest, bytes, lists + room + 4 * first, bytes, bytes, 1);
      }),
    );
  }

  /** What blocks sum up over the rows of matrices; `first` are the arguments before those of the matrices, `last` those behind. */
  #sum(kernel: RowKernelName, matrices: Matrix[], last: KernelArgument[], first: KernelArgument[] = []): number {
    const partial = new Float64Array(rowBlocks);
    this.#operands.with(matrices, asRow(partial), false, (inputs, out) => {
      const operands = inputs.flatMap(({ pointer, stride }: Operand) => [address(pointer), whole(stride)]);
      this.#launch(kernel, matrices[0].dtype, rowBlocks, [address(out.pointer), ...first, ...operands, ...last]);
    });
    return partial.reduce((sum, value) => sum + value, 0);
  }

  /** Entries stay on the device for as long as their arrays live. */
  #entries({ starts, columns, values }: SparseMatrix): KernelArgument[] {
    return [starts, columns, values].map((array) => address(this.#kept.addressOf(array)));
  }

  /** Arrays on the device while `run` lasts. */
  #numbers(arrays: (Float64Array | Int32Array)[], run: (vectors: KernelArgument[]) => void): void {
    const places = arrays.map((array) => ({ array, bytes: Math.max(8, array.byteLength) }));
    const room = (bytes: number) => Math.ceil(bytes / 256) * 256;
    const all = places.reduce((sum, { bytes }) => sum + room(bytes), 0);
    this.#operands.borrowing(all, (start) => {
      let at = start;
      const vectors = places.map(({ array, bytes }) => {
        const here = at;
        at += room(bytes);
        if (array.length > 0)
          this.#pool.copies.toDevice(here, array.byteLength, array, array.byteLength, array.byteLength, 1);
        return address(here);
      });
      run(vectors);
    });
  }

  #kernel(name: RowKernelName, dtype: Dtype): bigint {
    const { calls, computeCapability } = this.#gpu;
    const source = () => rowKernelSource(dtype === 'float64' ? 'double' : 'float');
    this.#programs[dtype] ??= new Program(calls, computeCapability, source(), rowKernelNames);
    return this.#programs[dtype].kernel(name);
  }

  #launch(name: RowKernelName, dtype: Dtype, blocks: number, values: KernelArgument[]): void {
    this.#launcher.launch(this.#kernel(name, dtype), [blocks, 1], rowThreads, values);
  }
}
