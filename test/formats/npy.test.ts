import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ArgumentError } from '../../src/errors.js';
import { halfToFloats } from '../../src/formats/float16.js';
import { memoryFile, type NdArray, readNpy, readNpyHeader, toMatrix, writeNpy } from '../../src/formats/index.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { temporaryFolder } from '../temporary-folder.js';
import { hasNumpy } from '../tools.js';
import { npyBytes } from './npy-bytes.js';
import { type Plain, plain, plainInPython, python } from './numpy.js';
import { sampleList, samples } from './samples.js';

const folder = temporaryFolder();

function comparable(array: NdArray): Plain {
  if (array.dtype !== 'float16') return plain(array);
  const reals = new Float64Array(array.data.length);
  halfToFloats(array.data as Uint16Array, reals);
  return plain(array, reals);
}

describe('.npy files written here', () => {
  it.each(sampleList)('come back unchanged: $dtype', async (array) => {
    const path = join(folder, `${array.dtype}.npy`);
    await writeNpy(path, array);
    expect(await readNpy(path)).toEqual(array);
    expect(await readNpyHeader(path)).toEqual({ shape: array.shape, dtype: array.dtype });
  });

  it.each([
    ['a scalar', { shape: [], dtype: 'float64', data: Float64Array.of(7) }],
    ['no rows', { shape: [0, 5], dtype: 'float32', data: new Float32Array(0) }],
    ['no columns', { shape: [5, 0], dtype: 'int8', data: new Int8Array(0) }],
    ['no strings', { shape: [0], dtype: 'string', data: [] }],
    ['five dimensions', { shape: [1, 2, 1, 3, 1], dtype: 'uint8', data: Uint8Array.of(1, 2, 3, 4, 5, 6) }],
  ] as [string, NdArray][])('come back unchanged: %s', async (_, array) => {
    const path = join(folder, 'shape.npy');
    await writeNpy(path, array);
    expect(await readNpy(path)).toEqual(array);
  });

  it('hold a matrix view without its gaps', async () => {
    const path = join(folder, 'view.npy');
    const view = Matrix.from([
      [1, 2, 3],
      [4, 5, 6],
    ]).view(0, 2, 1, 3);
    await writeNpy(path, view);
    expect([...toMatrix(await readNpy(path)).data]).toEqual([2, 3, 5, 6]);
  });

  it('hold large matrices and arrays in several pieces', async () => {
    const path = join(folder, 'large.npy');
    const tall = new Matrix(
      Float64Array.from({ length: 700 * 400 }, (_, i) => i),
      700,
      400,
    );
    await writeNpy(path, tall);
    const back = toMatrix(await readNpy(path));
    expect(back.data.findIndex((value, i) => value !== i)).toBe(-1);
    const long = Float64Array.from({ length: 2 ** 19 + 5 }, (_, i) => i);
    await writeNpy(path, { shape: [long.length], dtype: 'float64', data: long });
    const read = (await readNpy(path)).data as Float64Array;
    expect([read.length, read.findIndex((value, i) => value !== i)]).toEqual([long.length, -1]);
    await writeNpy(path, Matrix.zeros(3, 0));
    expect((await readNpy(path)).shape).toEqual([3, 0]);
  });

  it('refuse text that numpy could not give back', async () => {
    const path = join(folder, 'refused.npy');
    const write = (array: NdArray) => writeNpy(path, array);
    await expect(write({ shape: [1], dtype: 'string', data: ['a\0'] })).rejects.toThrow('cannot end in a zero');
    await expect(write({ shape: [1], dtype: 'bytes', data: ['日'] })).rejects.toThrow(ArgumentError);
    await expect(write({ shape: [2], dtype: 'int8', data: new Int8Array(1) })).rejects.toThrow(ArgumentError);
    expect(readdirSync(folder).filter((name) => name.startsWith('refused'))).toEqual([]);
  });
});

describe('.npy files made by hand', () => {
  it.each([1, 2, 3])('are read in version %d.0', async (version) => {
    const array = await readNpy(memoryFile(npyBytes({ version })));
    expect(array).toEqual({ shape: [3, 2], dtype: 'float64', data: Float64Array.of(1, 2, 3, 4, 5, 6) });
  });

  it.each([
    ['other spacing and order of keys', '{"shape":(3,2),"fortran_order":False,"descr":"<f8"}'],
    ['long integers of Python 2', "{'descr': '<f8', 'fortran_order': False, 'shape': (3L, 2L)}"],
  ])('are read with %s', async (_, header) => {
    expect((await readNpy(memoryFile(npyBytes({ header })))).shape).toEqual([3, 2]);
  });

  it('give booleans as 0 and 1 whatever the byte', async () => {
    const header = "{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}";
    const array = await readNpy(memoryFile(npyBytes({ header, data: Uint8Array.of(0, 1, 200) })));
    expect(array.data).toEqual(Uint8Array.of(0, 1, 1));
  });
});

describe.skipIf(!hasNumpy)('.npy files and numpy (skipped without numpy)', () => {
  let expected: Record<string, Plain>;
  let shown: Record<string, Plain & { dtype: string }>;
  const written = join(folder, 'written');

  beforeAll(async () => {
    mkdirSync(written);
    for (const array of sampleList) await writeNpy(join(written, `${array.dtype}.npy`), array);
    await writeNpy(join(written, 'matrix.npy'), Matrix.from([[1.5, 2]], 'float32'));
    await writeNpy(join(written, 'scalar.npy'), { shape: [], dtype: 'int64', data: BigInt64Array.of(-7n) });
    [expected, shown] = python(
      `${plainInPython}
import os, warnings
warnings.simplefilter('ignore')
folder, written = sys.argv[1:]
expected = {}
def save(name, array, version=None):
    with open(os.path.join(folder, name + '.npy'), 'wb') as f:
        np.lib.format.write_array(f, array, version=version, allow_pickle=False)
    expected[name] = plain(array)
rng = np.random.default_rng(1)
for kind in ['f2', 'f4', 'f8', 'i1', 'i2', 'i4', 'i8', 'u1', 'u2', 'u4', 'u8', 'b1', 'U6', 'S5']:
    base = rng.standard_normal((4, 3)) * 1000
    if kind[0] in 'iu': base = rng.integers(0, 2 ** 64, (4, 3), dtype=np.uint64)
    if kind == 'b1': base = base > 0
    if kind == 'U6': base = np.array(['wren', 'Groß', '', '日本🐦', 'a b', '"'] * 2).reshape(4, 3)
    if kind == 'S5': base = np.array([b'wren', b'a\\x00b', b'', b'\\xff'] * 3).reshape(4, 3)
    for endian in '<>':
        for order in 'CF':
            for version in [(1, 0), (2, 0), (3, 0)]:
                array = np.asarray(base.astype(endian + kind), order=order)
                save(f'{kind}-{"le" if endian == "<" else "be"}-{order}-{version[0]}', array, version)
shown = {}
for name in os.listdir(written):
    array = np.load(os.path.join(written, name), allow_pickle=False)
    shown[name] = {**plain(array), 'dtype': array.dtype.str}
result = [expected, shown]`,
      folder,
      written,
    ) as [typeof expected, typeof shown];
  });

  it('reads every type, byte order, element order and version as numpy wrote it', async () => {
    const names = Object.keys(expected);
    expect(names.length).toBe(14 * 2 * 2 * 3);
    for (const name of names) {
      const array = await readNpy(join(folder, `${name}.npy`));
      expect(comparable(array), name).toEqual(expected[name]);
    }
  });

  it.each(sampleList)('is understood by numpy: $dtype', (array) => {
    const { dtype, ...values } = shown[`${array.dtype}.npy`];
    expect(values).toEqual(comparable(array));
    const kind = { string: '<U17', bytes: '|S4', bool: '|b1', int8: '|i1', uint8: '|u1' }[array.dtype as string];
    expect(dtype).toBe(kind ?? `<${array.dtype[0]}${Number(array.dtype.match(/\d+/)) / 8}`);
  });

  it('is understood by numpy: a matrix and a scalar', () => {
    expect(shown['matrix.npy']).toEqual({
      ...plain({ ...samples.float32, shape: [1, 2], data: Float32Array.of(1.5, 2) }),
      dtype: '<f4',
    });
    expect(shown['scalar.npy']).toEqual({ shape: [], values: ['-7'], dtype: '<i8' });
  });
});
