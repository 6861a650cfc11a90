/**
 * Symmetric eigendecomposition A = V' Λ V in three steps: reduction to tridiagonal form T = Q' A Q by blocked Householder
 * reflectors, divide and conquer for T = Z' Λ Z, and V = Z Q', the reflectors applied in blocks. Everything is computed in
 * float64; a float32 matrix is converted on the way in and out.
 */
import { ArgumentError } from '../../errors.js';
import type { Dtype } from '../matrix.js';
import type { FactorContext } from './factor-contract.js';
import { solveTridiagonal } from './factor-divide.js';
import type { FactorKernels } from './factor-kernels.js';
import { type Block, setProduct, subtractProduct } from './factor-product.js';
import { Scratch } from './factor-scratch.js';

/** Rows reduced before the rest of the matrix is updated. */
const panelRows = 32;
/** Below this order the rest is reduced as one panel. */
const lastPanelRows = 48;
/** Rows of the lower triangle that one product updates. */
const updateRows = 128;
/** Reflectors applied together to the eigenvectors. */
const reflectorBlock = 64;
/** What the last merge of divide and conquer usually needs, in units of the matrix. */
const mergeShare = 1.5;
/** Matrices whose largest element has an exponent beyond this are scaled by a power of two. */
const comfortableExponent = 32;

interface Reduction {
  readonly context: FactorContext;
  readonly kernels: FactorKernels;
  readonly n: number;
  /** The matrix; afterwards row i holds the reflector vector of row i, zero from column i on. */
  readonly a: number;
  readonly lda: number;
  readonly diagonal: number;
  readonly offDiagonal: number;
  readonly tau: number;
}

export function eigh(
  context: FactorContext,
  kernels: FactorKernels,
  dtype: Dtype,
  n: number,
  aPointer: number,
  lda: number,
  valuesPointer: number,
): void {
  if (n === 0) return;
  const double = dtype === 'float64';
  const ldaBytes = lda * (double ? 8 : 4);
  const largest = (double ? kernels.largestMagnitude64 : kernels.largestMagnitude32)(n, aPointer, ldaBytes);
  if (!Number.isFinite(largest)) throw notFinite(context, dtype, n, aPointer, lda);
  const scale = scaleFor(largest);

  Scratch.use(context, (scratch) => {
    const a = double ? aPointer : scratch.numbers(n * n);
    const reduction: Reduction = {
      context,
      kernels,
      n,
      a,
      lda: double ? lda : n,
      diagonal: scratch.numbers(n),
      offDiagonal: scratch.numbers(n),
      tau: scratch.numbers(n),
    };
    const ldz = n;
    const z = scratch.numbers(n * ldz);
    Scratch.ensure(context, mergeShare * n * n);

    if (!double) kernels.importLower32(n, aPointer, ldaBytes, a, 8 * n, scale);
    else if (scale !== 1) kernels.importLower64(n, a, ldaBytes, a, ldaBytes, scale);
    tridiagonalize(reduction);
    view(context, z, n * ldz).fill(0);
    const { diagonal: d, offDiagonal: e } = reduction;
    const order = solveTridiagonal({ context, kernels, d, e, z, ldz }, 0, n);
    applyReflectors(reduction, { pointer: z, leading: ldz });

    const exportRow = double ? kernels.exportRow64 : kernels.exportRow32;
    const unsorted = view(context, d, n);
    const values = new (double ? Float64Array : Float32Array)(context.memory.buffer, valuesPointer, n);
    order.forEach((row, i) => {
      exportRow(n, z + 8 * ldz * row, aPointer + i * ldaBytes);
      values[i] = unsorted[row] / scale;
    });
  });
}

/** T = Q' A Q, panel by panel from the last row upwards. */
function tridiagonalize({ context, kernels, n, a, lda, diagonal, offDiagonal, tau }: Reduction): void {
  Scratch.use(context, (scratch) => {
    const panel = scratch.numbers(3 * Math.max(panelRows, lastPanelRows) * n);
    const coefficients = scratch.numbers(2 * Math.max(panelRows, lastPanelRows));
    for (let order = n; order > 0; ) {
      const count = order <= lastPanelRows ? order : panelRows;
      const results = [diagonal, offDiagonal, tau, coefficients] as const;
      kernels.tridiagonalPanel(n, order, count, a, 8 * lda, panel, 8 * n, ...results);
      order -= count;
      // A ← A - V' W - W' V, lower triangle, as [V; W]' [W; V]: the panel holds the rows V, W, V.
      for (let start = 0; start < order; start += updateRows) {
        const end = Math.min(start + updateRows, order);
        const first = { transposed: { pointer: panel + 8 * start, leading: n } };
        const second = { pointer: panel + 8 * n * count, leading: n };
        const rows = { pointer: a + 8 * start * lda, leading: lda };
        subtractProduct(context, 'float64', [end - start, end, 2 * count], rows, first, second);
      }
    }
  });
}

/** Z ← Z H₁ H₂ … H_{n-1}, in blocks: H_i … H_j = I - Y' F Y. */
function applyReflectors({ context, kernels, n, a, lda, tau }: Reduction, z: Block): void {
  Scratch.use(context, (scratch) => {
    const gram = scratch.numbers(reflectorBlock ** 2);
    const factor = scratch.numbers(reflectorBlock ** 2);
    const factored = scratch.numbers(reflectorBlock * n);
    const projected = { pointer: scratch.numbers(n * reflectorBlock), leading: reflectorBlock };
    for (let start = 1; start < n; start += reflectorBlock) {
      const count = Math.min(reflectorBlock, n - start);
      const width = start + count - 1;
      const y = { pointer: a + 8 * start * lda, leading: lda };
      const fy = { pointer: factored, leading: width };
      setProduct(context, [count, count, width], { pointer: gram, leading: count }, y, { transposed: y });
      kernels.reflectorFactor(count, gram, tau + 8 * start, factor);
      setProduct(context, [count, width, count], fy, { pointer: factor, leading: count }, y);
      setProduct(context, [n, count, width], projected, z, { transposed: y });
      subtractProduct(context, 'float64', [n, width, count], z, projected, fy);
    }
  });
}

/** A power of two that brings the largest element near 1 where squares could overflow or vanish; otherwise 1. */
function scaleFor(largest: number): number {
  if (largest === 0) return 1;
  const exponent = Math.floor(Math.log2(largest));
  return Math.abs(exponent) <= comfortableExponent ? 1 : 2 ** Math.max(-1022, Math.min(1022, -exponent));
}

function notFinite(context: FactorContext, dtype: Dtype, n: number, pointer: number, lda: number): ArgumentError {
  const type = dtype === 'float64' ? Float64Array : Float32Array;
  const a = new type(context.memory.buffer, pointer, (n - 1) * lda + n);
  let where = '';
  for (let i = n - 1; i >= 0; i--)
    for (let j = 0; j <= i; j++)
      if (!Number.isFinite(a[i * lda + j])) where = `${a[i * lda + j]} in row ${i}, column ${j}`;
  return new ArgumentError(
    `eigh: the matrix (${n}×${n}) holds ${where}; every element of its lower triangle must be finite`,
    'Check the features or weights that the matrix was made from for NaN, infinity and overflow.',
  );
}

function view(context: FactorContext, pointer: number, count: number): Float64Array {
  return new Float64Array(context.memory.buffer, pointer, count);
}
