/**
 * The program of a decoding process: one picture at a time, until the process that started it goes away. Decoders are C
 * code that may hang, crash or fill the memory; here that costs one picture and nothing else.
 */
import { writeAnswer } from './answer-file.js';
import { PictureError } from './errors.js';
import { perform } from './perform.js';
import type { TaskReply, TaskRequest } from './task.js';

/** How often memory is looked at while a picture is decoded. */
const watchMs = 20;

const nothing = new Uint8Array(0);

/** Not `process.exit`, which waits for the threads a decoder may hang in. */
const end = () => process.kill(process.pid, 'SIGKILL');

function send(reply: TaskReply, then = () => {}): void {
  process.send?.(reply, then);
}

async function serve(request: TaskRequest): Promise<void> {
  const { mebibytes } = request.limits;
  const watch = setInterval(() => {
    if (process.memoryUsage.rss() <= mebibytes * 2 ** 20) return;
    clearInterval(watch);
    send({ kind: 'too-much-memory', mebibytes }, end);
  }, watchMs);
  try {
    const answer = await perform(request);
    const filed = answer.data.length > 0 && writeAnswer(answer.data) ? answer.data.length : 0;
    send({ kind: 'answer', answer: filed > 0 ? { ...answer, data: nothing } : answer, filed });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof PictureError) send({ kind: 'fault', fault: error.fault, message });
    else send({ kind: 'system', code: code ?? 'EUNKNOWN', message });
  } finally {
    clearInterval(watch);
  }
}

process.on('disconnect', end);
// A terminal sends Ctrl-C to all processes; whether that ends this one is for the other to say.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
process.on('message', (request: TaskRequest) => void serve(request));
send({ kind: 'ready' });
