/** The coordinator's hold on a run in Redis: announcing it, keeping it alive, counting its workers, ending it. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { QueueError } from './connect.js';
import {
  coordinatorExpiryMs,
  heartbeatMs,
  keys,
  type RunRecord,
  type RunState,
  runExpirySeconds,
  type WorkerRecord,
} from './records.js';

/** Only its holder may renew or give up a lock. */
const renew = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0`;
const release = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`;

export class Run {
  readonly id: string;
  readonly #redis: Redis;
  readonly #holder = randomUUID();
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> = Promise.resolve();
  /** Workers of this run and those that have none, as of the last heartbeat. */
  workers: WorkerRecord[] = [];
  #record: RunRecord | undefined;

  constructor(redis: Redis, id: string) {
    this.#redis = redis;
    this.id = id;
  }

  /**
   * Takes the run over, waiting as long as a coordinator that died may still seem to hold it.
   * @throws QueueError when another coordinator holds it or the id belongs to something else
   */
  async take(patienceMs = coordinatorExpiryMs + heartbeatMs, signal?: AbortSignal): Promise<void> {
    const deadline = Date.now() + patienceMs;
    const key = keys.coordinator(this.id);
    while (!(await this.#redis.set(key, this.#holder, 'PX', coordinatorExpiryMs, 'NX'))) {
      if (Date.now() > deadline)
        throw new QueueError(
          `run "${this.id}" has a coordinator already`,
          'Wait for it to end, or give this run another id.',
        );
      await sleep(250, undefined, { signal });
    }
  }

  async announce(record: RunRecord): Promise<void> {
    const key = keys.run(this.id);
    const earlier = await this.#redis.hget(key, 'record');
    if (earlier && (JSON.parse(earlier) as RunRecord).fingerprint !== record.fingerprint)
      throw new QueueError(
        `run "${this.id}" in the queue is about another problem or other options`,
        'Give this run another id.',
      );
    const state: RunState = 'open';
    await this.#redis.hset(key, { record: JSON.stringify(record), state });
    await this.#redis.expire(key, runExpirySeconds);
    await this.#redis.zadd(keys.runs, 'NX', Date.now(), this.id);
    this.#record = record;
  }

  async setState(state: RunState): Promise<void> {
    await this.#redis.hset(keys.run(this.id), { state });
  }

  /** Renews the hold and counts workers every second, telling `onBeat` each time. */
  startHeartbeat(onBeat: () => void, onLost: (error: Error) => void): void {
    const beat = async () => {
      try {
        const held = await this.#redis.eval(renew, 1, keys.coordinator(this.id), this.#holder, coordinatorExpiryMs);
        // After a long silence the hold may have expired without another coordinator having come.
        if (
          held !== 1 &&
          !(await this.#redis.set(keys.coordinator(this.id), this.#holder, 'PX', coordinatorExpiryMs, 'NX'))
        )
          throw new QueueError(`another coordinator has taken over run "${this.id}"`);
        // A queue that was restarted without its data knows nothing of the run any more.
        if (this.#record && (await this.#redis.exists(keys.run(this.id))) === 0) await this.announce(this.#record);
        this.workers = (await livingWorkers(this.#redis)).filter(({ run }) => run === undefined || run === this.id);
        onBeat();
      } catch (error) {
        // Anything else is a moment's trouble of the connection; the next beat tries again.
        if (error instanceof QueueError) onLost(error);
      }
      if (this.#timer) this.#timer = setTimeout(next, heartbeatMs);
    };
    const next = () => {
      this.#beating = beat();
    };
    this.#timer = setTimeout(next, 0);
  }

  /** Stops the heartbeat and lets another coordinator take over. What is in the queue stays for it. */
  async leave(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#beating;
    await this.#redis.eval(release, 1, keys.coordinator(this.id), this.#holder);
  }

  /** Forgets the run; workers let go of it. */
  async end(): Promise<void> {
    await forgetRun(this.#redis, this.id);
  }
}

export async function forgetRun(redis: Redis, id: string): Promise<void> {
  await redis.del(keys.run(id));
  await redis.zrem(keys.runs, id);
}

async function livingWorkers(redis: Redis): Promise<WorkerRecord[]> {
  const ids = await redis.smembers(keys.workers);
  if (ids.length === 0) return [];
  const found = await redis.mget(ids.map(keys.worker));
  const gone = ids.filter((_, i) => found[i] === null);
  if (gone.length > 0) await redis.srem(keys.workers, ...gone);
  return found.flatMap((text) => (text === null ? [] : [JSON.parse(text) as WorkerRecord]));
}

/** The announced runs that are open, oldest first, with their descriptions; what has expired is returned apart. */
export async function openRuns(
  redis: Redis,
): Promise<{ open: { id: string; record: RunRecord }[]; expired: string[] }> {
  const ids = await redis.zrange(keys.runs, 0, '-1');
  const open: { id: string; record: RunRecord }[] = [];
  const expired: string[] = [];
  for (const id of ids) {
    const [record, state] = await redis.hmget(keys.run(id), 'record', 'state');
    if (!record) expired.push(id);
    else if (state === 'open') open.push({ id, record: JSON.parse(record) as RunRecord });
  }
  return { open, expired };
}

export async function isOpen(redis: Redis, id: string): Promise<boolean> {
  return (await redis.hget(keys.run(id), 'state')) === 'open';
}
