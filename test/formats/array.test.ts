import { describe, expect, it } from 'vitest';
import { FormatError } from '../../src/errors.js';
import { checkArray } from '../../src/formats/array.js';
import { fromMatrix, type NdArray, toInt32, toMatrix, toStrings } from '../../src/formats/index.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { samples } from './samples.js';

const origin = { name: 'web_labels', file: 'problem.npz' };

describe('arrays as matrices', () => {
  it.each(['float16', 'float32', 'float64', 'int8', 'int32', 'int64', 'uint64', 'bool'] as const)(
    'takes %s',
    (dtype) => {
      const data = {
        float16: Uint16Array.of(0x3c00, 0x4000),
        float32: Float32Array.of(1, 2),
        float64: Float64Array.of(1, 2),
        int8: Int8Array.of(1, 2),
        int32: Int32Array.of(1, 2),
        int64: BigInt64Array.of(1n, 2n),
        uint64: BigUint64Array.of(1n, 2n),
        bool: Uint8Array.of(1, 1),
      }[dtype];
      for (const wanted of ['float64', 'float32'] as const) {
        const matrix = toMatrix({ shape: [1, 2], dtype, data }, wanted);
        expect(matrix.dtype).toBe(wanted);
        expect([...matrix.data]).toEqual(dtype === 'bool' ? [1, 1] : [1, 2]);
      }
    },
  );

  it('shares the storage when the precision is the same', () => {
    const array: NdArray = { shape: [2, 1], dtype: 'float64', data: Float64Array.of(1, 2) };
    expect(toMatrix(array).data).toBe(array.data);
  });

  it('refuses text and other dimensions, naming file, array, type and shape', () => {
    expect(() => toMatrix(samples.string, 'float64', origin)).toThrow(
      'problem.npz: array "web_labels" is string of shape (2, 2); expected numbers',
    );
    expect(() => toMatrix(samples.int8, 'float64', origin)).toThrow('is int8 of shape (3); expected two dimensions');
  });

  it('turns a view with gaps into a compact array, in any float type', () => {
    const view = Matrix.from([
      [1, 2, 3],
      [4, 5, 6],
    ]).view(0, 2, 1, 3);
    expect(fromMatrix(view)).toEqual({ shape: [2, 2], dtype: 'float64', data: Float64Array.of(2, 3, 5, 6) });
    expect(fromMatrix(view, 'float32').data).toEqual(Float32Array.of(2, 3, 5, 6));
    expect(fromMatrix(view, 'float16').data).toEqual(Uint16Array.of(0x4000, 0x4200, 0x4500, 0x4600));
  });
});

describe('arrays as labels', () => {
  it.each(['int8', 'int16', 'int32', 'uint8', 'uint16', 'bool'] as const)('takes %s', (dtype) => {
    expect([...toInt32(samples[dtype])]).toEqual([...samples[dtype].data]);
  });

  it('takes reals and 64-bit integers that are small whole numbers', () => {
    expect(toInt32({ shape: [2], dtype: 'float64', data: Float64Array.of(-1, 7) })).toEqual(Int32Array.of(-1, 7));
    expect(toInt32({ shape: [1], dtype: 'int64', data: BigInt64Array.of(-5n) })).toEqual(Int32Array.of(-5));
  });

  it.each([
    ['a fraction', { shape: [2], dtype: 'float64', data: Float64Array.of(1, 1.5) }, '1.5 at element 1'],
    ['NaN', { shape: [1], dtype: 'float32', data: Float32Array.of(Number.NaN) }, 'NaN at element 0'],
    ['a large uint32', samples.uint32, '4294967295 at element 1'],
    ['a large int64', samples.int64, '-9223372036854775808 at element 0'],
    ['a float16 fraction', { shape: [1], dtype: 'float16', data: Uint16Array.of(0x3800) }, '0.5 at element 0'],
  ] as [string, NdArray, string][])('refuses %s', (_, array, message) => {
    expect(() => toInt32(array, origin)).toThrow(FormatError);
    expect(() => toInt32(array, origin)).toThrow(message);
  });
});

describe('arrays as text', () => {
  it('decodes bytes as UTF-8, or as Latin-1 where they are not', () => {
    const utf8 = Buffer.from('Großer Brachvogel').toString('latin1');
    const array: NdArray = { shape: [3], dtype: 'bytes', data: ['wren', utf8, 'Gro\xdf'] };
    expect(toStrings(array)).toEqual(['wren', 'Großer Brachvogel', 'Groß']);
  });

  it('refuses numbers', () => {
    expect(() => toStrings(samples.int8, origin)).toThrow('expected text');
  });
});

it('says what is wrong without a name as well', () => {
  expect(() => toMatrix(samples.string)).toThrow('array: the array is string of shape (2, 2); expected numbers');
  expect(() => toInt32(samples.string)).toThrow('expected integers');
  expect(() => toInt32({ shape: [1], dtype: 'float64', data: Float64Array.of(0.5) })).toThrow('array: the array holds');
  expect(() => toInt32({ shape: [1], dtype: 'float64', data: Float64Array.of(2 ** 31) }, origin)).toThrow(
    'problem.npz: array "web_labels" holds 2147483648 at element 0',
  );
});

it('shares what needs no conversion, and converts the rest', () => {
  expect(toInt32(samples.int32)).toBe(samples.int32.data);
  expect(toStrings(samples.string)).toBe(samples.string.data);
  const matrix = Matrix.from([[1, 2]], 'float32');
  expect(fromMatrix(matrix, 'float64')).toEqual({ shape: [1, 2], dtype: 'float64', data: Float64Array.of(1, 2) });
  expect((fromMatrix(matrix).data as Float32Array).buffer).toBe(matrix.data.buffer);
  expect(toStrings({ shape: [1], dtype: 'bytes', data: ['\xef\xbb\xbfa'] })).toEqual(['\ufeffa']);
});

it('refuses arrays whose data does not fit their shape or type', () => {
  expect(() => checkArray({ shape: [2, 2], dtype: 'int8', data: new Int8Array(3) }, 'a')).toThrow('needs 4 elements');
  expect(() => checkArray({ shape: [1], dtype: 'int8', data: new Uint8Array(1) }, 'a')).toThrow('is a Uint8Array');
  expect(() => checkArray({ shape: [-1], dtype: 'int8', data: new Int8Array(0) }, 'a')).toThrow('impossible shape');
  expect(() => checkArray({ shape: [0.5], dtype: 'int8', data: new Int8Array(0) }, 'a')).toThrow('impossible shape');
  expect(() => checkArray({ shape: [1], dtype: 'string', data: 'x' as never }, 'a')).toThrow('is a String');
  expect(() => checkArray({ shape: [1], dtype: 'float64', data: [1] as never }, 'a')).toThrow('is a Array');
  checkArray({ shape: [0, 3], dtype: 'string', data: [] }, 'a');
});
