/** One network that turns the pictures of shards into features, for whoever extracts them for somebody else. */
import type { DecodeLimits } from './decode.js';
import { InferencePool } from './inference-pool.js';
import type { NetworkOptions } from './network.js';
import { Pipeline, type PipelineOptions, type ShardResult } from './pipeline.js';
import type { Picture } from './source.js';

export interface ShardExtractorOptions {
  network: Pick<NetworkOptions, 'model' | 'layer' | 'reduction' | 'preprocessing'>;
  limits: DecodeLimits;
  batch: number;
}

export class ShardExtractor {
  private readonly pool: InferencePool;
  private readonly options: ShardExtractorOptions;

  private constructor(pool: InferencePool, options: ShardExtractorOptions) {
    this.pool = pool;
    this.options = options;
  }

  static async open(options: ShardExtractorOptions): Promise<ShardExtractor> {
    // One thread, as in extractions here: the same numbers come out wherever it runs.
    const network = { ...options.network, device: 'cpu' as const, workers: 1, threads: 1 };
    return new ShardExtractor(await InferencePool.open(network, 0), options);
  }

  /** @param locate gives the path of the picture with this number, as soon as it is there */
  async extract(
    pictures: readonly Picture[],
    { signal, locate, onPicture }: { signal?: AbortSignal; onPicture?(): void } & Pick<PipelineOptions, 'locate'>,
  ): Promise<ShardResult> {
    const { network, limits, batch } = this.options;
    const preprocessing = network.preprocessing;
    const work = { folder: '', preprocessing, limits, batch, signal, locate, onPicture: () => onPicture?.() };
    return (await new Pipeline(this.pool, work).shard(pictures)).done;
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}
