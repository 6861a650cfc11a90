/** A session of questions on a thread of its own, so that whoever answers never waits for a refit. */
import { parentPort, workerData } from 'node:worker_threads';
import { BowerbirdError } from '../errors.js';
import { openWorkspace } from '../workspace/index.js';
import { AskSession, type SessionOptions } from './session.js';
import type { FromAskThread, ToAskThread } from './thread-messages.js';

const { folder, count, ...options } = workerData as { folder: string; count: number } & Pick<
  SessionOptions,
  'by' | 'check' | 'repeat'
>;
const say = (message: FromAskThread) => parentPort!.postMessage(message);

async function look(session: AskSession): Promise<void> {
  await session.refit();
  say({
    kind: 'looked',
    questions: await session.questions(count),
    standing: session.standing(),
    names: session.names,
  });
}

function fail(error: unknown): void {
  const { message, code, hint } = error as BowerbirdError;
  say({ kind: 'failed', message, ...(error instanceof BowerbirdError && { code, hint }) });
}

try {
  const onProgress: SessionOptions['onProgress'] = (progress) => say({ kind: 'progress', progress });
  const session = await AskSession.open(await openWorkspace(folder), { ...options, onProgress });
  await look(session);
  let [busy, again] = [false, false];
  parentPort!.on('message', async (message: ToAskThread) => {
    if (message.kind === 'close') {
      session.close();
      parentPort!.close();
      return;
    }
    // Answers that come in while one is taken up are taken up together.
    again = true;
    if (busy) return;
    busy = true;
    try {
      while (again) {
        again = false;
        await look(session);
      }
    } catch (error) {
      fail(error);
    } finally {
      busy = false;
    }
  });
} catch (error) {
  fail(error);
}
