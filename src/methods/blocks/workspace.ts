/** Backend storage that is given back together, whatever happens in between. */
import type { Backend } from '../../linalg/backend.js';
import type { Matrix } from '../../linalg/matrix.js';

export class Workspace {
  readonly #backend: Backend;
  readonly #owned: Matrix<Float64Array>[] = [];

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** A zeroed matrix. */
  matrix(rows: number, cols: number): Matrix<Float64Array> {
    const matrix = this.#backend.matrix(rows, cols);
    this.#owned.push(matrix);
    return matrix;
  }

  /** A copy in double precision, where the backend computes fastest. */
  copy(source: Matrix): Matrix<Float64Array> {
    return this.matrix(source.rows, source.cols).copyFrom(source);
  }

  release(): void {
    for (const matrix of this.#owned.splice(0)) this.#backend.release(matrix);
  }
}

/** Runs `work` with a workspace and releases it afterwards; what `work` returns must not live in the workspace. */
export async function withWorkspace<T>(backend: Backend, work: (workspace: Workspace) => Promise<T>): Promise<T> {
  const workspace = new Workspace(backend);
  try {
    return await work(workspace);
  } finally {
    workspace.release();
  }
}
