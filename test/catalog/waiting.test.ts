import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Catalog, openCatalog, readOnlyQuery } from '../../src/catalog/index.js';
import { encodeRecord } from '../../src/catalog/journal-record.js';
import { InterruptedError } from '../../src/errors.js';

let folder: string;
let other: ChildProcess | undefined;
const opened: Catalog[] = [];
async function open(options: Parameters<typeof openCatalog>[1]): Promise<Catalog> {
  const catalog = await openCatalog(folder, options);
  opened.push(catalog);
  return catalog;
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bowerbird-waiting-'));
  await (await openCatalog(folder)).close();
});
afterEach(async () => {
  other?.kill('SIGKILL');
  for (const catalog of opened.splice(0)) await catalog.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Another process that has the catalog open until it is killed. */
async function heldElsewhere(mode: 'READ_WRITE' | 'READ_ONLY'): Promise<string> {
  const program = `
    import { DuckDBInstance } from '@duckdb/node-api';
    const instance = await DuckDBInstance.create(${JSON.stringify(join(folder, 'catalog.duckdb'))}, { access_mode: '${mode}' });
    await instance.connect();
    console.log('open');
    setInterval(() => {}, 1000);`;
  other = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(other.stdout!, 'data');
  return `process ${other.pid}`;
}

describe('a catalog that another process has open', () => {
  it.each([{ readOnly: false }, { readOnly: true }])(
    'is waited for, and opened when it is free: %o',
    async (options) => {
      const holder = await heldElsewhere('READ_WRITE');
      const holders = new Set<string>();
      await open({
        ...options,
        onProgress: ({ stage }) => {
          holders.add(stage!);
          other?.kill('SIGKILL');
        },
      });
      expect([...holders]).toEqual([`waiting for ${holder}, which has the catalog open (s)`]);
    },
  );

  it('is given up in the end, with the number of the process', async () => {
    const holder = await heldElsewhere('READ_ONLY');
    await expect(openCatalog(folder, { patience: 0.3 })).rejects.toMatchObject({
      code: 'BOWERBIRD_CATALOG_IN_USE',
      message: expect.stringContaining(`in use by ${holder}`),
    });
  });

  it('is waited for no longer when the command is stopped', async () => {
    await heldElsewhere('READ_WRITE');
    const stop = new AbortController();
    const onProgress = () => stop.abort(new InterruptedError());
    await expect(openCatalog(folder, { signal: stop.signal, onProgress })).rejects.toThrow(InterruptedError);
  });

  it('can be looked at by several at a time', async () => {
    await heldElsewhere('READ_ONLY');
    const catalog = await open({ readOnly: true, patience: 0 });
    for await (const row of catalog.query('SELECT count(*) AS n FROM picture')) expect(row.n).toBe(0);
    expect(() => catalog.move({ id: 'x', from: 'found', to: 'failed' })).toThrow('for looking only');
  });
});

describe('looking at a catalog', () => {
  it('brings a journal that a killed command left into the tables first', async () => {
    const line = { n: 0, event: 'lane', moment: new Date().toISOString(), category: 'a', source: 'b', next_rank: 7 };
    writeFileSync(join(folder, 'catalog-journal', '000000003.jsonl'), encodeRecord([line]));
    const catalog = await open({ readOnly: true });
    expect((await catalog.lane('a', 'b'))?.nextRank).toBe(7);
  });

  it('takes a damaged file for damaged, also below a folder with "lock" in its name', async () => {
    const blocks = mkdtempSync(join(folder, 'blocks-'));
    writeFileSync(
      join(blocks, 'catalog.duckdb'),
      'this is no database, though it is long enough to be taken for one'.repeat(99),
    );
    const first = readOnlyQuery(blocks, 'SELECT 1')[Symbol.asyncIterator]().next();
    await expect(first).rejects.toMatchObject({ code: 'BOWERBIRD_CATALOG' });
  });
});
