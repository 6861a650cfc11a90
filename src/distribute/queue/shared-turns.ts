/**
 * Limits that hold for all processes of a run together, kept in Redis by its clock: of each name (a host, a group of
 * hosts) requests begin no closer than an interval, no more are under way than allowed, and none begins in a pause. A
 * turn is given at the moment at which it begins, never ahead, so that a process that is late delays nobody.
 *
 * A turn under way is a lease, renewed while its process lives. The coordinator of the run owns the limits: a Redis that
 * was restarted has forgotten them, and nobody is given a turn until the owner has said again which pauses there are;
 * names that are new then wait for an interval, since nobody knows when their last request was.
 */
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { heartbeatMs, keys } from './records.js';

/** A turn whose process has been silent this long is over. */
const leaseMs = 10_000;
const renewMs = 3000;
/** How soon to ask again where that cannot be told: the owner is away, or too many requests are under way. */
const ownerAwayMs = 250;
const crowdedMs = 50;
/** What nobody has used for a day is forgotten; longer pauses the catalog remembers. */
const expiryMs = 24 * 3600 * 1000;
/** A pause of unknown length starts at a second and doubles up to this. */
const longestBackoff = 60;

const clock = `local time = redis.call('TIME'); local now = time[1] * 1000 + time[2] / 1000\n`;

/** KEYS: the owner's sign, the name's state, its leases. ARGV: interval, concurrency, lease. */
const takeScript = `${clock}
local born = tonumber(redis.call('GET', KEYS[1]))
if not born then return {0, ${ownerAwayMs}, 0} end
local state = redis.call('HMGET', KEYS[2], 'next', 'interval', 'paused')
local interval = math.max(tonumber(state[2]) or 0, tonumber(ARGV[1]))
local following = tonumber(state[1]) or born + interval
local paused = (tonumber(state[3]) or 0) - now
if paused > 0 then return {0, math.ceil(paused), 1} end
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now)
if redis.call('ZCARD', KEYS[3]) >= tonumber(ARGV[2]) then return {0, ${crowdedMs}, 0} end
local wait = following - now
if wait > 0 and (wait >= 1 or interval >= 10) then return {0, math.ceil(wait), 0} end
redis.call('HSET', KEYS[2], 'next', math.max(following, now) + interval, 'interval', interval)
redis.call('ZADD', KEYS[3], now + ${leaseMs}, ARGV[3])
for i = 1, 3 do redis.call('PEXPIRE', KEYS[i], ${expiryMs}) end
return {1, 0, 0}`;

/** KEYS: the name's state. ARGV: seconds, or nothing for longer each time. Requests under way together count as one reason. */
const pauseScript = `${clock}
local ending = tonumber(redis.call('HGET', KEYS[1], 'paused')) or 0
local seconds = tonumber(ARGV[1])
if not seconds then
  if ending > now then return 0 end
  seconds = math.min(${longestBackoff}, 2 ^ (redis.call('HINCRBY', KEYS[1], 'pauses', 1) - 1))
end
redis.call('HSET', KEYS[1], 'paused', math.max(ending, now + seconds * 1000))
redis.call('PEXPIRE', KEYS[1], ${expiryMs})
return 1`;

/** KEYS: leases of a name. ARGV: those under way here. */
const renewScript = `${clock}
for _, lease in ipairs(ARGV) do redis.call('ZADD', KEYS[1], now + ${leaseMs}, lease) end
return redis.call('PEXPIRE', KEYS[1], ${expiryMs})`;

/** KEYS: the owner's sign. */
const ownScript = `${clock} return redis.call('SET', KEYS[1], now, 'NX', 'PX', ${expiryMs})`;

export type Turn = { release(): void } | { delay: number; paused: boolean };

export class SharedTurns {
  readonly #redis: Redis;
  readonly #run: string;
  /** Of the turns under way in this process, by name. */
  readonly #leases = new Map<string, Set<string>>();
  /** Until when, in milliseconds of this process's clock; told again where they are forgotten. */
  readonly #pauses = new Map<string, number>();
  readonly #timers: NodeJS.Timeout[] = [];

  /** @param run the id of the run; @param owner whether this is its coordinator */
  constructor(redis: Redis, run: string, { owner }: { owner: boolean }) {
    this.#redis = redis;
    this.#run = run;
    this.#every(renewMs, () => this.#renew());
    if (owner) this.#every(heartbeatMs, () => this.#own());
  }

  /** The owner says that the limits stand. Nobody is given a turn before. */
  async begin(): Promise<void> {
    await this.#own();
  }

  async take(name: string, intervalMs: number, concurrency: number): Promise<Turn> {
    const lease = randomUUID();
    const at = [keys.limits(this.#run), keys.limit(this.#run, name), keys.leases(this.#run, name)];
    try {
      const answer = await this.#redis.eval(takeScript, at.length, ...at, intervalMs, concurrency, lease);
      const [granted, delay, paused] = answer as [number, number, number];
      if (granted !== 1) return { delay, paused: paused === 1 };
    } catch (error) {
      // Whatever lies there instead was not put there by us.
      if ((error as Error).name === 'ReplyError') await this.#redis.del(at[1], at[2]);
      return { delay: ownerAwayMs, paused: false };
    }
    const under = this.#leases.get(name) ?? new Set<string>();
    this.#leases.set(name, under.add(lease));
    return {
      release: () => {
        under.delete(lease);
        if (under.size === 0 && this.#leases.get(name) === under) this.#leases.delete(name);
        this.#redis.zrem(at[2], lease).catch(() => {});
      },
    };
  }

  /** Nobody begins a request for so long; without `seconds` for longer each time, until one succeeds. */
  pause(name: string, seconds?: number): void {
    if (seconds !== undefined) this.#pauses.set(name, performance.now() + seconds * 1000);
    this.#redis.eval(pauseScript, 1, keys.limit(this.#run, name), seconds ?? '').catch(() => {});
  }

  succeeded(name: string): void {
    this.#redis.hdel(keys.limit(this.#run, name), 'pauses').catch(() => {});
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  /** The connection mends itself; the next time may be better. */
  #every(milliseconds: number, work: () => Promise<void>): void {
    const timer = setInterval(() => void work().catch(() => {}), milliseconds);
    timer.unref();
    this.#timers.push(timer);
  }

  async #own(): Promise<void> {
    if (await this.#redis.exists(keys.limits(this.#run))) return;
    for (const [name, until] of this.#pauses) {
      const seconds = (until - performance.now()) / 1000;
      if (seconds <= 0) this.#pauses.delete(name);
      else await this.#redis.eval(pauseScript, 1, keys.limit(this.#run, name), seconds);
    }
    await this.#redis.eval(ownScript, 1, keys.limits(this.#run));
  }

  async #renew(): Promise<void> {
    for (const [name, leases] of this.#leases)
      await this.#redis.eval(renewScript, 1, keys.leases(this.#run, name), ...leases);
  }
}
