/** A thread of the pool: opens the handler once, then runs one job after another. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { JobHandlerModule } from './executor.js';
import { failureOf } from './failure.js';
import type { FromThread, ThreadStart, ToThread } from './thread-messages.js';

const port = parentPort as MessagePort;
const { handler, context } = workerData as ThreadStart;
const say = (message: FromThread) => port.postMessage(message);

try {
  const module = (await import(handler)) as JobHandlerModule<unknown, unknown, unknown>;
  const opened = await module.open(context);
  let abort = new AbortController();
  port.on('message', async (message: ToThread) => {
    if (message.kind === 'abort') abort.abort();
    if (message.kind === 'close') {
      await opened.close?.();
      port.close();
    }
    if (message.kind === 'job') {
      abort = new AbortController();
      try {
        const result = await opened.handle(message.job, {
          signal: abort.signal,
          onProgress: (progress) => say({ kind: 'progress', progress }),
        });
        say({ kind: 'result', result });
      } catch (error) {
        say({ kind: 'failure', failure: failureOf(error) });
      }
    }
  });
  say({ kind: 'ready' });
} catch (error) {
  say({ kind: 'unusable', failure: failureOf(error) });
}
