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
import type { Begun } from '../backend.js';
import type { Dtype } from '../matrix.js';
import type { RowStart } from '../rows/calls.js';
import type { NearestSearch } from '../rows/nearest.js';
import { RowWorkbench } from '../rows/workbench.js';
import { Background, type BackgroundShared, makeNext } from './background.js';
import { bringCalls, type Call, gemmCalls } from './calls.js';
import type { Library } from './library.js';
import {
  type AddressOf,
  argumentRoom,
  callWidth,
  type Hands,
  lazyRoutines,
  makeCall,
  makePiece,
  writeCall,
  writeKernelCall,
} from './records.js';

/** Places in the control words. */
const batch = 0;
const left = 1;
const finished = 2;
const failed = 3;
const ended = 4;
const kind = 5;

const controlWords = 6;
/** What the calls of a batch are: those written down here, those on the workbench, or those for pieces of the work there. */
const kinds = { records: 0, rowCalls: 1, pieces: 2 } as const;
const mostCalls = 256;
export interface Shared {
  control: Int32Array;
  calls: Float64Array;
  /** What is done while no batch is open. */
  background: BackgroundShared;
}

/** What a worker is started with. */
export interface WorkerStart {
  shared: Shared;
  path: string;
  lapackPath: string | undefined;
  rows: RowStart;
  /** The calling thread is 0. */
  thread: number;
}

export class Pool {
  /** Where these threads work on rows too. */
  readonly workbench: RowWorkbench;
  readonly #shared: Shared;
  readonly #hands: Hands;
  readonly #address: AddressOf;
  /** Of the workbench's memory. */
  readonly #bench: number;
  readonly #background: Background;

  private constructor(library: Library, workbench: RowWorkbench, threads: number) {
    this.#background = new Background({
      wake: () => wakeAll(this.#shared.control),
      share: (calls, from, to) => this.#share(calls, from, to),
    });
    this.#shared = {
      control: new Int32Array(new SharedArrayBuffer(controlWords * 4)),
      calls: new Float64Array(new SharedArrayBuffer(mostCalls * callWidth * 8)),
      background: this.#background.shared,
    };
    this.workbench = workbench;
    this.#bench = library.address(new Float64Array(workbench.start.memory.buffer));
    workbench.crew = {
      threads,
      make: (count) => this.#open(count, 'rowCalls'),
      makePieces: (count) => this.#open(count, 'pieces'),
      reach: {
        addressOf: library.address,
        bench: this.#bench,
        bring: (matrix, pointer) => this.run(matrix.dtype, bringCalls(matrix, this.#bench + pointer)),
      },
    };
    this.#hands = { routines: lazyRoutines(library), rows: workbench, thread: 0 };
    this.#address = library.address;
  }

  /** Starts `count` threads beside this one and waits until they have opened the library. */
  static async start(library: Library, count: number): Promise<Pool> {
    const workbench = new RowWorkbench();
    const pool = new Pool(library, workbench, count + 1);
    const start: Omit<WorkerStart, 'thread'> = {
      ...{ shared: pool.#shared, path: library.path, lapackPath: library.lapackPath },
      rows: workbench.start,
    };
    const workers = Array.from(
      { length: count },
      (_, k) =>
        new Worker(artefact('linalg/native/worker.js'), { workerData: { ...start, thread: k + 1 }, name: 'blas' }),
    );
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
      writeCall(this.#shared.calls, i, dtype, call, this.#address);
    });
    this.#open(calls.length, 'records');
  }

  /**
   * Begins to look for the nearest rows while this thread does something else; undefined where that cannot be.
   * @param search which takes its room from the workbench of these threads
   */
  beginNearest(search: NearestSearch): Begun | undefined {
    const stages = [...search.stages()];
    const written: ((calls: Float64Array, i: number) => void)[][] = stages.map((stage) =>
      'kernels' in stage
        ? stage.kernels.map(
            ({ kernel, values }) =>
              (calls, i) =>
                writeKernelCall(calls, i, search.numberOf(kernel), values),
          )
        : gemmCalls(stage.products, stage.a, stage.b, false, true, stage.a.cols, 1, 0).map(
            (call) => (calls, i) => writeCall(calls, i, stage.a.dtype, call, this.#address),
          ),
    );
    const release = this.workbench.keepUntil();
    const begun = this.#background.begin(
      written.map(({ length }) => length),
      (calls) => {
        written.flat().forEach((write, i) => {
          write(calls, i);
        });
      },
      (wanted) => {
        if (wanted) search.take();
        release();
      },
    );
    if (!begun) release();
    return begun;
  }

  /** Makes some calls of a program on all threads. */
  #share(calls: Float64Array, from: number, to: number): void {
    for (let first = from; first < to; first += mostCalls) {
      const count = Math.min(mostCalls, to - first);
      this.#shared.calls.set(calls.subarray(first * callWidth, (first + count) * callWidth));
      this.#open(count, 'records');
    }
  }

  /** Opens a batch of calls that are written down, and returns when the last is finished. */
  #open(count: number, what: keyof typeof kinds): void {
    const { control } = this.#shared;
    Atomics.store(control, kind, kinds[what]);
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
    this.#background.halt();
    Atomics.store(this.#shared.control, ended, 1);
    wakeAll(this.#shared.control);
  }
}

/** Takes and makes calls until none is left. */
function workThrough({ control, calls }: Shared, hands: Hands): void {
  const values = argumentRoom();
  for (;;) {
    const ticket = Atomics.sub(control, left, 1);
    if (ticket <= 0) return;
    try {
      // Nobody opens another batch before this call is finished.
      const what = Atomics.load(control, kind);
      if (what === kinds.records) makeCall(calls, ticket - 1, hands, values);
      else if (what === kinds.rowCalls) hands.rows.make(ticket - 1);
      else makePiece(ticket - 1, hands);
    } catch {
      Atomics.store(control, failed, 1);
    }
    Atomics.add(control, finished, 1);
    Atomics.notify(control, finished);
  }
}

/** Lets those look again who sleep because they found nothing to do. */
function wakeAll(control: Int32Array): void {
  Atomics.add(control, batch, 1);
  Atomics.notify(control, batch);
}

/** The life of a worker: work when a batch opens or in the background, sleep otherwise, until the pool ends. */
export function serve(shared: Shared, hands: Hands): void {
  const { control } = shared;
  const wake = () => wakeAll(control);
  while (Atomics.load(control, ended) === 0) {
    const current = Atomics.load(control, batch);
    workThrough(shared, hands);
    if (Atomics.load(control, ended) !== 0) return;
    if (!makeNext(shared.background, hands, wake)) Atomics.wait(control, batch, current);
  }
}

function ready(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.once('message', (problem: string | undefined) => (problem ? reject(new Error(problem)) : resolve()));
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('it ended at once')));
  });
}
