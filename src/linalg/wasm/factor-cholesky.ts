/**
 * Recursive Cholesky factorization and triangular solves. Halving the matrix again and again,
 *   [A₁₁ ·; A₂₁ A₂₂] = [L₁₁; L₂₁ L₂₂] [L₁₁; L₂₁ L₂₂]':  L₁₁ from A₁₁, L₂₁ = A₂₁ L₁₁⁻ᵀ, L₂₂ from A₂₂ - L₂₁ L₂₁',
 * puts nearly all arithmetic into matrix products; blocks of at most `blockOrder` are left to the kernels.
 */
import type { Dtype } from '../matrix.js';
import type { Factor, FactorContext } from './factor-contract.js';
import type { FactorKernels } from './factor-kernels.js';
import { type Block, subtractProduct } from './factor-product.js';
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

/** Right-hand sides: one in each of `count` rows, or one in each of `count` columns. */
interface RightHandSides extends Block {
  readonly count: number;
  readonly layout: 'rows' | 'columns';
}

export function createCholesky(
  context: FactorContext,
  kernels: FactorKernels,
): Pick<Factor, 'cholesky' | 'choleskySolve'> {
  function withWork<R>(dtype: Dtype, compute: (work: Work) => R): R {
    const elementBytes = dtype === 'float64' ? 8 : 4;
    return Scratch.use(context, (scratch) =>
      compute({ context, kernels, dtype, elementBytes, strip: scratch.numbers(8 * blockOrder) }),
    );
  }

  return {
    cholesky: (dtype, n, pointer, leading) => withWork(dtype, (work) => factorize(work, n, { pointer, leading })),
    choleskySolve: (dtype, n, lPointer, ldl, bPointer, ldb, rhs, layout, way) =>
      withWork(dtype, (work) => {
        if (n === 0 || rhs === 0) return;
        const l = { pointer: lPointer, leading: ldl };
        const b = { pointer: bPointer, leading: ldb, count: rhs, layout };
        solveForward(work, n, l, b);
        if (way === 'whole') solveBackward(work, n, l, b);
      }),
  };
}

function factorize(work: Work, n: number, a: Block): number {
  if (n <= blockOrder) {
    const { choleskyBlock64, choleskyBlock32 } = work.kernels;
    return (work.dtype === 'float64' ? choleskyBlock64 : choleskyBlock32)(n, a.pointer, a.leading * work.elementBytes);
  }
  const n1 = firstPart(n);
  const a21 = at(work, a, n1, 0);
  const a22 = at(work, a, n1, n1);
  const failed = factorize(work, n1, a);
  if (failed > 0) return failed;
  solveForward(work, n1, a, { ...a21, count: n - n1, layout: 'rows' });
  subtractGram(work, n - n1, n1, a22, a21);
  const failedBelow = factorize(work, n - n1, a22);
  return failedBelow > 0 ? n1 + failedBelow : 0;
}

/** The lower triangle of C ← C - A A' with A of n×k. */
function subtractGram(work: Work, n: number, k: number, c: Block, a: Block): void {
  const { context, dtype } = work;
  if (context.syrkLower) {
    context.syrkLower(dtype, n, k, -1, a.pointer, a.leading, false, 1, c.pointer, c.leading);
    return;
  }
  for (let start = 0; start < n; start += updateRows) {
    const end = Math.min(start + updateRows, n);
    const shape = [end - start, end, k] as const;
    subtractProduct(context, dtype, shape, at(work, c, start, 0), at(work, a, start, 0), { transposed: a });
  }
}

/** L X = B, every right-hand side at once. */
function solveForward(work: Work, n: number, l: Block, b: RightHandSides): void {
  if (n <= blockOrder) {
    solveBlock(work, n, l, b, false);
    return;
  }
  const { context, dtype } = work;
  const { n1, n2, l21, l22, rest } = halves(work, n, l, b);
  solveForward(work, n1, l, b);
  if (b.layout === 'rows') subtractProduct(context, dtype, [b.count, n2, n1], rest, b, { transposed: l21 });
  else subtractProduct(context, dtype, [n2, b.count, n1], rest, l21, b);
  solveForward(work, n2, l22, rest);
}

/** L' X = B, every right-hand side at once. */
function solveBackward(work: Work, n: number, l: Block, b: RightHandSides): void {
  if (n <= blockOrder) {
    solveBlock(work, n, l, b, true);
    return;
  }
  const { context, dtype } = work;
  const { n1, n2, l21, l22, rest } = halves(work, n, l, b);
  solveBackward(work, n2, l22, rest);
  if (b.layout === 'rows') subtractProduct(context, dtype, [b.count, n1, n2], b, rest, l21);
  else subtractProduct(context, dtype, [n1, b.count, n2], b, { transposed: l21 }, rest);
  solveBackward(work, n1, l, b);
}

/** [L₁₁ ·; L₂₁ L₂₂] of n1 + n2 rows, and the right-hand sides from n1 on. */
function halves(work: Work, n: number, l: Block, b: RightHandSides) {
  const n1 = firstPart(n);
  return { n1, n2: n - n1, l21: at(work, l, n1, 0), l22: at(work, l, n1, n1), rest: skip(work, b, n1) };
}

function solveBlock(work: Work, n: number, l: Block, b: RightHandSides, backward: boolean): void {
  const { kernels, elementBytes, strip } = work;
  const leadingBytes = b.leading * elementBytes;
  const [depthBytes, laneBytes] = b.layout === 'rows' ? [elementBytes, leadingBytes] : [leadingBytes, elementBytes];
  const solve = work.dtype === 'float64' ? kernels.solveBlock64 : kernels.solveBlock32;
  solve(n, l.pointer, l.leading * elementBytes, b.pointer, depthBytes, laneBytes, b.count, backward, strip);
}

/** The right-hand sides without their first `count` elements. */
function skip(work: Work, b: RightHandSides, count: number): RightHandSides {
  return { ...b, ...(b.layout === 'rows' ? at(work, b, 0, count) : at(work, b, count, 0)) };
}

/** The block that starts at an element of another one. */
function at({ elementBytes }: Work, { pointer, leading }: Block, row: number, column: number): Block {
  return { pointer: pointer + (row * leading + column) * elementBytes, leading };
}

/** About half, in whole blocks. */
function firstPart(n: number): number {
  return blockOrder * Math.ceil(n / blockOrder / 2);
}
