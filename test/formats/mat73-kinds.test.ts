/** What each kind of variable of a MATLAB 7.3 file is read as, and what is refused, at the edges. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Reference } from 'h5wasm/node';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../src/errors.js';
import {
  type MatNumbers,
  type MatSparse,
  type MatStruct,
  type MatValue,
  matTexts,
  type ReadMatOptions,
  readMat,
  sparseToDense,
} from '../../src/formats/index.js';
import { temporaryFolder } from '../temporary-folder.js';
import { Mat73Bytes } from './mat73-bytes.js';

const folder = temporaryFolder();
let files = 0;

async function read(fill: (mat: Mat73Bytes) => void, options: ReadMatOptions = {}): Promise<Map<string, MatValue>> {
  const path = join(folder, `kinds-${files++}.mat`);
  const mat = await Mat73Bytes.create(path);
  try {
    fill(mat);
  } finally {
    mat.close();
  }
  return readMat(path, options);
}

async function refusal(fill: (mat: Mat73Bytes) => void, options: ReadMatOptions = {}): Promise<string> {
  const error = await read(fill, options).catch((error) => error);
  expect(error).toBeInstanceOf(FormatError);
  expect(error.message).toContain('kinds-');
  return error.message;
}

const one = Float64Array.of(1);

describe('numbers in a MATLAB 7.3 file', () => {
  it.each([
    ['single', 'float32', Float32Array.of(1, 2)],
    ['int8', 'int8', Int8Array.of(-1, 2)],
    ['uint8', 'uint8', Uint8Array.of(1, 255)],
    ['int16', 'int16', Int16Array.of(-1, 2)],
    ['uint16', 'uint16', Uint16Array.of(1, 65535)],
    ['int32', 'int32', Int32Array.of(-1, 2)],
    ['uint32', 'uint32', Uint32Array.of(1, 2 ** 32 - 1)],
    ['int64', 'int64', BigInt64Array.of(-1n, 2n)],
    ['uint64', 'uint64', BigUint64Array.of(1n, 2n ** 64n - 1n)],
  ] as const)('are read as class %s', async (className, dtype, data) => {
    const x = (await read((mat) => mat.numbers('x', className, [2, 1], data as Uint8Array))).get('x');
    expect(x).toEqual({ kind: 'numbers', shape: [2, 1], dtype, data });
  });

  it('may have no class, no axes, one, or three', async () => {
    const all = await read((mat) => {
      mat.file.create_dataset({ name: 'scalar', data: 7.5, shape: [], dtype: '<d' });
      mat.file.create_dataset({ name: 'list', data: Float64Array.of(1, 2, 3), shape: [3] });
      mat.numbers('cube', 'double', [2, 1, 2], Float64Array.of(1, 2, 3, 4));
      mat.numbers('nothing', 'double', [0, 3], new Float64Array(0));
    });
    expect(all.get('scalar')).toMatchObject({ shape: [1, 1], data: Float64Array.of(7.5) });
    expect(all.get('list')).toMatchObject({ shape: [3, 1], data: Float64Array.of(1, 2, 3) });
    expect(all.get('cube')).toMatchObject({ shape: [2, 1, 2], data: Float64Array.of(1, 2, 3, 4) });
    expect(all.get('nothing')).toMatchObject({ shape: [0, 3], data: new Float64Array(0) });
  });

  it('are truth values only in bytes of the class logical', async () => {
    const all = await read((mat) => {
      mat.numbers('bytes', 'uint8', [1, 2], Uint8Array.of(0, 7));
      mat.numbers('truth', 'logical', [1, 2], Uint8Array.of(0, 7));
      mat.numbers('wide', 'logical', [1, 2], Int32Array.of(0, 7));
    });
    expect(all.get('bytes')).toMatchObject({ dtype: 'uint8', data: Uint8Array.of(0, 7) });
    expect(all.get('truth')).toMatchObject({ dtype: 'bool', data: Uint8Array.of(0, 1) });
    expect(all.get('wide')).toMatchObject({ dtype: 'int32', data: Int32Array.of(0, 7) });
  });

  it('are refused where they are none', async () => {
    const text = await refusal((mat) => mat.file.create_dataset({ name: 'x', data: ['owl'], shape: [1], dtype: 'S3' }));
    expect(text).toContain('of an HDF5 type that is not read');
  });

  it('may take as many bytes together as the limit says, and no more', async () => {
    const two = (mat: Mat73Bytes) => {
      mat.numbers('a', 'double', [2, 3], new Float64Array(6));
      mat.numbers('b', 'double', [2, 3], new Float64Array(6));
    };
    expect((await read(two, { maximumInflatedBytes: 96 })).size).toBe(2);
    expect(await refusal(two, { maximumInflatedBytes: 95 })).toContain(
      'variable "b" of shape 2×3 would take 48 bytes; 47 are left',
    );
    expect((await read(two, { maximumInflatedBytes: 48, variables: ['b'] })).size).toBe(1);
  });

  it('are all there when they are read in several pieces', async () => {
    const [columns, rows] = [3000, 800];
    const data = Float64Array.from({ length: columns * rows }, (_, i) => i);
    const same = (value?: MatValue) => Buffer.from((value as MatNumbers).data.buffer).equals(Buffer.from(data.buffer));
    const all = await read((mat) => {
      mat.numbers('plain', 'double', [rows, columns], data);
      const shape = [columns, rows];
      mat.file.create_dataset({ name: 'chunks', data, shape, chunks: [700, 800] });
    });
    expect([same(all.get('plain')), same(all.get('chunks'))]).toEqual([true, true]);
  });
});

it('a MATLAB 7.3 file is found by a relative path, and one that is cut is refused by name', async () => {
  const path = join(folder, 'relative.mat');
  const mat = await Mat73Bytes.create(path);
  mat.numbers('x', 'double', [1, 1], one);
  mat.numbers('#hidden', 'double', [1, 1], one);
  mat.close();
  expect([...(await readMat(relative(process.cwd(), path))).keys()]).toEqual(['x']);
  const bytes = readFileSync(path);
  for (const length of [520, bytes.length - 8]) {
    writeFileSync(path, bytes.subarray(0, length));
    await expect(readMat(path)).rejects.toThrow(/relative\.mat: is not an HDF5 file, or a damaged one \(.*truncated/);
  }
  writeFileSync(path, bytes);
  expect((await readMat(path)).size).toBe(1);
});

describe('texts in a MATLAB 7.3 file', () => {
  it('may be stored in one, two or four bytes a character', async () => {
    const all = await read((mat) => {
      mat.numbers('one', 'char', [1, 2], Uint8Array.of(0x4f, 0xe9));
      mat.numbers('two', 'char', [2, 2], Uint16Array.of(0x61, 0x63, 0x62, 0x64));
      mat.numbers('four', 'char', [1, 2], Uint32Array.of(0x1f426, 0x10ffff) as never);
    });
    expect(all.get('one')).toEqual({ kind: 'text', shape: [1, 2], rows: ['Oé'] });
    expect(all.get('two')).toEqual({ kind: 'text', shape: [2, 2], rows: ['ab', 'cd'] });
    expect(all.get('four')).toEqual({ kind: 'text', shape: [1, 2], rows: ['🐦\u{10ffff}'] });
  });

  it('are refused as reals, and beyond Unicode', async () => {
    expect(await refusal((mat) => mat.numbers('t', 'char', [1, 1], one))).toContain(
      'the characters of "t" are stored as float64',
    );
    const beyond = await refusal((mat) => mat.numbers('t', 'char', [1, 1], Uint32Array.of(0x110000) as never));
    expect(beyond).toContain('"t" holds a number that is not a character');
  });
});

describe('empty values in a MATLAB 7.3 file', () => {
  it('have a kind and a shape', async () => {
    const all = await read((mat) => {
      mat.empty('numbers', 'double', [0, 4]);
      mat.empty('text', 'char', [0, 0]);
      mat.empty('texts', 'char', [3, 0]);
      mat.empty('cell', 'cell', [0, 1]);
      mat.empty('struct', 'struct', [2, 0, 3]);
    });
    expect(all.get('numbers')).toEqual({ kind: 'numbers', shape: [0, 4], dtype: 'float64', data: new Float64Array(0) });
    expect(all.get('text')).toEqual({ kind: 'text', shape: [0, 0], rows: [''] });
    expect(all.get('texts')).toEqual({ kind: 'text', shape: [3, 0], rows: [] });
    expect(all.get('cell')).toEqual({ kind: 'cell', shape: [0, 1], cells: [] });
    expect(all.get('struct')).toEqual({ kind: 'struct', shape: [2, 0, 3], fields: new Map() });
  });

  it('are refused with elements after all, or with one size', async () => {
    expect(await refusal((mat) => mat.empty('x', 'double', [2, 3]))).toContain('the empty "x" has shape 2×3');
    expect(await refusal((mat) => mat.empty('x', 'double', [0]))).toContain('the empty "x" has shape 0');
  });

  it('are numbers where they are marked as not empty', async () => {
    const all = await read((mat) =>
      mat.numbers('x', 'double', [1, 1], one).create_attribute('MATLAB_empty', Uint8Array.of(0), []),
    );
    expect(all.get('x')).toMatchObject({ shape: [1, 1], data: one });
  });
});

describe('cells and structs in a MATLAB 7.3 file', () => {
  const word = (mat: Mat73Bytes, text: string) => mat.refer((name, parent) => mat.text(name, text, parent));

  it('hold values of any kind', async () => {
    const all = await read((mat) => {
      const record = mat.group('record', 'struct');
      mat.numbers('size', 'double', [1, 1], one, record);
      mat.cell('names', [1, 2], [word(mat, 'crow'), word(mat, 'owl')], record, 'cell');
      mat.text('deep', 'wren', mat.group('inner', 'struct', record));
    });
    const record = all.get('record') as MatStruct;
    expect(record.shape).toEqual([1, 1]);
    expect(record.fields.get('size')).toMatchObject([{ data: one }]);
    expect(record.fields.get('names')).toMatchObject([{ kind: 'cell', shape: [1, 2] }]);
    expect(matTexts(record.fields.get('names')![0])).toEqual(['crow', 'owl']);
    expect(record.fields.get('inner')).toMatchObject([{ kind: 'struct', shape: [1, 1] }]);
  });

  it('are refused when fields have different numbers of values', async () => {
    const message = await refusal((mat) => {
      const list = mat.group('list', 'struct');
      mat.cell('a', [1, 2], [word(mat, 'a'), word(mat, 'b')], list);
      mat.cell('b', [1, 1], [word(mat, 'c')], list);
    });
    expect(message).toContain('field "list.a" has 2 values for 1 elements');
  });

  it('may be a hundred levels deep, and no deeper', async () => {
    const nested = (cells: number) => (mat: Mat73Bytes) => {
      let last = word(mat, 'x');
      for (let level = 0; level < cells; level++) {
        const inner = last;
        last = mat.refer((name, parent) => mat.cell(name, [1, 1], [inner], parent, 'cell'));
      }
      mat.cell('c', [1, 1], [last], mat.file, 'cell');
    };
    expect((await read(nested(99))).size).toBe(1);
    expect(await refusal(nested(100))).toContain('nested more than 100 levels deep');
  });

  it('hold no more references than a file of their size can', async () => {
    const declaring = (count: number) => (mat: Mat73Bytes) => {
      const references: Reference[] = [word(mat, 'x')];
      const data = mat.file.create_dataset({
        ...{ name: 'c', data: references, shape: [1], dtype: 'Reference', maxshape: [null], chunks: [10] },
      });
      data.resize([count]);
    };
    expect(await refusal(declaring(100_001))).toContain('"c" declares 100001 nested values');
    expect(await refusal(declaring(100_000))).toContain('variable "c" has 1 of 10000 chunks in the file');
  });

  it('are refused by name where a variable leads nowhere', async () => {
    const message = await refusal((mat) => mat.file.create_soft_link('/absent', 'x'));
    expect(message).toMatch(/variable "x" is a \w+, which is not read/);
    expect((await read((mat) => mat.file.create_soft_link('/absent', 'x'), { variables: ['y'] })).size).toBe(0);
  });
});

describe('a sparse matrix in a MATLAB 7.3 file', () => {
  interface Parts {
    data?: number[];
    ir?: number[];
    jc?: number[];
  }
  const sparse = (rows: number, { data, ir, jc }: Parts) => {
    return (mat: Mat73Bytes) => {
      const group = mat.group('s', 'double');
      group.create_attribute('MATLAB_sparse', BigUint64Array.of(BigInt(rows)), []);
      if (data) group.create_dataset({ name: 'data', data: Float64Array.from(data) });
      for (const [name, values] of Object.entries({ ir, jc }))
        if (values) group.create_dataset({ name, data: BigInt64Array.from(values, BigInt) });
    };
  };

  it('may have no entries, and then no lists of them', async () => {
    const value = (await read(sparse(3, { jc: [0, 0, 0] }))).get('s') as MatSparse;
    expect(value.shape).toEqual([3, 2]);
    expect(sparseToDense(value).data).toEqual(new Float64Array(6));
  });

  it('has entries up to its last row and column', async () => {
    const value = (await read(sparse(2, { data: [5, 6], ir: [0, 1], jc: [0, 0, 2] }))).get('s') as MatSparse;
    expect(sparseToDense(value).data).toEqual(Float64Array.of(0, 5, 0, 6));
  });

  it.each<[string, Parts]>([
    ['no column starts', { data: [1], ir: [0] }],
    ['a first column that starts later', { data: [1, 2], ir: [0, 1], jc: [1, 2] }],
    ['column starts that fall', { data: [1, 2], ir: [0, 1], jc: [0, 3, 2] }],
    ['a row behind the last', { data: [1], ir: [2], jc: [0, 1] }],
    ['a row before the first', { data: [1], ir: [-1], jc: [0, 1] }],
    ['fewer numbers than entries', { data: [1], ir: [0, 1], jc: [0, 2] }],
    ['more numbers than entries', { data: [1, 2], ir: [0], jc: [0, 1] }],
    ['fewer rows than entries', { data: [1, 2], ir: [0], jc: [0, 2] }],
  ])('is refused with %s', async (_, parts) => {
    expect(await refusal(sparse(2, parts))).toContain('the sparse variable "s" has indices that do not fit its 2 rows');
  });
});
