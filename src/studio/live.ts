/** Watches the workspace while somebody looks at it, and tells them when a run goes on or files have changed. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Progress } from '../progress.js';
import { configurationFile, layout, workIsOn } from '../workspace/index.js';
import type { LiveState } from './api.js';
import type { AskHost } from './ask.js';
import { stampOf } from './file-cache.js';
import type { Library } from './library.js';
import type { Runs } from './runs.js';

const millisecondsBetween = 250;

export class Live {
  readonly #library: Library;
  readonly #runs: Runs;
  readonly #ask: AskHost;
  readonly #listeners = new Set<(state: LiveState) => void>();
  #timer: NodeJS.Timeout | undefined;
  #last = '';

  constructor(library: Library, runs: Runs, ask: AskHost) {
    this.#library = library;
    this.#runs = runs;
    this.#ask = ask;
  }

  /** Whatever the configuration says: it may be wrong while somebody edits it. */
  async state(): Promise<LiveState> {
    const { folder } = this.#library;
    const files = [configurationFile, layout.state, layout.pictures, layout.report];
    const version = await stampOf(files.map((file) => join(folder, file)));
    const decisions = await stampOf([join(folder, layout.decisions)]);
    const running = this.#runs.own || (await workIsOn({ path: (...parts) => join(folder, ...parts) }));
    const progress = running ? await readProgress(join(folder, layout.progress)) : undefined;
    const { own, failure } = this.#runs;
    return {
      running,
      own,
      version,
      decisions,
      ask: this.#ask.version,
      ...(failure !== undefined && { failure }),
      ...(progress && { progress }),
    };
  }

  /** @returns what ends it */
  listen(listener: (state: LiveState) => void): () => void {
    this.#listeners.add(listener);
    this.#timer ??= setInterval(() => void this.#look(), millisecondsBetween);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.stop();
    };
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #look(): Promise<void> {
    const state = await this.state().catch(() => undefined);
    const text = JSON.stringify(state);
    if (!state || text === this.#last) return;
    this.#last = text;
    for (const listener of this.#listeners) listener(state);
  }
}

async function readProgress(file: string): Promise<Progress | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}
