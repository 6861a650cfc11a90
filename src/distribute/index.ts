/** Jobs on the threads of this machine, or on many machines. */
export type { ExecutionOptions, Executor, JobFailure, JobHandlerModule } from './executor.js';
export { createThreadExecutor, type ThreadExecutorOptions } from './thread-executor.js';
