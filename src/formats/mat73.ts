/**
 * MATLAB files of version 7.3 (HDF5), read through h5wasm in a worker thread that is kept for the next file and
 * replaced when a damaged one has broken it.
 */
import { stat } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { artefact } from '../artefact.js';
import { FormatError } from '../errors.js';
import { fileError } from './file.js';
import type { MatValue } from './mat-value.js';
import type { ReadMatOptions } from './mat5.js';
import type { Mat73Request } from './mat73-read.js';
import type { Mat73Reply } from './mat73-worker.js';

/** Without a sign of life for this long, the library is taken to run in circles. */
const stallSeconds = 60;
/** The library loses a little memory with every damaged file. */
const filesPerWorker = 250;

let worker: Worker | undefined;
let filesRead = 0;
let turn: Promise<unknown> = Promise.resolve();

/** @throws FormatError when the file is damaged or a variable has a kind that is not read */
export async function readMat73(path: string, options: ReadMatOptions = {}): Promise<Map<string, MatValue>> {
  const status = await stat(path).catch((error) => {
    throw fileError(path, error, 'opened');
  });
  const limit = options.maximumInflatedBytes ?? Math.max(2 ** 28, 100 * status.size);
  const request: Mat73Request = { path, variables: options.variables, limit, fileSize: status.size };
  const reply = turn.then(() => ask(request));
  turn = reply.catch(() => {});
  return reply;
}

async function ask(request: Mat73Request): Promise<Map<string, MatValue>> {
  if (filesRead >= filesPerWorker) await stop();
  worker ??= start();
  filesRead++;
  worker.ref();
  let reply: Mat73Reply;
  try {
    reply = await answer(worker, request);
  } catch (error) {
    await stop();
    throw error;
  }
  worker.unref();
  if (reply.kind === 'done') return reply.variables;
  if (reply.kind === 'broken') await stop();
  throw new FormatError(
    request.path,
    undefined,
    reply.kind === 'progress' ? 'no answer' : reply.problem,
    reply.kind === 'refused' ? reply.hint : undefined,
  );
}

function answer(worker: Worker, request: Mat73Request): Promise<Mat73Reply> {
  return new Promise((resolve, reject) => {
    const stalled = () => fail(`reading made no progress for ${stallSeconds} seconds`);
    let timer = setTimeout(stalled, stallSeconds * 1000);
    const onMessage = (reply: Mat73Reply) => {
      clearTimeout(timer);
      if (reply.kind === 'progress') timer = setTimeout(stalled, stallSeconds * 1000);
      else finish(() => resolve(reply));
    };
    const onEnd = (cause: Error | number) =>
      fail(`the HDF5 library stopped (${cause instanceof Error ? cause.message : `exit code ${cause}`})`);
    const fail = (problem: string) => finish(() => reject(new FormatError(request.path, undefined, problem)));
    const finish = (act: () => void) => {
      clearTimeout(timer);
      worker.off('message', onMessage).off('error', onEnd).off('exit', onEnd);
      act();
    };
    worker.on('message', onMessage).on('error', onEnd).on('exit', onEnd);
    worker.postMessage(request);
  });
}

function start(): Worker {
  filesRead = 0;
  return new Worker(artefact('formats/mat73-worker.js'));
}

async function stop(): Promise<void> {
  const old = worker;
  worker = undefined;
  await old?.terminate();
}
