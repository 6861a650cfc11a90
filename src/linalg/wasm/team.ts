/**
 * The threads of a backend. The calling thread lists the tasks of an operation in the shared memory, wakes the workers,
 * takes tasks itself until none is left, and waits for the workers that joined. A worker that wakes too late finds the
 * list closed and goes back to sleep, so a busy machine never makes the caller wait for a thread without work.
 */
import { Worker } from 'node:worker_threads';
import { artefact } from '../../artefact.js';
import { BackendError } from '../../errors.js';
import type { RowStart } from '../rows/calls.js';
import type { KernelSet } from './kernels.js';
import { controlPointer, workspacePointer } from './layout.js';
import { type Operation, operations, parametersOf, runTask } from './tasks.js';

/** Places in the control block, 32-bit integers. */
const place = { round: 0, open: 1, active: 2, next: 3, total: 4, operation: 5, failed: 6, stopped: 7 } as const;

/** Looks before a thread goes to sleep: some 20 µs, less than waking it costs. */
const patience = 2000;

export interface WorkerStart {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  readonly tile: string;
  /** Undefined where there is no other thread. */
  readonly rows: RowStart | undefined;
  /** The calling thread is 0. */
  readonly thread: number;
}

export class Team {
  readonly size: number;
  readonly #kernels: KernelSet;
  readonly #control: Int32Array;
  readonly #parameters: Float64Array;
  readonly #workers: Worker[] = [];

  private constructor(memory: WebAssembly.Memory, kernels: KernelSet, size: number) {
    this.size = size;
    this.#kernels = kernels;
    this.#control = controlOf(memory);
    this.#parameters = parametersOf(memory);
  }

  static async start(start: Omit<WorkerStart, 'thread'>, kernels: KernelSet, size: number): Promise<Team> {
    const team = new Team(start.memory, kernels, size);
    const starting: Promise<void>[] = [];
    for (let thread = 1; thread < size; thread++) {
      const worker = new Worker(artefact('linalg/wasm/worker.js'), {
        workerData: { ...start, thread } satisfies WorkerStart,
        execArgv: [],
        name: `bowerbird-wasm-${thread}`,
      });
      team.#workers.push(worker);
      starting.push(ready(worker));
    }
    try {
      await Promise.all(starting);
    } catch (error) {
      team.stop();
      throw error;
    }
    return team;
  }

  /** Runs tasks 0 … count−1 of an operation; returns when all are done. */
  run(operation: Operation, count: number, parallel: boolean, parameters: readonly number[]): void {
    this.#parameters.set(parameters);
    if (!parallel || count < 2 || this.#workers.length === 0) {
      for (let index = 0; index < count; index++)
        runTask(this.#kernels, operation, index, workspacePointer(0), this.#parameters);
      return;
    }
    const control = this.#control;
    control[place.operation] = operations.indexOf(operation);
    control[place.total] = count;
    control[place.failed] = 0;
    control[place.next] = 0;
    Atomics.store(control, place.open, 1);
    Atomics.add(control, place.round, 1);
    Atomics.notify(control, place.round, Math.min(count - 1, this.#workers.length));
    try {
      takeTasks(control, this.#kernels, this.#parameters, 0);
    } finally {
      Atomics.store(control, place.open, 0);
      awaitChange(control, place.active, (active) => active === 0);
    }
    if (control[place.failed] !== 0)
      throw new BackendError(`a thread of the WebAssembly backend failed in ${operation}`);
  }

  stop(): void {
    Atomics.store(this.#control, place.stopped, 1);
    Atomics.add(this.#control, place.round, 1);
    Atomics.notify(this.#control, place.round);
    for (const worker of this.#workers.splice(0)) void worker.terminate();
  }
}

/** What a worker does until it is stopped. */
export function serve(memory: WebAssembly.Memory, kernels: KernelSet, thread: number): void {
  const control = controlOf(memory);
  const parameters = parametersOf(memory);
  let round = Atomics.load(control, place.round);
  while (Atomics.load(control, place.stopped) === 0) {
    Atomics.add(control, place.active, 1);
    try {
      if (Atomics.load(control, place.open) === 1) takeTasks(control, kernels, parameters, thread);
    } catch {
      Atomics.store(control, place.failed, 1);
    } finally {
      Atomics.sub(control, place.active, 1);
      Atomics.notify(control, place.active);
    }
    const seen = round;
    round = awaitChange(control, place.round, (now) => now !== seen);
  }
}

function takeTasks(control: Int32Array, kernels: KernelSet, parameters: Float64Array, thread: number): void {
  const operation = operations[control[place.operation]];
  const total = control[place.total];
  const workspace = workspacePointer(thread);
  for (;;) {
    const index = Atomics.add(control, place.next, 1);
    if (index >= total) return;
    runTask(kernels, operation, index, workspace, parameters);
  }
}

/** Looks for a while, then sleeps, until the value at `index` is as wanted; returns it. */
function awaitChange(control: Int32Array, index: number, wanted: (value: number) => boolean): number {
  for (let look = 0; look < patience; look++) {
    const value = Atomics.load(control, index);
    if (wanted(value)) return value;
  }
  for (;;) {
    const value = Atomics.load(control, index);
    if (wanted(value)) return value;
    Atomics.wait(control, index, value);
  }
}

function controlOf(memory: WebAssembly.Memory): Int32Array {
  return new Int32Array(memory.buffer, controlPointer, 16);
}

/** Resolves when the worker has its kernels; from then on it does not keep the process alive. */
function ready(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown) =>
      reject(new BackendError('a thread of the WebAssembly backend did not start', 'Try threads: 1.', cause));
    worker.once('error', fail);
    worker.once('exit', fail);
    worker.once('message', () => {
      worker.off('exit', fail);
      worker.unref();
      resolve();
    });
  });
}
