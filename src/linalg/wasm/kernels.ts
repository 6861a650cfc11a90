/**
 * The kernels of one module and one tile shape, by element type. Every pointer is a byte offset into the shared memory
 * and every leading dimension counts bytes.
 */
import type { Dtype } from '../matrix.js';
import type { RowCalls } from '../rows/calls.js';

/** Packs `count` rows or columns, `depth` elements each, into panels as wide as the tile. */
type Pack = (count: number, depth: number, source: number, stride: number, target: number) => void;

export interface Kernels {
  readonly bytes: 4 | 8;
  readonly tileRows: number;
  readonly tileColumns: number;
  /** Rows of A lie along the depth, or across it (A transposed). */
  readonly packA: { along: Pack; across: Pack };
  /** Columns of B lie along the depth (B transposed), or across it. */
  readonly packB: { along: Pack; across: Pack };
  /** C ← α A B + β C from packed panels, only where j ≤ i + diagonal; `tile` points to room for one tile. */
  block(
    m: number,
    n: number,
    depth: number,
    a: number,
    b: number,
    c: number,
    ldc: number,
    alpha: number,
    beta: number,
    diagonal: number,
    tile: number,
  ): void;
  rowDots(m: number, n: number, a: number, lda: number, b: number, ldb: number, out: number): void;
  /** y ← α A x + β y; `scratch` has room for eight numbers. */
  timesVector(
    m: number,
    n: number,
    alpha: number,
    a: number,
    lda: number,
    x: number,
    beta: number,
    y: number,
    scratch: number,
  ): void;
  /** y ← y + A'x */
  addRows(m: number, n: number, a: number, lda: number, x: number, y: number): void;
  /** Y ← α X + β Y */
  addScaled(m: number, n: number, alpha: number, x: number, ldx: number, beta: number, y: number, ldy: number): void;
  scaleRows(m: number, n: number, a: number, lda: number, factors: number): void;
  /** Dot products of rows, in double precision whatever the elements are. */
  rowDotsWide(m: number, n: number, a: number, lda: number, b: number, ldb: number, out: number): void;
  /** The largest magnitude, in double precision. */
  largest(m: number, n: number, a: number, lda: number, out: number): void;
  /** out[i] ← row i of A · the row of B that belongs to its segment, in double precision. */
  segmentDots(
    begin: number,
    end: number,
    n: number,
    a: number,
    lda: number,
    b: number,
    ldb: number,
    starts: number,
    out: number,
  ): void;
  /** out ← β out + Σ over the segment of weights[i] (row i of A) */
  segmentSum(
    segment: number,
    n: number,
    a: number,
    lda: number,
    weights: number,
    starts: number,
    beta: number,
    out: number,
  ): void;
  /** Rows [begin, end) of the lower triangle copied onto the upper one. */
  mirror(begin: number, end: number, c: number, ldc: number): void;
}

export interface KernelSet extends Record<Dtype, Kernels> {
  /** The kernels over rows, where threads share them out. */
  readonly rows?: Pick<RowCalls, 'make' | 'makePiece'>;
}

/** `tile` is rows×vectors, such as `6x2`. */
export function loadKernels(module: WebAssembly.Module, memory: WebAssembly.Memory, tile: string): KernelSet {
  const instance = new WebAssembly.Instance(module, { env: { memory } });
  return { float64: kernelsOf(instance, 'f64', tile), float32: kernelsOf(instance, 'f32', tile) };
}

function kernelsOf(instance: WebAssembly.Instance, type: 'f64' | 'f32', tile: string): Kernels {
  const [tileRows, vectors] = tile.split('x').map(Number);
  const bytes = type === 'f64' ? 8 : 4;
  const tileColumns = (vectors * 16) / bytes;
  const find = <K>(name: string) => instance.exports[name] as K;
  const pack = (width: number) => ({
    along: find<Pack>(`packAlong_${type}_${width}`),
    across: find<Pack>(`packAcross_${type}_${width}`),
  });
  return {
    bytes,
    tileRows,
    tileColumns,
    packA: pack(tileRows),
    packB: pack(tileColumns),
    block: find(`block_${type}_${tile}`),
    rowDots: find(`rowDots_${type}`),
    timesVector: find(`timesVector_${type}`),
    addRows: find(`addRows_${type}`),
    addScaled: find(`addScaled_${type}`),
    scaleRows: find(`scaleRows_${type}`),
    rowDotsWide: find(`rowDotsWide_${type}`),
    largest: find(`largest_${type}`),
    segmentDots: find(`segmentDots_${type}`),
    segmentSum: find(`segmentSum_${type}`),
    mirror: find(`mirror_${type}`),
  };
}
