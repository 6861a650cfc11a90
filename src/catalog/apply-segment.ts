/** A segment of the journal brought into the tables, in one transaction that also records its number. */
import { type DuckDBConnection, LIST, listValue, VARCHAR } from '@duckdb/node-api';
import { readSegment, type Segment } from './journal.js';
import type { JournalEvent } from './journal-record.js';
import { applyBatch, createBatch, fillBatch, segmentApplied } from './schema.js';

/** Handed to the database at a time, so that its memory suffices whatever a source sends. */
const pieceLength = 2 ** 21;

/** @returns the number of its records that could not be read */
export async function applySegment(connection: DuckDBConnection, { file, number }: Segment): Promise<number> {
  const { events, damaged } = readSegment(file);
  try {
    await connection.run('BEGIN TRANSACTION');
    for (const texts of piecesOf(events)) {
      await connection.run(createBatch);
      await connection.run(fillBatch, [listValue(texts)], [LIST(VARCHAR)]);
      for (const statement of applyBatch) await connection.run(statement);
    }
    await connection.run(segmentApplied(number));
    await connection.run('COMMIT');
  } catch (error) {
    await connection.run('ROLLBACK').catch(() => {});
    throw error;
  }
  return damaged;
}

function* piecesOf(events: readonly JournalEvent[]): Iterable<string[]> {
  let piece: string[] = [];
  let length = 0;
  for (const event of events) {
    const text = JSON.stringify(event);
    piece.push(text);
    length += text.length;
    if (length < pieceLength) continue;
    yield piece;
    piece = [];
    length = 0;
  }
  if (piece.length > 0) yield piece;
}
