/**
 * What every numerical backend can do. Matrices are row-major; outputs are owned by the caller and written in place.
 * All matrices of one call share one dtype. Calls are synchronous: when one returns, its output is complete.
 */
import type { ArrayOf, Dtype, Matrix, RealArray, Vector } from './matrix.js';
import type { RowBlocks } from './row-blocks.js';

export type Device = 'wasm' | 'native' | 'cuda';

export interface GemmOptions {
  transposeA?: boolean;
  transposeB?: boolean;
  /** @default 1 */
  alpha?: number;
  /** @default 0; the old content of the output is then not read (it may be NaN) */
  beta?: number;
}

export interface SyrkOptions {
  /** false: C = A A', true: C = A' A. @default false */
  transpose?: boolean;
  /** @default 1 */
  alpha?: number;
  /** @default 0 */
  beta?: number;
}

export interface GemvOptions {
  /** false: y = A x, true: y = A' x. @default false */
  transpose?: boolean;
  /** @default 1 */
  alpha?: number;
  /** @default 0 */
  beta?: number;
}

/** An argument of a kernel: elements of a matrix or integers (their address), a whole number, a real one. */
export type KernelValue = Matrix | Int32Array | { whole: number } | { real: number };

export interface DeviceProgram {
  /** Matrices count as written; integers are kept on the device for as long as their array lives. */
  launch(name: string, blocks: number, threads: number, values: KernelValue[]): void;
}

/** Densities that fall as a power of the distance, for `logPowerSums`. */
export interface PowerMixture {
  /** ‖x_i‖², for each row. */
  readonly lengths: Float64Array;
  /** ‖μ_c‖², s_c and b_c, for each column. */
  readonly squares: Float64Array;
  readonly scales: Float64Array;
  readonly shifts: Float64Array;
  readonly power: number;
  /** The column of each row that is left out of its sum; −1 for none. @default none */
  readonly labels?: Int32Array;
}

/** Rows and their squared lengths. */
export interface MeasuredRows {
  readonly rows: Matrix;
  readonly squaredLengths: Float64Array;
}

/** How features are brought to power and length, for `visitPowered`. */
export interface PoweredOptions {
  readonly power: number;
  /** Precision of the blocks. */
  readonly dtype: Dtype;
  /** Subtracted from every row in the end. */
  readonly centre?: Float64Array;
  /** Which rows, in which order. @default all of them, in their order */
  readonly order?: Int32Array;
}

/** Log densities that fall linearly with the squared distance, for `scoreRows`. */
export interface DistanceScores {
  /** ‖x_i‖², for each row. */
  readonly lengths: Float64Array;
  /** ‖μ_c‖², a_c and b_c, for each column. */
  readonly squares: Float64Array;
  readonly factors: Float64Array;
  readonly constants: Float64Array;
}

/** What `peaksOfRows` looks for: scores as above, and cosines, P_ic times `inverses[c]`. */
export interface PeakScores extends DistanceScores {
  readonly inverses: Float64Array;
  /** A column of each row, −1 for none, and for each row a product, a square and an inverse in the place of those of that column. */
  readonly labels?: Int32Array;
  readonly own?: Float64Array;
}

/** What stands out in each row: its largest cosine and where, its two largest scores, and log Σ_c exp(score). */
export interface RowPeaks {
  readonly closest: Float64Array;
  readonly nearest: Int32Array;
  readonly largest: Float64Array;
  readonly second: Float64Array;
  readonly logSums: Float64Array;
}

/** The column of the largest value of each row, the first of equal ones, and by how much it exceeds the second. */
export interface RowLeaders {
  readonly columns: Int32Array;
  readonly leads: Float64Array;
}

/** The entries of row i lie from starts[i] to starts[i + 1]: where, and how much. Nobody may change them while they are in use. */
export interface SparseMatrix {
  readonly starts: Int32Array;
  readonly columns: Int32Array;
  readonly values: Float64Array;
}

/** Work that other threads have begun. One of the two must be called. */
export interface Begun {
  /** Does what is left of it with them; when it returns, the outputs are complete. */
  finish(): void;
  /** Drops it. */
  stop(): void;
}

export interface Backend {
  readonly device: Device;
  /** One line for people: library, version, path, instruction set. */
  readonly description: string;
  readonly threads: number;

  /** A zeroed matrix in the storage where this backend computes without copying. */
  matrix<D extends Dtype = 'float64'>(rows: number, cols: number, dtype?: D): Matrix<ArrayOf<D>>;
  /** Gives storage obtained by `matrix` back before the backend itself is disposed of. */
  release(matrix: Matrix): void;

  /** C ← α op(A) op(B) + β C */
  gemm(c: Matrix, a: Matrix, b: Matrix, options?: GemmOptions): void;
  /** C ← α A A' + β C (or A'A); both triangles of C are written. */
  syrk(c: Matrix, a: Matrix, options?: SyrkOptions): void;
  /** y ← α op(A) x + β y */
  gemv(y: Vector, a: Matrix, x: Vector, options?: GemvOptions): void;
  /** Y ← α X + β Y, element by element. */
  axpby(y: Matrix, alpha: number, x: Matrix, beta: number): void;
  /** Row i of A is multiplied by factors[i]. */
  scaleRows(a: Matrix, factors: Vector): void;
  /** Column j of A is multiplied by factors[j]. */
  scaleColumns(a: Matrix, factors: Float64Array): void;
  /** out[i] ← (row i of A) · (row i of B) */
  rowDots(out: Vector, a: Matrix, b: Matrix): void;
  /** Target ← source; same shape. */
  copy(target: Matrix, source: Matrix): void;
  /** Row i of target ← row rows[i] of source; of one precision. */
  copyRows(target: Matrix, source: Matrix, rows: Int32Array): void;
  /** A ← A + value I */
  addDiagonal(a: Matrix, value: number): void;
  /** Σ aᵢⱼ bᵢⱼ, accumulated in float64. */
  dot(a: Matrix, b: Matrix): number;
  /** Largest |aᵢⱼ|; NaN if any element is. */
  maxAbs(a: Matrix): number;
  /**
   * Rows of A in consecutive segments, segment c being rows [starts[c], starts[c+1]):
   * out[i] ← (row i of A) · (row c(i) of directions). Values of rows are float64, whatever A is.
   */
  segmentDots(out: Vector, a: Matrix, directions: Matrix, starts: Int32Array): void;
  /** Row c of out ← β (row c of out) + Σ over segment c of weights[i] (row i of A). @default β = 0 */
  segmentSums(out: Matrix, a: Matrix, weights: Vector, starts: Int32Array, beta?: number): void;
  /**
   * A = L L': replaces the lower triangle of A (only that is read) by L; the upper triangle is left as it was.
   * @throws NotPositiveDefiniteError with the failing pivot
   */
  cholesky(a: Matrix): void;
  /**
   * Given L from `cholesky`: every row b of B becomes A⁻¹ b (`rows`), or B becomes A⁻¹ B (`columns`); half of the way, L⁻¹ b or
   * L⁻¹ B.
   */
  choleskySolve(l: Matrix, b: Matrix, layout: 'rows' | 'columns', way?: 'whole' | 'half'): void;
  /**
   * A = V' diag(values) V for symmetric A (lower triangle read), values ascending, row i of V the i-th eigenvector.
   * A is overwritten by V.
   */
  eigh(values: RealArray, a: Matrix): void;

  /**
   * Given products P_ic = x_i · μ_c, and so squared distances d_ic = max(0, ‖x_i‖² − 2 P_ic + ‖μ_c‖²):
   * out[i] ← log Σ_c (s_c (b_c + d_ic))^−power over all columns but the row's label, own[i] ← d_ic at the label, 0 where there
   * is none.
   */
  logPowerSums(out: Float64Array, products: Matrix, mixture: PowerMixture, own?: Float64Array): void;
  /**
   * Row i of target ← softmax(row i of scores + offsets), counts[c] ← Σ_i weights[i] target_ic. Target and scores may be one
   * matrix.
   */
  softmaxRows(target: Matrix, scores: Matrix, offsets: Float64Array, weights: Float64Array, counts: Float64Array): void;
  /** Σ_i weights[i] Σ_c q_ic (s_ic − log q_ic) */
  energyOfRows(chances: Matrix, scores: Matrix, weights: Float64Array): number;
  /** Given products P_ic = x_i · μ_c: P_ic ← a_c max(0, ‖x_i‖² − 2 P_ic + ‖μ_c‖²) + b_c */
  scoreRows(products: Matrix, scores: DistanceScores): void;
  /** Given the same products: what stands out in each row, of equal cosines the first; there is at least one column. */
  peaksOfRows(out: RowPeaks, products: Matrix, scores: PeakScores): void;
  /** What leads in each row of scores + offsets, in float64; there is at least one column, and nothing to lead before where it is the only one (∞). */
  leadersOfRows(out: RowLeaders, scores: Matrix, offsets: Float64Array): void;
  /** Σ |aᵢⱼ − bᵢⱼ|, accumulated in float64. */
  sumOfDifferences(a: Matrix, b: Matrix): number;
  /** Every element x of A becomes sign(x) |x|^power, then every row is brought to unit length; rows of zeros stay. */
  powerRows(a: Matrix, power: number): void;
  /**
   * Every row x of A becomes x / largest / length, its largest size and its length over that: found and written down where
   * `largests` has 0, else taken from there. Rows of zeros, and those that are not finite, stay.
   */
  unitRows(a: Matrix, largests: Float64Array, lengths: Float64Array): void;
  /**
   * Calls `visit` with one block of rows after the other, as `powerRows` makes them, and with the place of its first row. Blocks
   * are valid until `visit` returns; their sizes depend on the shapes alone.
   */
  visitPowered(a: Matrix, options: PoweredOptions, visit: (block: Matrix, start: number) => void): void;
  /** Target ← target + S · source for a sparse S, which has a row for each of the target and a column for each of the source. */
  addSparse(target: Matrix, sparse: SparseMatrix, source: Matrix): void;
  /**
   * For each row of A the k other rows of largest cosine, or rows of `among` where that is given, largest first and of equal ones
   * the first: which, and the cosines, k for each row, one row after the other.
   */
  nearestRows(
    nearest: Int32Array,
    cosines: Float64Array,
    a: RowBlocks,
    squaredLengths: Float64Array,
    among?: MeasuredRows,
  ): void;
  /**
   * Begins `nearestRows` on other threads, while this one does something else and nobody changes A; undefined where there are
   * none, or they have other things to do in the background.
   */
  beginNearest?(
    nearest: Int32Array,
    cosines: Float64Array,
    a: RowBlocks,
    squaredLengths: Float64Array,
  ): Begun | undefined;
  /** Σ_ik s_ik (row i of A)·(row k of A) for a square sparse S, accumulated in float64. */
  sparseForm(sparse: SparseMatrix, a: Matrix): number;

  /** Compiles kernels in CUDA C++ for the device; only a backend that runs such has this. */
  compile?(source: string, names: readonly string[]): DeviceProgram;

  /** Ends threads and frees storage; matrices obtained from this backend must not be used afterwards. */
  dispose(): void;
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
