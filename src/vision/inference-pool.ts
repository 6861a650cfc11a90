/**
 * Several networks side by side. Two sessions with one thread each do more than one session with two threads, because
 * nothing is split and waited for inside a layer, and their results do not depend on how many there are.
 */
import { availableParallelism, totalmem } from 'node:os';
import { Worker } from 'node:worker_threads';
import { artefact } from '../artefact.js';
import { BackendError, BowerbirdError } from '../errors.js';
import { ModelError } from './errors.js';
import type { BatchRequest, PlainError, WorkerReply } from './inference-worker.js';
import type { NetworkOptions } from './network.js';

export interface PoolOptions extends Omit<NetworkOptions, 'threads'> {
  /** Networks at work. @default one for each processor, fewer where the model is large; 1 on a GPU */
  readonly workers?: number;
  /** Threads inside each of them. @default 1, more where processors would be left over */
  readonly threads?: number;
}

interface Job {
  readonly request: BatchRequest;
  readonly resolve: (reply: BatchResult) => void;
  readonly reject: (error: Error) => void;
}

export interface BatchResult {
  readonly features: Float32Array;
  /** The buffer that came with the batch, free for the next one. */
  readonly pixels: Uint8Array<ArrayBuffer>;
}

interface Member {
  readonly worker: Worker;
  readonly ended: Promise<void>;
  dimension: number;
  job: Job | undefined;
}

/** Share of the machine's memory that copies of the weights may take. */
const memoryShare = 0.25;

/** How many networks, with how many threads, suit a model of `modelBytes` on this machine. */
export function planWorkers(
  modelBytes: number,
  options: Pick<PoolOptions, 'device' | 'workers' | 'threads'>,
  machine = { processors: availableParallelism(), memory: totalmem() },
): { workers: number; threads: number } {
  // The runtime packs weights anew for its kernels: count a model twice.
  const affordable = Math.max(1, Math.floor((machine.memory * memoryShare) / (2 * modelBytes + 2 ** 26)));
  const workers = options.workers ?? (options.device === 'cuda' ? 1 : Math.min(machine.processors, affordable));
  const threads = options.threads ?? Math.max(1, Math.floor(machine.processors / workers));
  return { workers, threads };
}

export class InferencePool {
  readonly workers: number;
  readonly threads: number;
  readonly dimension: number;
  private readonly members: Member[];
  private readonly waiting: Job[] = [];
  private failure: Error | undefined;

  private constructor(members: Member[], plan: { workers: number; threads: number }) {
    this.members = members;
    this.workers = plan.workers;
    this.threads = plan.threads;
    this.dimension = members[0].dimension;
    for (const member of members) this.listen(member);
  }

  static async open(options: PoolOptions, modelBytes: number): Promise<InferencePool> {
    const plan = planWorkers(modelBytes, options);
    const { workers, threads, ...rest } = { ...options, ...plan };
    const members = Array.from({ length: workers }, () => startMember({ ...rest, threads }));
    const starts = await Promise.allSettled(members.map(ready));
    const refused = starts.find((start) => start.status === 'rejected');
    if (refused) {
      // Not terminated: a thread that ends inside the runtime's own code takes the process with it.
      await endMembers(members);
      throw refused.reason;
    }
    return new InferencePool(members, plan);
  }

  /** Features of a batch; `pixels` is handed over and comes back with the result. */
  run(pixels: Uint8Array<ArrayBuffer>, count: number): Promise<BatchResult> {
    if (this.failure) return Promise.reject(this.failure);
    return new Promise((resolve, reject) => {
      this.waiting.push({ request: { pixels, count }, resolve, reject });
      this.dispatch();
    });
  }

  async close(): Promise<void> {
    await endMembers(this.members);
  }

  private dispatch(): void {
    for (const member of this.members) {
      if (this.waiting.length === 0) return;
      if (member.job) continue;
      member.job = this.waiting.shift()!;
      member.worker.postMessage(member.job.request, [member.job.request.pixels.buffer]);
    }
  }

  private listen(member: Member): void {
    member.worker.on('message', (reply: WorkerReply) => {
      const { job } = member;
      member.job = undefined;
      if (reply.type === 'features') job?.resolve(reply);
      else if (reply.type === 'failed') job?.reject(revived(reply.error));
      this.dispatch();
    });
    const fail = (error: Error) => {
      this.failure ??= error;
      for (const job of [member.job, ...this.waiting.splice(0)]) job?.reject(this.failure);
      member.job = undefined;
    };
    member.worker.on('error', fail);
    member.worker.on('exit', () => fail(new BackendError('an inference thread ended')));
  }
}

/** Lets each thread finish what it does and end by itself. */
async function endMembers(members: readonly Member[]): Promise<void> {
  for (const { worker } of members) worker.postMessage(null);
  await Promise.all(members.map((member) => member.ended));
}

function startMember(options: NetworkOptions): Member {
  // Flags of this process, such as --input-type, need not suit a worker.
  const worker = new Worker(artefact('vision/inference-worker.js'), { workerData: options, execArgv: [] });
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  return { worker, ended, dimension: 0, job: undefined };
}

function ready(member: Member): Promise<void> {
  const { worker } = member;
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', () => reject(new BackendError('an inference thread ended while starting')));
    worker.once('message', (reply: WorkerReply) => {
      worker.removeAllListeners('error');
      if (reply.type !== 'ready') reject(revived((reply as { error: PlainError }).error));
      else {
        member.dimension = reply.dimension;
        resolve();
      }
    });
  });
}

function revived(error: PlainError): Error {
  if (!error.code) return new Error(error.message);
  if (error.code === 'BOWERBIRD_MODEL') return new ModelError(error.message, error.hint);
  if (error.code === 'BOWERBIRD_BACKEND') return new BackendError(error.message, error.hint);
  return new BowerbirdError(error.code as 'BOWERBIRD_MODEL', error.message, { hint: error.hint });
}
