/**
 * What happens to one picture: fetched, checked, perhaps provided with comments, kept; every step recorded as it is
 * taken, so that a killed run continues where it stopped.
 */
import type { Catalog, PictureRow, PictureState } from '../catalog/index.js';
import { type CheckedPicture, type CheckOptions, checkPicture, writeFirstFrame } from './check.js';
import type { PictureStore, StoredPicture } from './download.js';
import { FetchFailure, Refusal } from './network/failure.js';
import { type RetryOptions, withRetries } from './network/retry.js';
import { readable } from './readable.js';
import type { Comment, Source, SourceContext } from './sources/source.js';

export type Outcome = 'kept' | 'dropped' | 'failed';

export interface PipelineOptions {
  catalog: Catalog;
  store: PictureStore;
  context: SourceContext;
  check: CheckOptions;
  retry: RetryOptions;
  /** SHA-256 of known placeholders. */
  placeholders: ReadonlySet<string>;
  /** SHA-256 of files that ended the process that decoded them; grows. */
  killers: Set<string>;
  /** Ask sources that have them for comments. */
  comments: boolean;
}

const mostComments = 100;
const longestComment = 1000;

export async function processPicture(picture: PictureRow, source: Source, options: PipelineOptions): Promise<Outcome> {
  const { catalog, store, context } = options;
  const { id } = picture;
  const redact = (error: Error) => context.keys.redact(error.message);
  let state: PictureState = picture.state;
  let path = picture.path;
  let attempts = picture.attempts ?? 0;

  const fetch = () =>
    withRetries(() => {
      attempts++;
      return store.fetch(picture, source, attempts, context.signal);
    }, options.retry);

  try {
    if (state === 'found') {
      const stored = await fetch();
      path = stored.path;
      catalog.move({ id, from: 'found', to: 'fetched', ...stored, attempts });
      picture = { ...picture, ...stored };
      state = 'fetched';
    }
    if (state === 'fetched') {
      const { stored, checked } = await checkOrRefetch(picture, source, fetch, options);
      path = stored.path;
      catalog.move({ id, from: 'fetched', to: 'checked', ...stored, ...checked, attempts });
      picture = { ...picture, ...stored };
      state = 'checked';
    }
    if (options.placeholders.has(picture.sha256 ?? ''))
      throw new Refusal('placeholder', 'its hash is that of a known placeholder');
    catalog.move({ id, from: 'checked', to: 'kept', ...(await commentsOf(picture, source, options)) });
    return 'kept';
  } catch (error) {
    if (context.signal?.aborted) throw context.signal.reason;
    const end = error instanceof Refusal ? 'dropped' : error instanceof FetchFailure ? 'failed' : undefined;
    if (end === undefined) throw error;
    const reason = error instanceof Refusal ? error.reason : (error as FetchFailure).kind;
    catalog.move({ id, from: state, to: end, reason, detail: redact(error as Error), attempts, path: '' });
    if (path) await store.remove(path);
    return end;
  }
}

/** Hashes of files that ended a decoder in this or an earlier crawl: they are never decoded again. */
export async function knownKillers(catalog: Catalog): Promise<Set<string>> {
  const sql = "SELECT DISTINCT sha256 FROM picture WHERE reason = 'kills-decoder' AND sha256 IS NOT NULL";
  const hashes = new Set<string>();
  for await (const { sha256 } of catalog.query(sql)) hashes.add(sha256 as string);
  return hashes;
}

/**
 * A file that does not decode may have been cut off on the way without anybody noticing: it is fetched once more, and
 * given up when the same bytes come again.
 */
async function checkOrRefetch(
  picture: PictureRow,
  source: Source,
  fetch: () => Promise<StoredPicture>,
  options: PipelineOptions,
): Promise<{ stored: StoredPicture; checked: CheckedPicture }> {
  const first: StoredPicture = {
    path: picture.path!,
    bytes: picture.bytes!,
    sha256: picture.sha256!,
    mediaType: picture.mediaType!,
  };
  try {
    return await checkStored(picture.id, first, options);
  } catch (error) {
    if (!(error instanceof Refusal) || error.reason !== 'does-not-decode' || source.read) throw error;
    const second = await fetch();
    if (second.path !== first.path) await options.store.remove(first.path);
    if (second.sha256 === first.sha256) throw error;
    return checkStored(picture.id, second, options);
  }
}

/** Of an animation only the first frame stays. */
async function checkStored(id: string, stored: StoredPicture, { store, check, context, killers }: PipelineOptions) {
  if (killers.has(stored.sha256)) throw new Refusal('kills-decoder', 'the same bytes ended a decoder before');
  const checked = await checkPicture(store.file(stored.path), check, context.signal).catch((error: unknown) => {
    if (error instanceof Refusal && error.reason === 'kills-decoder') killers.add(stored.sha256);
    throw error;
  });
  if (checked.frames === 1) return { stored, checked };
  const partial = store.partial(id);
  await writeFirstFrame(store.file(stored.path), partial, check, context.signal);
  const path = store.pathFor(id, 'png');
  const fileSha256 = await store.replace(partial, path);
  if (path !== stored.path) await store.remove(stored.path);
  return { stored: { ...stored, path }, checked: { ...checked, fileSha256 } };
}

async function commentsOf(
  picture: PictureRow,
  source: Source,
  options: PipelineOptions,
): Promise<{ comments?: string; detail?: string }> {
  if (!options.comments || !source.comments) return {};
  try {
    const comments = await source.comments(picture, options.context);
    return { comments: options.context.keys.redact(JSON.stringify(comments.slice(0, mostComments).map(shortened))) };
  } catch (error) {
    if (!(error instanceof FetchFailure)) throw error;
    return { detail: `its comments could not be had: ${options.context.keys.redact(error.message)}` };
  }
}

function shortened({ author, text, date }: Comment): Comment {
  return { author: author && readable(author.slice(0, 200)), text: readable(text.slice(0, longestComment)), date };
}
