/** A FactorContext with a plain matrix product in JavaScript and an allocator that notices what is not given back. */
import type { Dtype } from '../../src/linalg/matrix.js';
import type { FactorContext } from '../../src/linalg/wasm/factor-contract.js';

const firstPointer = 1 << 17;

export interface PlainContext extends FactorContext {
  /** Ranges handed out and not given back. */
  readonly used: Map<number, number>;
}

export function createPlainContext({ syrk = false } = {}): PlainContext {
  const memory = new WebAssembly.Memory({ initial: 16, maximum: 65536, shared: true });
  const used = new Map<number, number>();

  function allocate(bytes: number): number {
    const end = Math.max(firstPointer, ...[...used].map(([start, size]) => start + size));
    const pointer = 64 * Math.ceil(end / 64);
    const missing = pointer + bytes - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / 65536));
    used.set(pointer, bytes);
    // Whoever reads what was never written gets NaN.
    new Uint8Array(memory.buffer, pointer, bytes).fill(0xff);
    return pointer;
  }

  function gemm(...args: Parameters<FactorContext['gemm']>): void {
    const [dtype, m, n, k, alpha, aPointer, lda, transposeA, bPointer, ldb, transposeB, beta, cPointer, ldc] = args;
    const bytes = dtype === 'float64' ? 8 : 4;
    const elements = elementsOf(memory, dtype);
    const [a, b, c] = [aPointer / bytes, bPointer / bytes, cPointer / bytes];
    const [aRow, aDepth] = transposeA ? [1, lda] : [lda, 1];
    const [bDepth, bColumn] = transposeB ? [1, ldb] : [ldb, 1];
    const sums = new Float64Array(n);
    for (let i = 0; i < m; i++) {
      sums.fill(0);
      for (let p = 0; p < k; p++) {
        const factor = elements[a + i * aRow + p * aDepth];
        const from = b + p * bDepth;
        for (let j = 0; j < n; j++) sums[j] += factor * elements[from + j * bColumn];
      }
      for (let j = 0; j < n; j++) {
        const at = c + i * ldc + j;
        elements[at] = alpha * sums[j] + (beta === 0 ? 0 : beta * elements[at]);
      }
    }
  }

  function syrkLower(...args: Parameters<NonNullable<FactorContext['syrkLower']>>): void {
    const [dtype, n, k, alpha, aPointer, lda, transposeA, beta, cPointer, ldc] = args;
    const bytes = dtype === 'float64' ? 8 : 4;
    for (let i = 0; i < n; i++) {
      const row = aPointer + i * bytes * (transposeA ? 1 : lda);
      const target = cPointer + i * ldc * bytes;
      gemm(dtype, 1, i + 1, k, alpha, row, lda, transposeA, aPointer, lda, !transposeA, beta, target, ldc);
    }
  }

  const products = syrk ? { gemm, syrkLower } : { gemm };
  return { memory, used, allocate, free: (pointer) => void used.delete(pointer), ...products };
}

export function elementsOf(memory: WebAssembly.Memory, dtype: Dtype): Float64Array | Float32Array {
  return dtype === 'float64' ? new Float64Array(memory.buffer) : new Float32Array(memory.buffer);
}
