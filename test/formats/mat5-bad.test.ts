import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../src/errors.js';
import { memoryFile, readMat } from '../../src/formats/index.js';
import { readMat5 } from '../../src/formats/mat5.js';
import { temporaryFolder } from '../temporary-folder.js';
import { MatBytes } from './mat5-bytes.js';

const folder = temporaryFolder();
const b = new MatBytes();
const one = b.element(9, b.doubles(1));

/** An object of a newer class, which has a name after its flags and no dimensions. */
function opaque(name: string): Buffer {
  return b.element(14, Buffer.concat([b.element(6, b.words(17, 0)), b.element(1, Buffer.from(name))]));
}

async function refusal(bytes: Uint8Array, options = {}): Promise<FormatError> {
  const error = await readMat5(memoryFile(bytes, 'bad.mat'), options).catch((e) => e);
  expect(error).toBeInstanceOf(FormatError);
  return error;
}

describe('hostile MATLAB version 5 files', () => {
  it('are told from files that are too short to be one', async () => {
    const path = join(folder, 'short.mat');
    writeFileSync(path, Buffer.alloc(127));
    await expect(readMat(path)).rejects.toThrow('is not a MATLAB file: it has 127 bytes, the header alone takes 128');
    writeFileSync(path, Buffer.alloc(128));
    await expect(readMat(path)).rejects.toThrow('byte-order mark');
    writeFileSync(path, b.file());
    expect((await readMat(path)).size).toBe(0);
  });

  it('are refused with file, offset and expectation', async () => {
    const error = await refusal(b.file(b.matrix(6, [3, 1], 'x', [one])));
    expect(error.message).toMatch(/^bad\.mat \(byte 192\): "x" has shape 3×1 but 1 elements$/);
    expect(error.offset).toBe(192);
  });

  it.each([
    ['a header without its mark', Buffer.alloc(200), 'byte-order mark'],
    ['a header that ends early', Buffer.alloc(100), 'expected 128 bytes of the header'],
    [
      'another version',
      Buffer.concat([b.file().subarray(0, 124), Buffer.of(0, 5), Buffer.from('IM')]),
      'version 0x0100',
    ],
    ['an element longer than the file', b.file(b.words(14, 0x7fffffff)), 'does not fit'],
    ['an element of unknown type', b.file(b.words(77, 0)), 'found data type 77'],
    ['a tag cut in half', b.file(b.words(14)), 'expected 8 bytes of a data element'],
    ['an empty variable', b.file(b.words(14, 0)), 'expected array flags'],
    ['one dimension', b.file(b.matrix(6, [3], 'x', [one])), 'at least two dimensions'],
    ['a negative size', b.file(b.matrix(6, [-1, 1], 'x', [one])), 'impossible shape -1×1'],
    ['a shape beyond counting', b.file(b.matrix(6, [2 ** 30, 2 ** 30, 2 ** 30], 'x', [one])), 'counted'],
    ['a class that is not there', b.file(b.matrix(99, [1, 1], 'x', [one])), 'class 99'],
    ['class 0', b.file(b.matrix(0, [1, 1], 'x', [one])), 'variable "x" is of class 0'],
    [
      'an object in a cell',
      b.file(b.matrix(1, [1, 1], 'c', [opaque('o')])),
      'variable "c{}" is of class opaque object',
    ],
    ['a number in a cell', b.file(b.matrix(1, [1, 1], 'c', [one])), 'expected c{} as a variable (data type 14)'],
    [
      'deflated numbers instead of a variable',
      b.file(b.compressed(one)),
      'expected a variable (data type 14), found data type 9',
    ],
    [
      'array flags of another type',
      b.file(b.element(14, b.element(5, b.words(6, 0)))),
      'expected array flags as uint32, found data type 5',
    ],
    ['one array flag', b.file(b.element(14, b.element(6, b.words(6)))), 'expected two array flags, found 1'],
    [
      'array flags of seven bytes',
      b.file(b.element(14, b.element(6, Buffer.alloc(7)))),
      '7 bytes of array flags are not a whole number',
    ],
    [
      'elements that are text',
      b.file(b.matrix(6, [1, 1], 'x', [b.element(16, Buffer.alloc(8))])),
      'found data type 16',
    ],
    ['a sparse matrix of three axes', b.file(b.matrix(5, [1, 1, 1], 'm', [])), 'the sparse "m" has 3 dimensions'],
    [
      'sparse rows that are reals',
      b.file(b.matrix(5, [1, 1], 'm', [one])),
      'expected row indices of "m" as int32 or uint32, found data type 9',
    ],
    [
      'field names that are no multiple of their length',
      b.file(b.matrix(2, [1, 1], 's', [b.element(5, b.words(2)), b.element(1, Buffer.from('abc'))])),
      '3 bytes of field names of "s" are no multiple of 2',
    ],
    ['a negative character', b.file(b.matrix(4, [1, 1], 't', [b.element(1, Buffer.of(0xff))])), '"t" holds -1'],
    ['characters that are reals', b.file(b.matrix(4, [1, 1], 't', [one])), 'the characters of "t"'],
    ['a function handle', b.file(b.matrix(16, [1, 1], 'f', [])), 'function handle'],
    [
      'a sub-element longer than its variable',
      b.file(b.matrix(6, [1, 1], 'x', [b.element(9, b.doubles(1), 800)])),
      'of 800 bytes',
    ],
    [
      'a small element that is not small',
      b.file(b.matrix(6, [1, 1], 'x', [b.smallElement(2, Buffer.of(1), 7)])),
      '7 bytes, at most 4',
    ],
    [
      'bytes that are no whole number of values',
      b.file(b.matrix(6, [1, 1], 'x', [b.element(9, Buffer.alloc(12))])),
      'whole number',
    ],
    ['logical values of eight bytes', b.file(b.matrix(6, [1, 1], 'x', [one], 0x200)), 'logical "x" as uint8'],
    ['a cell of a billion values', b.file(b.matrix(1, [1000, 1000000], 'c', [])), 'declares 1000000000 nested values'],
    [
      'a struct with impossible field names',
      b.file(b.matrix(2, [1, 1], 's', [b.element(5, b.words(0)), b.element(1, Buffer.from('abc'))])),
      'field names',
    ],
    [
      'a struct with a million elements',
      b.file(b.matrix(2, [1000, 1000], 's', [b.element(5, b.words(4)), b.element(1, Buffer.from('abc\0'))])),
      'nested values',
    ],
    ['text of the wrong length', b.file(b.matrix(4, [1, 5], 't', [b.element(4, b.shorts(65))])), '1 characters'],
    [
      'a character beyond Unicode',
      b.file(b.matrix(4, [1, 1], 't', [b.element(18, b.words(0x110000))])),
      'not a character',
    ],
  ])('are refused for %s', async (_, bytes, message) => {
    expect((await refusal(bytes)).message).toContain(message);
  });

  it.each([
    ['falling column starts', [0, 2], [0, 2, 1], 'fall at column 1'],
    ['a row beyond the last', [0, 9], [0, 1, 2], 'row index 9 of "m" is not below 3'],
    ['more entries than there are', [0, 1], [0, 1, 5], 'expected 5'],
    ['too few column starts', [0, 1], [0, 1], 'expected 3, the first one 0'],
    ['a first column that starts later', [0, 1], [1, 1, 2], 'expected 3, the first one 0'],
    ['a row before the first', [0, -1], [0, 1, 2], 'row index -1 of "m"'],
    ['a row just behind the last', [3, 0], [0, 1, 2], 'row index 3 of "m" is not below 3'],
    ['fewer rows than entries', [0], [0, 1, 2], '"m" has 1 entries; expected 2'],
    ['fewer numbers than entries', [0, 1, 2], [0, 1, 3], '"m" has 2 entries; expected 3'],
  ])('are refused for a sparse matrix with %s', async (_, rows, starts, message) => {
    const content = [b.element(5, b.words(...rows)), b.element(5, b.words(...starts)), b.element(9, b.doubles(1, 2))];
    expect((await refusal(b.file(b.matrix(5, [3, 2], 'm', content)))).message).toContain(message);
  });

  it('are refused for complex numbers, naming the variable, unless it is not wanted', async () => {
    const file = b.file(b.matrix(6, [1, 1], 'wave', [one, one], 0x800), b.matrix(6, [1, 1], 'x', [one]));
    const error = await refusal(file);
    expect(error.message).toContain('variable "wave" is complex');
    expect((await readMat5(memoryFile(file), { variables: ['x'] })).size).toBe(1);
  });

  it('are refused for objects of newer classes, unless they are not wanted', async () => {
    const file = b.file(opaque('thing'), b.matrix(6, [1, 1], 'x', [one]));
    expect((await refusal(file)).message).toContain('variable "thing" is of class opaque object');
    expect((await refusal(file, { variables: ['thing'] })).message).toContain('"thing"');
    expect([...(await readMat5(memoryFile(file), { variables: ['x'] })).keys()]).toEqual(['x']);
  });

  it('are refused for more nested values than a program has memory for', async () => {
    const empty = Buffer.alloc(8 * 1_000_001);
    for (let at = 0; at < empty.length; at += 8) empty[at] = 14;
    const cell = b.matrix(1, [1, 1_000_001], 'c', [empty]);
    expect((await readMat5(memoryFile(b.file(cell)))).size).toBe(1);
    expect((await refusal(b.file(cell, cell))).message).toContain('a file may have 2000000 in all');
  });

  it('are refused for cells within cells without end', async () => {
    const nest = (depth: number) => {
      let element: Buffer = b.matrix(6, [1, 1], '', [one]);
      for (let i = 0; i < depth; i++) element = b.matrix(1, [1, 1], i === depth - 1 ? 'c' : '', [element]);
      return b.file(element);
    };
    expect((await readMat5(memoryFile(nest(100)))).size).toBe(1);
    expect((await refusal(nest(101))).message).toContain('more than 100 levels deep');
    expect((await refusal(nest(5000))).message).toContain('more than 100 levels deep');
  });

  it('are refused for deflated data that lies about its size, is damaged, or is a bomb', async () => {
    const variable = b.matrix(6, [1, 1], 'x', [one]);
    const longer = Buffer.from(variable);
    longer.writeUInt32LE(variable.length + 100, 4);
    expect((await refusal(b.file(b.compressed(longer)))).message).toContain('ends after');
    const shorter = Buffer.from(variable);
    shorter.writeUInt32LE(16, 4);
    expect((await refusal(b.file(b.compressed(shorter)))).message).toContain('goes on after');
    const huge = Buffer.from(variable);
    huge.writeUInt32LE(0xfffffff0, 4);
    expect((await refusal(b.file(b.compressed(huge)))).message).toContain('cannot hold');
    const damaged = b.file(b.compressed(variable));
    damaged[150] ^= 0xff;
    expect((await refusal(damaged)).message).toContain('damaged');
    const zeros = b.matrix(6, [2 ** 16, 2], 'z', [b.element(9, Buffer.alloc(2 ** 20))]);
    const bomb = b.file(b.compressed(zeros), b.compressed(zeros));
    expect((await readMat5(memoryFile(bomb))).size).toBe(1);
    expect((await refusal(bomb, { maximumInflatedBytes: 1.5 * 2 ** 20 })).message).toContain('would inflate to');
    const limit = { maximumInflatedBytes: 2 * zeros.length };
    expect((await readMat5(memoryFile(bomb), limit)).size).toBe(1);
    const less = { maximumInflatedBytes: 2 * zeros.length - 1 };
    expect((await refusal(bomb, less)).message).toContain(`${zeros.length - 1} are left of the limit`);
  });
});
