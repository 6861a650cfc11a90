/**
 * One source working through one category, in order of rank. A picture is started when the pictures before it, kept or
 * under way, do not yet fill the target; so the picture at rank r is tried exactly if fewer than `target` of those
 * before it are kept, whatever order they finish in, and a resumed run ends with the same set.
 */
import { createHash } from 'node:crypto';
import {
  type Catalog,
  type FoundPicture,
  type Lane,
  type PictureRow,
  pictureId,
  retriableKinds,
  type StateChange,
} from '../catalog/index.js';
import type { Category } from './categories.js';
import type { LicenceCode } from './licence.js';
import { FetchFailure } from './network/failure.js';
import type { Outcome } from './pipeline.js';
import { readable } from './readable.js';
import type { Semaphore } from './semaphore.js';
import type { ListedPicture, Source, SourceContext } from './sources/source.js';

export interface LaneOptions {
  catalog: Catalog;
  context: SourceContext;
  /** Licences that pass, or undefined when all do. */
  gate: ReadonlySet<LicenceCode> | undefined;
  slots: Semaphore;
  process(picture: PictureRow, source: Source): Promise<Outcome>;
  onFound?(source: Source, pictures: number, dropped: number): void;
}

/** Rows taken from the catalog at a time. */
const batchSize = 200;
/** A source that answers this often in a row with nothing new goes in circles. */
const mostStalePages = 20;
/** The same for a source that walks through slices, most of which may have been listed before. */
const mostStaleSlices = 200;

export class LaneRunner {
  readonly category: Category;
  readonly source: Source;
  readonly #options: LaneOptions;
  #lane: Lane;
  #kept = 0;
  #queue: PictureRow[] = [];
  #lastRank = 0;
  #stalePages = 0;
  /** Ids and addresses already listed, as 52-bit numbers. */
  readonly #seen = new Set<number>();

  private constructor(category: Category, source: Source, lane: Lane, options: LaneOptions) {
    this.category = category;
    this.source = source;
    this.#lane = lane;
    this.#options = options;
  }

  static async open(category: Category, source: Source, options: LaneOptions): Promise<LaneRunner> {
    const { catalog } = options;
    const lane = (await catalog.lane(category.name, source.name)) ?? {
      category: category.name,
      source: source.name,
      nextRank: 1,
      state: 'open',
    };
    // A source that failed is asked again from where it stood.
    const runner = new LaneRunner(
      category,
      source,
      lane.state === 'failed' ? { ...lane, state: 'open' } : lane,
      options,
    );
    const sql = 'SELECT id, image_url, state, reason FROM picture WHERE category = $1 AND source = $2';
    for await (const row of catalog.query(sql, [category.name, source.name])) {
      runner.#seen.add(fingerprint(row.id as string));
      if (row.reason !== 'licence') runner.#seen.add(fingerprint(row.image_url as string));
      if (row.state === 'kept') runner.#kept++;
    }
    return runner;
  }

  get kept(): number {
    return this.#kept;
  }

  /** Nothing is left to ask or to try. */
  get drained(): boolean {
    return this.#lane.state === 'exhausted' && this.#queue.length === 0 && this.#lastRank >= this.#lane.nextRank - 1;
  }

  get failed(): boolean {
    return this.#lane.state === 'failed';
  }

  /** Gives pictures that failed for a passing reason another chance. */
  async retryFailed(): Promise<void> {
    const kinds = retriableKinds.map((kind) => `'${kind}'`).join(', ');
    const where = `category = $1 AND source = $2 AND state = 'failed' AND reason IN (${kinds})`;
    const values = [this.category.name, this.source.name];
    for await (const { id } of this.#options.catalog.pictures({ where, values }))
      this.#options.catalog.move({ id, from: 'failed', to: 'found' });
  }

  /** Works until `target` pictures are kept, the source has no more, or it fails. */
  async run(target: number): Promise<void> {
    const { slots, context, process } = this.#options;
    let running = 0;
    let problem: { error: unknown } | undefined;
    let wake = () => {};
    const finished = () =>
      new Promise<void>((resolve) => {
        wake = resolve;
      });
    const work = async (picture: PictureRow) => {
      try {
        context.signal?.throwIfAborted();
        if ((await process(picture, this.source)) === 'kept') this.#kept++;
      } catch (error) {
        problem ??= { error };
      } finally {
        slots.give();
        running--;
        wake();
      }
    };
    try {
      while (!problem) {
        context.signal?.throwIfAborted();
        const picture = this.#kept + running < target ? await this.#next() : undefined;
        if (picture) {
          await slots.take();
          running++;
          void work(picture);
        } else if (running > 0) await finished();
        else break;
      }
    } catch (error) {
      problem ??= { error };
    }
    while (running > 0) await finished();
    if (problem) throw (problem as { error: unknown }).error;
  }

  async #next(): Promise<PictureRow | undefined> {
    for (;;) {
      const picture = this.#queue.shift();
      if (picture) return picture;
      if (await this.#refill()) continue;
      if (this.#lane.state !== 'open') return undefined;
      await this.#ask();
    }
  }

  async #refill(): Promise<boolean> {
    if (this.#lastRank >= this.#lane.nextRank - 1) return false;
    const where = "category = $1 AND source = $2 AND rank > $3 AND state IN ('found', 'fetched', 'checked')";
    const values = [this.category.name, this.source.name, this.#lastRank];
    const question = { where, values, order: 'rank', limit: batchSize };
    for await (const row of this.#options.catalog.pictures(question)) this.#queue.push(row);
    this.#lastRank = this.#queue.at(-1)?.rank ?? this.#lane.nextRank - 1;
    return this.#queue.length > 0;
  }

  async #ask(): Promise<void> {
    const { catalog, context } = this.#options;
    const cursor = this.#lane.cursor === undefined ? undefined : JSON.parse(this.#lane.cursor);
    try {
      const page = await this.source.ask(this.category, cursor, context);
      const { found, dropped } = this.#sort(page.pictures);
      this.#stalePages = found.length > 0 ? 0 : this.#stalePages + 1;
      const ended = page.next === undefined || this.#stalePages >= (page.slice ? mostStaleSlices : mostStalePages);
      this.#lane = {
        ...this.#lane,
        cursor: JSON.stringify(page.next ?? null),
        nextRank: this.#lane.nextRank + found.length,
        state: ended ? 'exhausted' : 'open',
      };
      catalog.recordPage(found, this.#lane);
      catalog.move(...dropped);
      this.#options.onFound?.(this.source, found.length, dropped.length);
    } catch (error) {
      if (context.signal?.aborted) throw context.signal.reason;
      if (!(error instanceof FetchFailure)) throw error;
      this.#lane = { ...this.#lane, state: 'failed' };
      catalog.recordPage([], { ...this.#lane, reason: error.kind, detail: context.keys.redact(error.message) });
    }
  }

  /** New pictures with their ranks; those that must not be tried are dropped at once, with the reason. */
  #sort(listed: readonly ListedPicture[]) {
    const { context, gate } = this.#options;
    const found: FoundPicture[] = [];
    const dropped: StateChange[] = [];
    for (const raw of listed) {
      const picture = redacted(raw, context);
      const id = pictureId(this.category.name, this.source.name, picture.sourceId);
      if (this.#seen.has(fingerprint(id))) continue;
      this.#seen.add(fingerprint(id));
      const rank = this.#lane.nextRank + found.length;
      found.push({ ...picture, id, category: this.category.name, source: this.source.name, rank });
      const address = fingerprint(picture.imageUrl);
      if (gate && !gate.has(picture.licence))
        dropped.push({
          id,
          from: 'found',
          to: 'dropped',
          reason: 'licence',
          detail: `its licence is ${picture.licence}`,
        });
      else if (this.#seen.has(address))
        dropped.push({
          id,
          from: 'found',
          to: 'dropped',
          reason: 'same-address',
          detail: 'a picture with this address came before',
        });
      else this.#seen.add(address);
    }
    return { found, dropped };
  }
}

const words = ['title', 'tags', 'description', 'author'];

/** An answer that echoes the question must not carry a key into the catalog, and words must be what they seem. */
function redacted(picture: ListedPicture, { keys }: SourceContext): ListedPicture {
  const clean = (name: string, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((part) => clean(name, String(part)));
    if (typeof value !== 'string') return value;
    return keys.redact(words.includes(name) ? readable(value) : value);
  };
  return Object.fromEntries(
    Object.entries(picture).map(([name, value]) => [name, clean(name, value)]),
  ) as unknown as ListedPicture;
}

function fingerprint(text: string): number {
  return Number.parseInt(createHash('sha256').update(text).digest('hex').slice(0, 13), 16);
}
