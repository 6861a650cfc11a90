/**
 * The passes of a backend whose matrices lie in this process's memory: written once over `gemv` and plain loops, used by
 * the WebAssembly and the native backend.
 */
import type {
  Backend,
  DistanceScores,
  GemmOptions,
  GemvOptions,
  PeakScores,
  PoweredOptions,
  PowerMixture,
  RowLeaders,
  RowPeaks,
  SparseMatrix,
} from './backend.js';
import { elementsOf, type Matrix, type Vector } from './matrix.js';
import { copyRowsHere, dotHere, scaleColumnsHere } from './plain-loops.js';
import { RowPasses } from './rows/passes.js';
import type { RowWorkbench } from './rows/workbench.js';
import { checkCopy, checkCopyRows, checkSameShape, checkScaleColumns, checkSegments, checkSquare } from './shapes.js';

export abstract class HostPasses {
  protected readonly rows: RowPasses;

  /** @param workbench where the backend's own threads work on rows; without one, the calling thread does */
  constructor(workbench?: RowWorkbench) {
    this.rows = new RowPasses(workbench);
  }

  abstract gemm(c: Matrix, a: Matrix, b: Matrix, options?: GemmOptions): void;
  abstract gemv(y: Vector, a: Matrix, x: Vector, options?: GemvOptions): void;

  copy(target: Matrix, source: Matrix): void {
    checkCopy(target, source);
    target.copyFrom(source);
  }

  copyRows(target: Matrix, source: Matrix, rows: Int32Array): void {
    checkCopyRows(target, source, rows);
    copyRowsHere(target, source, rows);
  }

  addDiagonal(a: Matrix, value: number): void {
    checkSquare('addDiagonal', a);
    for (let j = 0; j < a.rows; j++) a.data[j * a.stride + j] += value;
  }

  scaleColumns(a: Matrix, factors: Float64Array): void {
    checkScaleColumns(a, factors);
    scaleColumnsHere(a, factors);
  }

  dot(a: Matrix, b: Matrix): number {
    checkSameShape('dot', a, b);
    return dotHere(a, b);
  }

  maxAbs(a: Matrix): number {
    let largest = 0;
    for (let i = 0; i < a.rows; i++) {
      const row = a.row(i);
      for (let j = 0; j < row.length; j++) {
        const size = Math.abs(row[j]);
        if (size > largest || Number.isNaN(size)) largest = size;
      }
    }
    return largest;
  }

  segmentDots(values: Vector, a: Matrix, directions: Matrix, starts: Int32Array): void {
    checkSegments('segmentDots', a, directions, starts, values);
    const out = elementsOf(values);
    const single = a.dtype === 'float32' ? new Float32Array(a.rows) : undefined;
    for (let c = 0; c + 1 < starts.length; c++) {
      const [from, to] = [starts[c], starts[c + 1]];
      this.gemv((single ?? out).subarray(from, to), a.view(from, to), directions.row(c));
    }
    if (single) out.set(single);
  }

  segmentSums(out: Matrix, a: Matrix, weights: Vector, starts: Int32Array, beta = 0): void {
    checkSegments('segmentSums', a, out, starts, weights);
    const values = elementsOf(weights);
    const factors = a.dtype === 'float32' ? new Float32Array(values) : values;
    for (let c = 0; c + 1 < starts.length; c++) {
      const [from, to] = [starts[c], starts[c + 1]];
      this.gemv(out.row(c), a.view(from, to), factors.subarray(from, to), { transpose: true, beta });
    }
  }

  logPowerSums(out: Float64Array, products: Matrix, mixture: PowerMixture, own?: Float64Array): void {
    this.rows.logPowerSums(out, products, mixture, own);
  }

  softmaxRows(
    target: Matrix,
    scores: Matrix,
    offsets: Float64Array,
    weights: Float64Array,
    counts: Float64Array,
  ): void {
    this.rows.softmaxRows(target, scores, offsets, weights, counts);
  }

  energyOfRows(chances: Matrix, scores: Matrix, weights: Float64Array): number {
    return this.rows.energyOfRows(chances, scores, weights);
  }

  scoreRows(products: Matrix, scores: DistanceScores): void {
    this.rows.scoreRows(products, scores);
  }

  peaksOfRows(out: RowPeaks, products: Matrix, scores: PeakScores): void {
    this.rows.peaksOfRows(out, products, scores);
  }

  leadersOfRows(out: RowLeaders, scores: Matrix, offsets: Float64Array): void {
    this.rows.leadersOfRows(out, scores, offsets);
  }

  sumOfDifferences(a: Matrix, b: Matrix): number {
    return this.rows.sumOfDifferences(a, b);
  }

  powerRows(a: Matrix, power: number): void {
    this.rows.powerRows(a, power);
  }

  unitRows(a: Matrix, largests: Float64Array, lengths: Float64Array): void {
    this.rows.unitRows(a, largests, lengths);
  }

  visitPowered(a: Matrix, options: PoweredOptions, visit: (block: Matrix, start: number) => void): void {
    this.rows.visitPowered(a, options, visit);
  }

  addSparse(target: Matrix, sparse: SparseMatrix, source: Matrix): void {
    this.rows.addSparse(target, sparse, source);
  }

  nearestRows(...all: Parameters<Backend['nearestRows']>): void {
    this.rows.nearestRows((...product) => this.gemm(...product), ...all);
  }

  sparseForm(sparse: SparseMatrix, a: Matrix): number {
    return this.rows.sparseForm(sparse, a);
  }
}
