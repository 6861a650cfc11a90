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
import { isRunId, longest, parsed } from './schema.js';
import type { Signer } from './secret.js';

/** Only its holder may renew or give up a lock. */
const renew = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0`;
const release = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`;

export class Run {
  readonly id: string;
  readonly #redis: Redis;
  readonly #signer: Signer;
  readonly #holder = randomUUID();
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> = Promise.resolve();
  /** Workers of this run and those that have none, as of the last heartbeat. */
  workers: WorkerRecord[] = [];
  #record: RunRecord | undefined;

  constructor(redis: Redis, id: string, signer: Signer) {
    this.#redis = redis;
    this.#signer = signer;
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
    const earlier = await readRun(this.#redis, this.id, this.#signer);
    // What is there and cannot be believed was not left by a coordinator of this run, and is in its place.
    if (earlier === 'garbage') await this.#redis.del(key);
    else if (typeof earlier === 'object' && earlier.record.fingerprint !== record.fingerprint)
      throw new QueueError(
        `run "${this.id}" in the queue is about another problem or other options`,
        'Give this run another id.',
      );
    const state: RunState = 'open';
    const signed = this.#signer.sign(['run', this.id], JSON.stringify(record));
    await this.#redis.hset(key, { record: signed, state });
    await this.#redis.expire(key, runExpirySeconds);
    await this.#list();
    this.#record = record;
  }

  async #list(): Promise<void> {
    await ofType(this.#redis, keys.runs, 'zset');
    await this.#redis.zadd(keys.runs, 'NX', Date.now(), this.id);
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
        if (this.#record) {
          const found = await readRun(this.#redis, this.id, this.#signer);
          if (typeof found !== 'object') await this.announce(this.#record);
          else await this.#list();
        }
        this.workers = (await livingWorkers(this.#redis, this.#signer)).filter(
          ({ run }) => run === undefined || run === this.id,
        );
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
    await this.#stopHeartbeat();
    await this.#redis.eval(release, 1, keys.coordinator(this.id), this.#holder);
  }

  /** A heart that still beats would announce again a run that ends. */
  async #stopHeartbeat(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#beating;
  }

  /** Forgets the run; workers let go of it. */
  async end(): Promise<void> {
    await this.#stopHeartbeat();
    await forgetRun(this.#redis, this.id);
  }
}

export async function forgetRun(redis: Redis, id: string): Promise<void> {
  await redis.del(keys.run(id));
  await redis.zrem(keys.runs, id);
}

/** Removes a key that has another type than ours: it was not made by a coordinator or a worker. */
export async function ofType(redis: Redis, key: string, type: 'zset' | 'set'): Promise<void> {
  const found = await redis.type(key);
  if (found !== type && found !== 'none') await redis.del(key);
}

/** Members looked at in one pass; more than any honest queue has. */
const mostListed = 200_000;
const page = 500;

async function livingWorkers(redis: Redis, signer: Signer): Promise<WorkerRecord[]> {
  await ofType(redis, keys.workers, 'set');
  const living: WorkerRecord[] = [];
  let cursor = '0';
  let seen = 0;
  do {
    const [next, ids] = await redis.sscan(keys.workers, cursor, 'COUNT', page);
    cursor = next;
    seen += ids.length;
    const texts = await shortTexts(redis, ids);
    const gone: string[] = [];
    for (const [i, id] of ids.entries()) {
      const text = texts[i] === undefined ? undefined : signer.verify(['worker', id], texts[i]);
      const record = parsed('worker', text);
      if (record?.id === id) living.push(record);
      else if (texts[i] === undefined) gone.push(id);
    }
    if (gone.length > 0) await redis.srem(keys.workers, ...gone);
  } while (cursor !== '0' && seen < mostListed);
  return living;
}

/** The records of workers, undefined for those that are missing, no texts, or longer than a record can be. */
async function shortTexts(redis: Redis, ids: readonly string[]): Promise<(string | undefined)[]> {
  const lengths = redis.pipeline();
  for (const id of ids) lengths.strlen(keys.worker(id.slice(0, 100)));
  const found = (await lengths.exec()) ?? [];
  const texts = redis.pipeline();
  const fits = ids.map((id, i) => {
    const length = found[i]?.[1];
    const fitting = id.length <= 100 && typeof length === 'number' && length > 0 && length <= longest.worker;
    if (fitting) texts.get(keys.worker(id));
    return fitting;
  });
  const got = ((await texts.exec()) ?? []).map(([, text]) => (typeof text === 'string' ? text : undefined));
  return fits.map((fitting) => (fitting ? got.shift() : undefined));
}

/** A run's record and state, as far as it can be believed. */
export async function readRun(
  redis: Redis,
  id: string,
  signer: Signer,
): Promise<{ record: RunRecord; state: string } | 'missing' | 'garbage' | 'not ours'> {
  const key = keys.run(id);
  const type = await redis.type(key);
  if (type === 'none') return 'missing';
  if (type !== 'hash' || (await redis.hstrlen(key, 'record')) > longest.run) return 'garbage';
  const [text, state] = await redis.hmget(key, 'record', 'state');
  if (typeof text !== 'string') return 'garbage';
  const believed = signer.verify(['run', id], text);
  if (believed === undefined) return 'not ours';
  const record = parsed('run', believed);
  return record ? { record, state: state ?? '' } : 'garbage';
}

export interface Listing {
  /** Runs that are passed over unread. */
  skip(id: string): boolean;
  /** Called for a run that this process cannot believe: it is signed with another secret, or not at all. */
  onForeign(id: string): void;
  /** Called for a run that was announced and is gone. */
  onExpired(id: string): void;
}

/**
 * The announced runs that are open, oldest first, one after another, so that whoever finds work in one looks no further.
 * Whatever is no run is taken off the list.
 */
export async function* openRuns(
  redis: Redis,
  signer: Signer,
  listing: Listing,
): AsyncGenerator<{ id: string; record: RunRecord }, void, void> {
  await ofType(redis, keys.runs, 'zset');
  for (let from = 0, looked = 0; looked < mostListed; ) {
    const ids = await redis.zrange(keys.runs, String(from), String(from + page - 1));
    if (ids.length === 0) return;
    looked += ids.length;
    const garbage: string[] = [];
    const missing = await missingRuns(redis, ids);
    for (const id of ids) {
      const known = isRunId(id) && !missing.has(id);
      if (known && listing.skip(id)) continue;
      const found = known ? await readRun(redis, id, signer) : 'garbage';
      if (found === 'not ours') listing.onForeign(id);
      else if (typeof found === 'string') garbage.push(id);
      else if (found.state === 'open') yield { id, record: found.record };
    }
    for (const id of missing) listing.onExpired(id);
    if (garbage.length > 0) await redis.zrem(keys.runs, ...garbage);
    from += ids.length - garbage.length;
  }
}

async function missingRuns(redis: Redis, ids: readonly string[]): Promise<Set<string>> {
  const asked = ids.filter(isRunId);
  const questions = redis.pipeline();
  for (const id of asked) questions.exists(keys.run(id));
  const answers = (await questions.exec()) ?? [];
  return new Set(asked.filter((_, i) => answers[i]?.[1] === 0));
}

export async function isOpen(redis: Redis, id: string): Promise<boolean> {
  return (await redis.hget(keys.run(id), 'state')) === 'open';
}

/** Whether another coordinator has taken the run over since this record was read. */
export async function isAnnouncedAnew(redis: Redis, id: string, { salt }: RunRecord, signer: Signer): Promise<boolean> {
  const now = await readRun(redis, id, signer);
  return typeof now === 'object' && now.record.salt !== salt;
}
