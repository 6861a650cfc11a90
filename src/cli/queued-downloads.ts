/** A crawl whose pictures are fetched by the workers of a queue: requests go out as jobs, contents come back through Redis. */
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { DownloadDispatcher, NetworkOptions, RequestOutcome } from '../crawl/index.js';
import { connectQueue, createQueueExecutor, type JobFailure, SharedTurns, takeContents } from '../distribute/index.js';
import { BowerbirdError } from '../errors.js';
import type { DownloadAnswer, DownloadContext, DownloadJob } from './download-messages.js';
import { describeStatus } from './executor.js';
import type { ProgressLine } from './progress.js';

interface QueuedDownloads {
  /** `redis://host:port` */
  queue: string;
  /** The same command with the same workspace resumes the same run in the queue. */
  workspace: string;
  progress: Pick<ProgressLine, 'note'>;
}

interface Waiting {
  job: DownloadJob;
  resolve(answer: DownloadAnswer): void;
  reject(error: unknown): void;
}

export function queuedDownloads({ queue, workspace, progress }: QueuedDownloads): DownloadDispatcher {
  return async (network, { signal, onPause }) => {
    const limits = limitsOf(network);
    const run = createHash('sha256')
      .update(JSON.stringify([hostname(), resolve(workspace), limits]))
      .digest('hex')
      .slice(0, 16);
    const context: Omit<DownloadContext, 'url'> = { run, network: limits };
    const executor = await createQueueExecutor({
      ...{ url: queue, runId: run, handler: 'downloads', context, forgets: true, signal },
      onStatus: describeStatus(queue, progress),
    });
    const redis = await connectQueue(queue).catch(async (error) => {
      await executor.close();
      throw error;
    });
    const turns = new SharedTurns(redis, run, { owner: true });
    await turns.begin();
    const desk = new Desk();
    const working = executor
      .run<DownloadJob, DownloadAnswer>(desk.jobs(), {
        signal,
        onResult: ({ id }, answer) => {
          for (const pause of answer.pauses) {
            turns.pause(pause.name, pause.seconds);
            onPause(pause);
          }
          desk.answer(id, answer);
        },
        onFailure: ({ id }, failure) => desk.fail(id, failure),
      })
      .catch((error) => desk.close(error));
    return {
      turns,
      async request(id, { url, maximumBytes }) {
        // Contents that nobody took for an hour, or that a coordinator took before it was killed, are fetched again.
        for (let again = 0; ; again++) {
          const job = { id: again === 0 ? id : `${id}-again-${again}`, url, maximumBytes };
          const { outcome } = await desk.request(job);
          if (!('hash' in outcome)) return outcome;
          const { hash, ...rest } = outcome;
          const bytes = await takeContents(redis, run, job.id, hash);
          if (bytes) return { ...rest, bytes };
          if (again >= mostAgain) return lost(`what a worker fetched was lost ${again + 1} times`);
        }
      },
      async close() {
        desk.close(new BowerbirdError('BOWERBIRD_QUEUE', 'the crawl has ended'));
        await working;
        await executor.close();
        turns.close();
        redis.disconnect();
      },
    };
  };
}

const mostAgain = 3;

/** What workers need to know of the network: nothing about this machine, and no secrets. */
function limitsOf(network: NetworkOptions): NetworkOptions {
  const { userAgent, groups, requestsPerSecond, concurrency, maximumPause } = network;
  const { connectTimeout, idleTimeout, totalTimeout } = network;
  return {
    ...{ userAgent, groups, requestsPerSecond, concurrency, maximumPause },
    ...{ connectTimeout, idleTimeout, totalTimeout },
  };
}

function lost(detail: string): RequestOutcome {
  return { end: { kind: 'connection', detail, final: false } };
}

/** Where requests are laid down and jobs taken; a request is answered once. */
class Desk {
  readonly #waiting = new Map<string, Waiting>();
  readonly #untaken: DownloadJob[] = [];
  #wake = () => {};
  #closed: { error: unknown } | undefined;

  request(job: DownloadJob): Promise<DownloadAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(this.#closed.error);
      this.#waiting.set(job.id, { job, resolve, reject });
      this.#untaken.push(job);
      this.#wake();
    });
  }

  async *jobs(): AsyncGenerator<DownloadJob> {
    while (!this.#closed) {
      const job = this.#untaken.shift();
      if (job) yield job;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  answer(id: string, answer: DownloadAnswer): void {
    this.#taken(id)?.resolve(answer);
  }

  /** Workers that were lost over a request say nothing against the picture; anything else stops the crawl. */
  fail(id: string, { code, message, hint }: JobFailure): void {
    const waiting = this.#taken(id);
    if (code === 'BOWERBIRD_WORKER_LOST') waiting?.resolve({ outcome: lost(message) as never, pauses: [] });
    else waiting?.reject(new BowerbirdError((code ?? 'BOWERBIRD_QUEUE') as 'BOWERBIRD_QUEUE', message, { hint }));
  }

  /** Whoever still waits is told the error. */
  close(error: unknown): void {
    this.#closed ??= { error };
    for (const { reject } of this.#waiting.values()) reject(this.#closed.error);
    this.#waiting.clear();
    this.#wake();
  }

  #taken(id: string): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }
}
