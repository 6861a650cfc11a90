import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Journal } from '../../src/catalog/journal.js';
import { decodeRecords, type JournalEvent } from '../../src/catalog/journal-record.js';
import { temporaryFolder } from '../temporary-folder.js';

const folder = temporaryFolder();
const lane = (n: number): JournalEvent => ({
  ...{ n, event: 'lane', moment: '2026-01-01T00:00:00.000Z', category: `${n}`, source: 's' },
  ...{ next_rank: 1, lane_state: 'open' },
});

/** A journal with so many segments, all of them applied. */
function appliedJournal(name: string, segments: number): Journal {
  const journal = new Journal(join(folder, name), 0);
  for (let n = 0; n < segments; n++) {
    journal.append([lane(n)]);
    journal.rotate();
  }
  for (const segment of journal.pending()) journal.keep(segment);
  return journal;
}

describe('the segments of a journal', () => {
  it('are counted in events and bytes until the segment is closed', () => {
    const journal = new Journal(join(folder, 'counted'), 0);
    journal.append([]);
    expect(journal.pending()).toEqual([]);
    journal.append([lane(0), lane(1)]);
    journal.append([lane(2)]);
    expect(journal.events).toBe(3);
    expect(journal.bytes).toBe(readFileSync(journal.pending()[0].file).length);
    expect(journal.rotate()).toBe(1);
    expect([journal.events, journal.bytes]).toEqual([0, 0]);
    expect(journal.rotate()).toBe(1);
  });

  it('stay after they were applied, oldest first', () => {
    const journal = appliedJournal('applied', 3);
    expect(journal.pending()).toEqual([]);
    expect(journal.applied().map(({ number }) => number)).toEqual([1, 2, 3]);
  });

  it('are replaced by one with the whole history, but for those that came later', async () => {
    const journal = appliedJournal('replaced', 4);
    async function* history() {
      yield [lane(0), lane(1)];
      yield [lane(2)];
    }
    await journal.replaceApplied(3, history());
    expect(journal.applied().map(({ number }) => number)).toEqual([3, 4]);
    const { events } = decodeRecords(readFileSync(journal.applied()[0].file));
    expect(events.map(({ n }) => n)).toEqual([0, 1, 2]);
  });
});
