/**
 * Reads MATLAB 7.3 files in a thread of its own: the HDF5 library is C code, and a damaged file may make it run in
 * circles or abort, which must not take the program with it.
 */
import { parentPort } from 'node:worker_threads';
import type { MatValue } from './mat-value.js';
import type { Mat73Request } from './mat73-read.js';

export type Mat73Reply =
  | { kind: 'progress' }
  | { kind: 'done'; variables: Map<string, MatValue> }
  | { kind: 'refused'; problem: string; hint?: string }
  /** After `broken` the library must not be used again. */
  | { kind: 'broken'; problem: string };

const progressInterval = 1000;

// The library takes its console when it is loaded; its reports of damaged files would only repeat ours.
console.error = () => {};
console.warn = () => {};
const { File, ready } = await import('h5wasm/node');
const { Refusal, readVariables } = await import('./mat73-read.js');
await ready;

function respond(request: Mat73Request): Mat73Reply {
  let file: InstanceType<typeof File> | undefined;
  let last = Date.now();
  const onProgress = () => {
    if (Date.now() - last < progressInterval) return;
    last = Date.now();
    parentPort?.postMessage({ kind: 'progress' } satisfies Mat73Reply);
  };
  try {
    file = new File(request.path, 'r');
    if (file.file_id < 0n) return { kind: 'refused', problem: 'is not an HDF5 file, or a damaged one' };
    return { kind: 'done', variables: readVariables(file, request, onProgress) };
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', problem: error.message, hint: error.hint };
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    const problem = `the HDF5 library could not read it (${message.split('\n')[0]})`;
    return { kind: name === 'RuntimeError' ? 'broken' : 'refused', problem };
  } finally {
    try {
      if (file && file.file_id >= 0n) file.close();
    } catch {
      // The answer is known; the library is replaced after a number of files anyway.
    }
  }
}

parentPort?.on('message', (request: Mat73Request) => {
  parentPort?.postMessage(respond(request));
});
