/**
 * The catalog of a workspace: a DuckDB file that only ever changes by applying whole journal segments, each in one
 * transaction that also records the segment's number. DuckDB is slow at single-row transactions; the journal is not,
 * and replaying it on opening makes a kill at any moment harmless. One process at a time.
 */
import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { ArgumentError, BowerbirdError } from '../errors.js';
import { applySegment } from './apply-segment.js';
import { databaseError } from './damage.js';
import { catalogFile, journalFolder } from './files.js';
import { historyQuestion, wholeHistory } from './history.js';
import { hasSegments, Journal, type Segment } from './journal.js';
import type { JournalEvent } from './journal-record.js';
import { type CatalogPatience, catalogInUse, openInstance } from './open-instance.js';
import type { DuplicateMark, FoundPicture, Lane, PictureRow, StateChange } from './picture.js';
import { type QueryRow, type QueryValue, streamed } from './query.js';
import { bringUpToDate, createTables, fieldName, inUse, isUpToDate } from './schema.js';
import { checkMove } from './states.js';
import { storableColumns } from './storable.js';

/** The journal is applied when it reaches this size, so that replaying it stays a matter of moments. */
const segmentEvents = 4000;
const segmentBytes = 8 * 2 ** 20;
/** Applied segments before they are put together. */
const mostApplied = 200;
export interface CatalogOptions extends CatalogPatience {
  /** Refuse to create a catalog where there is none. @default false */
  mustExist?: boolean;
  /**
   * For looking only: beside others who look, and on a disk that cannot be written. A journal that a killed command left
   * is brought into the tables all the same, which needs the right to write. @default false
   */
  readOnly?: boolean;
  /** Of DuckDB, in MiB. @default 256 */
  memoryLimit?: number;
}

export interface PictureQuestion {
  /** A condition on the columns. @default all pictures */
  where?: string;
  /** Of $1, $2, … in the condition. */
  values?: readonly QueryValue[];
  /** Columns to order by. @default 'category, source, rank' */
  order?: string;
  /** Pictures at most. @default all */
  limit?: number;
}

/** Locks of the operating system do not protect a process from itself. */
const openFolders = new Set<string>();

/**
 * Opens the catalog of a workspace, or creates it.
 *
 * @example
 * ```ts
 * const catalog = await openCatalog('birds');
 * for await (const { id, path, category } of catalog.kept()) console.log(id, path, category);
 * await catalog.close();
 * ```
 */
export async function openCatalog(workspaceFolder: string, options: CatalogOptions = {}): Promise<Catalog> {
  const file = join(workspaceFolder, catalogFile);
  if (options.mustExist && !existsSync(file) && !existsSync(join(workspaceFolder, journalFolder)))
    throw new BowerbirdError('BOWERBIRD_NO_CATALOG', `${workspaceFolder} has no ${catalogFile}`, {
      hint: 'Run "bowerbird crawl" on this workspace first, or check the folder name.',
    });
  mkdirSync(workspaceFolder, { recursive: true });
  const folder = realpathSync(workspaceFolder);
  if (openFolders.has(folder)) throw catalogInUse(file, 'this process');
  openFolders.add(folder);
  try {
    const released = () => openFolders.delete(folder);
    const settings = { ...options, memoryLimit: options.memoryLimit ?? 256, readOnly: false };
    if (options.readOnly && existsSync(file) && !hasSegments(join(folder, journalFolder))) {
      const instance = await openInstance(file, { ...settings, readOnly: true });
      const catalog = await closedOnError(file, instance, () => Catalog.look(folder, instance, released));
      if (catalog) return catalog;
    }
    const instance = await openInstance(file, settings);
    return await closedOnError(file, instance, () => Catalog.open(folder, instance, released));
  } catch (error) {
    openFolders.delete(folder);
    throw error;
  }
}

async function closedOnError<T>(file: string, instance: DuckDBInstance, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    instance.closeSync();
    throw databaseError(file, error);
  }
}

export class Catalog {
  /** Absolute path of the workspace. */
  readonly folder: string;
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;
  /** Absent where the catalog is only looked at. */
  readonly #journal: Journal | undefined;
  readonly #released: () => void;
  /** Segments are applied one after the other. */
  #applying: Promise<void> = Promise.resolve();
  #events = 0;
  #closed = false;
  #damagedRecords = 0;

  private constructor(
    folder: string,
    instance: DuckDBInstance,
    connection: DuckDBConnection,
    journal: Journal | undefined,
    released: () => void,
  ) {
    this.folder = folder;
    this.#instance = instance;
    this.#connection = connection;
    this.#journal = journal;
    this.#released = released;
  }

  /** @internal use `openCatalog` */
  static async open(folder: string, instance: DuckDBInstance, released: () => void): Promise<Catalog> {
    const connection = await instance.connect();
    await connection.run(createTables);
    const applied = await connection.runAndReadAll("SELECT value::INTEGER FROM meta WHERE key = 'segment'");
    const last = (applied.getRows()[0]?.[0] as number | undefined) ?? 0;
    const journal = new Journal(join(folder, journalFolder), last);
    const catalog = new Catalog(folder, instance, connection, journal, released);
    // Tables that are older than the journal, or gone, catch up.
    for (const segment of journal.applied()) if (segment.number > last) await catalog.#apply(segment);
    for (const segment of journal.pending()) {
      if (segment.number > last) await catalog.#apply(segment);
      journal.keep(segment);
    }
    await connection.run(bringUpToDate);
    await catalog.#shortenHistory();
    return catalog;
  }

  /** @internal use `openCatalog`; undefined, and closed, where the tables are those of an earlier version */
  static async look(folder: string, instance: DuckDBInstance, released: () => void): Promise<Catalog | undefined> {
    const connection = await instance.connect();
    if ((await connection.runAndReadAll(isUpToDate)).currentRowCount > 0)
      return new Catalog(folder, instance, connection, undefined, released);
    connection.closeSync();
    instance.closeSync();
    return undefined;
  }

  /** Records of the journal that could not be read when the catalog was opened: what they said is lost. */
  get damagedRecords(): number {
    return this.#damagedRecords;
  }

  /** Records newly found pictures and where their source now stands; a picture already known is left as it is. */
  recordPage(pictures: readonly FoundPicture[], lane: Lane): void {
    const { state, ...rest } = lane;
    this.#write([
      ...pictures.map((picture) => this.#event('found', picture)),
      this.#event('lane', { ...rest, laneState: state }),
    ]);
  }

  /** Moves pictures from one state to another. */
  move(...changes: readonly StateChange[]): void {
    this.#write(
      changes.map(({ from, to, ...fields }) => {
        checkMove(fields.id, from, to);
        return this.#event('state', { ...fields, state: to });
      }),
    );
  }

  /** Records which pictures repeat others, or no longer do; their states stay what they are. */
  markDuplicates(...marks: readonly DuplicateMark[]): void {
    this.#write(marks.map((mark) => this.#event('duplicate', mark)));
  }

  /** Records that a host, or group of hosts, asked for a pause. */
  recordPause(name: string, seconds: number): void {
    this.#write([this.#event('pause', { source: name, pauseSeconds: seconds })]);
  }

  /** What is left of the pauses that were asked for, in seconds. */
  async pauses(): Promise<{ name: string; seconds: number }[]> {
    const pauses: { name: string; seconds: number }[] = [];
    for await (const row of this.query('SELECT name, epoch(begun) AS begun, seconds FROM pause')) {
      const { name, begun, seconds } = row as { name: string; begun: number; seconds: number };
      // Where the clock has been set back, the whole pause is kept once more, and not for years.
      const left = Math.min(seconds, begun + seconds - Date.now() / 1000);
      if (left > 0) pauses.push({ name, seconds: left });
    }
    return pauses;
  }

  /** Brings everything recorded so far into the tables, where queries see it. */
  sync(): Promise<void> {
    if (this.#closed) throw new ArgumentError('the catalog has been closed');
    const journal = this.#journal;
    if (!journal) return this.#applying;
    const last = journal.rotate();
    this.#applying = this.#applying.then(async () => {
      for (const segment of journal.pending()) {
        if (segment.number > last) break;
        await this.#apply(segment);
        journal.keep(segment);
      }
    });
    return this.#applying;
  }

  /** Kept pictures that are no duplicates, best-ranked first within each category. */
  async *kept(): AsyncIterable<{ id: string; path: string; category: string }> {
    const sql = `SELECT id, path, category FROM picture WHERE ${inUse} ORDER BY category, rank, source, id`;
    for await (const row of this.query(sql)) yield row as { id: string; path: string; category: string };
  }

  /** Pictures matching a condition, in the order given. */
  async *pictures(question: PictureQuestion = {}): AsyncIterable<PictureRow> {
    const { where = 'true', values = [], order = 'category, source, rank', limit } = question;
    const most = limit === undefined ? '' : ` LIMIT ${limit}`;
    for await (const row of this.query(`SELECT * FROM picture WHERE ${where} ORDER BY ${order}${most}`, values)) {
      const picture: Record<string, unknown> = {};
      for (const [name, value] of Object.entries(row)) if (value !== null) picture[fieldName(name)] = value;
      yield picture as unknown as PictureRow;
    }
  }

  async lane(category: string, source: string): Promise<Lane | undefined> {
    for await (const row of this.query('SELECT * FROM lane WHERE category = $1 AND source = $2', [category, source])) {
      const { next_rank, ...rest } = row;
      const present = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
      return { ...present, nextRank: next_rank } as Lane;
    }
    return undefined;
  }

  /** Rows of any query, streamed; sees everything recorded before the call. */
  async *query(sql: string, values: readonly QueryValue[] = []): AsyncIterable<QueryRow> {
    await this.sync();
    try {
      yield* streamed(this.#instance, sql, values);
    } catch (error) {
      throw databaseError(this.#file, error);
    }
  }

  /** All rows of a query whose answer is short. */
  async all<Row = QueryRow>(sql: string): Promise<Row[]> {
    const rows: Row[] = [];
    for await (const row of this.query(sql)) rows.push(row as Row);
    return rows;
  }

  /** The number of pictures matching a condition. */
  async count(where = 'true'): Promise<number> {
    const [{ pictures }] = await this.all<{ pictures: number }>(
      `SELECT count(*) AS pictures FROM picture WHERE ${where}`,
    );
    return pictures;
  }

  /** Runs a statement that writes files, such as COPY … TO. */
  async run(sql: string): Promise<void> {
    await this.sync();
    try {
      await this.#connection.run(sql);
    } catch (error) {
      throw databaseError(this.#file, error);
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    try {
      await this.sync();
    } finally {
      // What could not be applied is in the journal, and is applied when the catalog is opened again.
      this.#closed = true;
      this.#connection.closeSync();
      this.#instance.closeSync();
      this.#released();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  get #file(): string {
    return join(this.folder, catalogFile);
  }

  #write(events: JournalEvent[]): void {
    if (this.#closed) throw new ArgumentError('the catalog has been closed');
    if (!this.#journal) throw new ArgumentError('the catalog has been opened for looking only');
    this.#journal.append(events);
    if (this.#journal.events < segmentEvents && this.#journal.bytes < segmentBytes) return;
    // Nobody waits for this one: an error keeps the segment on disk and comes back from the next sync.
    this.sync().catch(() => {});
  }

  #event(event: string, fields: object): JournalEvent {
    return { n: this.#events++, event, moment: new Date().toISOString(), ...storableColumns(fields) };
  }

  /** Many applied segments become one that says the same, and so does a catalog from before they were kept. */
  async #shortenHistory(): Promise<void> {
    const journal = this.#journal!;
    const applied = journal.applied();
    if (applied.length > 0 && applied.length <= mostApplied) return;
    const [{ segment, rows }] = (await this.#connection.runAndReadAll(historyQuestion)).getRowObjectsJS() as [
      { segment: number | null; rows: number },
    ];
    if (rows === 0 || segment === null) return;
    // On a full disk the history stays as long as it is.
    await journal.replaceApplied(segment, wholeHistory(this.#connection)).catch(() => {});
  }

  async #apply(segment: Segment): Promise<void> {
    try {
      this.#damagedRecords += await applySegment(this.#connection, segment);
    } catch (error) {
      throw databaseError(this.#file, error);
    }
  }
}
