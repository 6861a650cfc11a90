import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { renameOver, writeBeside, writeFileAtomic } from '../../src/formats/atomic.js';
import { temporaryFolder } from '../temporary-folder.js';

const folder = temporaryFolder();
const failure = (code: string) => Object.assign(new Error(code), { code });

/** A rename that fails so often with such an error before it works. */
function failing(times: number, code: string) {
  const calls = { count: 0 };
  const move = async () => {
    if (calls.count++ < times) throw failure(code);
  };
  return { calls, move };
}

describe('renaming over a file', () => {
  it('is tried again while Windows says that the file is in use', async () => {
    for (const code of ['EPERM', 'EACCES', 'EBUSY']) {
      const { calls, move } = failing(3, code);
      await renameOver('a', 'b', { platform: 'win32', move });
      expect(calls.count).toBe(4);
    }
  });

  it('fails at once elsewhere, for other reasons, and at last on Windows', async () => {
    const elsewhere = failing(3, 'EPERM');
    await expect(renameOver('a', 'b', { platform: 'linux', move: elsewhere.move })).rejects.toThrow('EPERM');
    expect(elsewhere.calls.count).toBe(1);
    const full = failing(3, 'ENOSPC');
    await expect(renameOver('a', 'b', { platform: 'win32', move: full.move })).rejects.toThrow('ENOSPC');
    expect(full.calls.count).toBe(1);
    await expect(renameOver('a', 'b', { platform: 'win32', move: failing(99, 'EBUSY').move })).rejects.toThrow('EBUSY');
  });
});

describe('a file written beside its name', () => {
  it('names itself when the folder takes its place, and leaves nothing behind', async () => {
    const path = join(folder, 'taken');
    mkdirSync(path);
    await expect(writeFileAtomic(path, 'x')).rejects.toThrow(`${path}: cannot be written`);
    expect(readdirSync(folder)).toEqual(['taken']);
    rmSync(path, { recursive: true });
  });

  it('is written whole, texts as UTF-8 and bytes as they are, and gives back what its writer gave', async () => {
    const path = join(folder, 'both');
    await writeFileAtomic(path, 'größe 🐦');
    expect(readFileSync(path, 'utf8')).toBe('größe 🐦');
    await writeFileAtomic(path, Uint8Array.of(0, 255));
    expect([...readFileSync(path)]).toEqual([0, 255]);
    const given = await writeBeside(path, async (file) => {
      await file.append(Buffer.from('ab'));
      await file.append(Buffer.from('cde'));
      return file.position;
    });
    expect(given).toBe(5);
    expect(readFileSync(path, 'utf8')).toBe('abcde');
    rmSync(path);
  });

  it('replaces the old one when it is whole, and leaves it when writing fails', async () => {
    const path = join(folder, 'nest.txt');
    writeFileSync(path, 'old');
    await writeFileAtomic(path, 'new');
    expect(readFileSync(path, 'utf8')).toBe('new');
    const broken = writeBeside(path, async (file) => {
      await file.append(Buffer.from('half'));
      throw new Error('stopped');
    });
    await expect(broken).rejects.toThrow('stopped');
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(readdirSync(folder)).toEqual(['nest.txt']);
  });
});
