/** The order of events that executors keep, and what becomes of whoever makes the jobs. */
import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { dispatch, fixedPlaces, type Outcome } from '../../src/distribute/dispatch.js';
import { OwnThread } from '../../src/distribute/own-thread.js';

const square = async (x: number): Promise<Outcome<number>> => ({ kind: 'result', result: x * x });

/** Jobs 0, 1, 2, … that note whether they were told that no more are wanted. */
function counting() {
  const seen = { told: false };
  async function* jobs() {
    try {
      for (let x = 0; ; x++) yield x;
    } finally {
      seen.told = true;
    }
  }
  return { seen, jobs: jobs() };
}

describe('jobs that are stopped', () => {
  it('end with the reason, tell whoever makes them, and leave nobody listening', async () => {
    const { seen, jobs } = counting();
    const stop = new AbortController();
    const results: number[] = [];
    const run = dispatch(jobs, fixedPlaces(2), square, {
      signal: stop.signal,
      onResult: (_, result) => {
        results.push(result);
        if (results.length === 5) stop.abort(new Error('enough'));
      },
      onFailure: () => {},
    });
    await expect(run).rejects.toThrow('enough');
    expect(results).toEqual([0, 1, 4, 9, 16]);
    expect(seen.told).toBe(true);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  it('leave nobody listening when all are done either, nor begin where they were stopped before', async () => {
    const stop = new AbortController();
    const results: number[] = [];
    const options = {
      signal: stop.signal,
      onResult: (_: number, result: number) => void results.push(result),
      onFailure: () => {},
    };
    await dispatch([1, 2, 3], fixedPlaces(1), square, options);
    expect(results).toEqual([1, 4, 9]);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
    stop.abort(new Error('before'));
    await expect(dispatch([4], fixedPlaces(1), square, options)).rejects.toThrow('before');
    expect(results).toEqual([1, 4, 9]);
  });
});

describe('jobs in this very thread', () => {
  const handler = (text: string) => `data:text/javascript,${encodeURIComponent(text)}`;
  const none = new AbortController().signal;
  const placeOf = (text: string, context: unknown = {}) => new OwnThread({ handler: handler(text), context } as never);
  const work = (place: OwnThread, job: unknown, signal = none) => place.run({ job, signal, onProgress() {} } as never);

  it('share what the handler opened once, and close it', async () => {
    const place = placeOf(
      'let opened = 0; export const open = async (context) => { opened++; return { handle: async (job) => [job, opened, context.log.length], close: async () => context.log.push("closed") }; };',
      { log: [] },
    );
    expect(await work(place, 7)).toEqual({ kind: 'result', result: [7, 1, 0] });
    expect(await work(place, 8)).toEqual({ kind: 'result', result: [8, 1, 0] });
    await place.close();
    expect(await work(place, 9)).toEqual({ kind: 'result', result: [9, 2, 1] });
  });

  it('fail with their own error, are stopped by their signal, and need not be closed', async () => {
    const place = placeOf('export const open = () => ({ handle: async () => { throw new TypeError("odd"); } });');
    expect(await work(place, 1)).toMatchObject({ kind: 'failure', failure: { name: 'TypeError', message: 'odd' } });
    expect(await work(place, 1, AbortSignal.abort())).toEqual({ kind: 'stopped' });
    await expect(place.close()).resolves.toBeUndefined();
    await expect(placeOf('export const open = () => ({})').close()).resolves.toBeUndefined();
  });

  it('say why the handler does not open, which is opened anew for the next job', async () => {
    const place = placeOf(`
      let times = 0;
      export const open = () => {
        if (times++ === 0) throw new Error("shut");
        return { handle: async (job) => job };
      };`);
    expect(await work(place, 1)).toEqual({ kind: 'crash', reason: 'shut' });
    expect(await work(place, 2)).toEqual({ kind: 'result', result: 2 });
  });
});
