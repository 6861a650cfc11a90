import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { matCellOf, matColumnsOf, memoryFile, readMat, writeMat } from '../../src/formats/index.js';
import { readMat5 } from '../../src/formats/mat5.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { fuzzReader } from '../fuzz.js';
import { temporaryFolder } from '../temporary-folder.js';
import { MatBytes } from './mat5-bytes.js';
import { addUserBlock, Mat73Bytes } from './mat73-bytes.js';
import { sparseSample } from './samples.js';

const folder = temporaryFolder();
const seed = (name: string) => readFileSync(join(folder, name));
const b = new MatBytes({ bigEndian: true });
const bigEndian = b.file(
  b.matrix(6, [1, 2], 'x', [b.element(9, b.doubles(1.5, -2))]),
  b.matrix(4, [1, 2], 's', [b.smallElement(4, b.shorts(0x4f, 0xe9))]),
);

beforeAll(async () => {
  const values = {
    features: matColumnsOf(
      Matrix.from([
        [1, 2, 3],
        [4, 5, 6],
      ]),
    ),
    names: matCellOf(['crow', 'Grünspecht', '']),
    record: {
      kind: 'struct',
      shape: [1, 1],
      fields: new Map([
        ['name', [matCellOf(['x'])]],
        ['size', [matColumnsOf(Matrix.from([[7]], 'float32'))]],
      ]),
    },
    sparse: sparseSample,
  } as const;
  await writeMat(join(folder, 'plain.mat'), values);
  await writeMat(join(folder, 'deflated.mat'), values, { compress: true });
  const path = join(folder, 'hdf5.mat');
  const mat = await Mat73Bytes.create(path);
  mat.numbers('x', 'double', [2, 3], Float64Array.of(1, 2, 3, 4, 5, 6));
  mat.text('text', 'crow');
  mat.empty('nothing', 'double', [0, 4]);
  mat.deflated(
    'chunks',
    [4, 50],
    [4, 10],
    Float64Array.from({ length: 200 }, (_, i) => i),
  );
  mat.cell('c', [1, 1], [mat.refer((name, parent) => mat.text(name, 'owl', parent))], mat.file, 'cell');
  mat.text('name', 'rook', mat.group('record', 'struct'));
  mat.close();
  addUserBlock(path);
});

describe('mutated MATLAB files', () => {
  it('of version 5 are read or refused, never worse', async () => {
    const seeds = [seed('plain.mat'), seed('deflated.mat'), bigEndian];
    const { read, refused } = await fuzzReader('mat5', seeds, (bytes) => readMat5(memoryFile(bytes)));
    expect(read).toBeGreaterThan(0);
    expect(refused).toBeGreaterThan(0);
  });

  it('of version 5 are read or refused, also within a sound deflated variable', async () => {
    const seeds = [seed('plain.mat').subarray(128)];
    const deflated = (bytes: Uint8Array) => {
      const little = new MatBytes();
      return memoryFile(little.file(little.compressed(bytes)));
    };
    const { refused } = await fuzzReader('mat5 deflated', seeds, (bytes) => readMat5(deflated(bytes)));
    expect(refused).toBeGreaterThan(0);
  });

  it('of version 7.3 are read or refused, never worse', async () => {
    const path = join(folder, 'mutated.mat');
    const reading = async (bytes: Uint8Array) => {
      writeFileSync(path, bytes);
      return readMat(path);
    };
    // After some files the thread is replaced, which a busy machine may take long for.
    const { read, refused } = await fuzzReader('mat73', [seed('hdf5.mat')], reading, { seconds: 30 });
    expect(read).toBeGreaterThan(0);
    expect(refused).toBeGreaterThan(0);
  });
});
