/** A thread of the WebAssembly backend: loads the kernels over the shared memory, then works until it is stopped. */
import { parentPort, workerData } from 'node:worker_threads';
import { RowCalls } from '../rows/calls.js';
import { loadKernels } from './kernels.js';
import { serve, type WorkerStart } from './team.js';

const { module, memory, tile, rows, thread } = workerData as WorkerStart;
const kernels = { ...loadKernels(module, memory, tile), rows: rows && new RowCalls(rows) };
parentPort?.postMessage('ready');
// Back to the event loop once, so that the message is on its way before this thread begins to wait.
setImmediate(() => serve(memory, kernels, thread));
