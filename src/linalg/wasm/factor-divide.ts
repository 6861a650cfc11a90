/**
 * Divide and conquer for a symmetric tridiagonal matrix (Cuppen 1981, Gu and Eisenstat 1995). Torn at an off-diagonal
 * element e, T = diag(T₁, T₂) + ρ b b' with ρ = |e|; when T₁ = Z₁' D₁ Z₁ and T₂ = Z₂' D₂ Z₂ are known, T is similar to
 * diag(D₁, D₂) + ρ z z', whose eigenvectors S give those of T as S diag(Z₁, Z₂): a matrix product. Eigenvectors are rows.
 */
import { BackendError } from '../../errors.js';
import type { FactorContext } from './factor-contract.js';
import type { FactorKernels } from './factor-kernels.js';
import { deflate, inBoth, inBottom, inTop, mergeOrders } from './factor-merge.js';
import { type Block, type Shape, setProduct } from './factor-product.js';
import { Scratch } from './factor-scratch.js';

/** Parts of at most this order are left to the implicit QL method. */
const leafOrder = 32;

export interface TridiagonalProblem {
  readonly context: FactorContext;
  readonly kernels: FactorKernels;
  /** n diagonal elements, which become the eigenvalues in the order of the rows of z. */
  readonly d: number;
  /** n - 1 off-diagonal elements, and room for one more; destroyed. */
  readonly e: number;
  /** n×n eigenvectors as rows: zero on entry. */
  readonly z: number;
  readonly ldz: number;
}

/** Solves rows [start, start + size) and returns the rows of z, counted from `start`, by ascending eigenvalue. */
export function solveTridiagonal(problem: TridiagonalProblem, start: number, size: number): Int32Array {
  if (size <= leafOrder) return solveLeaf(problem, start, size);
  const { context } = problem;
  const n1 = size >> 1;
  const last = start + n1 - 1;
  const coupling = view(context, problem.e, last + 1)[last];
  const d = view(context, problem.d, last + 2);
  d[last] -= Math.abs(coupling);
  d[last + 1] -= Math.abs(coupling);
  const top = solveTridiagonal(problem, start, n1);
  const bottom = solveTridiagonal(problem, start + n1, size - n1).map((row) => row + n1);
  return merge(problem, start, size, n1, coupling, top, bottom);
}

function solveLeaf(problem: TridiagonalProblem, start: number, size: number): Int32Array {
  const { d, e, z, ldz } = problem;
  const block = z + 8 * start * (ldz + 1);
  const failed = problem.kernels.implicitQl(size, d + 8 * start, e + 8 * start, block, 8 * ldz);
  if (failed > 0) throw new BackendError('eigh: the QL iteration did not converge', 'Report the matrix: it should.');
  const values = view(problem.context, d + 8 * start, size);
  return Int32Array.from(values.keys()).sort((a, b) => values[a] - values[b]);
}

function merge(
  problem: TridiagonalProblem,
  start: number,
  size: number,
  n1: number,
  coupling: number,
  top: Int32Array,
  bottom: Int32Array,
): Int32Array {
  const { context, kernels, ldz } = problem;
  const block = problem.z + 8 * start * (ldz + 1);
  const values = view(context, problem.d + 8 * start, size);
  const { z, part } = couplingVector(view(context, block, (size - 1) * ldz + size), ldz, size, n1, coupling);
  // b has length √2, so z has length 1 and ρ = 2 |e|.
  const rho = 2 * Math.abs(coupling);
  const rotate = (first: number, second: number, c: number, s: number) =>
    kernels.rotateRows(size, block + 8 * ldz * first, block + 8 * ldz * second, c, s);
  const { kept, deflated } = deflate({ d: values, z, rho, part }, mergeOrders(values, top, bottom), rotate);
  deflated.sort((a, b) => values[a] - values[b]);
  if (kept.length === 0) return Int32Array.from(deflated);

  const roots = updateVectors(problem, { block, size, n1, rho, z, part, values, kept, deflated });
  values.set([...roots, ...deflated.map((index) => values[index])]);
  const rows = Int32Array.from(values.keys());
  return mergeOrders(values, rows.subarray(0, kept.length), rows.subarray(kept.length));
}

/** z = diag(Z₁, Z₂) b / √2: the last elements of the upper eigenvectors and the first of the lower ones. */
function couplingVector(block: Float64Array, ldz: number, size: number, n1: number, coupling: number) {
  const z = new Float64Array(size);
  const part = new Uint8Array(size);
  const sign = coupling < 0 ? -Math.SQRT1_2 : Math.SQRT1_2;
  for (let i = 0; i < size; i++) {
    z[i] = i < n1 ? Math.SQRT1_2 * block[i * ldz + n1 - 1] : sign * block[i * ldz + n1];
    part[i] = i < n1 ? inTop : inBottom;
  }
  return { z, part };
}

interface Update {
  readonly block: number;
  readonly size: number;
  readonly n1: number;
  readonly rho: number;
  readonly z: Float64Array;
  readonly part: Uint8Array;
  readonly values: Float64Array;
  readonly kept: number[];
  readonly deflated: number[];
}

/**
 * Replaces the eigenvectors by those of the merged matrix: first the kept ones, by ascending eigenvalue, then the deflated
 * ones. Returns the eigenvalues of the kept ones. Vectors of one part have zeros in the other, so two products of half
 * the width and about half the depth do.
 */
function updateVectors(problem: TridiagonalProblem, update: Update): Float64Array {
  const { context, kernels, ldz } = problem;
  const { block, size, n1, kept, deflated } = update;
  const n2 = size - n1;
  const k = kept.length;
  const columns = [inTop, inBoth, inBottom].flatMap((wanted) => indicesWhere(kept, (i) => update.part[i] === wanted));
  const upper = columns.filter((column) => update.part[kept[column]] !== inBottom);
  const lower = columns.filter((column) => update.part[kept[column]] !== inTop);

  return Scratch.use(context, (scratch) => {
    const [poles, weights, roots] = [scratch.numbers(k), scratch.numbers(k), scratch.numbers(k)];
    const secularScratch = scratch.numbers(2 * k);
    const s = scratch.numbers(k * k);
    const upperRows = scratch.numbers(upper.length * n1);
    const lowerRows = scratch.numbers(lower.length * n2);
    const deflatedRows = scratch.numbers(deflated.length * size);
    const indices = scratch.integers(size);
    const setIndices = (list: ArrayLike<number>) => new Int32Array(context.memory.buffer, indices, size).set(list);

    view(context, poles, k).set(kept.map((index) => update.values[index]));
    view(context, weights, k).set(kept.map((index) => update.z[index]));
    kernels.secularRoots(k, update.rho, poles, weights, roots, s, 8 * k, secularScratch);
    setIndices(columns);
    kernels.secularVectors(k, poles, weights, s, 8 * k, indices, secularScratch);

    setIndices(upper.map((column) => kept[column]));
    kernels.gatherRows(n1, upper.length, upperRows, 8 * n1, block, 8 * ldz, indices);
    setIndices(lower.map((column) => kept[column]));
    kernels.gatherRows(n2, lower.length, lowerRows, 8 * n2, block + 8 * n1, 8 * ldz, indices);
    setIndices(deflated);
    kernels.gatherRows(size, deflated.length, deflatedRows, 8 * size, block, 8 * ldz, indices);

    const left = { pointer: block, leading: ldz };
    const right = { pointer: block + 8 * n1, leading: ldz };
    const lastColumns = { pointer: s + 8 * (k - lower.length), leading: k };
    multiplyRows(context, [k, n1, upper.length], left, { pointer: s, leading: k }, upperRows);
    multiplyRows(context, [k, n2, lower.length], right, lastColumns, lowerRows);
    setIndices(Int32Array.from(deflated.keys()));
    kernels.gatherRows(size, deflated.length, block + 8 * ldz * k, 8 * ldz, deflatedRows, 8 * size, indices);
    return view(context, roots, k).slice();
  });
}

/** C (m×n) ← S (m×k) times k packed rows; zero when there are none. */
function multiplyRows(context: FactorContext, [m, n, k]: Shape, c: Block, s: Block, rows: number): void {
  if (k > 0) setProduct(context, [m, n, k], c, s, { pointer: rows, leading: n });
  else for (let i = 0; i < m; i++) view(context, c.pointer + 8 * i * c.leading, n).fill(0);
}

/** A view made before the memory grew stays valid, but does not reach what was added. */
function view(context: FactorContext, pointer: number, count: number): Float64Array {
  return new Float64Array(context.memory.buffer, pointer, count);
}

function indicesWhere(list: number[], condition: (value: number) => boolean): number[] {
  return [...list.keys()].filter((position) => condition(list[position]));
}
