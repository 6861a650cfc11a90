import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  memoryFile,
  openNpz,
  openSafetensors,
  readCsv,
  readCsvMatrix,
  readNpy,
  readNpz,
  readSafetensors,
  writeCsv,
  writeNpy,
  writeNpz,
  writeSafetensors,
} from '../../src/formats/index.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { fuzzReader } from '../fuzz.js';
import { temporaryFolder } from '../temporary-folder.js';
import { npyBytes } from './npy-bytes.js';
import { sampleList } from './samples.js';
import { zipBytes } from './zip-bytes.js';

const folder = temporaryFolder();
const seed = (name: string) => readFileSync(join(folder, name));
const numeric = sampleList.filter(({ dtype }) => dtype !== 'string' && dtype !== 'bytes');
const npySeeds: Uint8Array[] = [];

beforeAll(async () => {
  for (const array of sampleList) {
    await writeNpy(join(folder, `${array.dtype}.npy`), array);
    npySeeds.push(seed(`${array.dtype}.npy`));
  }
  npySeeds.push(npyBytes({ version: 2 }), npyBytes({ version: 3 }));
  npySeeds.push(npyBytes({ header: "{'descr': '>f8', 'fortran_order': True, 'shape': (3, 2), }" }));
  const entries = Object.fromEntries(sampleList.slice(0, 5).map((array) => [array.dtype, array]));
  await writeNpz(join(folder, 'stored.npz'), entries);
  await writeNpz(join(folder, 'deflated.npz'), entries, { compress: true });
  const tensors = Object.fromEntries(numeric.map((array) => [array.dtype, array]));
  await writeSafetensors(join(folder, 'all.safetensors'), tensors, { metadata: { format: 'pt' } });
  await writeCsv(
    join(folder, 'text.csv'),
    [
      ['a', '"', 'é\n'],
      ['日本', '', ','],
    ],
    { header: ['x', 'y', 'z'] },
  );
  await writeCsv(
    join(folder, 'numbers.csv'),
    Matrix.from([
      [1, -2.5e-7],
      [Number.NaN, 4],
    ]),
    { header: ['x', 'y'] },
  );
});

describe('mutated files', () => {
  it('in .npy are read or refused, never worse', async () => {
    const { read, refused } = await fuzzReader('npy', npySeeds, (bytes) => readNpy(memoryFile(bytes)));
    expect(read).toBeGreaterThan(0);
    expect(refused).toBeGreaterThan(0);
  });

  it('in .npz are read or refused, never worse', async () => {
    const handmade = [{ name: 'a.npy', data: npyBytes(), deflate: true, zip64: true }];
    const seeds = [seed('stored.npz'), seed('deflated.npz'), zipBytes(handmade, { zip64: true, comment: 'x' })];
    const { refused } = await fuzzReader('npz', seeds, (bytes) => readNpz(memoryFile(bytes)));
    expect(refused).toBeGreaterThan(0);
  });

  it('in .npy within .npz, behind a correct CRC, are read or refused', async () => {
    const archive = (bytes: Uint8Array, index: number) =>
      zipBytes([{ name: 'a.npy', data: bytes, deflate: index % 2 === 0 }]);
    let index = 0;
    await fuzzReader('npz member', npySeeds, async (bytes) => {
      const npz = await openNpz(memoryFile(archive(bytes, index++)));
      const { shape } = await npz.header('a');
      await npz.read('a');
      if (shape.length > 0) await npz.read('a', { rows: [0, Math.min(2, shape[0])] });
    });
  });

  it('in safetensors are read or refused, never worse', async () => {
    await fuzzReader('safetensors', [seed('all.safetensors')], async (bytes) => {
      await readSafetensors(memoryFile(bytes));
      const file = await openSafetensors(memoryFile(bytes));
      for (const name of file.names)
        if (file.header(name).shape.length > 0) await file.rows(name).readRows(0, file.header(name).shape[0]);
    });
  });

  it('in CSV are read or refused, never worse', async () => {
    const seeds = [seed('text.csv'), seed('numbers.csv')];
    await fuzzReader('csv', seeds, (bytes) => readCsv(memoryFile(bytes)));
    await fuzzReader('csv matrix', seeds, (bytes) => readCsvMatrix(memoryFile(bytes)));
  });
});
