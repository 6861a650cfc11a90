/**
 * The crawl: every source works through every category until each has the number of pictures asked for or nothing more
 * can be had. What each source contributes to a category depends only on what it has, not on timing.
 */
import { setMaxListeners } from 'node:events';
import { mkdirSync } from 'node:fs';
import { type Catalog, openCatalog } from '../catalog/index.js';
import { InterruptedError, UsageError } from '../errors.js';
import type { Progress } from '../progress.js';
import { jsonApi } from './api.js';
import type { Category } from './categories.js';
import type { CheckOptions } from './check.js';
import { type DownloadOptions, PictureStore, picturesFolder } from './download.js';
import type { DownloadDispatcher, Downloads } from './elsewhere.js';
import type { Keys } from './keys.js';
import { type LaneOptions, LaneRunner } from './lane.js';
import { defaultLicences, type LicenceCode, licenceCodes } from './licence.js';
import { HttpClient, type NetworkOptions } from './network/http.js';
import { knownKillers, type PipelineOptions, processPicture } from './pipeline.js';
import { dropPlaceholders, knownPlaceholders, type PlaceholderOptions } from './placeholders.js';
import { reconcile } from './reconcile.js';
import { Semaphore } from './semaphore.js';
import type { Source, SourceContext } from './sources/source.js';
import { type CrawlSummary, summarize } from './summary.js';
import { Tally } from './tally.js';

export interface CrawlOptions {
  workspace: string;
  categories: readonly Category[];
  sources: readonly Source[];
  keys: Keys;
  network: NetworkOptions;
  /** Pictures to keep for each category, over all sources. @default 100 */
  perCategory?: number;
  /** @default cc0, pdm, cc-by, cc-by-sa; all licences for the user's own folders and lists */
  licences?: readonly LicenceCode[];
  /** Continue in a workspace that already holds pictures. @default false */
  resume?: boolean;
  /** Record comments where the source has them; one more question per picture. @default false */
  comments?: boolean;
  check?: CheckOptions & DownloadOptions;
  placeholders?: PlaceholderOptions;
  /** Pictures under way at the same time, over all hosts. @default 16 */
  concurrency?: number;
  /** Categories worked on at the same time. @default 8 */
  parallelCategories?: number;
  /** Has pictures fetched elsewhere, such as by workers on other machines. @default here */
  elsewhere?: DownloadDispatcher;
  signal?: AbortSignal;
  /**
   * Kept pictures of those wanted, with a part for each source; before that the wait for a catalog that another process
   * has open, and the check of the files of an earlier crawl.
   */
  onProgress?(progress: Progress): void;
  /** Something a user should know. */
  onNote?(message: string): void;
}

/**
 * Fills a workspace with pictures.
 *
 * @example
 * ```ts
 * const summary = await crawl({
 *   workspace: 'birds',
 *   categories: [{ name: 'Blue Jay' }],
 *   sources: [createSource('folder:photos')],
 *   keys: Keys.load(),
 *   network: { userAgent: userAgent('me@example.org') },
 * });
 * console.log(summary.kept, summary.dropped, summary.failed);
 * ```
 * @throws InterruptedError when stopped through `signal`; everything done so far is recorded
 */
export async function crawl(options: CrawlOptions): Promise<CrawlSummary> {
  checkSources(options.sources);
  mkdirSync(options.workspace, { recursive: true });
  const catalog = await openCatalog(options.workspace, { signal: options.signal, onProgress: options.onProgress });
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const interrupt = () =>
    stop.abort(new InterruptedError('the crawl was interrupted', 'Run it again with --resume to continue.'));
  if (options.signal?.aborted) interrupt();
  options.signal?.addEventListener('abort', interrupt, { once: true });
  const groups = [...(options.network.groups ?? []), ...options.sources.flatMap(({ hosts }) => hosts ?? [])];
  let http: HttpClient | undefined;
  let downloads: Downloads | undefined;
  try {
    await refuseSecondCrawl(catalog, options);
    const pauses = await catalog.pauses();
    const onPause = (name: string, seconds: number) => catalog.recordPause(name, seconds);
    const network = { ...options.network, groups };
    downloads = await options.elsewhere?.(network, {
      signal: stop.signal,
      onPause: ({ name, seconds }) => onPause(name, seconds),
    });
    http = new HttpClient({ ...network, pauses, onPause, shared: downloads?.turns });
    return await new Crawl(options, catalog, http, downloads, stop).run();
  } finally {
    options.signal?.removeEventListener('abort', interrupt);
    for (const source of options.sources) await source.close?.();
    await downloads?.close();
    await http?.close();
    await catalog.close();
  }
}

class Crawl {
  readonly #options: CrawlOptions;
  readonly #catalog: Catalog;
  readonly #store: PictureStore;
  readonly #stop: AbortController;
  readonly #context: SourceContext;
  readonly #slots: Semaphore;
  readonly #retry: PipelineOptions['retry'];
  readonly #perCategory: number;
  #tally!: Tally;
  #placeholders: ReadonlySet<string> = new Set();
  #killers = new Set<string>();

  constructor(
    options: CrawlOptions,
    catalog: Catalog,
    http: HttpClient,
    downloads: Downloads | undefined,
    stop: AbortController,
  ) {
    this.#options = options;
    this.#catalog = catalog;
    this.#stop = stop;
    this.#store = new PictureStore(catalog.folder, http, options.check, downloads);
    this.#slots = new Semaphore(options.concurrency ?? 16);
    this.#perCategory = options.perCategory ?? 100;
    this.#retry = {
      attempts: options.network.attempts ?? 5,
      firstBackoff: options.network.firstBackoff ?? 1,
      signal: stop.signal,
    };
    this.#context = {
      api: jsonApi(http, this.#retry),
      keys: options.keys,
      licences: new Set(options.licences ?? defaultLicences),
      signal: stop.signal,
    };
  }

  async run(): Promise<CrawlSummary> {
    const { sources, categories } = this.#options;
    for (const source of sources) await source.prepare?.(this.#contextOf(source));
    await this.#reconcile();
    this.#killers = await knownKillers(this.#catalog);
    const kept = await this.#catalog.count("state = 'kept'");
    const wanted = categories.length * this.#perCategory;
    this.#tally = new Tally(
      sources.map(({ name }) => name),
      wanted,
      kept,
    );
    // Dropping placeholders may leave a category short again; what replaces them is checked in turn.
    for (let first = true; ; first = false) {
      this.#placeholders = await knownPlaceholders(this.#catalog);
      await this.#allCategories(first);
      const removed = await dropPlaceholders(this.#catalog, this.#options.placeholders);
      for (const path of removed) await this.#store.remove(path);
      if (removed.length === 0) break;
    }
    return summarize(this.#catalog, this.#options, this.#perCategory);
  }

  async #reconcile(): Promise<void> {
    const { onProgress, onNote } = this.#options;
    const { aside, folder, again } = await reconcile(this.#catalog, { signal: this.#stop.signal, onProgress });
    if (this.#catalog.damagedRecords > 0)
      onNote?.(`${this.#catalog.damagedRecords} records of the catalog's journal were damaged and are lost`);
    if (again > 0) onNote?.(`the files of ${again} pictures are missing or damaged; they are fetched again`);
    if (aside > 0) onNote?.(`${aside} files that the catalog does not know were moved to ${folder}`);
  }

  async #allCategories(retryFailed: boolean): Promise<void> {
    const waiting = [...this.#options.categories];
    let problem: { error: unknown } | undefined;
    const worker = async () => {
      for (let category = waiting.shift(); category && !problem; category = waiting.shift())
        try {
          await this.#category(category, retryFailed);
        } catch (error) {
          problem ??= { error };
          // Whatever stopped one category (a full disk, a refused key, Ctrl-C) stops the others.
          if (!this.#stop.signal.aborted) this.#stop.abort(error);
        }
    };
    await Promise.all(Array.from({ length: this.#options.parallelCategories ?? 8 }, worker));
    if (problem) throw problem.error;
  }

  async #category(category: Category, retryFailed: boolean): Promise<void> {
    const lanes: LaneRunner[] = [];
    for (const source of this.#options.sources)
      lanes.push(await LaneRunner.open(category, source, this.#laneOptions(source)));
    const total = () => lanes.reduce((sum, lane) => sum + lane.kept, 0);
    if (retryFailed && total() < this.#perCategory) for (const lane of lanes) await lane.retryFailed();
    for (;;) {
      const targets = shares(lanes, this.#perCategory);
      // A source that failed keeps its share: it will be asked again when the crawl is resumed.
      const running = lanes.filter((lane, i) => !lane.failed && !lane.drained && lane.kept < targets[i]);
      if (running.length === 0) return;
      const ends = await Promise.allSettled(running.map((lane) => lane.run(targets[lanes.indexOf(lane)])));
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
    }
  }

  #laneOptions(source: Source): LaneOptions {
    const asked = this.#options.licences;
    const context = this.#contextOf(source);
    return {
      catalog: this.#catalog,
      context,
      gate: asked === undefined && source.chosenByUser ? undefined : context.licences,
      slots: this.#slots,
      onFound: (from, pictures, dropped) => {
        this.#tally.found(from.name, pictures, dropped);
        this.#options.onProgress?.(this.#tally.progress);
      },
      process: async (picture, from) => {
        const outcome = await processPicture(picture, from, {
          catalog: this.#catalog,
          store: this.#store,
          context,
          check: this.#options.check ?? {},
          retry: this.#retry,
          placeholders: this.#placeholders,
          killers: this.#killers,
          comments: this.#options.comments ?? false,
        });
        this.#tally.finished(from.name, outcome);
        this.#options.onProgress?.(this.#tally.progress);
        return outcome;
      },
    };
  }

  #contextOf(source: Source): SourceContext {
    if (this.#options.licences === undefined && source.chosenByUser)
      return { ...this.#context, licences: new Set(licenceCodes) };
    return this.#context;
  }
}

/**
 * How many pictures each source should have in the end: those that have no more keep what they have, the others share
 * the rest equally, the first ones taking the remainder.
 */
export function shares(lanes: readonly { kept: number; drained: boolean }[], total: number): number[] {
  const open = lanes.filter((lane) => !lane.drained).length;
  const rest = Math.max(0, total - lanes.reduce((sum, lane) => sum + (lane.drained ? lane.kept : 0), 0));
  let given = 0;
  return lanes.map((lane) => {
    if (lane.drained) return lane.kept;
    return Math.floor(rest / open) + (given++ < rest % open ? 1 : 0);
  });
}

function checkSources(sources: readonly Source[]): void {
  if (sources.length === 0) throw new UsageError('no source is given', 'Name at least one with --source.');
  const names = new Set<string>();
  for (const { name } of sources) {
    if (names.has(name)) throw new UsageError(`the source ${name} is given twice`);
    names.add(name);
  }
}

async function refuseSecondCrawl(catalog: Catalog, { resume, workspace }: CrawlOptions): Promise<void> {
  if (resume) return;
  for await (const _ of catalog.query('SELECT 1 FROM lane LIMIT 1'))
    throw new UsageError(
      `${workspace} already holds the pictures of an earlier crawl (${picturesFolder}/ and the catalog)`,
      'Add --resume to continue it, or name another folder.',
    );
}
