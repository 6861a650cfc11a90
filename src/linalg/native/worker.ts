/** A thread of the native backend: opens the same library as its parent and makes the calls it finds. */
import { parentPort, workerData } from 'node:worker_threads';
import { RowCalls } from '../rows/calls.js';
import { loadKoffi, openLibrary } from './library.js';
import { serve, type WorkerStart } from './pool.js';
import { lazyRoutines } from './records.js';

const { shared, path, lapackPath, rows, thread } = workerData as WorkerStart;
try {
  const library = openLibrary(await loadKoffi(), { path, lapack: lapackPath ? [lapackPath] : [], wish: undefined });
  library.setThreads(1);
  const hands = { routines: lazyRoutines(library), rows: new RowCalls(rows), thread };
  parentPort?.postMessage(undefined);
  serve(shared, hands);
} catch (error) {
  parentPort?.postMessage((error as Error).message);
}
