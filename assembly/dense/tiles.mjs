// Which register tiles of the matrix product are generated. A tile holds rows × vectors accumulators of 128 bits; with
// 16 registers, 15 of them free in V8, the shape decides the speed, and which shape wins depends on the engine.

/** Multiply, then add: every engine with SIMD. The product needs a register of its own. */
const plain = [
  { rows: 3, vectors: 3 },
  { rows: 5, vectors: 2 },
  { rows: 2, vectors: 4 },
  { rows: 4, vectors: 2 },
];

/** Fused multiply-add. 6×4 does not fit 128-bit registers: it is for engines that pair vectors into 256 bits. */
const fused = [
  { rows: 6, vectors: 2 },
  { rows: 5, vectors: 2 },
  { rows: 3, vectors: 3 },
  { rows: 2, vectors: 4 },
  { rows: 6, vectors: 4 },
];

export const families = { simd: plain, fma: fused };

/** The element types, their size and how they are spelt in AssemblyScript. */
export const elements = [
  { type: 'f64', vector: 'f64x2', bytes: 8, lanes: 2, splat: 'load64_splat' },
  { type: 'f32', vector: 'f32x4', bytes: 4, lanes: 4, splat: 'load32_splat' },
];

/** sum + x·y, in one rounding or in two. */
export function multiplyAdd(family, vector, sum, x, y) {
  return family === 'fma'
    ? `${vector}.relaxed_madd(${x}, ${y}, ${sum})`
    : `${vector}.add(${sum}, ${vector}.mul(${x}, ${y}))`;
}

export const range = (count) => Array.from({ length: count }, (_, index) => index);
