/** Extracts shards of features for a coordinator: fetches their pictures, and answers with rows and what failed. */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
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
      try {
        const local = await fetched(job.pictures, { ...places, cache, signal });
        const { features, entries } = await extractor.extract(local, {
          signal,
          onPicture: () => onProgress({ done: ++done, total: job.pictures.length }),
        });
        const { data, rows, cols: dimension } = features;
        return {
          ...{ rows, dimension },
          features: Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64'),
          entries: entries.map((entry, i) => ({ ...entry, path: job.pictures[i].path })),
        };
      } finally {
        await rm(cache, { recursive: true, force: true });
      }
    },
    close: () => extractor.close(),
  };
}

/** The pictures with paths on this machine, in the same order. */
async function fetched(pictures: ShardJob['pictures'], places: FilePlaces & { cache: string }): Promise<Picture[]> {
  const result: Picture[] = [];
  let next = 0;
  const fetchSome = async () => {
    for (let i = next++; i < pictures.length; i = next++) {
      const { file, ...picture } = pictures[i];
      const path = file
        ? await patiently(() => obtainFile(file, places), places.signal)
        : join(places.cache, 'missing');
      result[i] = { ...picture, path };
    }
  };
  await Promise.all(Array.from({ length: fetches }, fetchSome));
  return result;
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
