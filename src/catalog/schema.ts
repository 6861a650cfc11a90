/**
 * Tables of the catalog, and the statements that carry a journal segment into them. Every journal line holds an `event`
 * (`found`, `state` or `lane`), its number `n` in the segment, and columns by their SQL names.
 */

/** Columns known when a picture is found; they never change afterwards. */
const foundColumns = {
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
const stateColumns = { state: 'VARCHAR', reason: 'VARCHAR', detail: 'VARCHAR', duplicate_of: 'VARCHAR' } as const;

/** Kept until a change of state names them; an empty text clears a column. */
const measuredColumns = {
  attempts: 'INTEGER',
  path: 'VARCHAR',
  bytes: 'INTEGER',
  sha256: 'VARCHAR',
  perceptual_hash: 'VARCHAR',
  crop_hashes: 'VARCHAR',
  media_type: 'VARCHAR',
  width: 'INTEGER',
  height: 'INTEGER',
  frames: 'INTEGER',
  comments: 'VARCHAR',
} as const;

const laneColumns = { next_rank: 'INTEGER', cursor: 'VARCHAR', lane_state: 'VARCHAR' } as const;

const list = (columns: Record<string, string>) =>
  Object.entries(columns)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ');

export const createTables = `
  CREATE TABLE IF NOT EXISTS picture (
    ${list({ ...foundColumns, ...stateColumns, ...measuredColumns })},
    found_at TIMESTAMP, changed_at TIMESTAMP, PRIMARY KEY (id));
  CREATE TABLE IF NOT EXISTS lane (
    category VARCHAR, source VARCHAR, cursor VARCHAR, next_rank INTEGER, state VARCHAR, reason VARCHAR, detail VARCHAR,
    PRIMARY KEY (category, source));
  CREATE TABLE IF NOT EXISTS meta (key VARCHAR PRIMARY KEY, value VARCHAR);`;

const journalColumns = {
  n: 'BIGINT',
  event: 'VARCHAR',
  moment: 'TIMESTAMP',
  ...foundColumns,
  ...stateColumns,
  ...measuredColumns,
  ...laneColumns,
};

/** DuckDB reserves twice this much for reading; the limits of `storable` keep every line below it. */
const largestLine = 4 * 2 ** 20;
const found = Object.keys(foundColumns).join(', ');
const replaced = Object.keys(stateColumns);
const measured = Object.keys(measuredColumns);
const clears = (name: string) => measuredColumns[name as keyof typeof measuredColumns] === 'VARCHAR';

/** The statements that apply one segment, to be run in one transaction. */
export function applySegment(file: string, number: number): string[] {
  const columns = Object.entries(journalColumns)
    .map(([name, type]) => `${name}: '${type}'`)
    .join(', ');
  return [
    `CREATE OR REPLACE TEMP TABLE batch AS SELECT * FROM read_json(${quote(file)}, format = 'newline_delimited',
       columns = {${columns}}, maximum_object_size = ${largestLine})`,
    `INSERT INTO picture (${found}, state, attempts, found_at, changed_at)
       SELECT ${found}, 'found', 0, moment, moment FROM batch WHERE event = 'found'
         AND NOT EXISTS (SELECT 1 FROM picture WHERE picture.id = batch.id)
       QUALIFY row_number() OVER (PARTITION BY id ORDER BY n) = 1 ORDER BY n`,
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
    `INSERT OR REPLACE INTO lane (category, source, cursor, next_rank, state, reason, detail)
       SELECT category, source, cursor, next_rank, lane_state, reason, detail FROM batch WHERE event = 'lane'
       QUALIFY row_number() OVER (PARTITION BY category, source ORDER BY n DESC) = 1`,
    `INSERT OR REPLACE INTO meta VALUES ('segment', '${number}')`,
    'DROP TABLE batch',
  ];
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
