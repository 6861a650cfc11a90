/** The tables of a catalog as the journal events that would make them. */
import type { DuckDBConnection } from '@duckdb/node-api';
import type { JournalEvent } from './journal-record.js';
import { duplicateColumns, foundColumns, measuredColumns, stateColumns } from './schema.js';

/** The last segment applied, and whether there is anything to say. */
export const historyQuestion = `SELECT (SELECT value::INTEGER FROM meta WHERE key = 'segment') AS segment,
  ((SELECT count(*) FROM picture) + (SELECT count(*) FROM lane))::INTEGER AS rows`;

const eventsAtOnce = 200;

export async function* wholeHistory(connection: DuckDBConnection): AsyncIterable<JournalEvent[]> {
  let n = 0;
  let events: JournalEvent[] = [];
  for await (const event of eventsOf(connection)) {
    events.push({ n: n++, ...event });
    if (events.length < eventsAtOnce) continue;
    yield events;
    events = [];
  }
  if (events.length > 0) yield events;
}

async function* eventsOf(connection: DuckDBConnection): AsyncIterable<JournalEvent> {
  const texts = Object.entries(measuredColumns).map(([name, type]) =>
    // An empty text clears a column, also where the journal is applied to tables that know it.
    type === 'VARCHAR' ? `coalesce(${name}, '') AS ${name}` : name,
  );
  const found = `'found' AS event, found_at AS moment, ${Object.keys(foundColumns).join(', ')}`;
  const state = `'state' AS event, changed_at AS moment, id, ${[...Object.keys(stateColumns), ...texts].join(', ')}`;
  const duplicate = `'duplicate' AS event, changed_at AS moment, id, ${Object.keys(duplicateColumns).join(', ')}`;
  const lane = `'lane' AS event, category, source, cursor, next_rank, state AS lane_state, reason, detail`;
  const questions = [
    `${found} FROM picture`,
    `${state} FROM picture`,
    `${duplicate} FROM picture WHERE duplicate_of IS NOT NULL`,
    `${lane} FROM lane`,
  ];
  for (const question of questions) {
    const result = await connection.stream(`SELECT ${question}`);
    for await (const rows of result.yieldRowObjectJson())
      for (const row of rows) yield Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
  }
}
