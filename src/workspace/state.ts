/** What is known of every stage, in `.bowerbird/stages.json`: written whole and renamed after each change. */
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { writeFileAtomic } from '../formats/index.js';
import type { StageInputs } from './stage.js';
import { layout, type Workspace } from './workspace.js';

export interface StageRecord {
  state: 'running' | 'done' | 'failed';
  /** Of the run that ended, those of the stages it needs included. */
  inputs: StageInputs;
  /** Hash of the outputs. */
  output?: string;
  summary?: string;
  notes?: readonly string[];
  failed?: readonly string[];
  error?: { code?: string; message: string; hint?: string };
  seconds?: number;
  finished?: string;
}

export interface StateFile {
  version: 1;
  stages: Record<string, StageRecord>;
}

export class StageStates {
  readonly #file: string;
  readonly #stages: Record<string, StageRecord>;
  #writing: Promise<void> = Promise.resolve();

  private constructor(file: string, stages: Record<string, StageRecord>) {
    this.#file = file;
    this.#stages = stages;
  }

  /** A file that cannot be read is one that was never written: everything runs again. */
  static async open(workspace: Workspace): Promise<StageStates> {
    const file = workspace.path(layout.state);
    try {
      const content = JSON.parse(await readFile(file, 'utf8')) as StateFile;
      if (content.version === 1) {
        const records = Object.entries(content.stages).filter(([, record]) => isRecord(record));
        return new StageStates(file, Object.fromEntries(records));
      }
    } catch {
      // Nothing has run yet.
    }
    return new StageStates(file, {});
  }

  get(name: string): StageRecord | undefined {
    return this.#stages[name];
  }

  /** Stages run side by side, but their states are written one after the other. */
  set(name: string, record: StageRecord): Promise<void> {
    this.#stages[name] = record;
    this.#writing = this.#writing.then(async () => {
      await mkdir(dirname(this.#file), { recursive: true });
      const content: StateFile = { version: 1, stages: this.#stages };
      await writeFileAtomic(this.#file, `${JSON.stringify(content, null, 2)}\n`);
    });
    return this.#writing;
  }
}

/** Whoever edits the file by hand may leave anything in it. */
function isRecord(value: unknown): value is StageRecord {
  const { state, inputs, notes = [], failed = [] } = (value ?? {}) as Partial<StageRecord>;
  const known = state === 'running' || state === 'done' || state === 'failed';
  return known && typeof inputs === 'object' && inputs !== null && Array.isArray(notes) && Array.isArray(failed);
}
