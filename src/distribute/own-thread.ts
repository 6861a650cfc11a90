/**
 * Places in this very thread, for jobs that wait rather than compute: the handler is opened once for all of them, and
 * what it holds (connections, limits) is shared.
 */

import type { JobHandlerModule } from './executor.js';
import { failureOf } from './failure.js';
import type { Seat, SeatOutcome } from './seat.js';
import type { ThreadStart } from './thread-messages.js';

type Opened = Awaited<ReturnType<JobHandlerModule<unknown, unknown, unknown>['open']>>;

export class OwnThread implements Pick<Seat, 'run' | 'close'> {
  readonly #start: ThreadStart;
  #opened: Promise<Opened> | undefined;

  constructor(start: ThreadStart) {
    this.#start = start;
  }

  /** A handler that cannot be opened, such as for a connection that is down for a moment, is opened anew for the next job. */
  async run({ job, signal, onProgress }: Parameters<Seat['run']>[0]): Promise<SeatOutcome> {
    this.#opened ??= this.#open();
    const opening = this.#opened;
    let opened: Opened;
    try {
      opened = await opening;
    } catch (error) {
      if (this.#opened === opening) this.#opened = undefined;
      return { kind: 'crash', reason: (error as Error).message };
    }
    try {
      return { kind: 'result', result: await opened.handle(job, { signal, onProgress }) };
    } catch (error) {
      return signal.aborted ? { kind: 'stopped' } : { kind: 'failure', failure: failureOf(error) };
    }
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    await opened?.then(({ close }) => close?.()).catch(() => {});
  }

  async #open(): Promise<Opened> {
    const module = (await import(this.#start.handler)) as JobHandlerModule<unknown, unknown, unknown>;
    return module.open(this.#start.context);
  }
}
