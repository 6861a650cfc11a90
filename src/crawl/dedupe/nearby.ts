/**
 * Near-duplicates among feature vectors, as Zhou et al. (2014) remove them: distances after a reduction to principal
 * components. In order of preference, a row is a duplicate when its distance to an earlier row that stays is at most t:
 *
 *   |x_i − x_j| ≤ t,  x of unit length.
 *
 * The reduced vectors only exclude pairs (their distance is a lower bound); every pair that remains is verified on the
 * full vectors in double precision, so the answer is exact. Memory: the reduced vectors and one tile, never n².
 */
import { ArgumentError, MemoryError } from '../../errors.js';
import type { ArrayRows } from '../../formats/index.js';
import type { Backend, Matrix } from '../../linalg/index.js';
import type { Progress } from '../../progress.js';
import { type Components, principalComponents, unitLength } from './principal-components.js';

export interface NearbyOptions {
  backend: Backend;
  /** Largest distance between unit-length vectors that makes two pictures the same. @default 0.5 */
  threshold?: number;
  /** Principal components kept for excluding pairs. @default 64 */
  components?: number;
  /** In MiB. @default 512 */
  memoryLimit?: number;
  /** Rows that are never removed; all their matches with earlier rows are reported. @default none */
  isReference?(row: number): boolean;
  /** Rows left out altogether. @default none */
  isIgnored?(row: number): boolean;
  signal?: AbortSignal;
  onProgress?(progress: Progress): void;
}

export interface NearbyPair {
  row: number;
  /** The earlier row that stays. */
  of: number;
  distance: number;
}

const blockRows = 1024;
const tileRows = 2048;
/** Single precision may overestimate a small squared distance by this much. */
const slack = 1e-4;

export const defaultThreshold = 0.5;

/** Yields every removed row with the row it duplicates, and every match of a reference row. */
export async function* nearbyRows(rows: ArrayRows, options: NearbyOptions): AsyncGenerator<NearbyPair> {
  const { backend, threshold = defaultThreshold, signal } = options;
  if (!(threshold >= 0 && threshold < 2))
    throw new ArgumentError(`threshold is ${threshold}; it must lie between 0 and 2`);
  const total = rows.shape[0];
  const width = Math.min(rows.rowLength, options.components ?? 64);
  checkMemory(total, rows.rowLength, width, options.memoryLimit ?? 512);
  if (total < 2) return;
  const components = await principalComponents(rows, width, backend, signal);
  const search = new Search(rows, components, total, width, backend, threshold);
  try {
    for (let start = 0; start < total; start += blockRows) {
      signal?.throwIfAborted();
      yield* search.block(start, Math.min(total, start + blockRows), options);
      options.onProgress?.({ done: Math.min(total, start + blockRows), total, unit: 'pictures' });
    }
  } finally {
    search.release();
    backend.release(components.vectors);
  }
}

/**
 * Two columns are added to every reduced vector, z → (z, −|z|²/2, 1) on the one side and (z, 1, −|z|²/2) on the other,
 * so that one product of matrices gives −|z − z'|²/2 directly.
 */
class Search {
  readonly #rows: ArrayRows;
  readonly #components: Components;
  readonly #width: number;
  readonly #backend: Backend;
  readonly #threshold: number;
  /** Reduced vectors of the rows that stay, in order, and which rows they are. */
  readonly #kept: Matrix<Float32Array>;
  readonly #keptRows: Int32Array;
  #keptCount = 0;
  readonly #block: Matrix<Float32Array>;
  readonly #mirror: Matrix<Float32Array>;
  readonly #products: Matrix<Float32Array>;
  readonly #raw: Matrix<Float32Array>;
  readonly #reading: Float32Array;
  readonly #cache = new Map<number, Float64Array>();

  constructor(
    rows: ArrayRows,
    components: Components,
    total: number,
    width: number,
    backend: Backend,
    threshold: number,
  ) {
    this.#rows = rows;
    this.#components = components;
    this.#width = width;
    this.#backend = backend;
    this.#threshold = threshold;
    this.#kept = backend.matrix(total, width + 2, 'float32');
    this.#keptRows = new Int32Array(total);
    this.#block = backend.matrix(blockRows, width + 2, 'float32');
    this.#mirror = backend.matrix(blockRows, width + 2, 'float32');
    this.#products = backend.matrix(blockRows, tileRows, 'float32');
    this.#reading = new Float32Array(blockRows * rows.rowLength);
    this.#raw = backend.matrix(blockRows, rows.rowLength, 'float32');
  }

  release(): void {
    for (const matrix of [this.#kept, this.#block, this.#mirror, this.#products, this.#raw])
      this.#backend.release(matrix);
  }

  async *block(start: number, end: number, options: NearbyOptions): AsyncGenerator<NearbyPair> {
    const size = end - start;
    await this.#reduce(start, size);
    const gone = new Uint8Array(size);
    for (let i = 0; i < size; i++) if (options.isIgnored?.(start + i)) gone[i] = 1;
    const earlier = this.#keptCount;
    for (let tile = 0; tile < earlier; tile += tileRows) {
      const tileEnd = Math.min(earlier, tile + tileRows);
      for (const [i, j] of this.#candidates(size, this.#kept.view(tile, tileEnd), gone, false)) {
        if (gone[i]) continue;
        yield* this.#verified(start + i, this.#keptRows[tile + j], gone, i, options);
      }
    }
    // Within the block, in order, against those of it that stay.
    const inside = this.#candidates(size, this.#mirrored(size), gone, true);
    let next = 0;
    for (let i = 0; i < size; i++) {
      for (; next < inside.length && inside[next][0] === i; next++)
        if (!gone[i] && !gone[inside[next][1]])
          yield* this.#verified(start + i, start + inside[next][1], gone, i, options);
      if (gone[i]) continue;
      this.#keep(i, start + i);
    }
  }

  async *#verified(
    row: number,
    of: number,
    gone: Uint8Array,
    i: number,
    options: NearbyOptions,
  ): AsyncGenerator<NearbyPair> {
    const distance = difference(await this.#fullRow(row), await this.#fullRow(of));
    if (distance > this.#threshold) return;
    yield { row, of, distance };
    if (!options.isReference?.(row)) gone[i] = 1;
  }

  /** Pairs (row of the block, row of the other side) that the lower bound does not exclude, in order of both. */
  #candidates(size: number, other: Matrix<Float32Array>, gone: Uint8Array, triangle: boolean): [number, number][] {
    const columns = other.rows;
    const products = this.#products.view(0, size, 0, columns);
    this.#backend.gemm(products, this.#block.view(0, size), other, { transposeB: true });
    const least = -(this.#threshold ** 2 + slack) / 2;
    const pairs: [number, number][] = [];
    for (let i = 0; i < size; i++) {
      if (gone[i]) continue;
      const row = products.row(i);
      const limit = triangle ? i : columns;
      for (let j = 0; j < limit; j++) if (row[j] >= least) pairs.push([i, j]);
    }
    return pairs;
  }

  /** Rows [start, start + size) as (z, −|z|²/2, 1) in the block. */
  async #reduce(start: number, size: number): Promise<void> {
    const { mean, vectors } = this.#components;
    const raw = this.#raw.view(0, size);
    const read = await this.#rows.readRows(start, start + size, this.#reading.subarray(0, size * raw.cols));
    for (let i = 0; i < size; i++) {
      const row = raw.row(i);
      row.set(read.subarray(i * row.length, (i + 1) * row.length));
      unitLength(row, start + i);
      for (let j = 0; j < row.length; j++) row[j] -= mean[j];
    }
    this.#backend.gemm(this.#block.view(0, size, 0, this.#width), raw, vectors, { transposeB: true });
    for (let i = 0; i < size; i++) {
      const row = this.#block.row(i);
      let sum = 0;
      for (let k = 0; k < this.#width; k++) sum += row[k] * row[k];
      row[this.#width] = -sum / 2;
      row[this.#width + 1] = 1;
    }
  }

  /** The block's rows in the form of the other side. */
  #mirrored(size: number): Matrix<Float32Array> {
    for (let i = 0; i < size; i++) mirror(this.#block.row(i), this.#mirror.row(i));
    return this.#mirror.view(0, size);
  }

  #keep(i: number, row: number): void {
    mirror(this.#block.row(i), this.#kept.row(this.#keptCount));
    this.#keptRows[this.#keptCount++] = row;
  }

  async #fullRow(row: number): Promise<Float64Array> {
    let values = this.#cache.get(row);
    if (!values) {
      values = new Float64Array(this.#rows.rowLength);
      await this.#rows.readRows(row, row + 1, values);
      unitLength(values, row);
      if (this.#cache.size >= cachedRows) this.#cache.delete(this.#cache.keys().next().value!);
      this.#cache.set(row, values);
    }
    return values;
  }
}

const cachedRows = 2048;

function mirror(from: Float32Array, to: Float32Array): void {
  const width = from.length - 2;
  to.set(from);
  to[width] = 1;
  to[width + 1] = from[width];
}

function difference(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += (a[j] - b[j]) ** 2;
  return Math.sqrt(sum);
}

function checkMemory(total: number, dimensions: number, width: number, limit: number): void {
  const bytes =
    4 * total * (width + 3) +
    4 * blockRows * (2 * dimensions + 2 * width + tileRows) +
    8 * (dimensions ** 2 + 1024 * dimensions + cachedRows * dimensions);
  if (bytes > limit * 2 ** 20)
    throw new MemoryError(
      bytes,
      `comparing ${total} vectors of ${dimensions} dimensions`,
      'Allow more with --memory-limit, or use fewer --components.',
    );
}
