/** One array of every element type, with the values at which conversions go wrong. */
import type { ArrayDtype, MatSparse, NdArray } from '../../src/formats/index.js';

export const samples: { [D in ArrayDtype]: NdArray<D> } = {
  // 0, -0, smallest subnormal, largest subnormal, 1, 65504 (largest), ±infinity, NaN
  float16: {
    shape: [9],
    dtype: 'float16',
    data: Uint16Array.of(0, 0x8000, 1, 0x3ff, 0x3c00, 0x7bff, 0x7c00, 0xfc00, 0x7e00),
  },
  float32: { shape: [2, 3], dtype: 'float32', data: Float32Array.of(0, -0, 1e-45, 3.4e38, Number.NaN, -1 / 0) },
  float64: { shape: [3, 2], dtype: 'float64', data: Float64Array.of(0.1, -0, 5e-324, 1.7e308, Number.NaN, 1 / 0) },
  int8: { shape: [3], dtype: 'int8', data: Int8Array.of(-128, 0, 127) },
  int16: { shape: [3], dtype: 'int16', data: Int16Array.of(-32768, 0, 32767) },
  int32: { shape: [3, 1], dtype: 'int32', data: Int32Array.of(-2147483648, 0, 2147483647) },
  int64: { shape: [1, 3], dtype: 'int64', data: BigInt64Array.of(-(2n ** 63n), 0n, 2n ** 63n - 1n) },
  uint8: { shape: [2], dtype: 'uint8', data: Uint8Array.of(0, 255) },
  uint16: { shape: [2], dtype: 'uint16', data: Uint16Array.of(0, 65535) },
  uint32: { shape: [2], dtype: 'uint32', data: Uint32Array.of(0, 4294967295) },
  uint64: { shape: [2], dtype: 'uint64', data: BigUint64Array.of(0n, 2n ** 64n - 1n) },
  bool: { shape: [2, 2], dtype: 'bool', data: Uint8Array.of(0, 1, 1, 0) },
  string: { shape: [2, 2], dtype: 'string', data: ['finch', '', 'Großer Brachvogel', '🐦 日本'] },
  bytes: { shape: [3], dtype: 'bytes', data: ['wren', '', '\xff\x00\x80'] },
};

export const sampleList: readonly NdArray[] = Object.values(samples);

export const sparseSample: MatSparse = {
  kind: 'sparse',
  shape: [3, 2],
  rowIndices: Int32Array.of(0, 2, 1),
  columnStarts: Int32Array.of(0, 2, 3),
  values: Float64Array.of(5, 6, 7),
};
