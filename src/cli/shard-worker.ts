/** Extracts shards of features for a coordinator: fetches their pictures, and answers with rows and what failed. */
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FilePlaces, type FileRecord, obtainFile } from '../distribute/index.js';
import type { Progress } from '../progress.js';
import { type Picture, ShardExtractor, type ShardExtractorOptions, type ShardResult } from '../vision/index.js';

export interface ShardContext extends ShardExtractorOptions {
  places: FilePlaces;
}

export interface ShardJob {
  id: string;
  number: number;
  /** A picture that the coordinator could not read has no file. */
  pictures: readonly (Picture & { file?: FileRecord })[];
}

/** Features as float32, little-endian, in base64. */
export interface ShardAnswer {
  rows: number;
  dimension: number;
  features: string;
  entries: ShardResult['entries'];
}

/** Pictures fetched at the same time. */
const fetches = 4;
/** A coordinator that was killed may come back, at another address, which the worker then attaches to. */
const patienceSeconds = 60;

export async function open({ places, ...options }: ShardContext) {
  const extractor = await ShardExtractor.open(options);
  // Of this thread alone; emptied after each shard.
  const cache = join(places.cache, `pictures-${randomUUID()}`);
  return {
    async handle(
      job: ShardJob,
      { signal, onProgress }: { signal: AbortSignal; onProgress(progress: Progress): void },
    ): Promise<ShardAnswer> {
      let done = 0;
      const stop = new AbortController();
      const files = fetched(job.pictures, { ...places, cache, signal: AbortSignal.any([signal, stop.signal]) });
      try {
        const pictures = job.pictures.map(({ file: _, ...picture }) => picture);
        const { features, entries } = await extractor.extract(pictures, {
          signal,
          // Pictures are decoded as they come, while the next ones are on their way.
          locate: (i) => files[i],
          onPicture: () => onProgress({ done: ++done, total: job.pictures.length }),
        });
        const { data, rows, cols: dimension } = features;
        return {
          ...{ rows, dimension },
          features: Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64'),
          entries,
        };
      } finally {
        stop.abort();
        await Promise.allSettled(files);
        rmSync(cache, { recursive: true, force: true });
      }
    },
    close: () => extractor.close(),
  };
}

/** Where each picture will be on this machine, some of them fetched at a time. */
function fetched(pictures: ShardJob['pictures'], places: FilePlaces & { cache: string }): Promise<string>[] {
  const lanes = Array.from({ length: fetches }, () => Promise.resolve(''));
  return pictures.map(({ file }, i) => {
    const before = lanes[i % fetches];
    const path = before.then(() =>
      file ? patiently(() => obtainFile(file, places), places.signal) : join(places.cache, 'missing'),
    );
    path.catch(() => {});
    lanes[i % fetches] = path;
    return path;
  });
}

async function patiently<T>(attempt: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  for (let seconds = 0; ; seconds++)
    try {
      return await attempt();
    } catch (error) {
      signal?.throwIfAborted();
      if (seconds >= patienceSeconds) throw error;
      await sleep(1000, undefined, { signal });
    }
}
