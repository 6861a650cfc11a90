/**
 * Decoding and inference at the same time: reading and decoding run ahead by a bounded number of pictures, batches go to
 * the networks as they fill, and each feature lands in its picture's row whatever order the batches come back in.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Matrix } from '../linalg/index.js';
import { type DecodeLimits, decodeBytes, decodePicture } from './decode.js';
import { PictureError } from './errors.js';
import type { ShardEntry } from './feature-store.js';
import type { InferencePool } from './inference-pool.js';
import type { Preprocessing } from './preprocessing.js';
import type { Picture } from './source.js';

export interface PipelineOptions {
  readonly folder: string;
  readonly preprocessing: Preprocessing;
  readonly limits: DecodeLimits;
  readonly batch: number;
  readonly signal?: AbortSignal;
  /** Where a picture is, by its place in the shard, for pictures that are still to come. @default its path in the folder */
  readonly locate?: (place: number) => Promise<string>;
  /** Called when a picture has its features, or has failed. */
  readonly onPicture: (ok: boolean) => void;
}

export interface ShardResult {
  readonly features: Matrix<Float32Array>;
  readonly entries: readonly ShardEntry[];
}

type MutableEntry = { -readonly [K in keyof ShardEntry]: ShardEntry[K] };

interface Decoded {
  picture: Picture;
  bytes: number;
  pixels?: Uint8Array;
  /** Where there are no pixels. */
  error?: PictureError;
}

export class Pipeline {
  private readonly pool: InferencePool;
  private readonly options: PipelineOptions;
  private readonly pixelBytes: number;
  /** Batches under way, oldest first. */
  private readonly running: Promise<void>[] = [];
  private readonly freeBuffers: Uint8Array<ArrayBuffer>[] = [];
  /** Each takes the pixels of one picture on their way from the decoder. */
  private readonly freeTargets: Uint8Array[] = [];

  constructor(pool: InferencePool, options: PipelineOptions) {
    this.pool = pool;
    this.options = options;
    const [height, width] = options.preprocessing.size;
    this.pixelBytes = height * width * 3;
  }

  /** Returns when the last batch has been handed over; `done` resolves when its features are there. */
  async shard(pictures: readonly Picture[]): Promise<{ done: Promise<ShardResult> }> {
    const { dimension } = this.pool;
    const entries: MutableEntry[] = [];
    const rows = new Float32Array(pictures.length * dimension);
    const batches: Promise<void>[] = [];
    let count = 0;
    let filled: MutableEntry[] = [];
    let buffer = this.buffer();
    const submit = async () => {
      batches.push(this.infer(buffer, filled, rows));
      filled = [];
      buffer = this.buffer();
      // One more batch waits for each network at work, so that none is ever idle.
      while (this.running.length >= 2 * this.pool.workers) await this.running[0];
    };
    try {
      for await (const { picture, bytes, pixels, error } of this.decodeAhead(pictures)) {
        const { content: _, ...known } = picture;
        const entry: MutableEntry = { ...known, bytes };
        entries.push(entry);
        if (!pixels) {
          this.fail(entry, error!);
          continue;
        }
        buffer.set(pixels, filled.length * this.pixelBytes);
        this.freeTargets.push(pixels);
        entry.row = count++;
        filled.push(entry);
        if (filled.length === this.options.batch) await submit();
      }
      if (filled.length > 0) await submit();
    } catch (error) {
      await Promise.allSettled(batches);
      throw error;
    }
    const done = Promise.all(batches).then(() => ({
      features: new Matrix(rows.subarray(0, count * dimension), count, dimension),
      entries,
    }));
    done.catch(() => {});
    return { done };
  }

  /** Sends one batch and puts its features into their rows. */
  private infer(buffer: Uint8Array<ArrayBuffer>, entries: readonly MutableEntry[], rows: Float32Array): Promise<void> {
    const { dimension } = this.pool;
    const work = this.pool.run(buffer, entries.length).then(({ features, pixels }) => {
      this.freeBuffers.push(pixels);
      entries.forEach((entry, i) => {
        const feature = features.subarray(i * dimension, (i + 1) * dimension);
        rows.set(feature, entry.row! * dimension);
        if (feature.every(Number.isFinite)) this.options.onPicture(true);
        else this.fail(entry, new PictureError('no-feature', 'the network gave numbers that are not finite'));
      });
    });
    const finished = work
      .catch(() => {})
      .finally(() => {
        this.running.splice(this.running.indexOf(finished), 1);
      });
    this.running.push(finished);
    return work;
  }

  private fail(entry: MutableEntry, error: PictureError): void {
    entry.row = undefined;
    entry.fault = error.fault;
    entry.message = error.message;
    this.options.onPicture(false);
  }

  /** Pictures in order, while the next ones are being read and decoded. */
  private async *decodeAhead(pictures: readonly Picture[]): AsyncGenerator<Decoded> {
    const ahead = Math.max(8, 2 * this.options.batch);
    const waiting: Promise<Decoded>[] = [];
    for (let next = 0; next < pictures.length || waiting.length > 0; ) {
      this.options.signal?.throwIfAborted();
      while (next < pictures.length && waiting.length < ahead) waiting.push(this.begin(pictures[next], next++));
      yield await waiting.shift()!;
    }
  }

  private begin(picture: Picture, place: number): Promise<Decoded> {
    const decoding = this.decode(picture, place);
    // Whoever stops waiting for it does not want to hear how it ended.
    decoding.catch(() => {});
    return decoding;
  }

  private async decode(picture: Picture, place: number): Promise<Decoded> {
    const { folder, preprocessing, limits, signal, locate } = this.options;
    const { content } = picture;
    const file = locate ? await locate(place) : join(folder, picture.path);
    const target = this.freeTargets.pop() ?? new Uint8Array(this.pixelBytes);
    try {
      if (!content) return { picture, ...(await decodePicture(file, preprocessing, limits, signal, target)) };
      const pixels = await decodeBytes(content, preprocessing, limits, signal, target);
      return { picture, bytes: content.length, pixels };
    } catch (error) {
      signal?.throwIfAborted();
      const known =
        error instanceof PictureError ? error : new PictureError('damaged', (error as Error).message, error);
      const bytes = content?.length ?? (await stat(file).catch(() => undefined))?.size ?? 0;
      return { picture, bytes, error: known };
    }
  }

  private buffer(): Uint8Array<ArrayBuffer> {
    return this.freeBuffers.pop() ?? new Uint8Array(this.options.batch * this.pixelBytes);
  }
}
