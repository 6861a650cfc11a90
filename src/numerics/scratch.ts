/** Storage for what is computed: on a GPU, or given back together, whatever happens in between. */
import { type ArrayOf, type Backend, type Dtype, Matrix } from '../linalg/index.js';

/** A zeroed matrix for many values: where the backend computes, but not in the memory of WebAssembly, which may be too small. */
export function roomOn(backend: Backend, rows: number, cols: number, dtype: Dtype): Matrix {
  return backend.device === 'wasm' ? Matrix.zeros(rows, cols, dtype) : backend.matrix(rows, cols, dtype);
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
