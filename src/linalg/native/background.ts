/**
 * Work that another thread does while the calling thread is busy with something else: stages of calls, one after the other, all
 * of them written down beforehand. One thread at a time makes the next call, whenever no batch is open; when the caller comes for
 * the outcome, all threads share out what is left of each stage. Calls of one stage do not depend on one another, so that the
 * outcome is the same however much of it was done in the background.
 */
import { BackendError } from '../../errors.js';
import type { Begun } from '../backend.js';
import { argumentRoom, callWidth, type Hands, makeCall } from './records.js';

/** Places in the control words: the call to be made next, the end of those that may be made, whether a thread makes one, and whether one failed. */
const next = 0;
const end = 1;
const taken = 2;
const failed = 3;

/** Calls that there is room for: the nearest of 30,000 rows. */
const mostCalls = 2 ** 14;

export interface BackgroundShared {
  readonly control: Int32Array;
  readonly calls: Float64Array;
}

export function backgroundRoom(): BackgroundShared {
  return {
    control: new Int32Array(new SharedArrayBuffer(4 * 4)),
    calls: new Float64Array(new SharedArrayBuffer(mostCalls * callWidth * 8)),
  };
}

/** Makes the next call, if there is one and no other thread is at it; whether it did. */
export function makeNext({ control, calls }: BackgroundShared, hands: Hands): boolean {
  if (Atomics.load(control, next) >= Atomics.load(control, end)) return false;
  if (Atomics.compareExchange(control, taken, 0, 1) !== 0) return false;
  // Looked at again, now that nobody else moves on.
  const call = Atomics.load(control, next);
  const wanted = call < Atomics.load(control, end);
  try {
    if (wanted) makeCall(calls, call, hands, argumentRoom());
  } catch {
    Atomics.store(control, failed, 1);
    Atomics.store(control, end, 0);
  }
  if (wanted) Atomics.store(control, next, call + 1);
  Atomics.store(control, taken, 0);
  Atomics.notify(control, taken);
  return wanted;
}

/** What a pool of threads does for a program. */
export interface Crew {
  /** Wakes a thread. */
  wake(): void;
  /** Makes calls [from, to) of the program on all threads. */
  share(calls: Float64Array, from: number, to: number): void;
}

/** The programs of a pool, of which one at a time is under way. */
export class Background {
  readonly shared = backgroundRoom();
  readonly #crew: Crew;
  #busy = false;

  constructor(crew: Crew) {
    this.#crew = crew;
  }

  /**
   * Undefined where another program is under way, or there is no room for all calls.
   * @param counts of the calls of each stage
   * @param write writes all of them down, one stage after the other
   * @param done called once, whether the outcome is wanted (`true`) or not
   */
  begin(
    counts: readonly number[],
    write: (calls: Float64Array) => void,
    done: (wanted: boolean) => void,
  ): Begun | undefined {
    const { control, calls } = this.shared;
    const count = counts.reduce((sum, each) => sum + each, 0);
    if (this.#busy || count > mostCalls) return undefined;
    this.#busy = true;
    write(calls);
    for (const place of [next, failed]) Atomics.store(control, place, 0);
    Atomics.store(control, end, count);
    this.#crew.wake();
    let ended = false;
    const leave = (wanted: boolean) => {
      ended = true;
      this.#busy = false;
      done(wanted);
    };
    return {
      finish: () => {
        if (ended) throw new BackendError('what was begun in the background has ended');
        try {
          const made = this.#halt();
          let stop = 0;
          for (const each of counts) {
            const from = Math.max(stop, made);
            stop += each;
            if (from < stop) this.#crew.share(calls, from, stop);
          }
        } catch (error) {
          leave(false);
          throw error;
        }
        leave(true);
      },
      stop: () => {
        if (ended) return;
        this.halt();
        leave(false);
      },
    };
  }

  /** Waits until no thread is at a call, and lets none begin another. */
  halt(): void {
    const { control } = this.shared;
    Atomics.store(control, end, 0);
    while (Atomics.load(control, taken) === 1) Atomics.wait(control, taken, 1);
  }

  /** The same; returns the number of calls that were made. */
  #halt(): number {
    const { control } = this.shared;
    this.halt();
    if (Atomics.load(control, failed) !== 0) throw new BackendError('a thread of the native backend failed');
    return Atomics.load(control, next);
  }
}
