/** Small dense problems of the learner: pseudo-inverse and singular value thresholding, both through a Gram matrix. */
import type { Backend, Matrix, RealArray } from '../linalg/index.js';

/** Eigenvalues below this share of the largest count as zero in a pseudo-inverse. */
const rankTolerance = { float64: 1e-12, float32: 1e-6 } as const;

/** A⁺ of a symmetric positive semi-definite matrix. A is overwritten. */
export function pseudoInverse(backend: Backend, a: Matrix): Matrix {
  return spectralFunction(backend, a, (value, largest) => (value > rankTolerance[a.dtype] * largest ? 1 / value : 0));
}

/** A symmetric positive semi-definite matrix taken apart. */
export interface Spectrum {
  /** Eigenvectors, a row each. */
  vectors: Matrix;
  /**
   * Eigenvalues of (A + ridge I)⁻¹, or of A⁺ where the ridge is 0, and Σ λ/(λ + ridge), the rank less what the ridge takes.
   */
  regularized(ridge: number): { factors: RealArray; freedom: number };
}

/** A is overwritten by its eigenvectors. */
export function spectrumOf(backend: Backend, a: Matrix): Spectrum {
  const values = vector(a, a.rows);
  backend.eigh(values, a);
  const negligible = a.rows > 0 ? rankTolerance[a.dtype] * values[a.rows - 1] : 0;
  return {
    vectors: a,
    regularized(ridge) {
      let freedom = 0;
      const factors = values.map((value) => {
        const size = value > negligible ? value : 0;
        if (size + ridge === 0) return 0;
        freedom += size / (size + ridge);
        return 1 / (size + ridge);
      });
      return { factors, freedom };
    },
  };
}

/** V' diag(f(λ)) V for symmetric A = V' diag(λ) V. A is overwritten by V. */
function spectralFunction(backend: Backend, a: Matrix, f: (value: number, largest: number) => number): Matrix {
  const n = a.rows;
  const values = vector(a, n);
  backend.eigh(values, a);
  const largest = n > 0 ? values[n - 1] : 0;
  const scaled = backend.matrix(n, n, a.dtype);
  backend.copy(scaled, a);
  backend.scaleRows(
    scaled,
    values.map((value) => f(value, largest)),
  );
  const result = backend.matrix(n, n, a.dtype);
  backend.gemm(result, a, scaled, { transposeA: true });
  backend.release(scaled);
  return result;
}

export interface Thresholded {
  /** Number of singular values above the threshold. */
  rank: number;
  /** Sum of the singular values after thresholding, ‖Z‖*. */
  nuclear: number;
}

/**
 * Z ← argmin threshold ‖Z‖* + ½‖Z − M‖² (Cai, Candès and Shen 2010) for n×r M with r ≪ n: with M'M = V' diag(σ²) V,
 * Z = M V' diag((1 − threshold/σ)₊) V.
 */
export function thresholdSingularValues(backend: Backend, z: Matrix, m: Matrix, threshold: number): Thresholded {
  const gram = backend.matrix(m.cols, m.cols, m.dtype);
  backend.syrk(gram, m, { transpose: true });
  let rank = 0;
  let nuclear = 0;
  const shrink = spectralFunction(backend, gram, (value) => {
    const sigma = Math.sqrt(Math.max(0, value));
    if (sigma <= threshold) return 0;
    rank++;
    nuclear += sigma - threshold;
    return 1 - threshold / sigma;
  });
  backend.gemm(z, m, shrink);
  backend.release(gram);
  backend.release(shrink);
  return { rank, nuclear };
}

function vector(like: Matrix, length: number): Float64Array | Float32Array {
  return like.dtype === 'float64' ? new Float64Array(length) : new Float32Array(length);
}
