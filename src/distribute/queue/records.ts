/**
 * What lies in Redis besides the jobs themselves. A run is announced in a sorted set and described in a hash; a worker
 * says that it lives through a key that expires. BullMQ keeps the jobs of a run in a queue of the run's name.
 */
import { createHash } from 'node:crypto';
import type { JobFailure } from '../executor.js';

const prefix = 'bowerbird';

export const keys = {
  /** Sorted set of run ids, oldest first. */
  runs: `${prefix}:runs`,
  /** Hash with `record` (RunRecord) and `state` (RunState). */
  run: (id: string) => `${prefix}:run:${id}`,
  /** Held by the one coordinator of a run while it lives. */
  coordinator: (id: string) => `${prefix}:run:${id}:coordinator`,
  /** Set of worker ids, some of which may be gone. */
  workers: `${prefix}:workers`,
  /** WorkerRecord; expires unless the worker renews it. */
  worker: (id: string) => `${prefix}:worker:${id}`,
  /** Sign of the coordinator that the limits of a run stand (SharedTurns). */
  limits: (run: string) => `${prefix}:limits:${run}`,
  /** What is known about one name of these limits, and the turns under way. */
  limit: (run: string, name: string) => `${prefix}:limits:${run}:state:${name}`,
  leases: (run: string, name: string) => `${prefix}:limits:${run}:leases:${name}`,
  /** Contents on their way to the coordinator, by the job they are of. */
  contents: (run: string, job: string) => `${prefix}:contents:${run}:${job}`,
  /** BullMQ puts its own keys under this prefix. */
  queuePrefix: `${prefix}:queue`,
};

/** How often the living say so, and how long they are believed. */
export const heartbeatMs = 1000;
export const workerExpiryMs = 6000;
export const coordinatorExpiryMs = 10_000;
/** What is left of a run that nobody ends is forgotten after a week. */
export const runExpirySeconds = 7 * 24 * 3600;

/** Workers take jobs of open runs only. */
export type RunState = 'open' | 'cancelled';

/** A file that the jobs of a run read. */
export interface FileRecord {
  /** The last part of its path, for finding it in a shared folder. */
  name: string;
  /** SHA-256 of its contents, as 64 hexadecimal digits. */
  hash: string;
  bytes: number;
}

export interface RunRecord {
  /** Name in the workers' registry of handlers; never a path. */
  handler: string;
  context: unknown;
  /** By the names that the handler knows them under. */
  files: Record<string, FileRecord>;
  /** Where the coordinator offers the files: `${address}/${hash}`. */
  address?: string;
  /** Two runs of one id must be about the same thing. */
  fingerprint: string;
  /** 32 hexadecimal digits from which, with the secret, the key of the files on their way is made. */
  salt: string;
}

export interface WorkerRecord {
  id: string;
  host: string;
  pid: number;
  /** Jobs it runs at the same time. */
  places: number;
  /** Jobs it is running. */
  running: number;
  /** The run it works for. */
  run?: string;
  /** Why it cannot work for that run. */
  trouble?: string;
}

/** A job or an answer as BullMQ keeps it: JSON, signed where there is a secret. */
export interface Sealed {
  text: string;
}

/** Why a worker refuses a job that it cannot believe. */
export const notPublished = 'this job was not published by the coordinator of the run';

/** What BullMQ keeps as the value of a finished job. A job's own error is an answer too: trying again would repeat it. */
export interface JobAnswer {
  result?: unknown;
  failure?: JobFailure;
  worker: string;
}

export function fingerprintOf(record: Omit<RunRecord, 'fingerprint' | 'address' | 'salt'>): string {
  return createHash('sha256').update(JSON.stringify(record)).digest('hex');
}

/** A name for a job in its queue: the same job of the same run is never queued twice. */
export function queueKey(job: { id: string }): string {
  const digest = createHash('sha256').update(JSON.stringify(job)).digest('hex').slice(0, 16);
  return `${job.id.replace(/[^A-Za-z0-9._-]+/g, '_').slice(0, 80)}-${digest}`;
}
