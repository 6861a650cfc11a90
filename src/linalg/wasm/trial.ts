/**
 * A trial of kernels before they are used: how long they take, and whether what they compute is right. The numbers are
 * whole, so that every order of summation gives the same exact answer.
 */
import type { KernelSet, Kernels } from './kernels.js';

const page = 65536;
const place = { a: 16 * page, b: 24 * page, c: 32 * page, tile: 40 * page } as const;
const pages = 41;

/** A memory for trials alone. */
export function trialMemory(): WebAssembly.Memory {
  return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
}

/** Milliseconds of one product of packed blocks, as large as those of real products. */
export function timeProduct({ block }: Kernels): number {
  const [size, depth] = [96, 256];
  const started = performance.now();
  block(size, size, depth, place.a, place.b, place.c, size * 8, 1, 0, size, place.tile);
  return performance.now() - started;
}

/** Whether the kernels compute what they should. Called often enough, it sees the engine's optimized code too. */
export function computesRight(memory: WebAssembly.Memory, { float64, float32 }: KernelSet): boolean {
  return [float64, float32].every(
    (kernels) =>
      productIsRight(memory, kernels) && [37, 2050].every((columns) => passesAreRight(memory, kernels, columns)),
  );
}

function productIsRight(memory: WebAssembly.Memory, kernels: Kernels): boolean {
  const { tileRows, tileColumns, bytes } = kernels;
  const [m, n, depth] = [43, 37, 64];
  const a = numbersAt(memory, bytes, place.a, (m + tileRows) * depth);
  const b = numbersAt(memory, bytes, place.b, (n + tileColumns) * depth);
  const c = arrayAt(memory, bytes, place.c, m * n).fill(Number.NaN);
  kernels.block(m, n, depth, place.a, place.b, place.c, n * bytes, 2, 0, m + n, place.tile);
  return c.every((value, at) => {
    const [i, j] = [Math.floor(at / n), at % n];
    const rowStart = Math.floor(i / tileRows) * tileRows * depth + (i % tileRows);
    const columnStart = Math.floor(j / tileColumns) * tileColumns * depth + (j % tileColumns);
    let sum = 0;
    for (let k = 0; k < depth; k++) sum += a[rowStart + k * tileRows] * b[columnStart + k * tileColumns];
    return value === 2 * sum;
  });
}

function passesAreRight(memory: WebAssembly.Memory, kernels: Kernels, n: number): boolean {
  const { bytes } = kernels;
  const m = 9;
  const stride = n * bytes;
  const a = numbersAt(memory, bytes, place.a, m * n);
  const x = numbersAt(memory, bytes, place.b, n);
  const out = arrayAt(memory, bytes, place.c, n).fill(1);
  const dotOf = (i: number) => x.reduce((sum: number, value: number, j: number) => sum + value * a[i * n + j], 0);
  kernels.timesVector(m, n, 2, place.a, stride, place.b, 3, place.c, place.tile);
  let right = out.subarray(0, m).every((value, i) => value === 2 * dotOf(i) + 3);
  kernels.rowDots(m, n, place.a, stride, place.b, 0, place.c);
  right &&= out.subarray(0, m).every((value, i) => value === dotOf(i));
  out.fill(1);
  kernels.addRows(m, n, place.a, stride, place.b, place.c);
  kernels.addScaled(1, n, 2, place.b, 0, -1, place.c, 0);
  return (
    right &&
    out.every((value, j) => {
      let sum = 1;
      for (let i = 0; i < m; i++) sum += x[i] * a[i * n + j];
      return value === 2 * x[j] - sum;
    })
  );
}

/** Whole numbers from −8 to 8 without a short period. */
function numbersAt(memory: WebAssembly.Memory, bytes: 4 | 8, pointer: number, length: number): number[] {
  const array = arrayAt(memory, bytes, pointer, length);
  for (let at = 0; at < length; at++) array[at] = ((at * at + 7 * at + (pointer >>> 16)) % 17) - 8;
  return Array.from(array);
}

function arrayAt(memory: WebAssembly.Memory, bytes: 4 | 8, pointer: number, length: number) {
  return bytes === 8
    ? new Float64Array(memory.buffer, pointer, length)
    : new Float32Array(memory.buffer, pointer, length);
}
