/**
 * From pictures to features: what is left to do is taken shard by shard, and what is done is on disk. A killed run is
 * gone on with where it stopped and ends in the same files as an undisturbed one.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { InterruptedError } from '../errors.js';
import { Matrix } from '../linalg/index.js';
import type { Progress } from '../progress.js';
import { fewestToMeasure, measuredBatch } from './choose-batch.js';
import { type DecodeLimits, defaultLimits } from './decode.js';
import { describeFeatures } from './describe-features.js';
import { type FeatureMeta, readFeatureMeta, requireSameFeatures, writeFeatureMeta } from './feature-meta.js';
import { clearFeatures, completeShards, readShard, writeIndex, writeShard } from './feature-store.js';
import { InferencePool } from './inference-pool.js';
import type { Device, NetworkOptions } from './network.js';
import { runtimeNote } from './onnxruntime.js';
import { Pipeline, type ShardResult } from './pipeline.js';
import type { Picture, PictureSource } from './source.js';

/** A model on disk, and how features are taken from it. */
export interface FeatureModel {
  readonly name: string;
  /** Where it came from, for people. */
  readonly source: string;
  readonly licence: string;
  /** The joint space of an image-text model. */
  readonly space?: string;
  readonly sha256: string;
  /** Size of the weights. */
  readonly bytes: number;
  /** The tensor that is the feature. */
  readonly layer: string;
  readonly network: Pick<NetworkOptions, 'model' | 'reduction' | 'preprocessing'>;
}

export interface ExtractOptions {
  /** Pictures in one call of the network. @default 8, on a GPU 32; of many pictures by measurement */
  batch?: number;
  /** Networks at work at the same time. @default from the machine and the size of the model */
  workers?: number;
  /** Threads inside each network. @default what the workers leave over, at least 1 */
  threads?: number;
  /** @default 'cpu' */
  device?: Device;
  /** Pictures in one shard, the unit of resuming. @default 256 */
  shardSize?: number;
  limits?: Partial<DecodeLimits>;
  /** Has the shards extracted elsewhere, such as by workers on other machines. @default here */
  elsewhere?: ShardDispatcher;
  /** Forget what is in the folder instead of going on from it. @default false */
  fresh?: boolean;
  signal?: AbortSignal;
  /** Pictures done, failed ones and those of earlier runs included. */
  onProgress?: (progress: Progress) => void;
  onNote?: (note: string) => void;
}

/** Pictures in one call of the network. */
export const defaultBatch: Readonly<Record<Device, number>> = { cpu: 8, cuda: 32 };

/** A shard to do: its pictures, whose paths are relative to the source's folder. */
export interface ShardWork {
  readonly number: number;
  readonly pictures: readonly Picture[];
}

/** Has shards extracted in any order, and tells of each when it is done; resolves after the last one. */
export type ShardDispatcher = (
  shards: AsyncIterable<ShardWork>,
  told: { onShard(number: number, result: ShardResult): Promise<void>; onPictures(done: number): void },
) => Promise<void>;

export interface ExtractResult {
  meta: FeatureMeta;
  /** Pictures that have features, and pictures that failed, in all. */
  pictures: number;
  failures: number;
  /** Pictures read by this run. */
  processed: number;
  picturesPerSecond: number;
  workers: number;
  threads: number;
  /** Pictures in one call of a network. */
  batch: number;
}

export interface PictureFeatures {
  meta: FeatureMeta;
  /** Of the rows of `features`. */
  ids: string[];
  features: Matrix<Float32Array>;
  failed: { id: string; fault?: string; message?: string }[];
}

/**
 * Extracts the features of every picture of `source` into `folder`.
 * @throws FeatureMismatchError when the folder holds features of another model, layer or preprocessing
 */
export async function extractFeatures(
  source: PictureSource,
  model: FeatureModel,
  folder: string,
  options: ExtractOptions = {},
): Promise<ExtractResult> {
  const { device = 'cpu', workers, threads, signal } = options;
  if (options.fresh) await clearFeatures(folder);
  const shards = await completeShards(folder);
  const note = runtimeNote();
  if (note) options.onNote?.(note);
  const pool = await InferencePool.open(
    // Elsewhere it is not used but for its dimension.
    { ...model.network, layer: model.layer, device, workers: options.elsewhere ? 1 : workers, threads },
    model.bytes,
  );
  try {
    const meta = await settleMeta(folder, model, pool.dimension, options);
    const finished = await finishedPictures(folder, shards);
    const work = new Workload(source, finished, meta.shardSize);
    const limits = { ...defaultLimits, ...options.limits };
    const usual = defaultBatch[device];
    const batch =
      options.batch ??
      (options.elsewhere || source.count - finished.size < fewestToMeasure * pool.workers
        ? usual
        : await measuredBatch(source, pool, usual, { preprocessing: meta.preprocessing, limits, signal }));
    const begun = performance.now();
    const rate = () => processed / Math.max(1e-3, (performance.now() - begun) / 1000);
    let processed = 0;
    let failed = 0;
    const pipeline = new Pipeline(pool, {
      folder: source.folder,
      preprocessing: meta.preprocessing,
      ...{ limits, batch, signal },
      onPicture: (ok) => {
        processed++;
        if (!ok) failed++;
        const done = work.unchanged + processed;
        options.onProgress?.(progressOf(done, source.count, { failed, picturesPerSecond: rate() }));
      },
    });
    let next = (shards.at(-1) ?? -1) + 1;
    let writing: Promise<void> = Promise.resolve();
    const write = async (shard: number, { features, entries }: ShardResult) => {
      await writeShard(folder, shard, features, entries);
      for (const { id } of entries) work.current.set(id, shard);
      shards.push(shard);
    };
    try {
      if (options.elsewhere) {
        const begin = next;
        const numbered = async function* (): AsyncGenerator<ShardWork> {
          for await (const pictures of work.chunks()) yield { number: next++, pictures };
        };
        let [finished, failed] = [0, 0];
        const inOrder = new InOrder<ShardResult>(begin, write);
        await options.elsewhere(numbered(), {
          onShard: async (number, result) => {
            finished += result.entries.length;
            failed += result.entries.filter(({ fault }) => fault !== undefined).length;
            processed = finished;
            await inOrder.add(number, result);
          },
          onPictures: (running) => {
            processed = Math.max(processed, finished + running);
            const done = work.unchanged + processed;
            options.onProgress?.(progressOf(done, source.count, { failed, picturesPerSecond: rate() }));
          },
        });
      } else
        for await (const pictures of work.chunks()) {
          const shard = next++;
          const { done } = await pipeline.shard(pictures);
          // While one shard is finished and written, pictures of the next are decoded; never more than that.
          await writing;
          writing = done.then((result) => write(shard, result));
          writing.catch(() => {});
        }
    } catch (error) {
      await writing.catch(() => {});
      if (signal?.aborted)
        throw new InterruptedError(`stopped after ${processed} pictures`, 'Run the same command again to go on.');
      throw error;
    }
    await writing;
    const picturesPerSecond = rate();
    const counts = await writeIndex(folder, shards, (id) => work.current.get(id));
    return { meta, ...counts, processed, picturesPerSecond, workers: pool.workers, threads: pool.threads, batch };
  } finally {
    await pool.close();
  }
}

/**
 * Features of a few pictures, in memory.
 *
 * @example
 * const { features } = await pictureFeatures([{ id: 'garden', path: 'garden.jpg' }], model);
 */
export async function pictureFeatures(
  pictures: readonly Picture[],
  model: FeatureModel,
  options: Omit<ExtractOptions, 'shardSize' | 'fresh'> = {},
): Promise<PictureFeatures> {
  const { device = 'cpu', workers, threads, signal, onProgress } = options;
  const pool = await InferencePool.open(
    { ...model.network, layer: model.layer, device, workers, threads },
    model.bytes,
  );
  try {
    const meta = metaOf(model, pool.dimension, options);
    const begun = performance.now();
    let [done, failed] = [0, 0];
    const pipeline = new Pipeline(pool, {
      folder: '',
      preprocessing: meta.preprocessing,
      limits: { ...defaultLimits, ...options.limits },
      batch: Math.min(pictures.length, options.batch ?? defaultBatch[device]),
      signal,
      onPicture: (ok) => {
        done++;
        if (!ok) failed++;
        const picturesPerSecond = done / Math.max(1e-3, (performance.now() - begun) / 1000);
        onProgress?.(progressOf(done, pictures.length, { failed, picturesPerSecond }));
      },
    });
    const { features, entries } = await (await pipeline.shard(pictures)).done;
    const there = entries.filter(({ row }) => row !== undefined).sort((a, b) => a.row! - b.row!);
    // A picture whose numbers were not finite has a row that is not used.
    const rows = Matrix.zeros(there.length, pool.dimension, 'float32') as Matrix<Float32Array>;
    for (const [i, { row }] of there.entries()) rows.row(i).set(features.row(row!));
    return {
      meta,
      ids: there.map(({ id }) => id),
      features: rows,
      failed: entries.flatMap(({ id, row, fault, message }) => (row === undefined ? [{ id, fault, message }] : [])),
    };
  } finally {
    await pool.close();
  }
}

/** Takes things in any order and hands them on in that of their numbers: a kill then leaves no gap between shards. */
class InOrder<T> {
  private next: number;
  private readonly waiting = new Map<number, T>();
  private readonly use: (number: number, thing: T) => Promise<void>;

  constructor(first: number, use: (number: number, thing: T) => Promise<void>) {
    this.next = first;
    this.use = use;
  }

  async add(number: number, thing: T): Promise<void> {
    this.waiting.set(number, thing);
    for (let found = this.waiting.get(this.next); found; found = this.waiting.get(this.next)) {
      this.waiting.delete(this.next);
      await this.use(this.next++, found);
    }
  }
}

function metaOf(model: FeatureModel, dimension: number, options: ExtractOptions): FeatureMeta {
  return describeFeatures({
    model: {
      ...{ name: model.name, source: model.source, sha256: model.sha256, licence: model.licence },
      ...(model.space && { space: model.space }),
    },
    layer: model.layer,
    reduction: model.network.reduction,
    dimension,
    preprocessing: model.network.preprocessing,
    shardSize: options.shardSize ?? 256,
    device: options.device ?? 'cpu',
  });
}

/** The description of the features: the one already there if it means the same. */
async function settleMeta(
  folder: string,
  model: FeatureModel,
  dimension: number,
  options: ExtractOptions,
): Promise<FeatureMeta> {
  const meta = metaOf(model, dimension, options);
  const earlier = await readFeatureMeta(folder);
  if (!earlier) {
    await writeFeatureMeta(folder, meta);
    return meta;
  }
  requireSameFeatures(earlier, meta, folder, 'this run');
  for (const [name, version] of Object.entries(meta.versions))
    if (earlier.versions[name] !== version)
      options.onNote?.(`${folder} was begun with ${name} ${earlier.versions[name]}; this is ${version}`);
  if (earlier.model.space === meta.model.space) return earlier;
  // The same numbers under another name.
  const renamed = { ...earlier, model: meta.model };
  await writeFeatureMeta(folder, renamed);
  return renamed;
}

/** Where a finished picture is, and the size its file had, packed into one number: a million of them must stay small. */
const sizeRange = 2 ** 32;

async function finishedPictures(folder: string, shards: readonly number[]): Promise<Map<string, number>> {
  const finished = new Map<string, number>();
  for (const shard of shards)
    for await (const { id, bytes } of readShard(folder, shard))
      finished.set(id, shard * sizeRange + (bytes % sizeRange));
  return finished;
}

class Workload {
  /** The shard that holds each picture the source has now. */
  readonly current = new Map<string, number>();
  /** Pictures done by earlier runs. */
  unchanged = 0;
  private readonly source: PictureSource;
  private readonly finished: Map<string, number>;
  private readonly shardSize: number;

  constructor(source: PictureSource, finished: Map<string, number>, shardSize: number) {
    this.source = source;
    this.finished = finished;
    this.shardSize = shardSize;
  }

  /** Pictures still to do, in the source's order, as many at a time as a shard takes. */
  async *chunks(): AsyncGenerator<Picture[]> {
    let chunk: Picture[] = [];
    for await (const picture of this.source.pictures()) {
      if (await this.isFinished(picture)) continue;
      chunk.push(picture);
      if (chunk.length < this.shardSize) continue;
      yield chunk;
      chunk = [];
    }
    if (chunk.length > 0) yield chunk;
  }

  private async isFinished(picture: Picture): Promise<boolean> {
    const known = this.finished.get(picture.id);
    if (known === undefined) return false;
    this.finished.delete(picture.id);
    const found = await stat(join(this.source.folder, picture.path)).catch(() => undefined);
    // A file of another size is another picture; one that could not be read before may have been replaced.
    if ((found?.size ?? 0) % sizeRange !== known % sizeRange) return false;
    this.current.set(picture.id, Math.floor(known / sizeRange));
    this.unchanged++;
    return true;
  }
}

function progressOf(done: number, total: number, figures: { failed: number; picturesPerSecond: number }): Progress {
  const { failed, picturesPerSecond } = figures;
  const detail = `${picturesPerSecond.toFixed(1)}/s${failed > 0 ? `, ${failed} failed` : ''}`;
  return { done, total, unit: 'pictures', detail, figures };
}
