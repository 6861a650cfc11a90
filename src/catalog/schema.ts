/**
 * Tables of the catalog, and the statements that carry a journal segment into them. Every journal event holds its kind `event`
 * (`found`, `state`, `duplicate`, `lane` or `pause`), its number `n` in the segment, and columns by their SQL names.
 */

/** Columns known when a picture is found; they never change afterwards. */
export const foundColumns = {
  id: 'VARCHAR',
  category: 'VARCHAR',
  source: 'VARCHAR',
  source_id: 'VARCHAR',
  rank: 'INTEGER',
  image_url: 'VARCHAR',
  page_url: 'VARCHAR',
  author: 'VARCHAR',
  author_url: 'VARCHAR',
  licence: 'VARCHAR',
  licence_url: 'VARCHAR',
  title: 'VARCHAR',
  tags: 'VARCHAR[]',
  description: 'VARCHAR',
  published_at: 'VARCHAR',
  taken_at: 'VARCHAR',
} as const;

/** Replaced, or cleared, by every change of state. */
export const stateColumns = { state: 'VARCHAR', reason: 'VARCHAR', detail: 'VARCHAR' } as const;

/** Replaced, or cleared, by every comparison of pictures; a picture keeps its state whatever it is a duplicate of. */
export const duplicateColumns = {
  duplicate_of: 'VARCHAR',
  duplicate_by: 'VARCHAR',
  duplicate_detail: 'VARCHAR',
} as const;

/** Kept until a change of state names them; an empty text clears a column. */
export const measuredColumns = {
  attempts: 'INTEGER',
  path: 'VARCHAR',
  bytes: 'INTEGER',
  sha256: 'VARCHAR',
  file_sha256: 'VARCHAR',
  perceptual_hash: 'VARCHAR',
  crop_hashes: 'VARCHAR',
  media_type: 'VARCHAR',
  width: 'INTEGER',
  height: 'INTEGER',
  frames: 'INTEGER',
  comments: 'VARCHAR',
} as const;

/** Of a pause that a host asked for; its name is in `source`. */
const pauseColumns = { pause_seconds: 'DOUBLE' } as const;
const laneColumns = { next_rank: 'INTEGER', cursor: 'VARCHAR', lane_state: 'VARCHAR' } as const;

const list = (columns: Record<string, string>) =>
  Object.entries(columns)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ');

export const createTables = `
  CREATE TABLE IF NOT EXISTS picture (
    ${list({ ...foundColumns, ...stateColumns, ...duplicateColumns, ...measuredColumns })},
    found_at TIMESTAMP, changed_at TIMESTAMP, PRIMARY KEY (id));
  ALTER TABLE picture ADD COLUMN IF NOT EXISTS file_sha256 VARCHAR;
  CREATE TABLE IF NOT EXISTS lane (
    category VARCHAR, source VARCHAR, cursor VARCHAR, next_rank INTEGER, state VARCHAR, reason VARCHAR, detail VARCHAR,
    PRIMARY KEY (category, source));
  CREATE TABLE IF NOT EXISTS pause (name VARCHAR PRIMARY KEY, begun TIMESTAMP, seconds DOUBLE);
  CREATE TABLE IF NOT EXISTS meta (key VARCHAR PRIMARY KEY, value VARCHAR);
  ALTER TABLE picture ADD COLUMN IF NOT EXISTS duplicate_by VARCHAR;
  ALTER TABLE picture ADD COLUMN IF NOT EXISTS duplicate_detail VARCHAR;`;

/** Catalogs of earlier versions dropped duplicates. */
export const bringUpToDate = `
  UPDATE picture SET state = 'kept', duplicate_by = substr(reason, 11), duplicate_detail = detail, reason = NULL, detail = NULL
  WHERE state = 'dropped' AND reason LIKE 'duplicate-%'`;

/** A row if the tables are those of this version. */
export const isUpToDate =
  "SELECT 1 FROM duckdb_columns() WHERE table_name = 'picture' AND column_name = 'duplicate_by'";

/** The pictures that are there to be used. */
export const inUse = "state = 'kept' AND duplicate_of IS NULL";

const journalColumns = {
  n: 'BIGINT',
  event: 'VARCHAR',
  moment: 'TIMESTAMP',
  ...foundColumns,
  ...stateColumns,
  ...duplicateColumns,
  ...measuredColumns,
  ...laneColumns,
  ...pauseColumns,
};

const found = Object.keys(foundColumns).join(', ');
const replaced = Object.keys(stateColumns);
const duplicate = Object.keys(duplicateColumns);
const measured = Object.keys(measuredColumns);
const clears = (name: string) => measuredColumns[name as keyof typeof measuredColumns] === 'VARCHAR';

const batchColumns = Object.entries(journalColumns).map(([name, type]) => [name, type] as const);

/** Where the events of a segment are gathered before they are applied. */
export const createBatch = `CREATE OR REPLACE TEMP TABLE batch (${list(journalColumns)})`;

/** Takes the events as a list of JSON texts: no name of a file stands in SQL, where some letters mean more than themselves. */
export const fillBatch = `INSERT INTO batch SELECT ${batchColumns.map(([name]) => `event.${name}`).join(', ')} FROM (
  SELECT from_json(text, ${quote(JSON.stringify(Object.fromEntries(batchColumns)))}) AS event
  FROM (SELECT unnest($1::VARCHAR[]) AS text))`;

/** Applies what was gathered; the statements of a whole segment are run in one transaction. */
export const applyBatch = [
  `INSERT INTO picture (${found}, state, attempts, found_at, changed_at)
       SELECT ${found}, 'found', 0, moment, moment FROM batch WHERE event = 'found'
         AND NOT EXISTS (SELECT 1 FROM picture WHERE picture.id = batch.id)
         AND n IN (SELECT min(n) FROM batch WHERE event = 'found' GROUP BY id)`,
  `UPDATE picture SET ${replaced.map((name) => `${name} = change.${name}`).join(', ')},
       ${measured
         .map(
           (name) =>
             `${name} = ${clears(name) ? 'nullif(' : ''}coalesce(change.${name}, picture.${name})${clears(name) ? ", '')" : ''}`,
         )
         .join(', ')}, changed_at = change.moment
       FROM (SELECT id, last(moment ORDER BY n) AS moment,
         ${replaced.map((name) => `last(${name} ORDER BY n) AS ${name}`).join(', ')},
         ${measured.map((name) => `last(${name} ORDER BY n) FILTER (${name} IS NOT NULL) AS ${name}`).join(', ')}
         FROM batch WHERE event = 'state' GROUP BY id) AS change WHERE picture.id = change.id`,
  `UPDATE picture SET ${duplicate.map((name) => `${name} = change.${name}`).join(', ')}
       FROM (SELECT id, ${duplicate.map((name) => `last(${name} ORDER BY n) AS ${name}`).join(', ')}
         FROM batch WHERE event = 'duplicate' GROUP BY id) AS change WHERE picture.id = change.id`,
  `INSERT OR REPLACE INTO lane (category, source, cursor, next_rank, state, reason, detail)
       SELECT category, source, cursor, next_rank, lane_state, reason, detail FROM batch WHERE event = 'lane'
       QUALIFY row_number() OVER (PARTITION BY category, source ORDER BY n DESC) = 1`,
  `INSERT OR REPLACE INTO pause SELECT source, moment, pause_seconds FROM batch WHERE event = 'pause'
     QUALIFY row_number() OVER (PARTITION BY source ORDER BY n DESC) = 1`,
];

/** Records that a segment has been applied. */
export function segmentApplied(number: number): string {
  return `INSERT OR REPLACE INTO meta VALUES ('segment', '${number}')`;
}

export function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** `imageUrl` → `image_url`, between the names of TypeScript and those of SQL. */
export function columnName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function fieldName(column: string): string {
  return column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
