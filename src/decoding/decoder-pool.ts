/**
 * Processes that decode pictures, as many as there are processors at most, each with one picture at a time. One that takes
 * longer than allowed is killed; the picture that was in it is remembered and not decoded again.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { artefact } from '../artefact.js';
import { BackendError } from '../errors.js';
import { openAnswerFile, readAnswer } from './answer-file.js';
import { PictureError } from './errors.js';
import type { AnswerReply, PictureTask, TaskAnswer, TaskLimits, TaskReply, TaskRequest } from './task.js';

/** A file's path, or the bytes of one. */
export type PictureInput = string | Uint8Array;

export interface DecodeOptions extends Partial<TaskLimits> {
  /** Show what there is of a damaged picture. @default false */
  tolerant?: boolean;
  /** Takes the data of the answer where it has the same length, so that none is allocated. */
  target?: Uint8Array;
  signal?: AbortSignal;
}

const defaultLimits: TaskLimits = { pixels: 100e6, bytes: 2 ** 28, seconds: 30, mebibytes: 1536 };
const mostProcesses = Math.min(64, availableParallelism());
/** After its own time limit a decoder is given this long to say so. */
const graceMs = 1000;
const startMs = 30_000;

/**
 * What decoders of pictures allocate is kept for the next picture rather than given back, where the C library is that of
 * GNU: half of the time in the kernel goes into clearing pages otherwise.
 */
const keepMemory = { MALLOC_MMAP_THRESHOLD_: String(2 ** 25), MALLOC_TRIM_THRESHOLD_: String(2 ** 26) };

interface Decoder {
  readonly process: ChildProcess;
  /** Descriptor of the file through which its answers come. */
  readonly answers: number | undefined;
  readonly ready: Promise<void>;
}

const idle: Decoder[] = [];
const waiting: (() => void)[] = [];
let running = 0;
const gone = new Error('the decoder is gone');
const endedByIt = 'decoders ended while reading it';
/** Pictures that killed their decoder, by what tells files apart without reading them. */
const killers = new Map<string, string>();

/**
 * The answer of a decoding process to a task.
 * @throws PictureError when the picture gives no answer; other errors are about this machine
 */
export async function decode(input: PictureInput, task: PictureTask, options: DecodeOptions = {}): Promise<TaskAnswer> {
  const { tolerant = false, target, signal, ...given } = options;
  const limits = { ...defaultLimits, ...given };
  const remembered = killers.size > 0 ? killers.get(await identity(input)) : undefined;
  if (remembered) throw new PictureError('damaged', remembered, undefined, true);
  return inTurn(async () => {
    for (let again = false; ; again = true) {
      signal?.throwIfAborted();
      const decoder = (again ? undefined : idle.pop()) ?? start();
      hold(decoder);
      try {
        await decoder.ready;
        const answer = await ask(decoder, { input, task, limits, tolerant }, target, signal);
        release(decoder);
        return answer;
      } catch (error) {
        if (error instanceof PictureError && !error.killedDecoder) release(decoder);
        else decoder.process.kill('SIGKILL');
        // A decoder may have been ended by others; two that end with the same picture were ended by it.
        if (error === gone && !again) continue;
        const known = error === gone ? new PictureError('damaged', endedByIt, undefined, true) : error;
        if (known instanceof PictureError && known.killedDecoder) killers.set(await identity(input), known.message);
        throw known;
      }
    }
  });
}

async function identity(input: PictureInput): Promise<string> {
  if (typeof input !== 'string') return createHash('sha256').update(input).digest('hex');
  const found = await stat(input).catch(() => undefined);
  return found ? `${found.dev}:${found.ino}:${found.size}:${found.mtimeMs}` : input;
}

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= mostProcesses) await new Promise<void>((resolve) => waiting.push(resolve));
  else running++;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

function start(): Decoder {
  const answers = openAnswerFile();
  const child = fork(fileURLToPath(artefact('decoding/decoder-process.js')), [], {
    // Flags of this process, such as --input-type, need not suit another.
    execArgv: [],
    serialization: 'advanced',
    env: { ...keepMemory, ...process.env },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc', answers ?? 'ignore'],
  });
  child.on('error', () => {});
  if (answers !== undefined) child.once('exit', () => closeSync(answers));
  const ready = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), startMs);
    child.once('message', () => {
      clearTimeout(timer);
      resolve();
    });
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      const index = idle.findIndex(({ process }) => process === child);
      if (index >= 0) idle.splice(index, 1);
      reject(new BackendError(`the process that decodes pictures did not start (${signal ?? code})`));
    });
  });
  ready.catch(() => {});
  return { process: child, answers, ready };
}

/** The process stays for the next picture, and does not keep this one from ending. */
function release(decoder: Decoder): void {
  decoder.process.unref();
  decoder.process.channel?.unref();
  if (decoder.process.connected) idle.push(decoder);
}

function hold(decoder: Decoder): void {
  decoder.process.ref();
  decoder.process.channel?.ref();
}

function ask(
  { process: child, answers }: Decoder,
  request: TaskRequest,
  target: Uint8Array | undefined,
  signal: AbortSignal | undefined,
): Promise<TaskAnswer> {
  const { seconds } = request.limits;
  return new Promise((resolve, reject) => {
    const kills = (fault: 'too-slow' | 'too-large' | 'damaged', message: string) =>
      finish(() => reject(new PictureError(fault, message, undefined, true)));
    const hear = (reply: TaskReply) => {
      if (reply.kind === 'answer') finish(() => resolve(whole(reply, answers, target)));
      else if (reply.kind === 'fault') finish(() => reject(new PictureError(reply.fault, reply.message)));
      else if (reply.kind === 'too-much-memory')
        kills('too-large', `decoding takes more than ${reply.mebibytes} MiB of memory`);
      else if (reply.kind === 'system')
        finish(() => reject(Object.assign(new Error(reply.message), { code: reply.code })));
    };
    const ended = () => finish(() => reject(gone));
    const late = () => kills('too-slow', `decoding took more than ${seconds} seconds and was ended`);
    const abort = () => finish(() => reject(signal?.reason));
    const timer = setTimeout(late, seconds * 1000 + graceMs);
    const finish = (act: () => void) => {
      clearTimeout(timer);
      child.off('message', hear).off('exit', ended);
      signal?.removeEventListener('abort', abort);
      act();
    };
    child.on('message', hear).on('exit', ended);
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
    else
      child.send(request, (error) => {
        if (error) ended();
      });
  });
}

/** Read at once: the file is the next picture's afterwards. */
async function whole(
  { answer, filed }: AnswerReply,
  answers: number | undefined,
  target?: Uint8Array,
): Promise<TaskAnswer> {
  return filed > 0 && answers !== undefined ? { ...answer, data: readAnswer(answers, filed, target) } : answer;
}
