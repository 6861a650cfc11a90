// What somebody who reaches Redis, but does not know the secret, can do to workers and coordinators: nothing but noise.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { describe, expect, it } from 'vitest';
import type { Executor, QueueExecutorOptions } from '../../src/distribute/index.js';
import { keys } from '../../src/distribute/queue/records.js';
import { queueCredentials, Signer } from '../../src/distribute/queue/secret.js';
import { hasRedis } from '../tools.js';
import { fillWithGarbage } from './garbage.js';
import { testQueue } from './queue.js';

const long = Boolean(process.env.BOWERBIRD_CASES);

/** Of a process, where the system tells. */
function peakMebibytes(pid: number): number {
  const status = existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : '';
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

const secret = 'a secret of the tests, long enough';
const hex = (digits: number) => randomBytes(digits / 2).toString('hex');

describe('signatures', () => {
  const signer = new Signer(secret);
  it('hold for one purpose, one text and one secret', () => {
    const signed = signer.sign(['run', 'a'], 'text');
    expect(signer.verify(['run', 'a'], signed)).toBe('text');
    expect(signer.verify(['run', 'b'], signed)).toBeUndefined();
    expect(signer.verify(['run', 'a'], `${signed}x`)).toBeUndefined();
    expect(signer.verify(['run', 'a'], 'text')).toBeUndefined();
    expect(new Signer('another secret of the tests').verify(['run', 'a'], signed)).toBeUndefined();
    expect(new Signer(undefined).verify(['run', 'a'], signed)).toBeUndefined();
    expect(new Signer(undefined).verify(['run', 'a'], 'text')).toBe('text');
  });

  it('use the secret and the password of the environment or of files it names', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bowerbird-secret-'));
    await writeFile(join(folder, 'secret'), `${secret}\n`);
    const environment = { BOWERBIRD_QUEUE_SECRET_FILE: join(folder, 'secret'), BOWERBIRD_QUEUE_PASSWORD: 'p' };
    expect(queueCredentials({}, environment)).toEqual({ secret, password: 'p' });
    expect(() => queueCredentials({ secret: 'short' }, {})).toThrow('5 characters');
    expect(() => queueCredentials({}, { BOWERBIRD_QUEUE_PASSWORD_FILE: join(folder, 'absent') })).toThrow('ENOENT');
    await rm(folder, { recursive: true });
  });
});

describe.skipIf(!hasRedis)('a queue that others write to (skipped where redis-server is not installed)', () => {
  const queue = testQueue({ secret });
  const { worker } = queue;
  const coordinator = (options: Partial<QueueExecutorOptions> = {}) =>
    queue.coordinator({ runId: 'honest', ...options });
  const squares = async (executor: Executor, count: number, more = {}) => {
    const results: number[] = [];
    const failures: string[] = [];
    const jobs = Array.from({ length: count }, (_, x) => ({ id: `job-${x}`, x, ...more }));
    await executor.run<{ id: string }, { square: number }>(jobs, {
      onResult: (_, { square }) => void results.push(square),
      onFailure: (_, { message }) => void failures.push(message),
    });
    return { results: results.sort((a, b) => a - b), failures };
  };
  const expected = (count: number) => Array.from({ length: count }, (_, x) => x ** 2);
  /** Announces a run as a coordinator would, unsigned unless said otherwise. */
  const announce = async (id: string, record: unknown, text = JSON.stringify(record)) => {
    await queue.redis.client.hset(keys.run(id), { record: text, state: 'open' });
    await queue.redis.client.zadd(keys.runs, 0, id);
    const forged = new Queue(id.replaceAll(':', '_'), {
      connection: { url: queue.redis.url } as never,
      prefix: keys.queuePrefix,
    });
    forged.on('error', () => {});
    await forged.add('job', { id: 'x', x: 3 });
    await forged.close();
  };
  const file = { name: 'problem.npz', hash: hex(64), bytes: 2 ** 50 };
  const record = (address: string) => ({
    ...{ handler: 'toy', context: {}, files: { problem: file }, address },
    ...{ fingerprint: hex(64), salt: hex(32) },
  });

  it('makes no worker fetch an address, and no file grow without end', async () => {
    let asked = 0;
    const target = createServer((_, response) => {
      asked++;
      response.writeHead(200);
      const send = () => response.write(Buffer.alloc(2 ** 16)) && setImmediate(send);
      response.on('drain', send);
      send();
    }).listen(0, '127.0.0.1');
    await once(target, 'listening');
    const { port } = target.address() as AddressInfo;
    await announce('forged', record(`http://127.0.0.1:${port}/${hex(48)}`));
    await announce('endless', {
      ...record(`http://127.0.0.1:${port}/${hex(48)}`),
      files: { problem: { ...file, bytes: null } },
    });
    const signed = worker();
    const unsigned = worker({ secret: undefined });
    await signed.hears(({ kind }) => kind === 'trouble');
    await unsigned.hears(({ kind }) => kind === 'trouble');
    await sleep(1000);
    expect(await readdir(queue.cache)).toEqual([]);
    expect([signed, unsigned].map(({ child }) => child.exitCode)).toEqual([null, null]);
    // Without a secret, on one machine, the coordinator may be asked; a file of a petabyte it may not send.
    expect(asked).toBe(0);
    expect(JSON.stringify(signed.events)).toContain('not signed with the secret');
    target.closeAllConnections();
    target.close();
  });

  it('ends no worker and stops no run, whatever lies in it', async () => {
    const crew = [worker({ places: 2 }), worker()];
    const stop = new AbortController();
    const garbage = fillWithGarbage(queue.redis.url, stop.signal, ['honest']);
    const end = Date.now() + (long ? 60_000 : 0);
    let honest = 0;
    try {
      do {
        const executor = await coordinator();
        const { results, failures } = await squares(executor, 30, { wait: 50 });
        expect(failures).toEqual([]);
        expect(results).toEqual(expected(30));
        await executor.close();
        honest++;
      } while (Date.now() < end);
    } finally {
      stop.abort();
    }
    const commands = await garbage;
    expect(crew.map(({ child }) => child.exitCode)).toEqual([null, null]);
    const peaks = crew.map(({ child }) => peakMebibytes(child.pid as number));
    for (const peak of peaks) expect(peak).toBeLessThan(500);
    if (long)
      writeSync(
        2,
        `garbage: ${commands} commands, ${honest} honest runs of 30 jobs, peaks ${peaks.join(' and ')} MiB\n`,
      );
  });

  it('cannot pass off answers: those that no worker signed are thrown away', async () => {
    const executor = await coordinator();
    const running = squares(executor, 5, { wait: 10 });
    const forger = worker({ secret: undefined });
    await sleep(1000);
    worker();
    expect((await running).results).toEqual(expected(5));
    expect(JSON.stringify(forger.events)).toContain('no secret is known here');
  });

  it('does not show the files on their way', async () => {
    const path = join(queue.cache, 'problem.txt');
    await writeFile(path, 'the problem '.repeat(1000));
    const reader = worker({ cache: join(queue.cache, 'fetched') });
    const executor = await coordinator({ files: { problem: path } });
    const running = squares(executor, 1);
    await reader.hears(({ kind }) => kind === 'file');
    const text = (await queue.redis.client.hget(keys.run('honest'), 'record')) as string;
    const published = JSON.parse(text.slice(text.indexOf('{')));
    const sent = await (await fetch(`${published.address}/${published.files.problem.hash}`)).text();
    expect(sent).not.toContain('the problem');
    expect(reader.events.find(({ kind }) => kind === 'file')?.text).toBe('the problem '.repeat(1000));
    await running;
  });
});
