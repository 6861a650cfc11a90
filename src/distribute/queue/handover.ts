/**
 * Contents that a worker hands to the coordinator of its run through Redis, where they are too large for an answer, which
 * every listener of the queue is sent. The answer has their hash; they are taken once, and forgotten if nobody comes.
 */
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { keys } from './records.js';

/** Long enough for a coordinator that was killed to be started again. */
const expirySeconds = 3600;

/** @returns the hash that `takeContents` needs */
export async function handOver(redis: Redis, run: string, job: string, contents: Buffer): Promise<string> {
  await redis.set(keys.contents(run, job), contents, 'EX', expirySeconds);
  return sha256(contents);
}

/** Undefined where they are gone, or are not those that were handed over. */
export async function takeContents(redis: Redis, run: string, job: string, hash: string): Promise<Buffer | undefined> {
  const key = keys.contents(run, job);
  const contents = await redis.getBuffer(key).catch(() => null);
  await redis.del(key);
  return contents && sha256(contents) === hash ? contents : undefined;
}

function sha256(contents: Buffer): string {
  return createHash('sha256').update(contents).digest('hex');
}
