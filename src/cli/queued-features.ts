/** Feature extraction by the workers of a queue: shards go out as jobs, pictures are fetched from here. */
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { createQueueExecutor } from '../distribute/index.js';
import { BowerbirdError } from '../errors.js';
import { Matrix } from '../linalg/index.js';
import {
  type DecodeLimits,
  defaultBatch,
  defaultLimits,
  type FeatureModel,
  type ShardDispatcher,
} from '../vision/index.js';
import { describeStatus } from './executor.js';
import type { ProgressLine } from './progress.js';
import type { ShardAnswer, ShardContext, ShardJob } from './shard-worker.js';

interface QueuedFeatures {
  /** `redis://host:port` */
  queue: string;
  model: FeatureModel;
  /** What the paths of the pictures are relative to. */
  folder: string;
  /** Where the features go: the same command with the same folder resumes the same run in the queue. */
  out: string;
  batch?: number;
  limits?: Partial<DecodeLimits>;
  progress: Pick<ProgressLine, 'note'>;
  signal?: AbortSignal;
}

export function queuedShards(options: QueuedFeatures): ShardDispatcher {
  return async (shards, { onShard, onPictures }) => {
    const { queue, model, folder, out, progress, signal } = options;
    const { model: path, ...network } = model.network;
    const context: Omit<ShardContext, 'places' | 'network'> & { network: object } = {
      network: { ...network, layer: model.layer },
      limits: { ...defaultLimits, ...options.limits },
      batch: options.batch ?? defaultBatch.cpu,
    };
    const executor = await createQueueExecutor({
      url: queue,
      runId: runIdOf(out, context, model.sha256),
      handler: 'features',
      context,
      files: { model: path },
      offers: true,
      ahead: true,
      onStatus: describeStatus(queue, progress),
      signal,
    });
    const running = new Map<string, number>();
    const tell = () => onPictures([...running.values()].reduce((sum, done) => sum + done, 0));
    async function* jobs(): AsyncGenerator<ShardJob> {
      for await (const { number, pictures } of shards) {
        const offered: ShardJob['pictures'][number][] = [];
        for (const { content: _, ...picture } of pictures) {
          const file = await executor.offer(join(folder, picture.path)).catch(() => undefined);
          offered.push({ ...picture, ...(file && { file }) });
        }
        yield { id: `shard-${number}`, number, pictures: offered };
      }
    }
    try {
      await executor.run<ShardJob, ShardAnswer>(jobs(), {
        signal,
        onProgress: ({ id }, { done }) => {
          running.set(id, done);
          tell();
        },
        onResult: async ({ id, number }, { rows, dimension, features, entries }) => {
          running.delete(id);
          const bytes = Buffer.from(features, 'base64');
          const data = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
          await onShard(number, { features: new Matrix(data, rows, dimension), entries });
          tell();
        },
        onFailure: ({ id }, { code, message, hint }) => {
          throw new BowerbirdError((code ?? 'BOWERBIRD_QUEUE') as 'BOWERBIRD_QUEUE', `${id}: ${message}`, { hint });
        },
      });
    } finally {
      await executor.close();
    }
  };
}

function runIdOf(...parts: readonly [out: string, context: object, sha256: string]): string {
  const [out, ...rest] = parts;
  return createHash('sha256')
    .update(JSON.stringify([hostname(), resolve(out), ...rest]))
    .digest('hex')
    .slice(0, 16);
}
