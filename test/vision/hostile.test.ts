import { execFileSync } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readCsv } from '../../src/formats/csv.js';
import { extractFeatures } from '../../src/vision/extract.js';
import { loadFeatures } from '../../src/vision/load-features.js';
import { openPictures } from '../../src/vision/source.js';
import { temporaryFolder } from '../temporary-folder.js';
import { type HostileFile, hostileFiles } from './hostile-files.js';
import { tinyModel } from './tiny-model.js';

describe('broken and hostile files', () => {
  const folder = temporaryFolder();
  let files: HostileFile[];
  const read = new Set<string>();
  const reported = new Map<string, string>();
  let growth: number;

  beforeAll(async () => {
    await mkdir(join(folder, 'pictures/all'), { recursive: true });
    files = await hostileFiles();
    for (const { name, bytes } of files) await writeFile(join(folder, 'pictures/all', name), bytes);
    const before = process.memoryUsage().rss;
    await extractFeatures(await openPictures(join(folder, 'pictures')), await tinyModel(folder), join(folder, 'out'), {
      workers: 1,
    });
    growth = process.memoryUsage().rss - before;
    const { ids, features } = await loadFeatures(join(folder, 'out'));
    for (const [i, id] of ids.entries()) {
      expect(features.row(i).every(Number.isFinite)).toBe(true);
      expect(features.row(i).some((value) => value !== 0)).toBe(true);
      read.add(id.slice(4));
    }
    const failures = await readCsv(join(folder, 'out/failures.csv'));
    for (const [id, , , fault, message] of failures.rows) {
      expect(fault).toMatch(/^[a-z-]+$/);
      reported.set(id.slice(4), message);
    }
  }, 120_000);

  it('are two hundred, each either read or reported with a reason', () => {
    expect(files.length).toBeGreaterThanOrEqual(200);
    expect(read.size + reported.size).toBe(files.length);
    for (const { name } of files) expect([name, read.has(name) !== reported.has(name)]).toEqual([name, true]);
    for (const message of reported.values()) expect(message.length).toBeGreaterThan(5);
  });

  it('are read where the picture is sound, whatever its name, colours or frames', () => {
    const wanted = files.filter((file) => file.expected === 'read').map((file) => file.name);
    expect(wanted.filter((name) => !read.has(name)).map((name) => `${name}: ${reported.get(name)}`)).toEqual([]);
  });

  it('are reported where there is no picture, or one of unreasonable size', () => {
    const wanted = files.filter((file) => file.expected === 'reported').map((file) => file.name);
    expect(wanted.filter((name) => read.has(name))).toEqual([]);
  });

  it('do not fill the memory', () => {
    expect(growth).toBeLessThan(1e9);
  });

  it.skipIf(process.platform === 'win32')(
    'include links and pipes: a pipe does not hang the run, and a link out of the folder is just a file',
    async () => {
      const odd = join(folder, 'odd/all');
      await mkdir(odd, { recursive: true });
      execFileSync('sh', ['-c', 'mkfifo "$0"', join(odd, 'pipe.jpg')]);
      await symlink(join(odd, 'pipe.jpg'), join(odd, 'to-pipe.jpg'));
      await symlink('/dev/zero', join(odd, 'endless.jpg'));
      await symlink(join(odd, 'circle.jpg'), join(odd, 'circle.jpg'));
      await symlink(join(folder, 'pictures/all/grey.jpg'), join(odd, 'grey.jpg'));
      await symlink(odd, join(odd, 'deeper'));
      const out = join(folder, 'odd-out');
      const result = await extractFeatures(await openPictures(join(folder, 'odd')), await tinyModel(folder), out, {
        workers: 1,
      });
      expect(result).toMatchObject({ pictures: 1, failures: 3 });
      expect(await readFile(join(out, 'failures.csv'), 'utf8')).toContain('all/endless.jpg,all,not-a-picture');
    },
  );
});
