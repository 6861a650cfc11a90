import { mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FileError, FormatError } from '../../src/errors.js';
import {
  memoryFile,
  namedFileError,
  openFile,
  withFile,
  writeBeside,
  writeFileAtomic,
} from '../../src/formats/index.js';
import { temporaryFolder } from '../temporary-folder.js';

const folder = temporaryFolder();
const path = join(folder, 'ten.bin');
const ten = Uint8Array.from({ length: 10 }, (_, i) => i);
writeFileSync(path, ten);

describe.each([
  ['on disk', () => openFile(path)],
  ['in memory', async () => memoryFile(ten, path)],
])('a file %s', (_, open) => {
  it('gives exactly the bytes asked for', async () => {
    const file = await open();
    expect(file.size).toBe(10);
    expect([...(await file.read(3, 4))]).toEqual([3, 4, 5, 6]);
    expect((await file.read(10, 0)).length).toBe(0);
    const target = new Uint8Array(4);
    await file.readInto(target.subarray(1, 3), 8);
    expect([...target]).toEqual([0, 8, 9, 0]);
    await file.close();
  });

  it('gives memory of its own', async () => {
    const file = await open();
    (await file.read(0, 10)).fill(99);
    expect([...(await file.read(0, 2))]).toEqual([0, 1]);
    await file.close();
  });

  it.each([
    [8, 3],
    [11, 0],
    [-1, 2],
    [0, -1],
    [0.5, 1],
    [2 ** 60, 1],
    [0, Number.MAX_SAFE_INTEGER],
    [Number.NaN, 1],
  ])('refuses to read at %d, length %d, before allocating anything', async (offset, length) => {
    const file = await open();
    await expect(file.read(offset, length, 'the header')).rejects.toThrow(FormatError);
    await expect(file.read(offset, length, 'the header')).rejects.toThrow(/ten\.bin.*the header/);
    await file.close();
  });
});

describe('opening', () => {
  it('names an absent file and a folder', async () => {
    await expect(openFile(join(folder, 'absent'))).rejects.toThrow(/absent: cannot be opened: no such file/);
    await expect(openFile(folder)).rejects.toThrow('expected a file, found a folder');
  });

  it('notices a file that shrinks while it is open', async () => {
    const shrinking = join(folder, 'shrinking.bin');
    writeFileSync(shrinking, ten);
    await withFile(shrinking, async (file) => {
      truncateSync(shrinking, 4);
      await expect(file.read(0, 10)).rejects.toThrow('(byte 4): the file became shorter');
    });
  });
});

describe('what the system says of a file, wherever it was noticed', () => {
  const failure = (work: () => void): unknown => {
    try {
      work();
    } catch (error) {
      return namedFileError(error);
    }
    throw new Error('it did not fail');
  };

  it('names the file, what was tried and what to do', () => {
    const absent = join(folder, 'absent', 'deeper');
    for (const [work, message] of [
      [() => readdirSync(absent), 'cannot be read: no such file'],
      [() => statSync(absent), 'cannot be read: no such file'],
      [() => readFileSync(absent), 'cannot be opened: no such file'],
      [() => mkdirSync(folder), 'cannot be written: a file of this name is there already'],
      [() => readdirSync(path), 'cannot be read: a part of the path is a file'],
    ] as const) {
      const error = failure(work) as FileError;
      expect(error).toBeInstanceOf(FileError);
      expect(error.message).toContain(message);
      expect(error.message).toContain(folder);
    }
    expect(failure(() => mkdirSync(folder))).toMatchObject({ hint: 'Choose another name.' });
  });

  it('repeats what the system says where it has no words of its own', () => {
    const odd = Object.assign(new Error('ELOOP: too many links'), { code: 'ELOOP', path: '/a/b', syscall: 'open' });
    expect(namedFileError(odd)).toMatchObject({ message: '/a/b: cannot be opened: ELOOP: too many links' });
    const bare = Object.assign(new Error('odd'), { path: '/a/b', syscall: 'rename' });
    expect(namedFileError(bare)).toMatchObject({ message: '/a/b: cannot be written: odd' });
    for (const syscall of ['scandir', 'stat', 'lstat', 'read', 'realpath', 'readlink'])
      expect(namedFileError(Object.assign(new Error('odd'), { path: '/a/b', syscall }))).toMatchObject({
        message: '/a/b: cannot be read: odd',
      });
  });

  it.each([
    ['EACCES', 'permission denied'],
    ['EPERM', 'not permitted'],
    ['EISDIR', 'it is a folder, expected a file'],
    ['ENOSPC', 'no space left on the disk'],
    ['EROFS', 'the disk is read-only'],
    ['EMFILE', 'too many open files'],
  ])('says %s in words', (code, words) => {
    const error = Object.assign(new Error('x'), { code, path: '/a', syscall: 'write' });
    expect(namedFileError(error)).toMatchObject({ message: `/a: cannot be written: ${words}`, code: 'BOWERBIRD_FILE' });
  });

  it('leaves alone what is no such error, or says it all already', () => {
    for (const error of [new Error('odd'), new FormatError('a', 0, 'b'), { path: 'a' }, { syscall: 'open' }, undefined])
      expect(namedFileError(error)).toBe(error);
  });
});

describe('writing beside and renaming', () => {
  it('replaces the file only when the writing succeeded, and leaves nothing else behind', async () => {
    const inside = join(folder, 'atomic');
    mkdirSync(inside);
    const target = join(inside, 'result.txt');
    await writeFileAtomic(target, 'old');
    const failing = writeBeside(target, async (file) => {
      await file.append(Buffer.from('half of the new'));
      expect(readFileSync(target, 'utf8')).toBe('old');
      throw new Error('killed');
    });
    await expect(failing).rejects.toThrow('killed');
    expect(readFileSync(target, 'utf8')).toBe('old');
    await writeBeside(target, async (file) => {
      await file.append(Buffer.from('....new'));
      await file.writeAt(Buffer.from('very'), 0);
    });
    expect(readFileSync(target, 'utf8')).toBe('verynew');
    expect(readdirSync(inside)).toEqual(['result.txt']);
  });

  it('removes what a killed process left beside the file, and nothing of one that lives', async () => {
    const inside = join(folder, 'left');
    mkdirSync(inside);
    const living = `result.txt.${process.pid}-0123abcd.part`;
    // Numbers of processes end far below this.
    for (const name of [
      'result.txt.2147483646-0123abcd.part',
      living,
      'result.txt.part',
      'other.2147483646-0123abcd.part',
    ])
      writeFileSync(join(inside, name), '');
    await writeFileAtomic(join(inside, 'result.txt'), 'new');
    expect(readdirSync(inside).sort()).toEqual([
      'other.2147483646-0123abcd.part',
      'result.txt',
      living,
      'result.txt.part',
    ]);
  });

  it('names a folder that does not exist', async () => {
    const target = join(folder, 'nowhere', 'result.txt');
    await expect(writeFileAtomic(target, '')).rejects.toThrow(FileError);
    await expect(writeFileAtomic(target, '')).rejects.toThrow(/result\.txt: cannot be written: no such file or folder/);
  });
});
