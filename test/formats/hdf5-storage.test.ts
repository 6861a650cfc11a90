import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Hdf5Bytes, storageProblem } from '../../src/formats/hdf5-storage.js';
import { temporaryFolder } from '../temporary-folder.js';
import {
  chunked,
  contiguous,
  continuation,
  type Entry,
  fileOf,
  filters,
  type Message,
  newHeader,
  newMessages,
  node,
  nowhere,
  oldHeader,
  superblock,
} from './hdf5-bytes.js';

const folder = temporaryFolder();
const headerAt = 64;
const treeAt = 600;
const dataAt = 4000;

/** What is said of a dataset of 4×6 numbers, or another shape, whose header stands at its place. */
function said(bytes: Buffer, shape = [4, 6]): string | undefined {
  const path = join(folder, 'by-hand.h5');
  writeFileSync(path, bytes);
  const descriptor = openSync(path, 'r');
  try {
    const file = new Hdf5Bytes(descriptor, bytes.length);
    return storageProblem(file, { address: headerAt, shape, elementBytes: 8 });
  } finally {
    closeSync(descriptor);
  }
}

const withHeader = (header: Buffer, ...more: [number, Buffer][]) =>
  fileOf([[0, superblock(0)], [headerAt, header], ...more]);
const whole = contiguous(dataAt, 192);

const entries: Entry[] = [
  { at: [0, 0], child: dataAt },
  { at: [0, 3], child: dataAt + 48 },
  { at: [2, 0], child: dataAt + 96 },
  { at: [2, 3], child: dataAt + 144 },
];
const behind = [4, 0];
const changed = (index: number, change: Partial<Entry>) =>
  entries.map((entry, i) => (i === index ? { ...entry, ...change } : entry));
const withTree = (tree: Buffer, messages: Message[] = [], more: [number, Buffer][] = [], version = 0) =>
  fileOf([
    [0, superblock(version)],
    [headerAt, oldHeader(chunked(treeAt, [2, 3]), ...messages)],
    [treeAt, tree],
    ...more,
  ]);

describe('a dataset in one piece', () => {
  it.each([0, 1, 2])('is whole in a file of version %i, wherever the file begins', (version) => {
    for (const base of [0, 512, 1024, 2048])
      expect(
        said(
          fileOf(
            [
              [0, superblock(version)],
              [headerAt, oldHeader(whole)],
            ],
            base,
          ),
        ),
      ).toBeUndefined();
  });

  it('is missing, or of another length than its shape', () => {
    expect(said(withHeader(oldHeader(contiguous(nowhere, 192))))).toBe('has no elements in the file');
    expect(said(withHeader(oldHeader(contiguous(dataAt, 184))))).toBe(
      'has 184 bytes in the file, 192 belong to its shape',
    );
    expect(said(withHeader(oldHeader(contiguous(dataAt, 200))))).toContain('has 200 bytes');
  });

  it('needs no place where it has no elements', () => {
    expect(said(withHeader(oldHeader(contiguous(nowhere, 0))), [0, 6])).toBeUndefined();
  });

  it('is left to the library where its layout is compact or has checksums', () => {
    const [type, body] = contiguous(nowhere, 0);
    const compact = Buffer.from(body);
    compact[1] = 0;
    expect(said(withHeader(oldHeader([type, compact])))).toBeUndefined();
    const newer = Buffer.from(body);
    newer[0] = 4;
    expect(said(withHeader(oldHeader([type, newer])))).toBeUndefined();
  });

  it('is refused without a layout, or with elements in other files', () => {
    expect(said(withHeader(oldHeader([1, Buffer.alloc(8)])))).toBe('has no layout');
    expect(said(withHeader(oldHeader(whole, [7, Buffer.alloc(8)])))).toBe('lies in other files, which are not read');
  });
});

describe('the header of a file', () => {
  it('must be there', () => {
    for (const length of [8, 512, 513, 3000]) expect(() => said(Buffer.alloc(length))).toThrow('no superblock');
  });

  it.each([0, 2])('must have addresses and lengths of eight bytes, version %i', (version) => {
    for (const sizes of [
      [4, 8],
      [8, 4],
    ])
      expect(() =>
        said(
          fileOf([
            [0, superblock(version, 2, sizes)],
            [headerAt, oldHeader(whole)],
          ]),
        ),
      ).toThrow('are not read');
  });
});

describe('the header of a dataset', () => {
  const missing = contiguous(nowhere, 192);

  it.each([0, 1, 2, 3, 4, 0x10, 0x20, 0x34, 0x37])('of the newer kind is read with flags %i', (flags) => {
    const first: Message = [1, Buffer.alloc(5)];
    expect(said(withHeader(newHeader(flags, first, missing)))).toBe('has no elements in the file');
    expect(said(withHeader(newHeader(flags, first, whole)))).toBeUndefined();
  });

  it('goes on elsewhere', () => {
    const rest = oldHeader(missing).subarray(16);
    const old = oldHeader([1, Buffer.alloc(8)], continuation(700, rest.length));
    expect(said(withHeader(old, [700, rest]))).toBe('has no elements in the file');
    for (const flags of [0, 4]) {
      const block = Buffer.concat([Buffer.from('OCHK'), newMessages(flags, missing), Buffer.alloc(4)]);
      const modern = newHeader(flags, [1, Buffer.alloc(8)], continuation(700, block.length));
      expect(said(withHeader(modern, [700, block]))).toBe('has no elements in the file');
    }
  });

  it('is refused where it goes on in itself, or outside the file', () => {
    const endless = oldHeader(continuation(headerAt + 16, 24));
    expect(() => said(withHeader(endless))).toThrow('an object header has no end');
    expect(() => said(withHeader(oldHeader(continuation(700, 24))))).toThrow('24 bytes at 700 lie outside the file');
    expect(() => said(withHeader(newHeader(0, continuation(700, 4)), [700, Buffer.alloc(64)]))).toThrow('outside');
  });

  it('may be the last thing in the file, but not cut', () => {
    const bytes = withHeader(oldHeader(whole));
    expect(said(bytes)).toBeUndefined();
    expect(() => said(bytes.subarray(0, -1))).toThrow('lie outside the file');
  });
});

describe('a dataset in chunks', () => {
  it('is whole when every chunk is where the library looks for it', () => {
    expect(said(withTree(node(0, entries, behind)))).toBeUndefined();
    expect(said(withTree(node(0, entries, behind)), [3, 4])).toBeUndefined();
  });

  it('lacks chunks', () => {
    expect(said(withTree(node(0, entries.slice(0, 3), behind)))).toBe('has 3 of 4 chunks in the file');
    expect(said(withHeader(oldHeader(chunked(nowhere, [2, 3]))))).toBe('has 0 of 4 chunks in the file');
    expect(said(withTree(node(0, entries, behind)), [5, 6])).toBe('has 4 of 6 chunks in the file');
  });

  it('has chunks of another number of axes, or without elements', () => {
    expect(said(withTree(node(0, entries, behind)), [4, 6, 1])).toBe('has chunks of 2 axes for a shape of 3');
    expect(said(withHeader(oldHeader(chunked(treeAt, [2, 0]))))).toBe('has chunks without elements');
  });

  it('has a chunk beside the grid or outside the shape, which nobody looks for', () => {
    expect(said(withTree(node(0, changed(1, { at: [0, 2] }), behind)))).toBe('has 3 of 4 chunks in the file');
    expect(said(withTree(node(0, changed(1, { at: [0, 6] }), behind)))).toBe('has 3 of 4 chunks in the file');
    expect(said(withTree(node(0, changed(3, { at: [4, 0] }), [6, 0])))).toBe('has 3 of 4 chunks in the file');
  });

  it('has chunks over one another, or over the index', () => {
    const over = 'has chunks that lie over one another';
    expect(said(withTree(node(0, changed(2, { child: dataAt + 95 }), behind)))).toBe(over);
    expect(said(withTree(node(0, changed(0, { child: treeAt + 10 }), behind)))).toBe(over);
    // A node has room for 64 entries of 40 bytes between a head of 24 and a last key of 32.
    const end = treeAt + 24 + 64 * 40 + 32;
    expect(said(withTree(node(0, changed(0, { child: end - 1 }), behind)))).toBe(over);
    expect(said(withTree(node(0, changed(0, { child: end }), behind)))).toBeUndefined();
    expect(said(withTree(node(0, changed(0, { child: treeAt - 48 }), behind)))).toBeUndefined();
    expect(said(withTree(node(0, changed(0, { child: treeAt - 47 }), behind)))).toBe(over);
  });

  it('has nodes as large as a file of version 1 says', () => {
    const end = treeAt + 24 + 4 * 40 + 32;
    const at = (child: number) => withTree(node(0, changed(0, { child }), behind), [], [], 1);
    expect(said(at(end))).toBeUndefined();
    expect(said(at(end - 1))).toBe('has chunks that lie over one another');
  });

  it('is refused where its index is out of order', () => {
    const swapped = [entries[1], entries[0], entries[2], entries[3]];
    expect(() => said(withTree(node(0, swapped, behind)))).toThrow('out of order');
    expect(() => said(withTree(node(0, entries, [2, 3])))).toThrow('out of order');
    expect(() => said(withTree(node(0, [entries[0], ...entries], behind)))).toThrow('out of order');
  });

  it('is refused where its index is something else', () => {
    expect(() => said(withTree(node(0, entries, behind, 'TREK')))).toThrow('the index of chunks is damaged');
    expect(() => said(withTree(node(0, entries, behind, 'TREE', 0)))).toThrow('the index of chunks is damaged');
    expect(() => said(withTree(node(0, changed(1, { at: [0, 3, 1] }), behind)))).toThrow('is damaged');
    expect(() => said(withTree(node(0, entries, behind).subarray(0, -1)))).toThrow('lie outside the file');
  });

  it('has chunks as long as their elements where no filter changed them', () => {
    expect(() => said(withTree(node(0, changed(0, { bytes: 40 }), behind)))).toThrow(
      'a chunk of 40 bytes should have 48',
    );
    expect(said(withTree(node(0, changed(0, { bytes: 40 }), behind), [filters(1)]))).toBeUndefined();
    expect(() => said(withTree(node(0, changed(0, { bytes: 40, skipped: 3 }), behind), [filters(2)]))).toThrow(
      'a chunk of 40 bytes should have 48',
    );
    expect(said(withTree(node(0, changed(0, { skipped: 3 }), behind), [filters(2)]))).toBeUndefined();
    expect(() => said(withTree(node(0, changed(0, { skipped: 4 }), behind), [filters(2)]))).toThrow(
      'filters that the variable does not have',
    );
  });
});

describe('an index of chunks in two levels', () => {
  const [left, right] = [7000, 10_000];
  const top = (level: number, second = [2, 0], last = behind) =>
    node(
      level,
      [
        { at: [0, 0], child: left },
        { at: second, child: right },
      ],
      last,
    );
  const both = (root: Buffer, first: Buffer, second: Buffer) =>
    said(
      withTree(
        root,
        [],
        [
          [left, first],
          [right, second],
        ],
      ),
    );
  const lower = node(0, entries.slice(0, 2), [2, 0]);
  const upper = node(0, entries.slice(2), behind);

  it('is whole', () => {
    expect(both(top(1), lower, upper)).toBeUndefined();
  });

  it('hides chunks that lie outside of what is said above them', () => {
    expect(both(top(1, [2, 3]), lower, upper)).toBe('has 3 of 4 chunks in the file');
    expect(both(top(1, [0, 3]), lower, upper)).toBe('has 3 of 4 chunks in the file');
    expect(both(top(1, [2, 0], [2, 3]), lower, upper)).toBe('has 3 of 4 chunks in the file');
  });

  it('is refused where levels do not descend by one, or chunks come twice', () => {
    expect(() => both(top(2), lower, upper)).toThrow('the index of chunks is damaged');
    const again = node(
      0,
      [
        { at: [0, 0], child: left },
        { at: [2, 0], child: right },
      ],
      behind,
    );
    expect(() => both(top(1), again, node(1, entries.slice(2), behind))).toThrow('the index of chunks is damaged');
  });
});
