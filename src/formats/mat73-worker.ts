/**
 * Reads MATLAB 7.3 files in a thread of its own: the HDF5 library is C code, and a damaged file may make it run in
 * circles or abort, which must not take the program with it. The thread opens no file but the one asked for, and a file
 * about which the library writes anything to stderr is refused: h5wasm goes on after most of those errors, with zeros
 * or with what its memory held before.
 */
import fs from 'node:fs';
import { resolve } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { Hdf5Bytes } from './hdf5-storage.js';
import type { MatValue } from './mat-value.js';
import type { Mat73Request } from './mat73-read.js';

export type Mat73Reply =
  | { kind: 'progress' }
  | { kind: 'done'; variables: Map<string, MatValue> }
  | { kind: 'refused'; problem: string; hint?: string }
  /** After `broken` the library must not be used again. */
  | { kind: 'broken'; problem: string };

const progressInterval = 1000;
const longestReport = 2 ** 16;
const damageHint = 'Fetch or save the file again; "h5dump" says more about what is wrong with it.';

let report = '';
const { writeSync, openSync } = fs;
fs.writeSync = ((descriptor: number, data: string | Uint8Array, ...rest: number[]) => {
  if (descriptor > 2) return writeSync(descriptor, data as Uint8Array, ...rest);
  const [offset = 0, length = data.length - offset] = rest;
  const text = typeof data === 'string' ? data : Buffer.from(data.subarray(offset, offset + length)).toString('latin1');
  if (report.length < longestReport) report += text;
  return typeof data === 'string' ? Buffer.byteLength(data) : length;
}) as typeof fs.writeSync;

const { File, ready } = await import('h5wasm/node');
const { Refusal, readVariables } = await import('./mat73-read.js');
checkStatus(await ready);

function respond(request: Mat73Request): Mat73Reply {
  let file: InstanceType<typeof File> | undefined;
  let descriptor: number | undefined;
  let last = Date.now();
  const onStep = () => {
    if (Date.now() - last < progressInterval) return;
    last = Date.now();
    parentPort?.postMessage({ kind: 'progress' } satisfies Mat73Reply);
  };
  report = '';
  allowOnly(request.path);
  try {
    file = new File(request.path, 'r');
    if (file.file_id < 0n) return { kind: 'refused', problem: `is not an HDF5 file, or a damaged one${reason()}` };
    allowOnly(undefined);
    descriptor = openSync(request.path, 'r');
    const bytes = new Hdf5Bytes(descriptor, request.fileSize);
    const variables = readVariables(file, bytes, request, onStep);
    if (report !== '') throw new Refusal(`is damaged or keeps data in other files${reason()}`, damageHint);
    return { kind: 'done', variables };
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', problem: error.message, hint: error.hint };
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    const problem = `the HDF5 library could not read it: ${message.split('\n')[0]}${reason()}`;
    return { kind: name === 'RuntimeError' ? 'broken' : 'refused', problem };
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
    try {
      if (file && file.file_id >= 0n) file.close();
    } catch {
      // The answer is known; the library is replaced after a number of files anyway.
    }
  }
}

/** Reading data is the one thing h5wasm does without looking at what the library answers. */
function checkStatus(module: Awaited<typeof ready>): void {
  for (const name of ['get_dataset_data', 'get_attribute_data'] as const) {
    const read = module[name] as (...words: unknown[]) => number;
    const checked = (...words: unknown[]) => {
      const status = read(...words);
      if (status < 0) throw new Refusal(`is damaged or keeps data in other files${reason()}`, damageHint);
      return status;
    };
    Object.assign(module, { [name]: checked });
  }
}

/** HDF5 files may point to data in other files, or to themselves as if they were others; those stay closed. */
function allowOnly(path: string | undefined): void {
  fs.openSync = ((asked: fs.PathLike, ...rest: [fs.OpenMode, fs.Mode?]) => {
    if (path === undefined || resolve(String(asked)) !== resolve(path))
      throw Object.assign(new Error(`not opened: ${asked}`), { code: 'EACCES', errno: -13 });
    return openSync(asked, ...rest);
  }) as typeof fs.openSync;
}

/** The innermost line of the library's report: `#006: … in function(): what went wrong`. */
function reason(): string {
  const lines = [...report.matchAll(/^ +#\d+: .*\(\): (.*)$/gm)];
  return lines.length === 0 ? '' : ` (${lines[lines.length - 1][1]})`;
}

/** The storage of large arrays changes hands instead of being copied. */
function storage(reply: Mat73Reply): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  if (reply.kind === 'done')
    for (const value of reply.variables.values())
      if (value.kind === 'numbers') buffers.add(value.data.buffer as ArrayBuffer);
  return [...buffers];
}

parentPort?.on('message', (request: Mat73Request) => {
  const reply = respond(request);
  parentPort?.postMessage(reply, storage(reply));
});
