/** The thread of a session, from outside: what it said last, and a word to make it look again. */
import { Worker } from 'node:worker_threads';
import { artefact } from '../artefact.js';
import type { Progress } from '../progress.js';
import type { Question, Standing } from './question.js';
import type { SessionOptions } from './session.js';
import type { FromAskThread, ToAskThread } from './thread-messages.js';

export interface AskThreadState {
  readonly state: 'opening' | 'ready' | 'failed';
  /** Whether answers are being taken up. */
  readonly busy: boolean;
  readonly progress?: Progress;
  readonly questions: readonly Question[];
  readonly standing?: Standing;
  readonly names: readonly string[];
  readonly failure?: { readonly message: string; readonly hint?: string };
  /** Changes with everything above. */
  readonly version: number;
}

export class AskThread {
  readonly #worker: Worker;
  #state: AskThreadState = { state: 'opening', busy: true, questions: [], names: [], version: 0 };

  /** @param count questions that are kept ready */
  constructor(folder: string, count: number, options: Pick<SessionOptions, 'by' | 'check' | 'repeat'>) {
    this.#worker = new Worker(artefact('ask/worker.js'), { workerData: { folder, count, ...options }, execArgv: [] });
    this.#worker.unref();
    this.#worker.on('message', (message: FromAskThread) => this.#hear(message));
    this.#worker.on('error', (error) => this.#hear({ kind: 'failed', message: error.message }));
  }

  get state(): AskThreadState {
    return this.#state;
  }

  look(): void {
    if (this.#state.state !== 'ready') return;
    this.#set({ busy: true });
    this.#say({ kind: 'look' });
  }

  async close(): Promise<void> {
    this.#say({ kind: 'close' });
    await this.#worker.terminate();
  }

  #say(message: ToAskThread): void {
    this.#worker.postMessage(message);
  }

  #hear(message: FromAskThread): void {
    if (message.kind === 'progress') this.#set({ progress: message.progress });
    else if (message.kind === 'failed') this.#set({ state: 'failed', busy: false, failure: message });
    else {
      const { questions, standing, names } = message;
      this.#set({ state: 'ready', busy: false, progress: undefined, questions, standing, names });
    }
  }

  #set(change: Partial<AskThreadState>): void {
    this.#state = { ...this.#state, ...change, version: this.#state.version + 1 };
  }
}
