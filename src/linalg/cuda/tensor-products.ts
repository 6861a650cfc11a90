/**
 * Products on the tensor cores, which read 11 significant bits of each number.
 *
 * A number of single precision is split into what they read and what is left, x = h + l. Then h·h' + h·l' + l·h' is one product
 * of rows three times as long, (h, h, l)·(h', l', h'): of nearly single precision, and more than twice as quick as without them.
 * Where 11 bits are enough, numbers are brought to half precision, which they multiply quickest.
 */
import { MemoryError } from '../../errors.js';
import { address, type KernelArgument, type Launcher, whole } from './compile.js';
import type { Gpu } from './device.js';
import { blockThreads, type KernelName } from './kernels.js';
import type { Operand, Operands } from './operands.js';
import { operation } from './routines.js';

/** Operations from which on splitting the factors is worth its while. */
const manyOperations = 2 ** 36;
/** Bytes that split factors may take. */
const mostSplit = 2 ** 30;
/** Rows of a product that are made at a time, at least: fewer leave most of a GPU idle. */
const leastRows = 1024;
/** The first capability whose tensor cores read numbers of single precision. */
const leastCapability = 80;

/** cudaDataType and cublasComputeType_t */
const type = { half: 2, single: 0 } as const;
const compute = { single: 68, tensorCores: 77 } as const;
const usualAlgorithm = -1;

/** A factor on the device as it is stored, and whether its transpose is meant. */
export interface Factor extends Operand {
  readonly transposed: boolean;
}

/** C ← α A B + β C, A m×k, B k×n. */
export interface Product {
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly alpha: number;
  readonly beta: number;
}

export class TensorProducts {
  readonly there: boolean;
  readonly #operands: Operands;
  readonly #launcher: Launcher;
  readonly #kernel: (name: KernelName) => bigint;
  readonly #multiply: (...values: unknown[]) => unknown;

  /** @param kernel of single precision */
  constructor(gpu: Gpu, blas: bigint, operands: Operands, launcher: Launcher, kernel: (name: KernelName) => bigint) {
    this.there = Number(gpu.computeCapability) >= leastCapability;
    this.#operands = operands;
    this.#launcher = launcher;
    this.#kernel = kernel;
    const [ints, typed] = [new Array<string>(5).fill('int'), ['size_t', 'int', 'int']];
    // (op, op, m, n, k, α, A, type, lda, B, type, ldb, β, C, type, ldc, compute, algorithm)
    const types = ['size_t', ...ints, 'void *', ...typed, ...typed, 'void *', ...typed, 'int', 'int'];
    const call = gpu.calls.bind('blas', 'cublasGemmEx', types);
    this.#multiply = (...values) => call(blas, ...values);
  }

  /** Makes a large product of numbers in single precision; false where it is none, or there is no room. */
  split({ m, n, k, alpha, beta }: Product, a: Factor, b: Factor, c: Operand): boolean {
    if (!this.there || 2 * m * n * k < manyOperations) return false;
    const ofB = 3 * n * k * 4;
    const step = Math.min(m, Math.floor((mostSplit - ofB) / (3 * k * 4)));
    if (step < Math.min(m, leastRows)) return false;
    return this.#borrowingIfThere(mostSplit, (room) => {
      const [toB, toA] = [room, room + Math.ceil(ofB / 256) * 256];
      const [rowsB, colsB] = b.transposed ? [n, k] : [k, n];
      this.#splitFactor(toB, b, rowsB, colsB, b.transposed, 1);
      for (let start = 0; start < m; start += step) {
        const rows = Math.min(step, m - start);
        const [rowsA, colsA] = a.transposed ? [k, rows] : [rows, k];
        const from = { stride: a.stride, pointer: a.pointer + (a.transposed ? start : start * a.stride) * 4 };
        this.#splitFactor(toA, from, rowsA, colsA, !a.transposed, 2);
        const [opA, opB] = [a, b].map(({ transposed }) => (transposed ? operation.transpose : operation.none));
        // In columns, C' = B'A'.
        this.#multiply(
          ...[opB, opA, n, rows, 3 * k, Float32Array.of(alpha)],
          ...[toB, type.single, b.transposed ? 3 * k : n],
          ...[toA, type.single, a.transposed ? rows : 3 * k],
          ...[Float32Array.of(beta), c.pointer + start * c.stride * 4, type.single, c.stride],
          ...[compute.tensorCores, usualAlgorithm],
        );
      }
    });
  }

  /** Room while `run` lasts; false where the device has none left. */
  #borrowingIfThere(bytes: number, run: (room: number) => void): boolean {
    try {
      this.#operands.borrowing(bytes, run);
      return true;
    } catch (error) {
      if (error instanceof MemoryError) return false;
      throw error;
    }
  }

  /** Three parts beside or below one another, of which the one named holds what is left. */
  #splitFactor(to: number, from: Operand, rows: number, cols: number, beside: boolean, left: 1 | 2): void {
    this.#launch('splitParts', rows * cols, [
      ...[address(to), address(from.pointer), whole(from.stride), whole(rows), whole(cols)],
      ...[whole(beside ? 1 : 0), whole(left)],
    ]);
  }

  /** Bytes that `toHalf` fills. */
  bytesOfHalf(rows: number, cols: number): number {
    return rows * cols * 2;
  }

  /** Rows times factors in half precision, one after the other. */
  toHalf(to: number, from: Operand, factors: number, rows: number, cols: number): void {
    this.#launch('toHalf', rows * cols, [
      ...[address(to), address(from.pointer), whole(from.stride), address(factors), whole(rows), whole(cols)],
    ]);
  }

  /** C ← A B' of factors in half precision, m×k and n×k, in single precision. */
  ofHalf(c: Operand, a: number, b: number, m: number, n: number, k: number): void {
    this.#multiply(
      ...[operation.transpose, operation.none, n, m, k, Float32Array.of(1)],
      ...[b, type.half, k, a, type.half, k],
      ...[Float32Array.of(0), c.pointer, type.single, c.stride],
      ...[compute.single, usualAlgorithm],
    );
  }

  #launch(name: KernelName, work: number, values: KernelArgument[]): void {
    this.#launcher.launch(this.#kernel(name), [Math.ceil(work / blockThreads), 1], blockThreads, values);
  }
}
