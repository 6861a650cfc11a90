/** Jobs on the threads of this machine, or on many machines. */
export { dispatch, fixedPlaces, type Outcome } from './dispatch.js';
export type { ExecutionOptions, Executor, JobFailure, JobHandlerModule } from './executor.js';
export { failureOf } from './failure.js';
export { connectQueue, QueueError } from './queue/connect.js';
export { type FilePlaces, obtainFile } from './queue/files.js';
export { handOver, takeContents } from './queue/handover.js';
export {
  createQueueExecutor,
  type OfferingExecutor,
  type QueueExecutorOptions,
  type QueueStatus,
} from './queue/queue-executor.js';
export type { FileRecord } from './queue/records.js';
export { type RegisteredHandler, type ServeOptions, serveQueue, type WorkerEvent } from './queue/serve.js';
export { SharedTurns } from './queue/shared-turns.js';
export { createThreadExecutor, type ThreadExecutorOptions } from './thread-executor.js';
