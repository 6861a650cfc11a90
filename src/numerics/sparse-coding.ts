/**
 * Sparse codes of many vectors over one dictionary, each pulled towards a place of its own:
 * min over yᵢ of ‖xᵢ − D yᵢ‖² + pull ‖yᵢ − tᵢ‖² + sparsity ‖yᵢ‖₁, by accelerated proximal gradients (FISTA: Beck and Teboulle 2009),
 * restarted where a step goes uphill (O'Donoghue and Candès 2015). Only G = DD' (atoms as rows) and D x enter.
 * Stops when no code moves by more than `tolerance` of the largest.
 */
import type { Backend } from '../linalg/index.js';
import { Matrix } from '../linalg/index.js';

export interface SparseCodingOptions {
  pull: number;
  sparsity: number;
  /** @default 1e-3 */
  tolerance?: number;
  /** @default 50 */
  maxIterations?: number;
  signal?: AbortSignal;
}

/** Vectors n×d, dictionary m×d (an atom a row), places n×m; `start` n×m is where the search begins. */
export function sparseCodes(
  backend: Backend,
  vectors: Matrix<Float64Array>,
  dictionary: Matrix<Float64Array>,
  places: Matrix<Float64Array>,
  start: Matrix<Float64Array>,
  { pull, sparsity, tolerance = 1e-3, maxIterations = 50, signal }: SparseCodingOptions,
): Matrix<Float64Array> {
  const [n, m] = [vectors.rows, dictionary.rows];
  const gram = Matrix.zeros(m, m);
  backend.syrk(gram, dictionary);
  backend.addDiagonal(gram, pull);
  const step = 1 / largestEigenvalue(backend, gram);
  /** D x + pull t: half the negative gradient at zero. */
  const linear = places.copy('float64');
  backend.gemm(linear, vectors, dictionary, { transposeB: true, beta: pull });
  const threshold = (step * sparsity) / 2;

  const codes = start.copy('float64');
  const ahead = start.copy('float64');
  const slope = Matrix.zeros(n, m);
  let momentum = 1;
  for (let iteration = 0; iteration < maxIterations; iteration++) {
    signal?.throwIfAborted();
    backend.copy(slope, linear);
    backend.gemm(slope, ahead, gram, { beta: -1 });
    const next = (1 + Math.sqrt(1 + 4 * momentum * momentum)) / 2;
    const push = (momentum - 1) / next;
    const { moved, most, uphill } = advance(codes.data, ahead.data, slope.data, { step, threshold, push });
    momentum = next;
    if (uphill > 0) {
      momentum = 1;
      ahead.data.set(codes.data);
    }
    if (moved <= tolerance * most) break;
  }
  return codes;
}

/**
 * A step down the slope from `ahead`, and beyond it for the next one: how far codes moved and how large they are at most, and
 * whether the step went uphill.
 */
function advance(
  codes: Float64Array,
  ahead: Float64Array,
  slopes: Float64Array,
  { step, threshold, push }: { step: number; threshold: number; push: number },
): { moved: number; most: number; uphill: number } {
  const count = codes.length;
  let moved = 0;
  let most = 0;
  let uphill = 0;
  for (let k = 0; k < count; k++) {
    const from = ahead[k];
    const free = from - step * slopes[k];
    const size = Math.abs(free);
    const left = size - threshold;
    // free / size is the sign, which a branch would have to guess.
    const value = left > 0 ? left * (free / size) : 0;
    const change = value - codes[k];
    moved = Math.max(moved, Math.abs(change));
    most = Math.max(most, Math.abs(value));
    uphill += (from - value) * change;
    codes[k] = value;
    ahead[k] = value + push * change;
  }
  return { moved, most, uphill };
}

function largestEigenvalue(backend: Backend, symmetric: Matrix<Float64Array>): number {
  const work = symmetric.copy('float64');
  const values = new Float64Array(work.rows);
  backend.eigh(values, work);
  return Math.max(values[values.length - 1], Number.MIN_VALUE);
}
