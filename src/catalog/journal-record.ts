/**
 * How changes of the catalog are written down: one record for each call, whose events count together or not at all.
 * A record is the byte 1E, the CRC-32 of its text in eight hexadecimal digits, a space, a JSON array and a line feed.
 * JSON holds no 1E, so that the next record is found behind a damaged one, and half a record is never taken for a whole.
 */
import { crc32 } from 'node:zlib';

/** A change, by the SQL names of its columns. */
export type JournalEvent = Readonly<Record<string, unknown>>;

const beginning = 0x1e;
const sumLength = 8;

export function encodeRecord(events: readonly JournalEvent[]): Buffer {
  const text = Buffer.from(JSON.stringify(events));
  return Buffer.concat([Buffer.from([beginning]), Buffer.from(`${sumOf(text)} `), text, Buffer.from('\n')]);
}

export interface DecodedRecords {
  /** Of all whole records, in the order in which they were written. */
  events: JournalEvent[];
  /** Whether the last record is not whole, as after a kill or on a full disk. */
  torn: boolean;
  /** Pieces before the last one that are no whole record: nothing that we do leaves such. */
  damaged: number;
}

export function decodeRecords(bytes: Buffer): DecodedRecords {
  const events: JournalEvent[] = [];
  let torn = false;
  let damaged = 0;
  for (let from = 0; from < bytes.length; ) {
    const next = bytes.indexOf(beginning, from + 1);
    const end = next < 0 ? bytes.length : next;
    const record = decodeRecord(bytes.subarray(from, end));
    if (record) for (const event of record) events.push(event);
    else if (next < 0) torn = true;
    else damaged++;
    from = end;
  }
  return { events, torn, damaged };
}

function decodeRecord(piece: Buffer): JournalEvent[] | undefined {
  if (piece[0] !== beginning || piece.at(-1) !== 0x0a) return undefined;
  const text = piece.subarray(sumLength + 2, -1);
  if (piece.toString('latin1', 1, sumLength + 2) !== `${sumOf(text)} `) return undefined;
  return JSON.parse(text.toString('utf8')) as JournalEvent[];
}

function sumOf(text: Buffer): string {
  return crc32(text).toString(16).padStart(sumLength, '0');
}
