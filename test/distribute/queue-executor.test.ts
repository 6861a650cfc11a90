import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Executor, JobFailure, QueueStatus } from '../../src/distribute/index.js';
import { hasRedis } from '../tools.js';
import { testQueue } from './queue.js';

interface Job {
  id: string;
  x?: number;
  wait?: number;
  fail?: string;
  exit?: number;
  progress?: number;
}
interface Result {
  square: number;
}

const numbered = (count: number, more: Partial<Job> = {}): Job[] =>
  Array.from({ length: count }, (_, x) => ({ id: `set/job-${x}`, x, ...more }));

describe.skipIf(!hasRedis)('the queue executor (skipped where redis-server is not installed)', () => {
  const queue = testQueue();
  const { worker, coordinator } = queue;
  /** Runs the jobs and lists every delivery, so that one made twice would show. */
  const collect = async (executor: Executor, jobs: Iterable<Job> | AsyncIterable<Job>, signal?: AbortSignal) => {
    const results: [string, number][] = [];
    const failures: [string, JobFailure][] = [];
    await executor.run<Job, Result>(jobs, {
      signal,
      onResult: ({ id }, { square }) => void results.push([id, square]),
      onFailure: ({ id }, failure) => void failures.push([id, failure]),
    });
    return { results: results.sort(), failures };
  };
  const squares = (jobs: Job[]) => jobs.map(({ id, x }) => [id, x! ** 2]).sort();

  it('loses nothing and counts nothing twice when a worker is killed in the middle', async () => {
    const crew = [worker({ places: 2 }), worker(), worker()];
    const executor = await coordinator();
    const jobs = numbered(40, { wait: 100 });
    const running = collect(executor, jobs);
    await crew[0].hears(({ kind }) => kind === 'job');
    await crew[0].kill('SIGKILL');
    const { results, failures } = await running;
    expect(failures).toEqual([]);
    expect(results).toEqual(squares(jobs));
    for (const survivor of crew.slice(1))
      expect(survivor.events.filter(({ kind }) => kind === 'job').length).toBeGreaterThan(0);
  });

  it('lets a worker that is told to stop give its jobs back at once', async () => {
    const leaving = worker();
    const executor = await coordinator();
    const running = collect(executor, numbered(3, { wait: 800 }));
    await leaving.hears(({ kind }) => kind === 'attached');
    await new Promise((resolve) => setTimeout(resolve, 300));
    const begun = performance.now();
    await leaving.kill('SIGTERM');
    expect(performance.now() - begun).toBeLessThan(10_000);
    worker();
    expect((await running).results).toEqual(squares(numbered(3)));
  });

  it('delivers errors of jobs once, and gives up a job that kills its threads', async () => {
    worker();
    const { results, failures } = await collect(await coordinator({ attempts: 2 }), [
      { id: 'bad', fail: 'no such number' },
      { id: 'deadly', exit: 3 },
      { id: 'good', x: 7 },
    ]);
    expect(results).toEqual([['good', 49]]);
    expect(Object.fromEntries(failures)).toMatchObject({
      bad: { code: 'BOWERBIRD_TOY', message: 'no such number', hint: 'Try another.' },
      deadly: {
        code: 'BOWERBIRD_WORKER_LOST',
        message: expect.stringContaining('exit code 3'),
        hint: expect.stringContaining('Memory'),
      },
    });
  });

  it('passes progress on and counts workers and jobs', async () => {
    worker({ places: 2 });
    const seen: QueueStatus[] = [];
    const executor = await coordinator({ onStatus: (status) => seen.push(status) });
    const heard: number[] = [];
    // Both ends report once a second: jobs last long enough that two reports of a slow machine fall within them.
    await executor.run<Job, Result>(numbered(4, { wait: 3000, progress: 2 }), {
      onResult: () => {},
      onFailure: ({ id }) => expect.fail(id),
      onProgress: (_, { done }) => heard.push(done),
    });
    expect(heard.length).toBeGreaterThan(0);
    const busy = seen.find(({ running }) => running === 2);
    expect(busy).toMatchObject({ workers: 1, places: 2, queued: 0, troubles: [] });
    expect(executor.width).toBe(2);
  });

  it('cancels: workers stop what they do within seconds and are free for another run', async () => {
    const crew = worker();
    const abort = new AbortController();
    const executor = await coordinator({ runId: 'cancelled' });
    const running = collect(executor, numbered(4, { wait: 60_000 }), abort.signal);
    await crew.hears(({ kind }) => kind === 'attached');
    abort.abort(new Error('enough'));
    const begun = performance.now();
    await expect(running).rejects.toThrow('enough');
    await crew.hears(({ kind, run }) => kind === 'detached' && run === 'cancelled');
    expect(performance.now() - begun).toBeLessThan(15_000);
    expect((await collect(await coordinator(), numbered(2))).results).toEqual(squares(numbered(2)));
  });

  it('lets a second coordinator with the same id go on where the first one died', async () => {
    const crew = worker();
    const first = await coordinator({ runId: 'shared' });
    const delivered: string[] = [];
    const jobs = numbered(5, { wait: 50 });
    await expect(
      first.run<Job, Result>(jobs, {
        // Dies with an answer in hand that is not written down: the queue must still have it.
        onResult: ({ id }) => {
          if (delivered.length === 2) throw new Error('died');
          delivered.push(id);
        },
        onFailure: () => {},
      }),
    ).rejects.toThrow('died');
    await first.close();
    await crew.hears(({ kind }) => kind === 'detached');
    const before = crew.events.filter(({ kind }) => kind === 'job').length;
    const second = await coordinator({ runId: 'shared' });
    const rest = jobs.filter(({ id }) => !delivered.includes(id));
    expect((await collect(second, rest)).results).toEqual(squares(rest));
    const after = crew.events.filter(({ kind }) => kind === 'job').length;
    expect(before).toBeGreaterThanOrEqual(3);
    expect(after).toBe(5);
    await expect(coordinator({ runId: 'shared', context: { other: true } })).rejects.toThrow(
      'has a coordinator already',
    );
    await second.close();
    expect(await queue.redis.client.keys('*shared*')).toEqual([]);
  });

  it('gives way when another coordinator has taken its run over', async () => {
    worker();
    const executor = await coordinator({ runId: 'taken' });
    const running = collect(executor, numbered(3, { wait: 20_000 }));
    const expected = expect(running).rejects.toThrow('another coordinator has taken over run "taken"');
    await queue.redis.client.set('bowerbird:run:taken:coordinator', 'somebody else');
    await expected;
    // It is the other's to go on with.
    expect(await queue.redis.client.hget('bowerbird:run:taken', 'state')).toBe('open');
  });

  it('survives a queue that is killed and comes back without its data', async () => {
    worker();
    const executor = await coordinator();
    const jobs = numbered(12, { wait: 100 });
    let done = 0;
    const results: string[] = [];
    await executor.run<Job, Result>(jobs, {
      onResult: async ({ id }) => {
        results.push(id);
        if (++done === 4) await queue.redis.restart();
      },
      onFailure: ({ id }) => expect.fail(id),
    });
    expect(results.sort()).toEqual(jobs.map(({ id }) => id).sort());
  });

  it('stops when told to, coordinator and worker, though the queue does not answer', async () => {
    const crew = worker();
    const abort = new AbortController();
    const executor = await coordinator();
    const running = collect(executor, numbered(4, { wait: 60_000 }), abort.signal);
    await crew.hears(({ kind }) => kind === 'attached');
    queue.redis.freeze(true);
    try {
      const begun = performance.now();
      abort.abort(new Error('enough'));
      await expect(running).rejects.toThrow('enough');
      await Promise.all([executor.close(), crew.kill('SIGTERM')]);
      expect(performance.now() - begun).toBeLessThan(15_000);
      expect(crew.child.exitCode).toBe(0);
    } finally {
      queue.redis.freeze(false);
    }
  });

  it('refuses an id that belongs to another run, and addresses without a queue', async () => {
    const first = await coordinator({ runId: 'taken' });
    const abort = new AbortController();
    const stopped = collect(first, numbered(1), abort.signal);
    abort.abort(new Error('enough'));
    await expect(stopped).rejects.toThrow('enough');
    await first.close();
    await expect(coordinator({ runId: 'taken', context: { other: true } })).rejects.toThrow('another problem');
    await expect(coordinator({ url: 'redis://127.0.0.1:1' })).rejects.toMatchObject({ code: 'BOWERBIRD_QUEUE' });
    await expect(coordinator({ url: 'http://user:secret@host' })).rejects.toMatchObject({
      code: 'BOWERBIRD_ARGUMENT',
      message: expect.not.stringContaining('secret'),
    });
    await expect(coordinator({ runId: '../x' })).rejects.toThrow('run id');
  });

  it('brings files to workers over HTTP, checked and kept, or finds them in a shared folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bowerbird-files-'));
    const path = join(folder, 'problem.txt');
    await writeFile(path, 'the problem');
    const hash = createHash('sha256').update('the problem').digest('hex');
    const fetching = worker();
    await collect(await coordinator({ files: { problem: path } }), numbered(1));
    expect(fetching.events).toContainEqual({
      kind: 'file',
      name: 'problem',
      path: join(queue.cache, `${hash}.txt`),
      text: 'the problem',
    });
    await fetching.kill('SIGTERM');
    expect(await readdir(queue.cache)).toEqual([`${hash}.txt`]);

    const sharing = worker({ folder });
    await collect(await coordinator({ files: { problem: path } }), numbered(1));
    expect(sharing.events).toContainEqual({ kind: 'file', name: 'problem', path, text: 'the problem' });
    await rm(folder, { recursive: true });
  });

  it('does not work on a file with other contents than announced, and says so to the coordinator', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bowerbird-files-'));
    const path = join(folder, 'changed.txt');
    await mkdir(join(folder, 'elsewhere'));
    await writeFile(path, 'before');
    const troubles = new Set<string>();
    const executor = await coordinator({
      files: { problem: path },
      onStatus: (status) => status.troubles.map((trouble) => troubles.add(trouble)),
    });
    await writeFile(path, 'behind');
    const crew = worker({ folder });
    const abort = new AbortController();
    const running = collect(executor, numbered(1), abort.signal);
    await crew.hears(({ kind }) => kind === 'trouble');
    await expect.poll(() => [...troubles].join(), { timeout: 5000 }).toContain('SHA-256');
    abort.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    expect(crew.events.some(({ kind }) => kind === 'job')).toBe(false);
    await rm(folder, { recursive: true });
  });

  it('knows handlers by name only', async () => {
    const crew = worker();
    const executor = await coordinator({ handler: 'file:///tmp/evil.mjs' });
    const abort = new AbortController();
    const running = collect(executor, numbered(1), abort.signal);
    await crew.hears(({ kind, message }) => kind === 'trouble' && String(message).includes('knows no handler'));
    abort.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
  });

  it('serves the runs of several coordinators', async () => {
    worker();
    const [a, b] = [await coordinator(), await coordinator()];
    const both = await Promise.all([collect(a, numbered(4)), collect(b, numbered(3))]);
    expect(both.map(({ results }) => results)).toEqual([squares(numbered(4)), squares(numbered(3))]);
  });

  it('ends a worker that has had nothing to do for long enough', async () => {
    const crew = worker({ idleExitMs: 500 });
    await crew.hears(({ kind }) => kind === 'ended');
  });
});
