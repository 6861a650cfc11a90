/** Storage for what is computed: on a GPU, or given back together, whatever happens in between. */
import { type ArrayOf, type Backend, type Dtype, Matrix, type RowBlocks, runsOf } from '../linalg/index.js';

/** A zeroed matrix for many values: where the backend computes, but not in the memory of WebAssembly, which may be too small. */
export function roomOn(backend: Backend, rows: number, cols: number, dtype: Dtype): Matrix {
  return backend.device === 'wasm' ? Matrix.zeros(rows, cols, dtype) : backend.matrix(rows, cols, dtype);
}

/** Some rows where the backend computes: a view of them where they lie next to each other. */
export function rowsOn(backend: Backend, source: RowBlocks, rows: ArrayLike<number>): Matrix {
  const chosen = Int32Array.from(rows);
  if (source instanceof Matrix && chosen.length > 0 && chosen.every((row, i) => row === chosen[0] + i))
    return source.view(chosen[0], chosen[0] + chosen.length);
  const found = roomOn(backend, chosen.length, source.cols, source.dtype);
  if (source instanceof Matrix) backend.copyRows(found, source, chosen);
  else
    for (const { place, from, to } of runsOf(chosen, source.atOnce))
      backend.copy(found.view(place, place + to - from), source.view(from, to));
  return found;
}

export class Scratch {
  readonly backend: Backend;
  readonly #owned: Matrix[] = [];

  constructor(backend: Backend) {
    this.backend = backend;
  }

  /** A zeroed matrix. */
  matrix<D extends Dtype = 'float64'>(rows: number, cols: number, dtype?: D): Matrix<ArrayOf<D>> {
    const matrix = this.backend.matrix(rows, cols, dtype);
    this.#owned.push(matrix);
    return matrix;
  }

  /** A copy in double precision, where the backend computes fastest. */
  copy(source: Matrix): Matrix<Float64Array> {
    return this.matrix(source.rows, source.cols).copyFrom(source);
  }

  release(): void {
    for (const matrix of this.#owned.splice(0)) this.backend.release(matrix);
  }
}

/** Runs `work` with a scratch and releases it afterwards; what `work` returns must not live in the scratch. */
export async function withScratch<T>(backend: Backend, work: (scratch: Scratch) => Promise<T>): Promise<T> {
  const scratch = new Scratch(backend);
  try {
    return await work(scratch);
  } finally {
    scratch.release();
  }
}
