/**
 * Recursive Cholesky factorisation and triangular solves. Halving the matrix again and again,
 *   [A₁₁ ·; A₂₁ A₂₂] = [L₁₁; L₂₁ L₂₂] [L₁₁; L₂₁ L₂₂]':  L₁₁ from A₁₁, L₂₁ = A₂₁ L₁₁⁻ᵀ, L₂₂ from A₂₂ - L₂₁ L₂₁',
 * puts nearly all arithmetic into matrix products; blocks of at most `blockOrder` are left to the kernels.
 */
import type { Dtype } from '../matrix.js';
import type { Factor, FactorContext } from './factor-contract.js';
import type { FactorKernels } from './factor-kernels.js';
import { Scratch } from './factor-scratch.js';

const blockOrder = 64;
/** Rows of C that one product updates when only the lower triangle is wanted. */
const updateRows = 128;

interface Work {
  readonly context: FactorContext;
  readonly kernels: FactorKernels;
  readonly dtype: Dtype;
  readonly elementBytes: number;
  /** Room for one packed strip of right-hand sides. */
  readonly strip: number;
}

/** Right-hand sides: element k of number w lies `k * depth + w * lane` elements behind the pointer. */
interface RightHandSides {
  readonly pointer: number;
  readonly leading: number;
  readonly count: number;
  readonly layout: 'rows' | 'columns';
}

export function createCholesky(
  context: FactorContext,
  kernels: FactorKernels,
): Pick<Factor, 'cholesky' | 'choleskySolve'> {
  function withWork<R>(dtype: Dtype, compute: (work: Work) => R): R {
    return Scratch.use(context, (scratch) =>
      compute({
        context,
        kernels,
        dtype,
        elementBytes: dtype === 'float64' ? 8 : 4,
        strip: scratch.numbers(8 * blockOrder),
      }),
    );
  }

  return {
    cholesky: (dtype, n, aPointer, lda) => withWork(dtype, (work) => factorise(work, n, aPointer, lda)),
    choleskySolve: (dtype, n, lPointer, ldl, bPointer, ldb, rhs, layout) =>
      withWork(dtype, (work) => {
        if (n === 0 || rhs === 0) return;
        const b = { pointer: bPointer, leading: ldb, count: rhs, layout };
        solveForward(work, n, lPointer, ldl, b);
        solveBackward(work, n, lPointer, ldl, b);
      }),
  };
}

function factorise(work: Work, n: number, a: number, lda: number): number {
  const { kernels, elementBytes } = work;
  if (n <= blockOrder) {
    const block = work.dtype === 'float64' ? kernels.choleskyBlock64 : kernels.choleskyBlock32;
    return block(n, a, lda * elementBytes);
  }
  const n1 = firstPart(n);
  const a21 = a + n1 * lda * elementBytes;
  const a22 = a21 + n1 * elementBytes;
  const failed = factorise(work, n1, a, lda);
  if (failed > 0) return failed;
  solveForward(work, n1, a, lda, { pointer: a21, leading: lda, count: n - n1, layout: 'rows' });
  subtractGram(work, n - n1, n1, a21, a22, lda);
  const failedBelow = factorise(work, n - n1, a22, lda);
  return failedBelow > 0 ? n1 + failedBelow : 0;
}

/** The lower triangle of C ← C - A A' with A of n×k. */
function subtractGram(work: Work, n: number, k: number, a: number, c: number, ld: number): void {
  const { context, dtype, elementBytes } = work;
  if (context.syrkLower) {
    context.syrkLower(dtype, n, k, -1, a, ld, false, 1, c, ld);
    return;
  }
  for (let start = 0; start < n; start += updateRows) {
    const end = Math.min(start + updateRows, n);
    const below = start * ld * elementBytes;
    context.gemm(dtype, end - start, end, k, -1, a + below, ld, false, a, ld, true, 1, c + below, ld);
  }
}

/** L X = B, every right-hand side at once. */
function solveForward(work: Work, n: number, l: number, ldl: number, b: RightHandSides): void {
  if (n <= blockOrder) {
    solveBlock(work, n, l, ldl, b, false);
    return;
  }
  const n1 = firstPart(n);
  const l21 = l + n1 * ldl * work.elementBytes;
  const rest = skip(work, b, n1);
  solveForward(work, n1, l, ldl, b);
  const { dtype } = work;
  if (b.layout === 'rows')
    work.context.gemm(
      dtype,
      b.count,
      n - n1,
      n1,
      -1,
      b.pointer,
      b.leading,
      false,
      l21,
      ldl,
      true,
      1,
      rest.pointer,
      b.leading,
    );
  else
    work.context.gemm(
      dtype,
      n - n1,
      b.count,
      n1,
      -1,
      l21,
      ldl,
      false,
      b.pointer,
      b.leading,
      false,
      1,
      rest.pointer,
      b.leading,
    );
  solveForward(work, n - n1, l21 + n1 * work.elementBytes, ldl, rest);
}

/** L' X = B, every right-hand side at once. */
function solveBackward(work: Work, n: number, l: number, ldl: number, b: RightHandSides): void {
  if (n <= blockOrder) {
    solveBlock(work, n, l, ldl, b, true);
    return;
  }
  const n1 = firstPart(n);
  const l21 = l + n1 * ldl * work.elementBytes;
  const rest = skip(work, b, n1);
  solveBackward(work, n - n1, l21 + n1 * work.elementBytes, ldl, rest);
  const { dtype } = work;
  if (b.layout === 'rows')
    work.context.gemm(
      dtype,
      b.count,
      n1,
      n - n1,
      -1,
      rest.pointer,
      b.leading,
      false,
      l21,
      ldl,
      false,
      1,
      b.pointer,
      b.leading,
    );
  else
    work.context.gemm(
      dtype,
      n1,
      b.count,
      n - n1,
      -1,
      l21,
      ldl,
      true,
      rest.pointer,
      b.leading,
      false,
      1,
      b.pointer,
      b.leading,
    );
  solveBackward(work, n1, l, ldl, b);
}

function solveBlock(work: Work, n: number, l: number, ldl: number, b: RightHandSides, backward: boolean): void {
  const { kernels, elementBytes, strip } = work;
  const leadingBytes = b.leading * elementBytes;
  const [depthBytes, laneBytes] = b.layout === 'rows' ? [elementBytes, leadingBytes] : [leadingBytes, elementBytes];
  const solve = work.dtype === 'float64' ? kernels.solveBlock64 : kernels.solveBlock32;
  solve(n, l, ldl * elementBytes, b.pointer, depthBytes, laneBytes, b.count, backward, strip);
}

/** The right-hand sides without their first `count` elements. */
function skip(work: Work, b: RightHandSides, count: number): RightHandSides {
  return { ...b, pointer: b.pointer + count * work.elementBytes * (b.layout === 'rows' ? 1 : b.leading) };
}

/** About half, in whole blocks. */
function firstPart(n: number): number {
  return blockOrder * Math.ceil(n / blockOrder / 2);
}
