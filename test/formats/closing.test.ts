/** Readers given a path close it, whatever becomes of the reading; readers given an open file leave it open. */
import { existsSync, readdirSync, readlinkSync, truncateSync } from 'node:fs';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  csvRecords,
  type FileSource,
  matColumnsOf,
  openFile,
  openNpyRows,
  openNpz,
  openSafetensors,
  readCsv,
  readGlove,
  readMat,
  readNpy,
  readNpyHeader,
  readNpz,
  readSafetensors,
  readWord2vec,
  writeGlove,
  writeMat,
  writeNpy,
  writeNpz,
  writeSafetensors,
  writeWord2vec,
} from '../../src/formats/index.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { temporaryFolder } from '../temporary-folder.js';

const folder = temporaryFolder();
const matrix = Matrix.from(
  [
    [1, 2],
    [3, 4],
    [5, 6],
  ],
  'float32',
);
const vectors = { words: ['a', 'b', 'c'], vectors: matrix as Matrix<Float32Array> };

/** How many descriptors of this process lead to a file. */
const descriptors = '/proc/self/fd';
function openOf(path: string): number {
  return readdirSync(descriptors).filter((name) => {
    try {
      return readlinkSync(join(descriptors, name)) === path;
    } catch {
      return false;
    }
  }).length;
}

async function drain(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}

const kinds: [
  name: string,
  write: (path: string) => Promise<unknown>,
  read: (source: FileSource) => Promise<unknown>,
][] = [
  ['npy', (path) => writeNpy(path, matrix), (source) => readNpy(source)],
  ['header.npy', (path) => writeNpy(path, matrix), (source) => readNpyHeader(source)],
  ['npz', (path) => writeNpz(path, { a: matrix }), (source) => readNpz(source)],
  ['safetensors', (path) => writeSafetensors(path, { a: matrix }), (source) => readSafetensors(source)],
  ['mat', (path) => writeMat(path, { a: matColumnsOf(matrix) }), (source) => readMat(source as string)],
  ['word2vec', (path) => writeWord2vec(path, vectors), (source) => readWord2vec(source)],
  ['glove', (path) => writeGlove(path, vectors), (source) => readGlove(source)],
  ['csv', (path) => writeFile(path, 'x,y\n1,2\n'), (source) => readCsv(source)],
];

describe.skipIf(!existsSync(descriptors))('files that were read', () => {
  it.each(kinds)('are closed: %s', async (name, write, read) => {
    const path = join(folder, `good.${name}`);
    await write(path);
    await read(path);
    expect(openOf(path)).toBe(0);
  });

  it.each(kinds)('are closed when they are damaged: %s', async (name, write, read) => {
    const path = join(folder, `damaged.${name}`);
    await write(path);
    if (/csv|glove/.test(name)) await appendFile(path, 'one 2 3 4 "five\n"x');
    else truncateSync(path, name === 'word2vec' || name === 'npy' ? (await readFile(path)).length - 3 : 9);
    await expect(read(path)).rejects.toMatchObject({ code: 'BOWERBIRD_FORMAT' });
    expect(openOf(path)).toBe(0);
  });

  it.each(kinds.filter(([name]) => name !== 'mat'))(
    'are left open when they were open before: %s',
    async (name, write, read) => {
      const path = join(folder, `open.${name}`);
      await write(path);
      const file = await openFile(path);
      await read(file);
      expect(openOf(path)).toBe(1);
      await file.close();
      expect(openOf(path)).toBe(0);
    },
  );

  it('are closed with what was opened on them', async () => {
    const opened: [
      string,
      (path: string) => Promise<unknown>,
      (path: string) => Promise<{ close(): Promise<void> }>,
    ][] = [
      ['rows.npy', (path) => writeNpy(path, matrix), openNpyRows],
      ['parts.npz', (path) => writeNpz(path, { a: matrix }), openNpz],
      ['parts.safetensors', (path) => writeSafetensors(path, { a: matrix }), openSafetensors],
    ];
    for (const [name, write, open] of opened) {
      const path = join(folder, name);
      await write(path);
      const one = await open(path);
      expect(openOf(path)).toBe(1);
      await one.close();
      expect(openOf(path)).toBe(0);
      await writeFile(path, 'nothing of the kind');
      await expect(open(path)).rejects.toMatchObject({ code: 'BOWERBIRD_FORMAT' });
      expect(openOf(path)).toBe(0);
    }
  });

  it('are closed when the records of a table are left early', async () => {
    const path = join(folder, 'long.csv');
    await writeFile(path, 'x\n1\n2\n3\n');
    for await (const _ of csvRecords(path)) break;
    expect(openOf(path)).toBe(0);
    await drain(csvRecords(path));
    expect(openOf(path)).toBe(0);
  });
});
