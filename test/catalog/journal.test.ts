import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCatalog } from '../../src/catalog/index.js';
import { Journal } from '../../src/catalog/journal.js';
import { decodeRecords, encodeRecord, type JournalEvent } from '../../src/catalog/journal-record.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bowerbird-journal-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const lane = (n: number, category: string): JournalEvent => ({
  ...{ n, event: 'lane', moment: '2026-01-01T00:00:00.000Z', category, source: 's' },
  ...{ next_rank: 1, lane_state: 'open' },
});

async function lanesOf(path: string): Promise<string[]> {
  const catalog = await openCatalog(path);
  const names: string[] = [];
  for await (const row of catalog.query('SELECT category FROM lane ORDER BY category'))
    names.push(String(row.category));
  await catalog.close();
  return names;
}

/** What a killed process leaves in a workspace. */
function leaveJournal(workspace: string, bytes: Buffer): void {
  mkdirSync(join(workspace, 'catalog-journal'), { recursive: true });
  appendFileSync(join(workspace, 'catalog-journal', '000000001.jsonl'), bytes);
}

describe('a journal', () => {
  it('is applied up to and behind a torn record, wherever that is', async () => {
    const torn = encodeRecord([lane(1, 'b'), lane(2, 'c')]).subarray(0, -7);
    leaveJournal(folder, Buffer.concat([encodeRecord([lane(0, 'a')]), torn, encodeRecord([lane(3, 'd')])]));
    expect(await lanesOf(folder)).toEqual(['a', 'd']);
    expect(await lanesOf(folder)).toEqual(['a', 'd']);
  });

  it('counts the events of one record together or not at all', async () => {
    const whole = encodeRecord([lane(0, 'a'), lane(1, 'b')]);
    for (const length of [1, 9, 40, whole.length - 1]) {
      const workspace = join(folder, String(length));
      leaveJournal(workspace, whole.subarray(0, length));
      expect(await lanesOf(workspace)).toEqual([]);
    }
  });

  it('goes on behind the last segment there is, applied, waiting or known of', () => {
    const journal = join(folder, 'journal');
    const next = (after: number) => {
      const opened = new Journal(journal, after);
      opened.append([lane(0, 'a')]);
      return opened.rotate();
    };
    expect(next(4)).toBe(5);
    expect(next(0)).toBe(6);
    new Journal(journal, 0).keep(new Journal(journal, 0).pending().at(-1)!);
    expect(next(0)).toBe(7);
    expect(next(20)).toBe(21);
  });

  it('is that of its own folder, whatever signs are in the name', async () => {
    for (const name of ['b1', 'b[1]', 'b*', "b'1"])
      leaveJournal(join(folder, name), encodeRecord([lane(0, `of ${name}`)]));
    for (const name of ['b[1]', 'b*', "b'1", 'b1']) expect(await lanesOf(join(folder, name))).toEqual([`of ${name}`]);
    await expect(lanesOf(join(folder, 'b?'))).rejects.toMatchObject({
      code: 'BOWERBIRD_CATALOG',
      message: expect.stringContaining('b?'),
    });
  });

  it('takes the largest page that a source can send', async () => {
    const text = 'é'.repeat(16_000);
    const tags = Array.from({ length: 256 }, (_, i) => `${i}`.padEnd(256, 'x'));
    const events = Array.from({ length: 250 }, (_, n) => ({
      ...{
        n,
        event: 'found',
        moment: '2026-01-01T00:00:00.000Z',
        id: String(n),
        category: 'a',
        source: 's',
        rank: n + 1,
      },
      ...{ title: text, description: text, author: text, tags, image_url: 'https://example.org/', licence: 'cc0' },
    }));
    leaveJournal(folder, encodeRecord(events));
    const catalog = await openCatalog(folder);
    const sql = 'SELECT count(*) AS n, min(length(title)) AS title, min(len(tags)) AS tags FROM picture';
    for await (const row of catalog.query(sql)) expect(row).toEqual({ n: 250, title: 16_000, tags: 256 });
    await catalog.close();
  });
});

describe('records', () => {
  const events = fc.array(fc.dictionary(fc.string(), fc.oneof(fc.string({ unit: 'binary' }), fc.integer())), {
    minLength: 1,
  });

  it('come back as they were written', () => {
    fc.assert(
      fc.property(fc.array(events), (records) => {
        const decoded = decodeRecords(Buffer.concat(records.map(encodeRecord)));
        expect(decoded).toEqual({ events: JSON.parse(JSON.stringify(records.flat())), torn: false, damaged: 0 });
      }),
    );
  });

  it('are recognized when bytes are missing, changed or put in between, and the others stay', () => {
    const written = Array.from({ length: 5 }, (_, i) => encodeRecord([lane(i, `category ${i}`)]));
    const bytes = Buffer.concat(written);
    const change = fc.record({
      at: fc.nat(bytes.length - 1),
      removed: fc.nat(30),
      added: fc.uint8Array({ maxLength: 20 }),
    });
    fc.assert(
      fc.property(change, ({ at, removed, added }) => {
        const changed = Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at + removed)]);
        if (changed.equals(bytes)) return;
        const { events: read } = decodeRecords(changed);
        let start = 0;
        for (const [i, record] of written.entries()) {
          const [from, to] = [start, start + record.length];
          start = to;
          const untouched = to <= at || from >= at + removed;
          const present = read.some(({ n }) => n === i);
          // A foreign piece may end up in front of a record, never inside one that is taken for whole.
          if (untouched && to < at) expect(present).toBe(true);
        }
        for (const event of read) expect(event).toEqual(lane(Number(event.n), `category ${event.n}`));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a damaged catalog', () => {
  it('is called damaged, with what to do, and not a question that is not understood', async () => {
    const catalog = await openCatalog(folder);
    const pictures = Array.from({ length: 300 }, (_, i) => ({
      ...{ id: String(i), category: 'a', source: 's', sourceId: String(i), rank: i + 1 },
      ...{ imageUrl: 'https://example.org/', licence: 'cc0', title: `a title that is number ${i}` },
    }));
    catalog.recordPage(pictures, { category: 'a', source: 's', nextRank: 301, state: 'open' });
    await catalog.close();
    const file = join(folder, 'catalog.duckdb');
    const whole = readFileSync(file);
    for (const part of [0, 0.02, 0.3, 0.6]) {
      writeFileSync(file, whole.subarray(0, whole.length * part));
      const look = async () => {
        const opened = await openCatalog(folder, { mustExist: true, readOnly: true });
        try {
          for await (const row of opened.query('SELECT sum(length(title)) AS n FROM picture')) return row.n;
        } finally {
          await opened.close();
        }
      };
      await expect(look(), String(part)).rejects.toMatchObject({
        code: 'BOWERBIRD_CATALOG',
        hint: expect.stringContaining('catalog repair'),
      });
    }
  });
});
