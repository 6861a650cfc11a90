import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { HostLimiter } from '../../src/crawl/network/limiter.js';
import { handOver, SharedTurns, takeContents } from '../../src/distribute/index.js';
import { keys } from '../../src/distribute/queue/records.js';
import { hasRedis } from '../tools.js';
import { type RedisServer, startRedis } from './redis.js';

describe.skipIf(!hasRedis)('turns that processes share (skipped where redis-server is not installed)', () => {
  let redis: RedisServer;
  const opened: { turns: SharedTurns; client: Redis }[] = [];
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterEach(async () => {
    for (const { turns, client } of opened.splice(0)) {
      turns.close();
      client.disconnect();
    }
    await redis.client.flushall();
  });
  afterAll(() => redis.stop());

  /** A connection of its own, as another process has. */
  async function member(owner = false): Promise<SharedTurns> {
    const client = new Redis(redis.url, { maxRetriesPerRequest: null, retryStrategy: () => 20 });
    client.on('error', () => {});
    const turns = new SharedTurns(client, 'run', { owner });
    if (owner) await turns.begin();
    opened.push({ turns, client });
    return turns;
  }
  /** Takes a turn as soon as there is one. */
  async function turn(turns: SharedTurns, name: string, interval: number, concurrency = 100) {
    for (;;) {
      const answer = await turns.take(name, interval, concurrency);
      if ('release' in answer) return answer;
      await sleep(answer.delay);
    }
  }

  it('begin no closer than the interval, whoever takes them', async () => {
    const crew = [await member(true), await member(), await member()];
    const begun: number[] = [];
    await Promise.all(
      crew.map(async (turns) => {
        for (let i = 0; i < 4; i++) {
          (await turn(turns, 'host', 50)).release();
          begun.push(performance.now());
        }
      }),
    );
    begun.sort((a, b) => a - b);
    expect(begun).toHaveLength(12);
    // Answers of Redis may overtake each other on their way by a little, the sum may not.
    expect(begun.at(-1)! - begun[0]).toBeGreaterThanOrEqual(11 * 50 - 20);
  });

  it('take the slowest interval that anybody knows of', async () => {
    const [fast, slow] = [await member(true), await member()];
    (await turn(slow, 'host', 400)).release();
    expect(await fast.take('host', 1, 10)).toMatchObject({ paused: false, delay: expect.toSatisfy((ms) => ms > 100) });
    expect(await fast.take('other', 1, 10)).toMatchObject({ release: expect.any(Function) });
  });

  it('are no more at a time than allowed, and those of a process that died come free', async () => {
    const [one, two] = [await member(true), await member()];
    const first = await turn(one, 'host', 0.001, 2);
    await turn(two, 'host', 0.001, 2);
    expect(await two.take('host', 0.001, 2)).toMatchObject({ delay: expect.any(Number), paused: false });
    first.release();
    await turn(two, 'host', 0.001, 2);
    expect(await one.take('host', 0.001, 2)).toMatchObject({ paused: false });
    // As if they had not been renewed for long.
    const leases = keys.leases('run', 'host');
    for (const lease of await redis.client.zrange(leases, '0', '-1')) await redis.client.zadd(leases, 1, lease);
    expect(await one.take('host', 0.001, 2)).toMatchObject({ release: expect.any(Function) });
  });

  it('pause for all, for longer each time until a request succeeds', async () => {
    const [one, two] = [await member(true), await member()];
    const paused = async (turns: SharedTurns) => (await turns.take('host', 0.001, 9)) as { delay: number };
    const forget = () => redis.client.hdel(keys.limit('run', 'host'), 'paused');
    one.pause('host');
    expect((await paused(one)).delay).toBeGreaterThan(500);
    expect((await paused(two)).delay).toBeLessThanOrEqual(1000);
    await forget();
    two.pause('host');
    two.pause('host');
    const second = (await paused(two)).delay;
    expect(second).toBeGreaterThan(1000);
    expect(second).toBeLessThanOrEqual(2000);
    await forget();
    one.succeeded('host');
    one.pause('host');
    expect((await paused(one)).delay).toBeLessThanOrEqual(1000);
    one.pause('host', 300);
    await paused(one);
    expect(await two.take('host', 0.001, 9)).toMatchObject({ paused: true, delay: expect.toSatisfy((ms) => ms > 2e5) });
  });

  it('hold back every host limiter of the run', async () => {
    const [one, two] = [await member(true), await member()];
    const paused: string[] = [];
    const asking = new HostLimiter({ shared: one, onPause: (name) => paused.push(name) });
    const other = new HostLimiter({ shared: two, requestsPerSecond: 1e6 });
    asking.pause('a.example', 500);
    await one.take('b.example', 1, 1);
    await expect(other.acquire('a.example')).rejects.toThrow(/a\.example asks for no requests until/);
    expect(paused).toEqual(['a.example']);
    (await other.acquire('c.example'))();
  });

  it('are given to nobody after a restart until the owner has said which pauses there are', async () => {
    const [owner, other] = [await member(true), await member()];
    owner.pause('host', 400);
    (await turn(other, 'free', 0.001)).release();
    await redis.restart();
    expect(await other.take('host', 0.001, 9)).toEqual({ delay: 250, paused: false });
    while (!(await redis.client.exists(keys.limits('run')))) await sleep(20);
    expect(await other.take('host', 0.001, 9)).toMatchObject({ paused: true });
    // When its last request was is not known any more.
    expect(await other.take('free', 5000, 9)).toMatchObject({ delay: expect.toSatisfy((ms) => ms > 2000) });
  });

  it('go on where somebody put something else in their place', async () => {
    const turns = await member(true);
    await redis.client.set(keys.limit('run', 'host'), 'garbage');
    await redis.client.set(keys.leases('run', 'host'), 'garbage');
    expect(await turns.take('host', 0.001, 9)).toMatchObject({ paused: false });
    (await turn(turns, 'host', 0.001)).release();
  });

  it('contents are taken once, and only those that were handed over', async () => {
    const bytes = Buffer.from([0, 255, 128, 10]);
    const hash = await handOver(redis.client, 'run', 'job', bytes);
    expect(await redis.client.ttl(keys.contents('run', 'job'))).toBeGreaterThan(0);
    expect(await takeContents(redis.client, 'run', 'job', hash)).toEqual(bytes);
    expect(await takeContents(redis.client, 'run', 'job', hash)).toBeUndefined();
    await handOver(redis.client, 'run', 'job', Buffer.from('other'));
    expect(await takeContents(redis.client, 'run', 'job', hash)).toBeUndefined();
  });
});
