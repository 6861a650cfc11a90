/**
 * Two clocks per group of hosts: a token bucket of one token (requests are a little more than 1/rate apart) and a pause that a
 * host asks for with Retry-After. The API of a source and the host of its pictures share one group.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { FetchFailure } from './failure.js';

export interface HostGroup {
  name: string;
  /** Host names; `*.example.org` stands for every name below example.org. */
  hosts: readonly string[];
  requestsPerSecond: number;
  /** Requests under way at the same time. */
  concurrency: number;
}

export interface LimiterOptions {
  /** Looked at in order; the first that names a host decides. */
  groups?: readonly HostGroup[];
  /** For hosts that no group names, each by itself. @default 1 */
  requestsPerSecond?: number;
  /** For hosts that no group names. @default 4 */
  concurrency?: number;
  /** The longest pause, in seconds, a run is willing to sit through. @default 120 */
  maximumPause?: number;
  /** What is left, in seconds, of pauses that were asked for in an earlier run. */
  pauses?: readonly { name: string; seconds: number }[];
  /** Told when a host asks for a pause, with the name of its group or its own. */
  onPause?(name: string, seconds: number): void;
  /** Where several processes ask the same hosts: turns that all of them take from one place. @default none */
  shared?: SharedTurns;
}

/** Turns that several processes take together; the same limits as here, but for all of them. */
export interface SharedTurns {
  /** A turn that has begun, or how many milliseconds to wait before asking again, and whether a host wants it so. */
  take(
    name: string,
    intervalMs: number,
    concurrency: number,
  ): Promise<{ release(): void } | { delay: number; paused: boolean }>;
  /** Without `seconds` for longer each time, whoever's turn it was. */
  pause(name: string, seconds?: number): void;
  succeeded(name: string): void;
}

interface Bucket {
  name: string;
  interval: number;
  concurrency: number;
  free: number;
  /** Earliest moment of the next request. */
  next: number;
  pausedUntil: number;
  pauses: number;
  /** Requests take their turn in the order in which they came. */
  turn: Promise<unknown>;
  /** Wakes the one whose turn it is when a request ends. */
  freed: (() => void) | undefined;
}

/** Milliseconds on a clock that nobody sets. */
const now = () => performance.now();

/** Buckets of single hosts are forgotten when there are this many and they have nothing to remember. */
const manyBuckets = 4096;

export class HostLimiter {
  readonly #groups: readonly HostGroup[];
  readonly #requestsPerSecond: number;
  readonly #concurrency: number;
  readonly #maximumPause: number;
  readonly #buckets = new Map<string, Bucket>();
  readonly #pauses: ReadonlyMap<string, number>;
  readonly #onPause: LimiterOptions['onPause'];
  readonly #shared: SharedTurns | undefined;

  constructor(options: LimiterOptions = {}) {
    this.#groups = options.groups ?? [];
    this.#requestsPerSecond = options.requestsPerSecond ?? 1;
    this.#concurrency = options.concurrency ?? 4;
    this.#maximumPause = (options.maximumPause ?? 120) * 1000;
    this.#pauses = new Map(options.pauses?.map(({ name, seconds }) => [name, now() + seconds * 1000]));
    this.#onPause = options.onPause;
    this.#shared = options.shared;
    for (const { name, seconds } of options.pauses ?? []) this.#shared?.pause(name, seconds);
  }

  /** Waits for this host's turn; the returned function ends the turn and must be called. */
  async acquire(host: string, signal?: AbortSignal): Promise<() => void> {
    const bucket = this.#bucket(host);
    const turn = bucket.turn.then(() => this.#wait(bucket, signal));
    bucket.turn = turn.catch(() => {});
    const release = await turn;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      release();
      bucket.free++;
      bucket.freed?.();
    };
  }

  /** Holds back the whole group, at the host's request or, without `seconds`, for longer each time. */
  pause(host: string, seconds?: number): void {
    const bucket = this.#bucket(host);
    this.#shared?.pause(bucket.name, seconds);
    // How long a pause of unknown length is depends on what the other processes have met.
    if (this.#shared && seconds === undefined) return;
    // Requests that were under way together count as one reason to slow down.
    if (seconds === undefined && bucket.pausedUntil > now()) return;
    const chosen = seconds ?? Math.min(60, 2 ** bucket.pauses++);
    bucket.pausedUntil = Math.max(bucket.pausedUntil, now() + chosen * 1000);
    if (seconds !== undefined && seconds > 0) this.#onPause?.(bucket.name, seconds);
  }

  /** A request succeeded: the next pause of unknown length starts short again. */
  succeeded(host: string): void {
    const bucket = this.#bucket(host);
    bucket.pauses = 0;
    this.#shared?.succeeded(bucket.name);
  }

  /** Slows a host down further, as its robots.txt asks. */
  atMost(host: string, requestsPerSecond: number): void {
    const bucket = this.#bucket(host);
    bucket.interval = Math.max(bucket.interval, spacing(requestsPerSecond));
  }

  /** Gives what ends the turn for other processes. */
  async #wait(bucket: Bucket, signal?: AbortSignal): Promise<() => void> {
    while (bucket.free <= 0) await this.#freed(bucket, signal);
    for (;;) {
      signal?.throwIfAborted();
      const moment = now();
      const paused = bucket.pausedUntil - moment;
      if (paused > this.#maximumPause)
        throw new FetchFailure(
          'throttled',
          `${bucket.name} asks for no requests until ${new Date(Date.now() + paused).toISOString()}`,
          { final: true },
        );
      const delay = Math.max(paused, bucket.next - moment);
      // Timers are no finer than a millisecond, which matters only for rates nobody asks of a real host.
      if (delay > 0 && (delay >= 1 || bucket.interval >= 10)) {
        await sleep(delay, undefined, { signal });
        continue;
      }
      const turn = await this.#shared?.take(bucket.name, bucket.interval, bucket.concurrency);
      if (turn && 'delay' in turn) {
        if (turn.paused) bucket.pausedUntil = Math.max(bucket.pausedUntil, now() + turn.delay);
        else await sleep(turn.delay, undefined, { signal });
        continue;
      }
      if (signal?.aborted) turn?.release();
      signal?.throwIfAborted();
      bucket.next = Math.max(bucket.next, now()) + bucket.interval;
      bucket.free--;
      return () => turn?.release();
    }
  }

  async #freed(bucket: Bucket, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await new Promise<void>((resolve) => {
      const done = () => {
        signal?.removeEventListener('abort', done);
        resolve();
      };
      bucket.freed = done;
      signal?.addEventListener('abort', done, { once: true });
    });
    bucket.freed = undefined;
    signal?.throwIfAborted();
  }

  #bucket(host: string): Bucket {
    const group = this.#groups.find(({ hosts }) => hosts.some((pattern) => matchesHost(pattern, host)));
    const name = group?.name ?? host;
    let bucket = this.#buckets.get(name);
    if (!bucket) {
      this.#forget();
      const concurrency = group?.concurrency ?? this.#concurrency;
      bucket = {
        ...{ name, concurrency, free: concurrency },
        interval: spacing(group?.requestsPerSecond ?? this.#requestsPerSecond),
        next: 0,
        pausedUntil: this.#pauses.get(name) ?? 0,
        pauses: 0,
        turn: Promise.resolve(),
        freed: undefined,
      };
      this.#buckets.set(name, bucket);
    }
    return bucket;
  }

  #forget(): void {
    if (this.#buckets.size < manyBuckets) return;
    const moment = now();
    for (const [name, bucket] of this.#buckets)
      if (bucket.next < moment && bucket.pausedUntil < moment && bucket.free === bucket.concurrency)
        this.#buckets.delete(name);
  }
}

/** Milliseconds between requests: 3 % more than the rate asks for, so that delays on the way cannot exceed it. */
function spacing(requestsPerSecond: number): number {
  return 1030 / requestsPerSecond;
}

export function matchesHost(pattern: string, host: string): boolean {
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) || host === pattern.slice(2) : host === pattern;
}

/** Retry-After in seconds, given as a number or a date (RFC 9110, section 10.2.3). */
export function retryAfter(header: string | undefined, from: number = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - from) / 1000);
}
