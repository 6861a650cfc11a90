/**
 * Dual coordinate descent for many categories over the same instances, which are visited in blocks for all categories
 * together: one product gives their decision values, coordinates inside the block move with the block's Gram matrix,
 * another product updates the weights. The iterates are those of visiting the instances one by one. Stops when no
 * projected gradient of a sweep exceeds `tolerance`.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Backend, Matrix } from '../linalg/index.js';
import type { Scratch } from './scratch.js';

interface RowBlock {
  /** Number of the block's first row. */
  readonly first: number;
  /** The rows themselves, a view. */
  readonly rows: Matrix<Float64Array>;
  /** rows · rows' */
  readonly gram: Matrix<Float64Array>;
}

export interface DescentOptions {
  /** @default 0.01 */
  tolerance?: number;
  /** @default 200 */
  maxSweeps?: number;
  signal?: AbortSignal;
}

/** A block seen from one category. */
export interface Visit {
  readonly block: RowBlock;
  readonly category: number;
  /** w'xᵢ + b of the block, to be kept up to date for those that are still to be visited. */
  readonly values: Float64Array;
  /** Changes of αᵢ yᵢ, zero at first. */
  readonly moves: Float64Array;
}

/**
 * Moves the weights, C×d and in the beginning Σᵢ αᵢ yᵢ xᵢ, over the rows xᵢ. `visit` passes over the block's coordinates
 * and returns the largest projected gradient met.
 */
export async function descend(
  backend: Backend,
  scratch: Scratch,
  weights: Matrix<Float64Array>,
  x: Matrix<Float64Array>,
  visit: (part: Visit) => number,
  { tolerance = 0.01, maxSweeps = 200, signal }: DescentOptions,
): Promise<{ sweeps: number; converged: boolean }> {
  const categories = weights.rows;
  const blocks = rowBlocks(backend, scratch, x);
  const widest = blocks.length > 0 ? blocks[0].rows.rows : 0;
  const blockValues = scratch.matrix(categories, widest);
  const blockMoves = scratch.matrix(categories, widest);
  let converged = false;
  let sweeps = 0;
  while (!converged && sweeps < maxSweeps) {
    signal?.throwIfAborted();
    let violation = 0;
    for (const block of blocks) {
      const values = blockValues.view(0, categories, 0, block.rows.rows);
      const moves = blockMoves.view(0, categories, 0, block.rows.rows).fill(0);
      backend.gemm(values, weights, block.rows, { transposeB: true });
      for (let category = 0; category < categories; category++) {
        const worst = visit({ block, category, values: values.row(category), moves: moves.row(category) });
        if (worst > violation) violation = worst;
      }
      backend.gemm(weights, moves, block.rows, { beta: 1 });
    }
    sweeps++;
    converged = violation <= tolerance;
    await yieldToEventLoop();
  }
  return { sweeps, converged };
}

/**
 * Cuts the rows into blocks. 64 rows make the products long enough to run at full speed, while a sweep inside the block
 * costs less than the products.
 */
function rowBlocks(backend: Backend, scratch: Scratch, features: Matrix<Float64Array>, size = 64): RowBlock[] {
  const blocks: RowBlock[] = [];
  for (let first = 0; first < features.rows; first += size) {
    const rows = features.view(first, Math.min(features.rows, first + size));
    const gram = scratch.matrix(rows.rows, rows.rows);
    backend.syrk(gram, rows);
    blocks.push({ first, rows, gram });
  }
  return blocks;
}
