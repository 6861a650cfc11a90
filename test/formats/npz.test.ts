import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ArgumentError, FormatError } from '../../src/errors.js';
import {
  memoryFile,
  type NdArray,
  openNpz,
  readNpz,
  toInt32,
  toMatrix,
  toStrings,
  writeNpz,
} from '../../src/formats/index.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { temporaryFolder } from '../temporary-folder.js';
import { hasNumpy } from '../tools.js';
import { npyBytes } from './npy-bytes.js';
import { type Plain, plain, plainInPython, python } from './numpy.js';
import { sampleList, samples } from './samples.js';
import { zipBytes } from './zip-bytes.js';

const folder = temporaryFolder();
const named = Object.fromEntries(sampleList.map((array) => [array.dtype, array]));

describe.each([
  ['stored', false],
  ['deflated', true],
])('%s .npz archives', (kind, compress) => {
  const path = join(folder, `${kind}.npz`);

  it('come back unchanged, every type', async () => {
    await writeNpz(path, named, { compress });
    expect(await readNpz(path)).toEqual(new Map(Object.entries(named)));
  });

  it('tell names, shapes and types without reading the elements', async () => {
    const npz = await openNpz(path);
    expect(npz.names).toEqual(Object.keys(named));
    expect([npz.has('int8'), npz.has('int8.npy'), npz.has('absent')]).toEqual([true, true, false]);
    expect(await npz.header('string.npy')).toEqual({ shape: [2, 2], dtype: 'string' });
    expect(await npz.read('int8.npy')).toEqual(samples.int8);
    await expect(npz.read('absent')).rejects.toThrow(`${kind}.npz: there is no array "absent"`);
    await npz.close();
  });

  it('give row ranges forwards, backwards and several at once', async () => {
    const rows = 3000;
    const matrix = Matrix.from(
      Array.from({ length: rows }, (_, i) => Array.from({ length: 100 }, (_, j) => i * 100 + j)),
    );
    const large = join(folder, `large-${kind}.npz`);
    await writeNpz(
      large,
      new Map([
        ['small', samples.int8 as NdArray | Matrix],
        ['web.npy', matrix],
      ]),
      { compress },
    );
    const npz = await openNpz(large);
    const part = toMatrix(await npz.read('web', { rows: [2000, 2002] }));
    expect(part.row(1)).toEqual(matrix.row(2001));
    const reader = await npz.rows('web');
    expect([reader.shape, reader.dtype, reader.rowLength]).toEqual([[rows, 100], 'float64', 100]);
    for (const [start, end] of [
      [0, 1],
      [500, 1500],
      [1400, 1410],
      [2999, 3000],
      [0, 3000],
    ]) {
      const read = Buffer.from((await reader.readRows(start, end)).buffer);
      const expected = matrix.data.slice(start * 100, end * 100);
      expect(read.equals(Buffer.from(expected.buffer)), `${start}…${end}`).toBe(true);
    }
    const together = await Promise.all([5, 2000, 1, 900].map((row) => reader.readRows(row, row + 1)));
    expect(together.map((row) => row[0])).toEqual([500, 200_000, 100, 90_000]);
    await reader.close();
    await npz.close();
  });

  it.skipIf(!hasNumpy)('agree with numpy in both directions (skipped without numpy)', async () => {
    const ours = join(folder, `ours-${kind}.npz`);
    const theirs = join(folder, `theirs-${kind}.npz`);
    await writeNpz(ours, { ...named, 'größe 🐦': Matrix.from([[1, 2]]) }, { compress });
    const save = compress ? 'savez_compressed' : 'savez';
    const result = python(
      `${plainInPython}
ours = np.load(sys.argv[1], allow_pickle=False)
np.${save}(sys.argv[2], **{name: ours[name] for name in ours})
result = {name: plain(ours[name]) for name in ours}`,
      ours,
      theirs,
    ) as Record<string, Plain>;
    for (const array of sampleList.filter(({ dtype }) => dtype !== 'float16'))
      expect(result[array.dtype], array.dtype).toEqual(plain(array));
    expect(result['größe 🐦'].shape).toEqual([1, 2]);
    const back = await readNpz(theirs);
    for (const array of sampleList) expect(back.get(array.dtype), array.dtype).toEqual(array);
    expect([...toMatrix(back.get('größe 🐦')!).data]).toEqual([1, 2]);
  });
});

describe('.npz archives made by hand', () => {
  it('are read with zip64 records, a comment, and members that are not arrays', async () => {
    const bytes = zipBytes(
      [
        { name: 'README.txt', data: Buffer.from('not an array') },
        { name: 'a.npy', data: npyBytes(), zip64: true },
        { name: 'b.npy', data: npyBytes(), deflate: true, zip64: true },
      ],
      { zip64: true, comment: 'PK\x05\x06 is no end record in a comment' },
    );
    const arrays = await readNpz(memoryFile(bytes));
    expect([...arrays.keys()]).toEqual(['a', 'b']);
    for (const array of arrays.values()) expect([...toMatrix(array).data]).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('are read with the longest comment, names of old code pages and other extra data', async () => {
    const bytes = zipBytes([{ name: 'a.npy', data: npyBytes() }], { comment: 'x'.repeat(0xffff) });
    expect([...(await readNpz(memoryFile(bytes))).keys()]).toEqual(['a']);
    const old = Buffer.from(zipBytes([{ name: 'é.npy', data: npyBytes(), flags: 0 }]));
    expect([...(await readNpz(memoryFile(old))).keys()]).toEqual(['Ã©']);
    const both = Buffer.from(zipBytes([{ name: 'é.npy', data: npyBytes() }]));
    expect([...(await readNpz(memoryFile(both))).keys()]).toEqual(['é']);
    const zip64 = Buffer.from(zipBytes([{ name: 'a.npy', data: npyBytes(), zip64: true }]));
    const record = zip64.indexOf('PK\x01\x02', 0, 'latin1');
    const extra = record + 46 + 'a.npy'.length;
    // Something else stands before the zip64 sizes, and is passed over.
    const other = Buffer.from('7856020001ff', 'hex');
    const widened = Buffer.concat([zip64.subarray(0, extra), other, zip64.subarray(extra)]);
    widened.writeUInt16LE(28 + other.length, record + 30);
    widened.writeUInt32LE(widened.length - 22 - record, widened.length - 10);
    expect([...(await readNpz(memoryFile(widened))).keys()]).toEqual(['a']);
  });

  it('inflate as much as is allowed, and no more', async () => {
    const data = npyBytes();
    const members = ['a.npy', 'b.npy'].map((name) => ({ name, data, deflate: true }));
    const archive = memoryFile(zipBytes(members), 'two.npz');
    expect((await readNpz(archive, { maximumInflatedBytes: 2 * data.length })).size).toBe(2);
    await expect(readNpz(archive, { maximumInflatedBytes: 2 * data.length - 1 })).rejects.toThrow(
      `the archive would inflate to ${2 * data.length} bytes`,
    );
    const npz = await openNpz(archive, { maximumInflatedBytes: 47 });
    await expect(npz.read('a')).rejects.toThrow('array "a" would inflate to 48 bytes');
    expect((await npz.read('a', { rows: [1, 3] })).shape).toEqual([2, 2]);
    await expect(npz.read('a', { rows: [1, 4] })).rejects.toThrow(ArgumentError);
    expect((await (await openNpz(archive, { maximumInflatedBytes: 48 })).read('a')).shape).toEqual([3, 2]);
    const stored = memoryFile(zipBytes([{ name: 'a.npy', data }]));
    expect((await readNpz(stored, { maximumInflatedBytes: 0 })).size).toBe(1);
  });

  it('may be empty', async () => {
    expect(await readNpz(memoryFile(zipBytes([])))).toEqual(new Map());
    await writeNpz(join(folder, 'empty.npz'), {});
    expect(await readNpz(join(folder, 'empty.npz'))).toEqual(new Map());
  });
});

it('refuses to write two arrays under one name', async () => {
  const path = join(folder, 'twice.npz');
  const entries: [string, NdArray][] = [
    ['a', samples.int8],
    ['a.npy', samples.int8],
  ];
  await expect(writeNpz(path, entries)).rejects.toThrow('"a.npy" is empty, too long or repeated');
  expect(existsSync(path)).toBe(false);
});

it('passes on what is wrong with an array while it deflates', async () => {
  const bad: NdArray = { shape: [1], dtype: 'bytes', data: ['日'] };
  await expect(writeNpz(join(folder, 'bad.npz'), { bad }, { compress: true })).rejects.toThrow('is not a byte');
});

const problem = '../shared/data/cub-web.npz';
describe.skipIf(!existsSync(problem))('the real problem file (skipped where ../shared/data is absent)', () => {
  it('reads: features, labels, names and texts', async () => {
    const npz = await openNpz(problem);
    const features = toMatrix(await npz.read('web_features', { rows: [0, 10] }), 'float32');
    expect([features.rows, features.cols]).toEqual([10, 1024]);
    expect(features.data.every((value) => Number.isFinite(value))).toBe(true);
    const labels = toInt32(await npz.read('web_labels'));
    expect([Math.min(...labels), Math.max(...labels), labels.length]).toEqual([0, 49, 2000]);
    expect(toStrings(await npz.read('test_names'))[0]).toBe('Black footed Albatross');
    expect(toStrings(await npz.read('web_texts')).every((text) => text.length > 0)).toBe(true);
    await expect(npz.read('nothing')).rejects.toThrow(FormatError);
    await npz.close();
  });
});
