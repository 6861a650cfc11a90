/** The small parts of running jobs elsewhere: failures as values, patience, names, secrets, files, places. */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dispatch, type Outcome, Turn } from '../../src/distribute/dispatch.js';
import { errorOf, failureOf } from '../../src/distribute/failure.js';
import { createThreadExecutor } from '../../src/distribute/index.js';
import { connect, safeAddress } from '../../src/distribute/queue/connect.js';
import { serveFiles } from '../../src/distribute/queue/file-server.js';
import { obtainFile } from '../../src/distribute/queue/files.js';
import { atMost, unlessAborted } from '../../src/distribute/queue/patience.js';
import { keys } from '../../src/distribute/queue/records.js';
import { queueCredentials, Signer } from '../../src/distribute/queue/secret.js';
import { BowerbirdError } from '../../src/errors.js';

describe('failures', () => {
  it('say name, code, message and hint of an error, as far as it has them', () => {
    const ours = new BowerbirdError('BOWERBIRD_TOY', 'broken', { hint: 'Mend it.' });
    expect(failureOf(ours)).toEqual({ name: ours.name, code: 'BOWERBIRD_TOY', message: 'broken', hint: 'Mend it.' });
    expect(failureOf(new TypeError('odd'))).toEqual({ name: 'TypeError', message: 'odd' });
    expect(failureOf(Object.assign(new Error('x'), { code: 7, hint: {} }))).toEqual({ name: 'Error', message: 'x' });
    expect(failureOf('just a word')).toEqual({ name: 'Error', message: 'just a word' });
  });

  it('become errors again, ours as they were', () => {
    const ours = errorOf({ name: 'ToyError', code: 'BOWERBIRD_TOY', message: 'broken', hint: 'Mend it.' });
    expect(ours).toBeInstanceOf(BowerbirdError);
    expect(ours).toMatchObject({ name: 'ToyError', code: 'BOWERBIRD_TOY', message: 'broken', hint: 'Mend it.' });
    for (const code of [undefined, 'ENOENT'])
      expect(errorOf({ name: 'Error', code, message: 'odd' })).toMatchObject({
        ...{ name: 'Error', code: 'BOWERBIRD_WORKER', message: 'a worker could not start: Error: odd' },
      });
  });
});

describe('patience', () => {
  const never = new Promise<never>(() => {});

  it('ends with the reason of the signal, before or while it waits', async () => {
    await expect(unlessAborted(never, AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
    const stop = new AbortController();
    const waiting = unlessAborted(never, stop.signal);
    stop.abort(new Error('while'));
    await expect(waiting).rejects.toThrow('while');
  });

  it('gives what comes in time, errors as well', async () => {
    const { signal } = new AbortController();
    expect(await unlessAborted(Promise.resolve(3), signal)).toBe(3);
    await expect(unlessAborted(Promise.reject(new Error('own')), signal)).rejects.toThrow('own');
  });

  it('waits for all that is good to have, whatever comes of it, but not for ever', async () => {
    let done = 0;
    const work = async () => {
      await null;
      done++;
    };
    await atMost(60_000, work(), Promise.reject(new Error('no matter')), work());
    expect(done).toBe(2);
    await atMost(1, never);
  });
});

describe('an address of a queue', () => {
  it('is told without its password', () => {
    expect(safeAddress('rediss://ada:secret@host:6380/2')).toBe('rediss://host:6380/2');
  });

  it('has the protocol of Redis', async () => {
    for (const url of ['nonsense', 'http://host:6379'])
      await expect(connect(url)).rejects.toMatchObject({
        name: 'ArgumentError',
        message: `the queue's address is "${url === 'nonsense' ? url : 'http://host:6379/'}"`,
      });
  });
});

describe('keys in the queue', () => {
  it('are told apart by what they are of', () => {
    const all = [
      ...[keys.runs, keys.workers, keys.queuePrefix, keys.run('x'), keys.coordinator('x'), keys.worker('x')],
      ...[keys.limits('x'), keys.limit('x', 'h'), keys.leases('x', 'h'), keys.contents('x', 'j'), keys.run('y')],
    ];
    expect(new Set(all).size).toBe(all.length);
    for (const key of all) expect(key).toMatch(/^bowerbird:/);
  });
});

describe('secrets', () => {
  it('are long enough, those given before those of the environment', () => {
    const environment = { BOWERBIRD_QUEUE_SECRET: 'e'.repeat(16), BOWERBIRD_QUEUE_PASSWORD: '' };
    expect(queueCredentials({}, environment)).toEqual({ secret: 'e'.repeat(16), password: undefined });
    expect(queueCredentials({ secret: 'g'.repeat(20), password: 'p' }, environment)).toEqual({
      ...{ secret: 'g'.repeat(20), password: 'p' },
    });
    expect(() => queueCredentials({ secret: 'x'.repeat(15) }, {})).toThrow('15 characters');
    expect(() => queueCredentials({}, { BOWERBIRD_QUEUE_SECRET_FILE: '/no/such/file' })).toThrow('SECRET_FILE');
    expect(queueCredentials({}, {})).toEqual({ secret: undefined, password: undefined });
  });

  it('sign for one purpose, and none are needed where there is none', () => {
    const [signer, plain] = [new Signer('s'.repeat(16)), new Signer(undefined)];
    expect([signer.signs, plain.signs]).toEqual([true, false]);
    const signed = signer.sign(['run', 'a'], 'text');
    expect(signed).toMatch(/^signed\.[0-9a-f]{64}\.text$/);
    expect(signer.verify(['run', 'a'], signed)).toBe('text');
    expect(signer.verify(['run', 'b'], signed)).toBeUndefined();
    expect(signer.verify(['run', 'a'], 'text')).toBeUndefined();
    expect(plain.sign(['run'], 'text')).toBe('text');
    expect(plain.verify(['run'], 'text')).toBe('text');
    expect(plain.verify(['run', 'a'], signed)).toBeUndefined();
  });

  it('make another key of files of each salt', () => {
    const [signer, other, plain] = [new Signer('s'.repeat(16)), new Signer('t'.repeat(16)), new Signer(undefined)];
    const salts = ['00'.repeat(16), '01'.repeat(16)];
    const made = [signer, other, plain].flatMap((one) => salts.map((salt) => one.fileKey(salt).toString('hex')));
    expect(new Set(made).size).toBe(6);
    expect(made.every((key) => key.length === 64)).toBe(true);
    expect(new Signer('s'.repeat(16)).fileKey(salts[0])).toEqual(signer.fileKey(salts[0]));
  });
});

describe('files on a worker', () => {
  let folder: string;
  let cache: string;
  const contents = 'contents of a file';
  const hash = createHash('sha256').update(contents).digest('hex');
  const record = { name: 'problem.npz', hash, bytes: contents.length };
  const key = randomBytes(32);
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bowerbird-parts-'));
    cache = join(folder, 'cache');
    await mkdir(cache);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const obtain = (more: object = {}) => obtainFile(record, { cache, ...more });

  it('are looked for by name and by hash in the shared folder, then in the cache', async () => {
    await expect(obtain()).rejects.toMatchObject({
      code: 'BOWERBIRD_QUEUE',
      message: 'problem.npz is not on this machine',
    });
    await writeFile(join(cache, `${hash}.npz`), contents);
    expect(await obtain()).toBe(join(cache, `${hash}.npz`));
    await writeFile(join(folder, `${hash}.npz`), contents);
    expect(await obtain({ folder })).toBe(join(folder, `${hash}.npz`));
    await writeFile(join(folder, 'problem.npz'), contents);
    expect(await obtain({ folder })).toBe(join(folder, 'problem.npz'));
  });

  it('of the name with other contents are not taken, and named', async () => {
    for (const other of ['contents of a fill', 'shorter']) {
      await writeFile(join(folder, 'problem.npz'), other);
      await expect(obtain({ folder })).rejects.toThrow(`other contents: ${join(folder, 'problem.npz')}`);
    }
    await expect(obtainFile({ ...record, hash: 'f' }, { cache })).rejects.toThrow('"f" is no SHA-256');
  });

  it('are fetched whole or not at all', async () => {
    const source = join(folder, 'source.npz');
    await writeFile(source, contents);
    const server = await serveFiles(new Map([[hash, source]]), '127.0.0.1', key);
    try {
      const { address } = server;
      expect(await obtain({ address, key })).toBe(join(cache, `${hash}.npz`));
      await rm(join(cache, `${hash}.npz`));
      for (const [about, places] of [
        [
          { ...record, bytes: 5 },
          { cache, address, key },
        ],
        [record, { cache, address, key: randomBytes(32) }],
        [record, { cache, address: `${address}x`, key }],
        [
          { ...record, bytes: Number.MAX_SAFE_INTEGER },
          { cache, address, key },
        ],
      ] as const)
        await expect(obtainFile(about, places)).rejects.toMatchObject({ code: 'BOWERBIRD_QUEUE' });
      await expect(obtain({ address, key, signal: AbortSignal.abort(new Error('stop')) })).rejects.toThrow('stop');
      expect(await readdir(cache)).toEqual([]);
      await rm(source);
      await expect(obtain({ address, key })).rejects.toThrow('answered 404');
    } finally {
      await server.close();
    }
    await expect(fetch(server.address)).rejects.toThrow();
  });

  it('are fetched from the coordinator itself: nobody is followed elsewhere', async () => {
    let asked = 0;
    const server = createServer((request, response) => {
      asked++;
      if (request.url === '/elsewhere') response.end('x');
      else response.writeHead(302, { location: '/elsewhere' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(obtain({ address, key })).rejects.toThrow('could not be fetched');
    server.close();
    expect(asked).toBe(1);
    expect(existsSync(join(cache, `${hash}.npz`))).toBe(false);
  });
});

describe('places', () => {
  it('that come while jobs wait are used, and results come in the order they are ready', async () => {
    let count = 0;
    let open = () => {};
    const changed = () => new Promise<void>((resolve) => (open = resolve));
    let [running, most] = [0, 0];
    const perform = async (job: number): Promise<Outcome<number>> => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 5 * (4 - job)));
      running--;
      return job === 2 ? { kind: 'failure', failure: { name: 'E', message: 'two' } } : { kind: 'result', result: job };
    };
    const told: unknown[] = [];
    const run = dispatch([1, 2, 3], { count: () => count, changed }, perform, {
      onResult: (_, result) => void told.push(result),
      onFailure: (job, { message }) => void told.push([job, message]),
    });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(most).toBe(0);
    count = 3;
    open();
    await run;
    expect(most).toBe(3);
    expect(told).toEqual([3, [2, 'two'], 1]);
  });

  it('are as many as there are processors, or a whole number of at least one', async () => {
    const handler = new URL('./toy-handler.mjs', import.meta.url);
    expect(createThreadExecutor({ handler, context: {} }).width).toBe(availableParallelism());
    expect(createThreadExecutor({ handler, context: {}, width: 1 }).width).toBe(1);
    for (const width of [0, -1, 1.5, Number.NaN])
      expect(() => createThreadExecutor({ handler, context: {}, width })).toThrow(`width is ${width}`);
  });

  it('keep a thread whose job hears that it shall stop', async () => {
    const handler = new URL('./toy-handler.mjs', import.meta.url);
    // Nobody would wait a minute for a thread that does not hear.
    await using executor = createThreadExecutor({ handler, context: {}, width: 1, graceMs: 60_000 });
    const stop = new AbortController();
    const waiting = executor.run([{ id: 'a', wait: 50_000, progress: 1 }], {
      ...{ signal: stop.signal, onResult: () => {}, onFailure: () => {} },
    });
    setTimeout(() => stop.abort(new Error('enough')), 100);
    await expect(waiting).rejects.toThrow('enough');
    const handled: number[] = [];
    await executor.run<{ id: string; x: number }, { handled: number }>([{ id: 'b', x: 3 }], {
      ...{ onResult: (_, result) => void handled.push(result.handled), onFailure: () => {} },
    });
    expect(handled[0]).toBeGreaterThan(0);
  }, 20_000);

  it('are given to one run at a time', () => {
    const turn = new Turn();
    const giveBack = turn.take();
    expect(() => turn.take()).toThrow('running jobs already');
    giveBack();
    turn.take();
  });
});
