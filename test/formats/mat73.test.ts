import { statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { FileError, FormatError } from '../../src/errors.js';
import {
  type MatSparse,
  type MatStruct,
  matColumns,
  matTexts,
  readMat,
  sparseToDense,
} from '../../src/formats/index.js';
import { temporaryFolder } from '../temporary-folder.js';
import { addUserBlock, Mat73Bytes } from './mat73-bytes.js';

const folder = temporaryFolder();
const path = join(folder, 'all.mat');
const big = Float64Array.from({ length: 300 * 70 }, (_, i) => Math.sin(i));

async function written(name: string, fill: (mat: Mat73Bytes) => void): Promise<string> {
  const target = join(folder, name);
  const mat = await Mat73Bytes.create(target);
  fill(mat);
  mat.close();
  return target;
}

beforeAll(async () => {
  await written('all.mat', (mat) => {
    mat.numbers('x', 'double', [2, 3], Float64Array.of(1, 2, 3, 4, 5, 6));
    mat.numbers('single', 'single', [1, 2], Float32Array.of(0.5, 1));
    mat.numbers('long', 'int64', [2, 1], BigInt64Array.of(-5n, 2n ** 60n));
    mat.numbers('truth', 'logical', [1, 3], Uint8Array.of(1, 0, 2));
    mat.text('text', 'Grünspecht');
    mat.empty('nothing', 'double', [0, 4]);
    mat.empty('silence', 'char', [0, 0]);
    mat.deflated('big', [70, 300], [16, 32], big);
    const birds = ['crow', 'owl'].map((bird) => mat.refer((name, parent) => mat.text(name, bird, parent)));
    mat.cell('names', [2, 1], birds, mat.file, 'cell');
    mat.cell('again', [1, 3], [birds[1], birds[1], birds[0]], mat.file, 'cell');
    const record = mat.group('record', 'struct');
    mat.text('name', 'rook', record);
    mat.numbers('size', 'double', [1, 1], Float64Array.of(46), record);
    const list = mat.group('list', 'struct');
    mat.cell('name', [1, 2], birds, list);
    const sparse = mat.group('sparse', 'double');
    sparse.create_attribute('MATLAB_sparse', BigUint64Array.of(3n), []);
    sparse.create_dataset({ name: 'data', data: Float64Array.of(1, 2, 3) });
    sparse.create_dataset({ name: 'ir', data: BigUint64Array.of(0n, 2n, 1n) });
    sparse.create_dataset({ name: 'jc', data: BigUint64Array.of(0n, 1n, 1n, 3n) });
  });
  addUserBlock(path);
});

describe('MATLAB version 7.3', () => {
  it('reads numbers in their own types, with MATLAB’s shape and order', async () => {
    const read = await readMat(path);
    expect(read.get('x')).toEqual({
      kind: 'numbers',
      shape: [2, 3],
      dtype: 'float64',
      data: Float64Array.of(1, 2, 3, 4, 5, 6),
    });
    expect([...matColumns(read.get('x')!).row(1)]).toEqual([3, 4]);
    expect(read.get('single')).toMatchObject({ dtype: 'float32', data: Float32Array.of(0.5, 1) });
    expect(read.get('long')).toMatchObject({ shape: [2, 1], data: BigInt64Array.of(-5n, 2n ** 60n) });
    expect(read.get('truth')).toMatchObject({ dtype: 'bool', data: Uint8Array.of(1, 0, 1) });
    expect(read.get('nothing')).toMatchObject({ shape: [0, 4], data: new Float64Array(0) });
    expect(read.has('#refs#')).toBe(false);
  });

  it('reads texts, cells and structs, alone and in arrays', async () => {
    const read = await readMat(path);
    expect(matTexts(read.get('text')!)).toEqual(['Grünspecht']);
    expect(matTexts(read.get('silence')!)).toEqual(['']);
    expect(matTexts(read.get('names')!)).toEqual(['crow', 'owl']);
    expect(matTexts(read.get('again')!)).toEqual(['owl', 'owl', 'crow']);
    const record = read.get('record') as MatStruct;
    expect(matTexts(record.fields.get('name')![0])).toEqual(['rook']);
    const list = read.get('list') as MatStruct;
    expect(list.shape).toEqual([1, 2]);
    expect(list.fields.get('name')!.flatMap((value) => matTexts(value))).toEqual(['crow', 'owl']);
  });

  it('reads sparse matrices and deflated chunks', async () => {
    const read = await readMat(path, { variables: ['sparse', 'big'] });
    expect([...read.keys()]).toEqual(['big', 'sparse']);
    expect(sparseToDense(read.get('sparse') as MatSparse).data).toEqual(Float64Array.of(1, 0, 0, 0, 0, 3, 0, 0, 2));
    expect(read.get('big')).toMatchObject({ shape: [70, 300], data: big });
  });

  it('reads a small file that holds a thousand times as much', async () => {
    const zeros = join(dirname(path), 'zeros.mat');
    const mat = await Mat73Bytes.create(zeros);
    mat.deflated('zeros', [1000, 400], [1000, 400], new Float64Array(400_000));
    mat.close();
    addUserBlock(zeros);
    expect(statSync(zeros).size).toBeLessThan(32_000);
    expect((await readMat(zeros)).get('zeros')).toMatchObject({ shape: [1000, 400] });
  });

  it('serves several readers at once', async () => {
    const all = await Promise.all([1, 2, 3].map(() => readMat(path, { variables: ['x'] })));
    expect(all.map((read) => read.size)).toEqual([1, 1, 1]);
  });
});

describe('bad MATLAB version 7.3 files', () => {
  const refusal = async (file: string, options = {}): Promise<FormatError> => {
    const error = await readMat(file, options).catch((e) => e);
    expect(error).toBeInstanceOf(FormatError);
    return error;
  };

  it('complex numbers are refused by name', async () => {
    const file = await written('complex.mat', (mat) => {
      mat.file.create_dataset({
        name: 'wave',
        data: new Map([
          ['real', Float64Array.of(1)],
          ['imag', Float64Array.of(2)],
        ]),
      });
    });
    expect((await refusal(file)).message).toContain('variable "wave" is complex');
  });

  it('classes without a counterpart are refused by name', async () => {
    const file = await written('table.mat', (mat) => {
      mat.numbers('t', 'table', [1, 1], Float64Array.of(1));
    });
    expect((await refusal(file)).message).toContain('variable "t" is of class table');
  });

  it('data in other files is not read', async () => {
    const file = await written('elsewhere.mat', (mat) => {
      mat.file.create_external_link(path, '/x', 'x');
    });
    expect((await refusal(file)).message).toContain('variable "x" is a ExternalLink');
  });

  it('a cell that contains itself is refused', async () => {
    const file = await written('self.mat', (mat) => {
      const cell = mat.cell('c', [1, 1], [mat.refer((name, parent) => mat.text(name, 'x', parent))], mat.file, 'cell');
      cell.write_slice(
        [
          [0, 1],
          [0, 1],
        ],
        [cell.create_reference()],
      );
    });
    expect((await refusal(file)).message).toContain('contains itself');
  });

  it('cells in cells are refused beyond a hundred levels', async () => {
    const file = await written('nested.mat', (mat) => {
      let last = mat.refer((name, parent) => mat.text(name, 'x', parent));
      for (let level = 0; level < 101; level++) {
        const inner = last;
        last = mat.refer((name, parent) => mat.cell(name, [1, 1], [inner], parent, 'cell'));
      }
      mat.cell('c', [1, 1], [last], mat.file, 'cell');
    });
    const { message } = await refusal(file);
    expect(message).toContain('is nested more than 100 levels deep');
    expect(message.length).toBeLessThan(250);
  });

  it('many cells that refer to each other do not multiply', async () => {
    const file = await written('dag.mat', (mat) => {
      let last = mat.refer((name, parent) => mat.text(name, 'x', parent));
      for (let level = 0; level < 40; level++) {
        const refs = [last, last, last];
        last = mat.refer((name, parent) => mat.cell(name, [1, 3], refs, parent, 'cell'));
      }
      mat.cell('c', [1, 1], [last], mat.file, 'cell');
    });
    const start = performance.now();
    expect((await readMat(file)).size).toBe(1);
    expect(performance.now() - start).toBeLessThan(20_000);
  });

  it('a dataset without storage that declares terabytes is refused', async () => {
    const file = await written('vast.mat', (mat) => {
      const data = Float64Array.of(1);
      const dataset = mat.file.create_dataset({ name: 'v', data, shape: [1], maxshape: [null], chunks: [1024] });
      dataset.resize([2 ** 40]);
    });
    expect((await refusal(file)).message).toContain('would take');
  });

  it('indices of sparse matrices are checked', async () => {
    const file = await written('sparse.mat', (mat) => {
      const sparse = mat.group('s', 'double');
      sparse.create_attribute('MATLAB_sparse', BigUint64Array.of(2n), []);
      sparse.create_dataset({ name: 'data', data: Float64Array.of(1) });
      sparse.create_dataset({ name: 'ir', data: BigUint64Array.of(7n) });
      sparse.create_dataset({ name: 'jc', data: BigUint64Array.of(0n, 1n) });
    });
    expect((await refusal(file)).message).toContain('do not fit its 2 rows');
  });

  it('files of other kinds are refused', async () => {
    const file = join(folder, 'notes.mat');
    writeFileSync(file, 'notes');
    expect((await refusal(file)).message).toContain('is not a MATLAB file');
    writeFileSync(
      file,
      Buffer.concat([Buffer.from([0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a]), Buffer.alloc(600)]),
    );
    expect((await refusal(file)).message).toContain('HDF5');
    await expect(readMat(join(folder, 'absent.mat'))).rejects.toThrow(FileError);
  });
});
