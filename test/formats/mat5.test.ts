import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../src/errors.js';
import {
  type MatCell,
  type MatNumbers,
  type MatSparse,
  type MatStruct,
  type MatValue,
  matCellOf,
  matColumnOf,
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

  it('reads what other programs write: objects, spare entries, missing padding, logical int8, structs without fields', async () => {
    const b = new MatBytes();
    const number = b.matrix(6, [1, 1], '', [b.element(9, b.doubles(7))]);
    const fields = (length: number, names: string) => [
      b.smallElement(5, b.words(length)),
      b.element(1, Buffer.from(names)),
    ];
    const file = b.file(
      b.matrix(3, [1, 1], 'object', [b.element(1, Buffer.from('Bird')), ...fields(5, 'size\0'), number]),
      b.matrix(2, [2, 3], 'bare', [...fields(1, '')]),
      b.matrix(9, [1, 2], 'flag', [b.smallElement(1, Buffer.of(0, 255))], 0x200),
      b.matrix(5, [2, 2], 'spare', [
        b.element(5, b.words(1, 0, 9)),
        b.element(6, b.words(0, 1, 2)),
        b.element(9, b.doubles(3, 4, 9)),
      ]),
      b.matrix(9, [1, 5], 'last', [Buffer.concat([b.words(2, 5), Buffer.of(1, 2, 3, 4, 5)])]).subarray(0, -3),
    );
    const read = await readMat5(memoryFile(file));
    expect(read.get('object')).toMatchObject({ kind: 'struct', shape: [1, 1] });
    expect((read.get('object') as MatStruct).fields.get('size')).toMatchObject([{ data: Float64Array.of(7) }]);
    expect(read.get('bare')).toEqual({ kind: 'struct', shape: [2, 3], fields: new Map() });
    expect(read.get('flag')).toMatchObject({ dtype: 'bool', data: Uint8Array.of(0, 1) });
    expect(read.get('spare')).toEqual({
      ...{ kind: 'sparse', shape: [2, 2], rowIndices: Int32Array.of(1, 0) },
      ...{ columnStarts: Int32Array.of(0, 1, 2), values: Float64Array.of(3, 4) },
    });
    expect(read.get('last')).toMatchObject({ data: Uint8Array.of(1, 2, 3, 4, 5) });
  });

  it('keeps texts of many characters, rows and planes', async () => {
    const path = join(folder, 'texts.mat');
    const long = 'owl'.repeat(3000);
    const texts: Record<string, MatValue> = {
      long: { kind: 'text', shape: [1, 9000], rows: [long] },
      tall: { kind: 'text', shape: [2, 9000], rows: [long, long.replaceAll('o', '🐦'.charAt(0)).toUpperCase()] },
      planes: { kind: 'text', shape: [2, 2, 2], rows: ['ab', 'cd', 'ef', 'gh'] },
      none: { kind: 'text', shape: [3, 0], rows: [] },
      empty: { kind: 'text', shape: [1, 0], rows: [''] },
    };
    await writeMat(path, texts);
    for (const [name, value] of await readMat(path)) expect(value, name).toEqual(texts[name]);
  });

  it('writes large variables and many small ones in their order', async () => {
    const path = join(folder, 'large.mat');
    const large = (start: number) =>
      numbers(
        [2 ** 17, 1],
        'float64',
        Float64Array.from({ length: 2 ** 17 }, (_, i) => start + i),
      );
    const cells = { kind: 'cell', shape: [3, 1], cells: [large(1), samples.text, large(2)] } as const;
    const many = matCellOf(Array.from({ length: 9000 }, (_, i) => `bird number ${i}`));
    await writeMat(path, { cells, many, end: samples.single });
    const read = await readMat(path);
    const bytes = (value: MatValue) =>
      Buffer.from(Float64Array.from((value as MatNumbers).data as Float64Array).buffer);
    const back = (read.get('cells') as MatCell).cells;
    for (const i of [0, 2]) expect(bytes(back[i]).equals(bytes(cells.cells[i])), `${i}`).toBe(true);
    expect(back[1]).toEqual(samples.text);
    expect(matTexts(read.get('many')!)).toEqual(matTexts(many));
    expect(read.get('end')).toEqual(samples.single);
  });

  it('gives values of fewer than two sizes two of them', async () => {
    const path = join(folder, 'flat.mat');
    await writeMat(path, {
      list: numbers([3], 'uint8', Uint8Array.of(1, 2, 3)),
      scalar: numbers([], 'float64', Float64Array.of(5)),
    });
    const read = await readMat(path);
    expect([...read.values()].map(({ shape }) => shape)).toEqual([
      [3, 1],
      [1, 1],
    ]);
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
    const text = (shape: number[], rows: string[]): MatValue => ({ kind: 'text', shape, rows });
    await expect(writeMat(path, { t: text([1, 3], ['ab']) })).rejects.toThrow('do not fill its shape 1×3');
    await expect(writeMat(path, { t: text([2, 2], ['abc', 'd']) })).rejects.toThrow('do not fill its shape 2×2');
    const record: MatValue = { kind: 'struct', shape: [1, 2], fields: new Map([['a', [samples.double]]]) };
    await expect(writeMat(path, { record })).rejects.toThrow('field "record.a" has 1 values for 2 elements');
    for (const name of ['', '_a', 'a b', 'a-b', 'é', 'a'.repeat(64)])
      await expect(writeMat(path, { [name]: samples.double })).rejects.toThrow('is not a name of a MATLAB variable');
    expect(existsSync(path)).toBe(false);
    await writeMat(path, { ['a_1'.padEnd(63, 'Z')]: samples.double });
    expect(existsSync(path)).toBe(true);
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

  it('give numbers of other precisions, columns of labels, and copies of views', () => {
    const whole = numbers([2, 2], 'int64', BigInt64Array.of(1n, 2n, 3n, 4n));
    expect(matColumns(whole, 'float32').data).toEqual(Float32Array.of(1, 2, 3, 4));
    expect(matColumnOf(Int32Array.of(1, 2))).toEqual(numbers([2, 1], 'int32', Int32Array.of(1, 2)));
    expect(matColumnOf(Float64Array.of(1))).toEqual(numbers([1, 1], 'float64', Float64Array.of(1)));
    const view = Matrix.from([
      [1, 2, 3],
      [4, 5, 6],
    ]).view(0, 2, 1, 3);
    expect(matColumnsOf(view)).toEqual(numbers([2, 2], 'float64', Float64Array.of(2, 3, 5, 6)));
    expect(matToArray(samples.sparse)).toEqual({
      shape: [3, 2],
      dtype: 'float64',
      data: Float64Array.of(5, 0, 0, 7, 6, 0),
    });
    expect(matToArray(samples.names)).toEqual({ shape: [3], dtype: 'string', data: ['crow', '', 'Grünspecht'] });
    const twice = { ...sparseSample, rowIndices: Int32Array.of(0, 0, 1) };
    expect(sparseToDense(twice).at(0, 0)).toBe(11);
    const row = numbers([1, 3], 'uint8', Uint8Array.of(1, 2, 3));
    expect(matToArray(row).data).toBe(row.data);
  });

  it('name the variable that is not what was expected', () => {
    expect(() => matTexts(samples.double, { name: 'att', file: 'a.mat' })).toThrow(
      'a.mat: variable "att" holds float64 2×3; expected text or a cell of texts',
    );
    expect(() => matColumns(samples.names, 'float64', { name: 'att' })).toThrow('expected a matrix of numbers');
    const cube = numbers([2, 2, 2], 'float64', new Float64Array(8));
    expect(() => matColumns(cube, 'float64', { name: 'att' })).toThrow('holds float64 2×2×2; expected a matrix');
    expect(() => matToArray(samples.nested)).toThrow('one text in each cell');
    const two: MatValue = { kind: 'cell', shape: [1, 1], cells: [samples.block] };
    expect(() => matTexts(two)).toThrow('MATLAB value: a value holds text 2×3; expected one text in each cell');
    const bare: MatValue = { kind: 'struct', shape: [0, 0], fields: new Map() };
    expect(() => matTexts({ kind: 'cell', shape: [1, 1], cells: [bare] })).toThrow('holds struct 0×0');
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
