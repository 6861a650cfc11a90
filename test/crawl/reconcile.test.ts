import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openCatalog, repairCatalog } from '../../src/catalog/index.js';
import { startChild } from './web/child.js';
import { allPictures, crawlFake, pictureFiles } from './web/crawling.js';
import { freshWeb } from './web/fresh.js';

const { web, folder } = await freshWeb();
const count = 30;
let workspace: string;
const pictures = (...parts: string[]) => join(workspace, 'pictures', ...parts);
const catalogFile = () => join(workspace, 'catalog.duckdb');
const crawled = async (more: Partial<Parameters<typeof crawlFake>[1]> = {}) => {
  const notes: string[] = [];
  const onNote = (note: string) => void notes.push(note);
  const summary = await crawlFake(web, { workspace, perCategory: count, resume: true, onNote, ...more });
  return { kept: summary.kept, notes };
};

beforeEach(async () => {
  workspace = join(folder.path, 'workspace');
  web.options = { results: count };
  await crawled();
});

describe('pictures that the catalog does not know', () => {
  it('are moved aside and not deleted, though catalog and journal were taken away', async () => {
    const before = Object.values(pictureFiles(workspace)).sort();
    renameSync(catalogFile(), join(folder.path, 'away'));
    rmSync(join(workspace, 'catalog-journal'), { recursive: true });
    const { kept, notes } = await crawled({ perCategory: 6 });
    expect(kept).toBe(6);
    expect(notes).toEqual([expect.stringContaining(`${count} files that the catalog does not know were moved to`)]);
    const aside = Object.entries(pictureFiles(workspace)).filter(([path]) => path.startsWith('.unknown'));
    expect(aside.map(([, hash]) => hash).sort()).toEqual(before);
  });

  it('keep apart where they have one name', async () => {
    for (const content of ['first', 'second']) {
      mkdirSync(pictures('00'), { recursive: true });
      writeFileSync(pictures('00', 'mine.txt'), content);
      await crawled();
    }
    const texts = readdirSync(pictures('.unknown')).map((name) => readFileSync(pictures('.unknown', name), 'utf8'));
    expect(texts.sort()).toEqual(['first', 'second']);
  });
});

describe('a link in the folder of pictures', () => {
  const outside = () => {
    const path = join(folder.path, 'outside');
    mkdirSync(path);
    writeFileSync(join(path, 'precious'), 'x');
    return path;
  };

  it('is moved aside, and what it leads to is left alone', async () => {
    const target = outside();
    const free = ['00', '01', '02', '03'].find((name) => !existsSync(pictures(name)))!;
    symlinkSync(target, pictures(free));
    symlinkSync(join(target, 'precious'), pictures('.partial', 'a'.repeat(24)));
    const [row] = await allPictures(workspace);
    rmSync(join(workspace, row.path!));
    symlinkSync(join(target, 'precious'), join(workspace, row.path!));
    expect((await crawled()).kept).toBe(count);
    expect(readdirSync(target)).toEqual(['precious']);
    expect(readFileSync(join(target, 'precious'), 'utf8')).toBe('x');
    expect(lstatSync(join(workspace, row.path!)).isFile()).toBe(true);
    expect(readdirSync(pictures('.unknown'))).toHaveLength(3);
  });

  it.each(['pictures', 'pictures/.partial', 'pictures/.unknown'])('in place of %s is refused', async (name) => {
    const target = outside();
    rmSync(join(workspace, name), { recursive: true, force: true });
    symlinkSync(target, join(workspace, name));
    mkdirSync(join(target, '00'));
    writeFileSync(join(target, '00', 'precious'), 'x');
    if (name.endsWith('unknown')) {
      mkdirSync(pictures('00'), { recursive: true });
      writeFileSync(pictures('00', 'foreign'), 'x');
    }
    await expect(crawled()).rejects.toMatchObject({ code: 'BOWERBIRD_FILE', message: expect.stringContaining('link') });
    expect(readdirSync(target).sort()).toEqual(['00', 'precious']);
    expect(readdirSync(join(target, '00'))).toEqual(['precious']);
  });
});

describe('a picture whose file', () => {
  it('has the right size and another content is fetched again', async () => {
    const whole = pictureFiles(workspace);
    const [row] = await allPictures(workspace);
    const file = join(workspace, row.path!);
    const bytes = readFileSync(file);
    bytes[bytes.length >> 1] ^= 1;
    writeFileSync(file, bytes);
    const { notes } = await crawled();
    expect(notes[0]).toContain('the files of 1 pictures are missing or damaged');
    const files = Object.entries(pictureFiles(workspace)).filter(([path]) => !path.startsWith('.'));
    expect(Object.fromEntries(files)).toEqual(whole);
  });
});

/** Every row, with its times. */
async function contents() {
  const catalog = await openCatalog(workspace);
  const rows = [];
  for (const table of ['picture', 'lane'])
    for await (const row of catalog.query(`SELECT * FROM ${table} ORDER BY ALL`)) rows.push(row);
  await catalog.close();
  return rows;
}

describe('a catalog', () => {
  it('that was taken away is made again from its journal', async () => {
    const before = await contents();
    rmSync(catalogFile());
    expect(await contents()).toEqual(before);
  });

  it('is repaired when its file is damaged, in any place', async () => {
    const before = await contents();
    const size = lstatSync(catalogFile()).size;
    for (const part of [0, 0.3, 0.6]) {
      truncateSync(catalogFile(), Math.floor(size * part));
      const { catalog, damage, kept } = await repairCatalog(workspace);
      await catalog.close();
      expect([damage !== undefined, existsSync(kept!)]).toEqual([true, true]);
      expect(await contents()).toEqual(before);
    }
  });

  it('that is whole is left as it is by a repair', async () => {
    const bytes = readFileSync(catalogFile());
    const { catalog, damage } = await repairCatalog(workspace);
    await catalog.close();
    expect(damage).toBeUndefined();
    expect(readFileSync(catalogFile()).equals(bytes)).toBe(true);
  });

  it('has a journal that does not grow without end and says the same when it is shortened', async () => {
    const catalog = await openCatalog(workspace);
    let id = '';
    for await (const row of catalog.pictures()) id = row.id;
    catalog.move({ id, from: 'kept', to: 'found', path: '' });
    for (let i = 0; i < 105; i++) {
      catalog.move({ id, from: 'found', to: 'failed', reason: 'timeout' });
      await catalog.sync();
      catalog.move({ id, from: 'failed', to: 'found' });
      await catalog.sync();
    }
    await catalog.close();
    const applied = () => readdirSync(join(workspace, 'catalog-journal', 'applied'));
    expect(applied().length).toBeGreaterThan(200);
    const before = await contents();
    expect(applied()).toHaveLength(1);
    rmSync(catalogFile());
    expect(await contents()).toEqual(before);
    // A catalog from before its journal was kept gets one.
    rmSync(join(workspace, 'catalog-journal'), { recursive: true });
    await contents();
    rmSync(catalogFile());
    expect(await contents()).toEqual(before);
  });

  it('is repaired by the command, which says what it found', async () => {
    writeFileSync(catalogFile(), 'no database'.repeat(1000));
    const [row] = Object.keys(pictureFiles(workspace));
    rmSync(pictures(row));
    const words = ['catalog', 'repair', '--workspace', workspace];
    const { code, stdout, stderr } = await startChild(words).finished;
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/made anew from the journal: 30 pictures/);
    expect(stdout).toMatch(/1 pictures are missing or damaged/);
    const again = await startChild(words).finished;
    expect(again.stdout).toMatch(/the catalog is whole/);
  });
});
