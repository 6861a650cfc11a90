// What coordinators and workers write into Redis and believe of what they find there, each piece alone.
import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../src/distribute/queue/connect.js';
import { fingerprintOf, keys, queueKey, type RunRecord } from '../../src/distribute/queue/records.js';
import { openRuns, Run, readRun } from '../../src/distribute/queue/run.js';
import { fitting, isRunId, parsed } from '../../src/distribute/queue/schema.js';
import { Signer } from '../../src/distribute/queue/secret.js';
import { hasRedis } from '../tools.js';
import { type RedisServer, startRedis } from './redis.js';

const record: RunRecord = {
  ...{ handler: 'toy', context: { a: 1 }, files: {}, fingerprint: 'f'.repeat(64), salt: '0'.repeat(32) },
};
const [ours, theirs, nobody] = [
  new Signer('a secret of ours'),
  new Signer('a secret of theirs'),
  new Signer(undefined),
];
const worker = { id: 'w', host: 'h', pid: 1, places: 2, running: 0 };

describe('names in the queue', () => {
  it('of runs are short and plain', () => {
    for (const id of ['a', 'A.b_c-9', 'x'.repeat(64)]) expect(isRunId(id), id).toBe(true);
    for (const id of ['', 'x'.repeat(65), 'a b', 'a:b', 'a/b', 'é']) expect(isRunId(id), id).toBe(false);
  });

  it('of jobs differ with anything in the job', () => {
    const key = queueKey({ id: 'lr/seed 1' });
    expect(key).toMatch(/^lr_seed_1-[0-9a-f]{16}$/);
    expect(queueKey({ id: 'lr/seed 1' })).toBe(key);
    expect(queueKey({ id: 'lr/seed 1', x: 1 } as never)).not.toBe(key);
    expect(queueKey({ id: 'x'.repeat(200) })).toHaveLength(80 + 17);
    expect(fingerprintOf({ ...record, context: { a: 2 } })).not.toBe(fingerprintOf(record));
  });
});

describe('records in the queue', () => {
  it('are believed when nothing is missing, odd or added', () => {
    expect(parsed('run', JSON.stringify(record))).toEqual(record);
    for (const change of [
      ...[{ salt: '0' }, { salt: 'g'.repeat(32) }, { fingerprint: `${record.fingerprint}0` }, { more: 1 }],
      ...[{ files: { a: { name: '', hash: 'f'.repeat(64), bytes: 1 } } }, { files: { 'a b': {} } }, { handler: 3 }],
      ...[{ address: 'https://127.0.0.1:80/' }, { address: `http://127.0.0.1:80/${'a'.repeat(47)}` }],
    ])
      expect(fitting('run', { ...record, ...change }), JSON.stringify(change)).toBeUndefined();
    const address = `http://[::1]:8080/${'a'.repeat(48)}`;
    expect(fitting('run', { ...record, address })).toBeDefined();
    for (const name of ['handler', 'files', 'fingerprint', 'salt'])
      expect(fitting('run', { ...record, [name]: undefined }), name).toBeUndefined();
    for (const change of [
      { places: 0 },
      { places: 4097 },
      { running: -1 },
      { pid: 0.5 },
      { trouble: 'x'.repeat(2001) },
    ])
      expect(fitting('worker', { ...worker, ...change }), JSON.stringify(change)).toBeUndefined();
    expect(fitting('worker', { ...worker, run: 'r', trouble: 'none' })).toBeDefined();
  });

  it('may be no JSON, and are not believed then', () => {
    expect(parsed('job', '{')).toBeUndefined();
    expect(parsed('job', null)).toBeUndefined();
    expect(parsed('job', '{"id":""}')).toBeUndefined();
    expect(parsed('answer', '{"worker":"w","failure":{"name":"E"}}')).toBeUndefined();
    expect(parsed('progress', '{"done":1,"total":"2"}')).toBeUndefined();
  });
});

describe.skipIf(!hasRedis)('a run in the queue (skipped where redis-server is not installed)', () => {
  let server: RedisServer;
  let redis: Redis;
  const runs: Run[] = [];
  beforeAll(async () => {
    server = await startRedis();
    redis = server.client;
  });
  afterEach(async () => {
    for (const run of runs.splice(0)) await run.leave();
    await redis.flushall();
  });
  afterAll(() => server.stop());

  const runOf = (id: string, signer = ours): Run => {
    const run = new Run(redis, id, signer);
    runs.push(run);
    return run;
  };
  /** What is found on the list of runs, and what is said of the rest. */
  async function list(signer = ours, skip: string[] = []) {
    const [open, foreign, expired]: string[][] = [[], [], []];
    const listing = {
      skip: (id: string) => skip.includes(id),
      onForeign: (id: string) => void foreign.push(id),
      onExpired: (id: string) => void expired.push(id),
    };
    for await (const { id } of openRuns(redis, signer, listing)) open.push(id);
    return { open, foreign, expired };
  }

  it('is found by workers, the oldest first, while it is open', async () => {
    for (const id of ['second', 'first', 'third']) await runOf(id).announce(record);
    await redis.zadd(keys.runs, 5, 'first', 6, 'second');
    expect((await list()).open).toEqual(['first', 'second', 'third']);
    expect((await list(ours, ['second'])).open).toEqual(['first', 'third']);
    await runs[1].setState('cancelled');
    expect((await list()).open).toEqual(['second', 'third']);
    await runs[0].end();
    expect(await list()).toEqual({ open: ['third'], foreign: [], expired: [] });
  });

  it('is not believed with the signature of others, or none, and stays theirs', async () => {
    await runOf('theirs', theirs).announce(record);
    await runOf('unsigned', nobody).announce(record);
    expect(await list()).toMatchObject({ open: [], foreign: ['theirs', 'unsigned'] });
    expect((await list(nobody)).open).toEqual(['unsigned']);
    expect(await redis.zcard(keys.runs)).toBe(2);
  });

  it('that was announced and is gone is told, and what is no run is taken off the list', async () => {
    await runOf('kept').announce(record);
    await redis.zadd(keys.runs, 1, 'expired', 2, 'a b', 3, 'text', 4, 'empty', 5, 'odd');
    await redis.set(keys.run('text'), 'garbage');
    await redis.hset(keys.run('empty'), { state: 'open' });
    await redis.hset(keys.run('odd'), { state: 'open', record: ours.sign(['run', 'odd'], '{}') });
    expect(await list()).toEqual({ open: ['kept'], foreign: [], expired: ['expired'] });
    for (const id of ['a b', 'text', 'empty', 'odd']) expect(await redis.zscore(keys.runs, id), id).toBeNull();
    await redis.set(keys.runs, 'garbage');
    expect((await list()).open).toEqual([]);
  });

  it('is looked for behind any number that are not open', async () => {
    await redis.zadd(keys.runs, ...Array.from({ length: 1200 }, (_, i) => [i, `odd ${i}`]).flat());
    await runOf('last').announce(record);
    expect((await list()).open).toEqual(['last']);
    expect(await redis.zcard(keys.runs)).toBe(1);
  });

  it('has one coordinator at a time', async () => {
    const [first, second] = [runOf('held'), runOf('held')];
    await first.take(0);
    await expect(second.take(-1)).rejects.toMatchObject({
      code: 'BOWERBIRD_QUEUE',
      hint: expect.stringContaining('another id'),
    });
    await second.leave();
    await expect(second.take(-1)).rejects.toThrow('has a coordinator already');
    await first.leave();
    await second.take(0);
  });

  it('takes the place of garbage, not that of another run', async () => {
    await redis.set(keys.run('id'), 'garbage');
    const run = runOf('id');
    await run.announce(record);
    expect(await readRun(redis, 'id', ours)).toEqual({ record, state: 'open' });
    await expect(run.announce({ ...record, fingerprint: 'e'.repeat(64) })).rejects.toThrow('another problem');
    await run.setState('cancelled');
    await run.announce({ ...record, salt: '1'.repeat(32) });
    expect(await readRun(redis, 'id', ours)).toMatchObject({ record: { salt: '1'.repeat(32) }, state: 'open' });
    expect(await redis.ttl(keys.run('id'))).toBeGreaterThan(6 * 24 * 3600);
    expect(await readRun(redis, 'other', ours)).toBe('missing');
  });

  it('counts the workers that are its own or free, as far as they can be believed', async () => {
    const say = async (id: string, text: string) => {
      await redis.set(keys.worker(id), text);
      await redis.sadd(keys.workers, id);
    };
    const signed = (id: string, more = {}) => ours.sign(['worker', id], JSON.stringify({ ...worker, id, ...more }));
    await say('free', signed('free'));
    await say('own', signed('own', { run: 'mine' }));
    await say('others', signed('others', { run: 'another' }));
    await say('copied', signed('free'));
    await say('forged', theirs.sign(['worker', 'forged'], JSON.stringify({ ...worker, id: 'forged' })));
    await say('long', signed('long', { trouble: 'x'.repeat(9000) }));
    await redis.sadd(keys.workers, 'gone');
    const run = runOf('mine');
    await run.take(0);
    await run.announce(record);
    await new Promise<void>((resolve, reject) => run.startHeartbeat(resolve, reject));
    expect(run.workers.map(({ id }) => id).sort()).toEqual(['free', 'own']);
    expect(await redis.sismember(keys.workers, 'gone')).toBe(0);
    expect(await redis.sismember(keys.workers, 'forged')).toBe(1);
  });

  it('is announced again by a coordinator whose queue has forgotten it, and lost to another coordinator', async () => {
    const run = runOf('mine');
    await run.take(0);
    await run.announce(record);
    await redis.flushall();
    await new Promise<void>((resolve, reject) => run.startHeartbeat(resolve, reject));
    expect((await list()).open).toEqual(['mine']);
    await run.leave();
    await redis.set(keys.coordinator('mine'), 'somebody else');
    const lost = await new Promise<Error>((resolve, reject) => run.startHeartbeat(() => reject('beats'), resolve));
    expect(lost.message).toBe('another coordinator has taken over run "mine"');
    await run.leave();
    expect(await redis.get(keys.coordinator('mine'))).toBe('somebody else');
  });

  it('is reached with the password of the address or, without one, the one given', async () => {
    await redis.config('SET', 'requirepass', 'sesame');
    const withPassword = (password: string) => server.url.replace('//', `//:${password}@`);
    try {
      for (const [url, password] of [
        [server.url, 'sesame'],
        [withPassword('sesame'), undefined],
        [withPassword('sesame'), 'wrong'],
      ] as const) {
        const client = await connect(url, password);
        expect(await client.ping()).toBe('PONG');
        client.disconnect();
      }
      for (const [url, password] of [
        [server.url, undefined],
        [server.url, 'wrong'],
        [withPassword('wrong'), 'sesame'],
      ] as const)
        await expect(connect(url, password)).rejects.toMatchObject({
          code: 'BOWERBIRD_QUEUE',
          message: expect.stringMatching(/^no queue at redis:\/\/127\.0\.0\.1:\d+: .*(NOAUTH|WRONGPASS|invalid)/),
        });
    } finally {
      await redis.config('SET', 'requirepass', '');
    }
  });
});
