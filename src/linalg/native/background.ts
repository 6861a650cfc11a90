/**
 * Work that other threads do while the calling thread is busy with something else: stages of calls, one after the other, all of
 * them written down beforehand. Threads make calls whenever no batch is open; when the caller comes for the outcome, all of them
 * share out what is left of each stage. Calls of one stage do not depend on one another, so that the outcome is the same however
 * much of it was done in the background.
 */
import { BackendError } from '../../errors.js';
import type { Begun } from '../backend.js';
import { argumentRoom, callWidth, type Hands, makeCall } from './records.js';

/**
 * Places in the control words: whether calls may be made, the call to be taken next, the calls that are finished, the stage that
 * calls are taken from, the number of stages, the threads that look for calls or make one, and whether one failed.
 */
const open = 0;
const next = 1;
const finished = 2;
const stage = 3;
const stages = 4;
const busy = 5;
const failed = 6;
const controlWords = 7;

/** Calls that there is room for: the nearest of 50,000 rows and some more. */
const mostCalls = 2 ** 16;

export interface BackgroundShared {
  readonly control: Int32Array;
  readonly calls: Float64Array;
  /** Where the calls of each stage end. */
  readonly ends: Int32Array;
}

export function backgroundRoom(): BackgroundShared {
  const room = (bytes: number) => new SharedArrayBuffer(bytes);
  return {
    control: new Int32Array(room(controlWords * 4)),
    calls: new Float64Array(room(mostCalls * callWidth * 8)),
    ends: new Int32Array(room(mostCalls * 4)),
  };
}

/** Makes the next call, if there is one; whether it did. */
export function makeNext({ control, calls, ends }: BackgroundShared, hands: Hands, wake: () => void): boolean {
  if (Atomics.load(control, open) === 0) return false;
  Atomics.add(control, busy, 1);
  const call = Atomics.load(control, open) === 0 ? none : takeCall(control, ends);
  if (call !== none) {
    try {
      makeCall(calls, call, hands, argumentRoom());
      // The last call of a stage lets all threads into the next one.
      if (Atomics.add(control, finished, 1) + 1 === ends[Atomics.load(control, stage)]) {
        Atomics.add(control, stage, 1);
        wake();
      }
    } catch {
      Atomics.store(control, failed, 1);
      Atomics.store(control, open, 0);
    }
  }
  Atomics.sub(control, busy, 1);
  Atomics.notify(control, busy);
  return call !== none;
}

const none = -1;

/** A call of the present stage that nobody has taken. */
function takeCall(control: Int32Array, ends: Int32Array): number {
  for (;;) {
    const here = Atomics.load(control, stage);
    const call = Atomics.load(control, next);
    if (here >= Atomics.load(control, stages) || call >= ends[here]) return none;
    if (Atomics.compareExchange(control, next, call, call + 1) === call) return call;
  }
}

/** What a pool of threads does for a program. */
export interface Crew {
  /** Wakes all threads. */
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
   * @param counts of the calls of each stage, none of them 0
   * @param write writes all of them down, one stage after the other
   * @param done called once, whether the outcome is wanted (`true`) or not
   */
  begin(
    counts: readonly number[],
    write: (calls: Float64Array) => void,
    done: (wanted: boolean) => void,
  ): Begun | undefined {
    const { control, calls, ends } = this.shared;
    const count = counts.reduce((sum, each) => sum + each, 0);
    if (this.#busy || count > mostCalls) return undefined;
    this.#busy = true;
    write(calls);
    let end = 0;
    counts.forEach((each, k) => {
      end += each;
      ends[k] = end;
    });
    for (const place of [next, finished, stage, failed]) Atomics.store(control, place, 0);
    Atomics.store(control, stages, counts.length);
    Atomics.store(control, open, 1);
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
    Atomics.store(control, open, 0);
    for (let many = Atomics.load(control, busy); many > 0; many = Atomics.load(control, busy))
      Atomics.wait(control, busy, many);
  }

  /** The same; returns the number of calls that were made. */
  #halt(): number {
    const { control } = this.shared;
    this.halt();
    if (Atomics.load(control, failed) !== 0) throw new BackendError('a thread of the native backend failed');
    return Atomics.load(control, finished);
  }
}
