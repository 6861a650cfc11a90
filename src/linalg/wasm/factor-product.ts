/** The context's matrix product, with operands as blocks instead of loose pointers. */
import type { Dtype } from '../matrix.js';
import type { FactorContext } from './factor-contract.js';

/** A block inside the shared memory: the byte pointer of its first element and its leading dimension in elements. */
export interface Block {
  readonly pointer: number;
  readonly leading: number;
}

/** The transpose of a block, as an operand. */
interface Transposed {
  readonly transposed: Block;
}

type Operand = Block | Transposed;

/** C ← A B for operands of m×k and k×n. */
export function setProduct(context: FactorContext, shape: Shape, c: Block, a: Operand, b: Operand): void {
  product(context, 'float64', shape, 1, a, b, 0, c);
}

/** C ← C - A B for operands of m×k and k×n. */
export function subtractProduct(
  context: FactorContext,
  dtype: Dtype,
  shape: Shape,
  c: Block,
  a: Operand,
  b: Operand,
): void {
  product(context, dtype, shape, -1, a, b, 1, c);
}

/** Rows m and columns n of the output, and the depth k that is summed over. */
export type Shape = readonly [m: number, n: number, k: number];

function product(
  context: FactorContext,
  dtype: Dtype,
  [m, n, k]: Shape,
  alpha: number,
  a: Operand,
  b: Operand,
  beta: number,
  c: Block,
): void {
  const transposeA = 'transposed' in a;
  const transposeB = 'transposed' in b;
  const { pointer: aPointer, leading: lda } = transposeA ? a.transposed : a;
  const { pointer: bPointer, leading: ldb } = transposeB ? b.transposed : b;
  const { pointer, leading } = c;
  context.gemm(dtype, m, n, k, alpha, aPointer, lda, transposeA, bPointer, ldb, transposeB, beta, pointer, leading);
}
