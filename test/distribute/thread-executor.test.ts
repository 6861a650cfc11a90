import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createThreadExecutor, type Executor, type JobFailure } from '../../src/distribute/index.js';

interface Job {
  id: string;
  x?: number;
  wait?: number;
  progress?: number;
  fail?: string;
  spin?: boolean;
  exit?: number;
  crashes?: number;
}
interface Result {
  square: number;
  thread: number;
  handled: number;
}

const handler = new URL('./toy-handler.mjs', import.meta.url);
const opened: Executor[] = [];

function executorOf(context: unknown = {}, width = 2, graceMs = 200): Executor {
  const executor = createThreadExecutor({ handler, context, width, graceMs });
  opened.push(executor);
  return executor;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((executor) => executor.close()));
});

/** Runs the jobs and collects what came of each. */
async function collect(executor: Executor, jobs: Iterable<Job> | AsyncIterable<Job>, signal?: AbortSignal) {
  const results = new Map<string, Result>();
  const failures = new Map<string, JobFailure>();
  await executor.run<Job, Result>(jobs, {
    signal,
    onResult: (job, result) => void results.set(job.id, result),
    onFailure: (job, failure) => void failures.set(job.id, failure),
  });
  return { results, failures };
}

const numbered = (count: number, more: Partial<Job> = {}): Job[] =>
  Array.from({ length: count }, (_, x) => ({ id: `job-${x}`, x, ...more }));

describe('the thread executor', () => {
  it('gives every job its own result, on as many threads as it has places', async () => {
    const { results } = await collect(executorOf({}, 2), numbered(20, { wait: 5 }));
    expect([...results].map(([id, { square }]) => [id, square]).sort()).toEqual(
      numbered(20)
        .map(({ id, x }) => [id, x! ** 2])
        .sort(),
    );
    expect(new Set([...results.values()].map(({ thread }) => thread)).size).toBe(2);
  });

  it('opens the handler once in a thread, keeps it for later runs and closes it at the end', async () => {
    const counters = new SharedArrayBuffer(12);
    const executor = executorOf({ counters }, 1);
    await collect(executor, numbered(3));
    const { results } = await collect(executor, numbered(2));
    expect([...results.values()].map(({ handled }) => handled)).toEqual([4, 5]);
    await executor.close();
    expect(new Int32Array(counters)[2]).toBe(1);
  });

  it('shares the buffers of the context instead of copying them', async () => {
    const counters = new SharedArrayBuffer(12);
    await collect(executorOf({ counters }, 2), numbered(10));
    expect(new Int32Array(counters)[0]).toBe(10);
  });

  it('takes a job from the iterable only when a place is free, so that it can decide by earlier results', async () => {
    const executor = executorOf({}, 2);
    let finished = 0;
    const seen: number[] = [];
    async function* jobs() {
      for (const job of numbered(8, { wait: 10 })) {
        seen.push(finished);
        yield job;
      }
    }
    await executor.run<Job, Result>(jobs(), {
      onResult: () => void finished++,
      onFailure: ({ id }) => expect.fail(id),
    });
    expect(seen).toHaveLength(8);
    seen.forEach((done, taken) => {
      expect(taken - done).toBeLessThan(2);
    });
  });

  it('lets jobs wait for results: a second round may depend on the whole first', async () => {
    const executor = executorOf({}, 2);
    let firstRound = 0;
    let release = () => {};
    const decided = new Promise<void>((resolve) => {
      release = resolve;
    });
    async function* jobs() {
      yield* numbered(3);
      await decided;
      yield { id: 'second', x: firstRound };
    }
    const squares: number[] = [];
    await executor.run<Job, Result>(jobs(), {
      onResult: (_, { square }) => {
        squares.push(square);
        if (++firstRound === 3) release();
      },
      onFailure: ({ id }) => expect.fail(id),
    });
    expect(squares[3]).toBe(9);
  });

  it('delivers one result at a time', async () => {
    let inside = 0;
    let most = 0;
    await executorOf({}, 3).run<Job, Result>(numbered(9), {
      onResult: async () => {
        most = Math.max(most, ++inside);
        await sleep(3);
        inside--;
      },
      onFailure: ({ id }) => expect.fail(id),
    });
    expect(most).toBe(1);
  });

  it("reports a job's own error once, with code and hint, and goes on", async () => {
    const { results, failures } = await collect(executorOf({}, 1), [
      { id: 'bad', fail: 'no such number' },
      { id: 'good', x: 2 },
    ]);
    expect(failures.get('bad')).toEqual({
      name: 'Error',
      code: 'BOWERBIRD_TOY',
      message: 'no such number',
      hint: 'Try another.',
    });
    expect(results.get('good')?.square).toBe(4);
  });

  it('passes progress on', async () => {
    const heard: string[] = [];
    await executorOf({}, 1).run<Job, Result>([{ id: 'slow', x: 1, progress: 3 }], {
      onResult: () => {},
      onFailure: ({ id }) => expect.fail(id),
      onProgress: ({ id }, { done, total }) => heard.push(`${id} ${done}/${total}`),
    });
    expect(heard).toEqual(['slow 1/3', 'slow 2/3', 'slow 3/3']);
  });

  it('replaces a thread that died and runs its job once more', async () => {
    const counters = new SharedArrayBuffer(12);
    const { results, failures } = await collect(executorOf({ counters }, 2), [
      { id: 'crashing', x: 5, crashes: 1 },
      ...numbered(4),
    ]);
    expect(failures.size).toBe(0);
    expect(results.get('crashing')?.square).toBe(25);
    expect(new Int32Array(counters)[0]).toBe(6);
  });

  it('gives a job up after its second crash, naming the reason, and finishes the others', async () => {
    const { results, failures } = await collect(executorOf({}, 2), [{ id: 'exiting', exit: 7 }, ...numbered(5)]);
    expect(results.size).toBe(5);
    expect(failures.get('exiting')).toMatchObject({ code: 'BOWERBIRD_WORKER_LOST' });
    expect(failures.get('exiting')?.message).toBe('the thread of job exiting died 2 times: it ended with exit code 7');
  });

  it('stops waiting and computing jobs when aborted and rejects with the reason', async () => {
    for (const more of [{ wait: 60_000 }, { spin: true }]) {
      const executor = executorOf({}, 2);
      const abort = new AbortController();
      const begun = performance.now();
      setTimeout(() => abort.abort(new Error('enough')), 150);
      await expect(collect(executor, numbered(5, more), abort.signal)).rejects.toThrow('enough');
      expect(performance.now() - begun).toBeLessThan(30_000);
      expect((await collect(executor, numbered(2))).results.size).toBe(2);
    }
  });

  it('does not wait for an iterable that has nothing to give yet', async () => {
    const abort = new AbortController();
    setTimeout(() => abort.abort(new Error('enough')), 50);
    async function* never(): AsyncGenerator<Job> {
      await new Promise(() => {});
    }
    await expect(collect(executorOf(), never(), abort.signal)).rejects.toThrow('enough');
  });

  it('rejects with the error of whoever makes the jobs or takes the results', async () => {
    function* jobs(): Generator<Job> {
      yield { id: 'one', x: 1 };
      throw new Error('no more ideas');
    }
    await expect(collect(executorOf(), jobs())).rejects.toThrow('no more ideas');
    const taking = executorOf().run<Job, Result>(numbered(3), {
      onResult: () => Promise.reject(new Error('disk full')),
      onFailure: () => {},
    });
    await expect(taking).rejects.toThrow('disk full');
  });

  it('rejects with the error of a handler that cannot open', async () => {
    await expect(collect(executorOf({ broken: true }), numbered(2))).rejects.toMatchObject({
      code: 'BOWERBIRD_TOY',
      message: 'the context is broken',
      hint: 'Mend it.',
    });
    const absent = createThreadExecutor({ handler: new URL('./absent.mjs', import.meta.url), context: {}, width: 1 });
    await expect(collect(absent, numbered(1))).rejects.toThrow('a worker could not start');
  });

  it('refuses a second run while one is going on', async () => {
    const executor = executorOf({}, 1);
    const first = collect(executor, numbered(1, { wait: 50 }));
    await expect(collect(executor, numbered(1))).rejects.toMatchObject({ code: 'BOWERBIRD_ARGUMENT' });
    await first;
  });
});
