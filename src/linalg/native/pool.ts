/**
 * Threads that make BLAS calls on the memory of the thread that asked, which waits for them, and calls of the kernels over rows. Calls lie in shared memory
 * as numbers; each thread, the asking one included, takes the next call that nobody has taken until none is left.
 *
 * `left` counts down from the number of calls: whoever decrements it from t > 0 owns call t − 1. It is positive only
 * while a batch is open, and the next batch is opened only after every call of this one is finished, so a thread that
 * wakes late finds either nothing or a call of the new batch.
 */
import { Worker } from 'node:worker_threads';
import { artefact } from '../../artefact.js';
import { BackendError } from '../../errors.js';
import type { Dtype, RealArray } from '../matrix.js';
import type { RowCalls, RowStart } from '../rows/calls.js';
import { type Carried, RowWorkbench } from '../rows/workbench.js';
import { bringCalls, type Call, sharedRoutines } from './calls.js';
import type { Library } from './library.js';
import { bindRoutines, type Routines } from './routines.js';

/** Places in the control words. */
const batch = 0;
const left = 1;
const finished = 2;
const failed = 3;
const ended = 4;

const controlWords = 5;
/** Numbers per call: the routine, the dtype, and up to 30 arguments. */
const callWidth = 32;
const mostCalls = 256;
/**
 * In the place of a BLAS routine: the arguments are the number of a call of a kernel over rows, how many copies are made before it
 * and after it, and those copies.
 */
const rowCall = sharedRoutines.length;
/** Arguments of a copy: those of `lacpy`. */
const copyWidth = 6;
const copiesAt = 3;

export interface Shared {
  control: Int32Array;
  calls: Float64Array;
}

/** What a worker is started with. */
export interface WorkerStart {
  shared: Shared;
  path: string;
  lapackPath: string | undefined;
  rows: RowStart;
}

export type BoundRoutines = (dtype: Dtype) => Routines;

/** Binds the routines of a dtype when they are first needed. */
export function lazyRoutines(library: Library): BoundRoutines {
  const bound: Partial<Record<Dtype, Routines>> = {};
  return (dtype) => {
    bound[dtype] ??= bindRoutines(library, dtype);
    return bound[dtype];
  };
}

/** What a thread makes calls with. */
interface Hands {
  readonly routines: BoundRoutines;
  readonly rows: Pick<RowCalls, 'make'>;
}

export class Pool {
  /** Where these threads work on rows too. */
  readonly workbench: RowWorkbench;
  readonly #shared: Shared;
  readonly #hands: Hands;
  readonly #address: (data: RealArray) => number;
  /** Address of the workbench's memory, which stays where it is when it grows. */
  readonly #bench: number;

  private constructor(shared: Shared, library: Library, workbench: RowWorkbench, threads: number) {
    this.#shared = shared;
    this.workbench = workbench;
    this.#bench = library.address(new Float64Array(workbench.start.memory.buffer));
    workbench.crew = {
      threads,
      run: (count) => this.#open(count),
      carry: (...all) => this.#carry(...all),
      bring: (matrix, pointer) => this.run(matrix.dtype, bringCalls(matrix, this.#bench + pointer)),
    };
    this.#hands = { routines: lazyRoutines(library), rows: workbench };
    this.#address = library.address;
  }

  /** Starts `count` threads beside this one and waits until they have opened the library. */
  static async start(library: Library, count: number): Promise<Pool> {
    const shared: Shared = {
      control: new Int32Array(new SharedArrayBuffer(controlWords * 4)),
      calls: new Float64Array(new SharedArrayBuffer(mostCalls * callWidth * 8)),
    };
    const workbench = new RowWorkbench();
    const start: WorkerStart = {
      ...{ shared, path: library.path, lapackPath: library.lapackPath },
      rows: workbench.start,
    };
    const workers = Array.from(
      { length: count },
      () => new Worker(artefact('linalg/native/worker.js'), { workerData: start, name: 'blas' }),
    );
    const pool = new Pool(shared, library, workbench, count + 1);
    try {
      await Promise.all(workers.map(ready));
      // From here on they sleep until they are needed and must not keep the process alive.
      for (const worker of workers) worker.unref();
    } catch (error) {
      pool.end();
      throw new BackendError(`a thread of the native backend did not start: ${(error as Error).message}`);
    }
    return pool;
  }

  /** Makes all calls, in any order and on any thread, and returns when the last is finished. */
  run(dtype: Dtype, calls: Call[]): void {
    if (calls.length > mostCalls) {
      this.run(dtype, calls.slice(0, mostCalls));
      this.run(dtype, calls.slice(mostCalls));
      return;
    }
    calls.forEach((call, i) => {
      this.#write(dtype, call, i);
    });
    this.#open(calls.length);
  }

  /** Writes down that a call of a kernel over rows is to be made, and what its thread copies before and after it. */
  #carry(call: number, start: number, end: number, brought: readonly Carried[], fetched: readonly Carried[]): void {
    const { calls } = this.#shared;
    const at = call * callWidth;
    const dtype = (brought[0] ?? fetched[0])?.matrix.dtype;
    calls.set([rowCall, dtype === 'float64' ? 1 : 0, call, brought.length, fetched.length], at);
    [...brought, ...fetched].forEach(({ matrix: { data, cols, stride }, pointer }, k) => {
      const there = this.#address(data) + start * stride * data.BYTES_PER_ELEMENT;
      const here = this.#bench + pointer;
      const ends = k < brought.length ? [there, stride, here, cols] : [here, cols, there, stride];
      calls.set([cols, end - start, ...ends], at + 2 + copiesAt + k * copyWidth);
    });
  }

  /** Opens the batch of calls that are written down, and returns when the last is finished. */
  #open(count: number): void {
    const { control } = this.#shared;
    Atomics.store(control, finished, 0);
    Atomics.store(control, left, count);
    Atomics.add(control, batch, 1);
    Atomics.notify(control, batch, count - 1);
    workThrough(this.#shared, this.#hands);
    for (let done = Atomics.load(control, finished); done < count; done = Atomics.load(control, finished))
      Atomics.wait(control, finished, done);
    if (Atomics.exchange(control, failed, 0) !== 0) throw new BackendError('a thread of the native backend failed');
  }

  end(): void {
    Atomics.store(this.#shared.control, ended, 1);
    Atomics.add(this.#shared.control, batch, 1);
    Atomics.notify(this.#shared.control, batch);
  }

  #write(dtype: Dtype, { routine, values }: Call, i: number): void {
    const { calls } = this.#shared;
    const at = i * callWidth;
    calls[at] = sharedRoutines.indexOf(routine);
    calls[at + 1] = dtype === 'float64' ? 1 : 0;
    values.forEach((value, j) => {
      calls[at + 2 + j] = typeof value === 'number' ? value : this.#address(value);
    });
  }
}

/** Takes and makes calls until none is left. */
function workThrough({ control, calls }: Shared, { routines, rows }: Hands): void {
  // An ordinary array, which is spread out much faster than a typed one.
  const values = new Array<number>(callWidth - 2).fill(0);
  for (;;) {
    const ticket = Atomics.sub(control, left, 1);
    if (ticket <= 0) return;
    const at = (ticket - 1) * callWidth;
    try {
      const bound = routines(calls[at + 1] === 1 ? 'float64' : 'float32');
      if (calls[at] === rowCall) makeRowCall(calls.subarray(at + 2, at + callWidth), bound, rows);
      else {
        const routine = bound[sharedRoutines[calls[at]]] as (...values: number[]) => void;
        for (let k = 0; k < values.length; k++) values[k] = calls[at + 2 + k];
        routine(...values);
      }
    } catch {
      Atomics.store(control, failed, 1);
    }
    Atomics.add(control, finished, 1);
    Atomics.notify(control, finished);
  }
}

function makeRowCall(values: Float64Array, { lacpy }: Routines, rows: Hands['rows']): void {
  const [call, before, after] = values;
  const copy = (k: number) => {
    const [m, n, a, lda, b, ldb] = values.subarray(copiesAt + k * copyWidth);
    lacpy(m, n, a, lda, b, ldb);
  };
  for (let k = 0; k < before; k++) copy(k);
  rows.make(call);
  for (let k = before; k < before + after; k++) copy(k);
}

/** The life of a worker: work when a batch opens, sleep otherwise, until the pool ends. */
export function serve(shared: Shared, hands: Hands): void {
  const { control } = shared;
  while (Atomics.load(control, ended) === 0) {
    const current = Atomics.load(control, batch);
    workThrough(shared, hands);
    if (Atomics.load(control, ended) === 0) Atomics.wait(control, batch, current);
  }
}

function ready(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.once('message', (problem: string | undefined) => (problem ? reject(new Error(problem)) : resolve()));
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('it ended at once')));
  });
}
