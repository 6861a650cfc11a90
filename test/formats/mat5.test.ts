import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../src/errors.js';
import {
  type MatNumbers,
  type MatSparse,
  type MatValue,
  matCellOf,
  matColumns,
  matColumnsOf,
  matTexts,
  matToArray,
  memoryFile,
  readMat,
  sparseEntries,
  sparseToDense,
  toInt32,
  toMatrix,
  writeMat,
} from '../../src/formats/index.js';
import { readMat5 } from '../../src/formats/mat5.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { temporaryFolder } from '../temporary-folder.js';
import { MatBytes } from './mat5-bytes.js';
import { sparseSample } from './samples.js';

const folder = temporaryFolder();
const numbers = (shape: number[], dtype: MatNumbers['dtype'], data: MatNumbers['data']): MatNumbers => ({
  kind: 'numbers',
  shape,
  dtype,
  data,
});

const samples: Record<string, MatValue> = {
  double: numbers([2, 3], 'float64', Float64Array.of(1, -2.5, Number.NaN, Number.POSITIVE_INFINITY, 1e-300, 0)),
  single: numbers([1, 2], 'float32', Float32Array.of(0.5, -3)),
  bytes: numbers([3, 1], 'uint8', Uint8Array.of(0, 128, 255)),
  signed: numbers([1, 3], 'int8', Int8Array.of(-128, 0, 127)),
  shorts: numbers([1, 2], 'int16', Int16Array.of(-32768, 32767)),
  words: numbers([1, 2], 'uint32', Uint32Array.of(0, 4294967295)),
  longs: numbers([2, 1], 'int64', BigInt64Array.of(-(2n ** 63n), 2n ** 63n - 1n)),
  unsigned: numbers([1, 1], 'uint64', BigUint64Array.of(2n ** 64n - 1n)),
  truth: numbers([1, 3], 'bool', Uint8Array.of(1, 0, 1)),
  cube: numbers([2, 1, 2], 'float64', Float64Array.of(1, 2, 3, 4)),
  nothing: numbers([0, 5], 'float64', new Float64Array(0)),
  text: { kind: 'text', shape: [1, 8], rows: ['größe 🐦'] },
  block: { kind: 'text', shape: [2, 3], rows: ['abc', 'xyz'] },
  names: matCellOf(['crow', '', 'Grünspecht']),
  nested: { kind: 'cell', shape: [1, 2], cells: [matCellOf(['deep']), numbers([1, 1], 'float64', Float64Array.of(7))] },
  record: {
    kind: 'struct',
    shape: [1, 2],
    fields: new Map<string, MatValue[]>([
      [
        'name',
        [
          { kind: 'text', shape: [1, 1], rows: ['a'] },
          { kind: 'text', shape: [1, 2], rows: ['bc'] },
        ],
      ],
      ['size', [numbers([1, 1], 'float64', Float64Array.of(1)), numbers([1, 1], 'float64', Float64Array.of(2))]],
    ]),
  },
  sparse: sparseSample,
};

describe('MATLAB version 5', () => {
  it.each([false, true])('brings back every kind of value (deflated: %s)', async (compress) => {
    const path = join(folder, `samples-${compress}.mat`);
    await writeMat(path, samples, { compress });
    const read = await readMat(path);
    expect([...read.keys()]).toEqual(Object.keys(samples));
    for (const [name, value] of read) expect(value, name).toEqual(samples[name]);
  });

  it('reads only the variables asked for', async () => {
    const path = join(folder, 'some.mat');
    await writeMat(path, samples);
    expect([...(await readMat(path, { variables: ['text', 'double'] })).keys()]).toEqual(['double', 'text']);
  });

  it.each([false, true])('reads both byte orders and small elements (big-endian: %s)', async (bigEndian) => {
    const b = new MatBytes({ bigEndian });
    const file = b.file(
      b.matrix(6, [1, 2], 'x', [b.element(9, b.doubles(1.5, -2))]),
      b.compressed(b.matrix(6, [2, 1], 'narrow', [b.smallElement(4, b.shorts(3, 500))])),
      b.matrix(4, [1, 2], 's', [b.smallElement(4, b.shorts(0x4f, 0xe9))]),
      b.matrix(9, [1, 3], 'flag', [b.smallElement(2, Buffer.of(0, 1, 2))], 0x200),
    );
    const read = await readMat5(memoryFile(file));
    expect(read.get('x')).toEqual(numbers([1, 2], 'float64', Float64Array.of(1.5, -2)));
    expect(read.get('narrow')).toEqual(numbers([2, 1], 'uint16', Uint16Array.of(3, 500)));
    expect(read.get('s')).toEqual({ kind: 'text', shape: [1, 2], rows: ['Oé'] });
    expect(read.get('flag')).toEqual(numbers([1, 3], 'bool', Uint8Array.of(0, 1, 1)));
  });

  it('reads UTF-8 text whether characters or UTF-16 units are counted, and an empty element', async () => {
    const b = new MatBytes();
    const bird = Buffer.from('🐦!');
    const file = b.file(
      b.matrix(4, [1, 2], 'characters', [b.element(16, bird)]),
      b.matrix(4, [1, 3], 'units', [b.element(16, bird)]),
      b.matrix(1, [1, 1], 'cell', [b.words(14, 0)]),
    );
    const read = await readMat5(memoryFile(file));
    expect(matTexts(read.get('characters')!)).toEqual(['🐦!']);
    expect(matTexts(read.get('units')!)).toEqual(['🐦!']);
    expect(matTexts(read.get('cell')!)).toEqual(['']);
  });

  it('passes over the nameless variable in which MATLAB keeps its objects', async () => {
    const b = new MatBytes();
    const file = b.file(b.matrix(9, [1, 1], '', [b.smallElement(2, Buffer.of(1))]));
    expect((await readMat5(memoryFile(file))).size).toBe(0);
  });

  it('refuses names, types and sizes that the format does not have', async () => {
    const path = join(folder, 'refused.mat');
    await expect(writeMat(path, { '1st': samples.double })).rejects.toThrow(ArgumentError);
    const half = numbers([1, 1], 'float16', Uint16Array.of(0));
    await expect(writeMat(path, { half })).rejects.toThrow('float16');
    await expect(writeMat(path, { short: numbers([2, 2], 'uint8', Uint8Array.of(1)) })).rejects.toThrow('1 elements');
    expect(existsSync(path)).toBe(false);
  });
});

describe('conversions of MATLAB values', () => {
  it('give rows from columns without copying, and C order on request', () => {
    const value = samples.double as MatNumbers;
    const columns = matColumns(value);
    expect([columns.rows, columns.cols]).toEqual([3, 2]);
    expect(columns.data).toBe(value.data);
    expect(toMatrix(matToArray(numbers([2, 3], 'uint8', Uint8Array.of(1, 2, 3, 4, 5, 6)))).data).toEqual(
      Float64Array.of(1, 3, 5, 2, 4, 6),
    );
    expect(
      matColumnsOf(
        Matrix.from([
          [1, 2],
          [3, 4],
          [5, 6],
        ]),
      ),
    ).toEqual(numbers([2, 3], 'float64', Float64Array.of(1, 2, 3, 4, 5, 6)));
  });

  it('keep every element of an array of three dimensions in its place', () => {
    const [n, m, k] = [2, 3, 4];
    const data = Float64Array.from({ length: n * m * k }, (_, i) => i);
    const result = matToArray(numbers([n, m, k], 'float64', data)).data as Float64Array;
    for (let i = 0; i < n; i++)
      for (let j = 0; j < m; j++)
        for (let l = 0; l < k; l++) expect(result[(i * m + j) * k + l]).toBe(i + n * (j + m * l));
  });

  it('expand sparse matrices', () => {
    const sparse = samples.sparse as MatSparse;
    expect([...sparseEntries(sparse)]).toEqual([
      [0, 0, 5],
      [2, 0, 6],
      [1, 1, 7],
    ]);
    expect(sparseToDense(sparse).data).toEqual(Float64Array.of(5, 0, 0, 7, 6, 0));
    expect(matColumns(sparse, 'float32').data).toEqual(Float32Array.of(5, 0, 6, 0, 7, 0));
    expect(() => sparseToDense({ ...sparse, shape: [2 ** 30, 2 ** 30] })).toThrow('GiB');
  });

  it('name the variable that is not what was expected', () => {
    expect(() => matTexts(samples.double, { name: 'att', file: 'a.mat' })).toThrow(
      'a.mat: variable "att" holds float64 2×3; expected text or a cell of texts',
    );
    expect(() => matColumns(samples.names, 'float64', { name: 'att' })).toThrow('expected a matrix of numbers');
    const cube = numbers([2, 2, 2], 'float64', new Float64Array(8));
    expect(() => matColumns(cube, 'float64', { name: 'att' })).toThrow('holds float64 2×2×2; expected a matrix');
    expect(() => matToArray(samples.nested)).toThrow('one text in each cell');
  });
});

const splits = '../shared/data/xlsa17/CUB_att_splits.mat';
describe.skipIf(!existsSync(splits))(`the real xlsa17 file (skipped where ${splits} is absent)`, () => {
  it('has 200 classes of 312 attributes and the published sizes of the split', async () => {
    const variables = await readMat(splits);
    const attributes = matColumns(variables.get('att')!);
    expect([attributes.rows, attributes.cols]).toEqual([200, 312]);
    for (const i of [0, 99, 199]) expect(Math.hypot(...attributes.row(i))).toBeCloseTo(1, 10);
    const names = matTexts(variables.get('allclasses_names')!);
    expect(names.length).toBe(200);
    expect(names[0]).toBe('002.Laysan_Albatross');
    const locations = ['trainval_loc', 'test_seen_loc', 'test_unseen_loc'].map((name) =>
      toInt32(matToArray(variables.get(name)!)),
    );
    expect(locations.map((list) => list.length)).toEqual([7057, 1764, 2967]);
    const all = new Set(locations.flatMap((list) => [...list]));
    expect(all.size).toBe(11788);
    expect([Math.min(...all), Math.max(...all)]).toEqual([1, 11788]);
  });
});

const surf = '../shared/data/office-caltech-surf';
describe.skipIf(!existsSync(surf))(`Office-Caltech10 (skipped where ${surf} is absent)`, () => {
  it.each([
    ['Caltech10', 1123],
    ['amazon', 958],
    ['dslr', 157],
    ['webcam', 295],
  ])('%s has %i pictures of ten categories', async (domain, count) => {
    const variables = await readMat(join(surf, `${domain}_SURF_L10.mat`));
    const features = toMatrix(matToArray(variables.get('fts')!));
    expect([features.rows, features.cols]).toEqual([count, 800]);
    expect(new Set(toInt32(matToArray(variables.get('labels')!)))).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]));
  });
});
