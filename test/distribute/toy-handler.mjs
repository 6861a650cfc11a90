// A handler whose jobs do as they are told: square, count in shared memory, wait, fail, crash, report.
import { setTimeout as sleep } from 'node:timers/promises';
import { threadId } from 'node:worker_threads';

export async function open(context) {
  if (context.broken)
    throw Object.assign(new Error('the context is broken'), { code: 'BOWERBIRD_TOY', hint: 'Mend it.' });
  const counters = context.counters && new Int32Array(context.counters);
  let handled = 0;
  return {
    async handle(job, { signal, onProgress }) {
      handled++;
      if (counters) Atomics.add(counters, 0, 1);
      if (job.wait) await sleep(job.wait, undefined, { signal });
      if (job.progress) for (let done = 1; done <= job.progress; done++) onProgress({ done, total: job.progress });
      if (job.fail) throw Object.assign(new Error(job.fail), { code: 'BOWERBIRD_TOY', hint: 'Try another.' });
      if (job.spin) for (;;);
      if (job.exit !== undefined) process.exit(job.exit);
      if (job.crashes !== undefined && Atomics.add(counters, 1, 1) < job.crashes)
        setImmediate(() => {
          throw new Error('out of nowhere');
        });
      if (job.crashes !== undefined) await sleep(50);
      return { square: job.x ** 2, thread: threadId, handled };
    },
    async close() {
      if (counters) Atomics.add(counters, 2, 1);
    },
  };
}
