/** Runs of the workspace, started from the studio in a process of their own so that the page stays quick. */
import { type ChildProcess, spawn } from 'node:child_process';
import { BowerbirdError } from '../errors.js';
import type { StageName } from '../workspace/index.js';
import { workIsOn } from '../workspace/index.js';
import type { Library } from './library.js';

const longestTail = 4000;

export class Runs {
  readonly #library: Library;
  readonly #command: readonly string[];
  #child: ChildProcess | undefined;
  #failure: string | undefined;

  /** @param command what brings a workspace up to date, before the workspace and options of `bowerbird run` */
  constructor(library: Library, command: readonly string[]) {
    this.#library = library;
    this.#command = command;
  }

  get own(): boolean {
    return this.#child !== undefined;
  }

  get failure(): string | undefined {
    return this.#failure;
  }

  async start({ until, quick }: { until?: StageName; quick?: boolean } = {}): Promise<void> {
    const workspace = await this.#library.workspace();
    const busy = await workIsOn(workspace);
    if (this.#child || busy)
      throw new BowerbirdError('BOWERBIRD_WORKSPACE_IN_USE', 'a run is already at work in this workspace', {
        hint: 'Wait until it has ended.',
      });
    const [program, ...args] = this.#command;
    const wanted = [...(until ? ['--until', until] : []), ...(quick ? ['--quick'] : [])];
    const child = spawn(program, [...args, workspace.folder, ...wanted], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: { ...process.env, NO_COLOR: '1' },
    });
    this.#child = child;
    this.#failure = undefined;
    let tail = '';
    child.stderr?.on('data', (chunk) => {
      tail = `${tail}${chunk}`.slice(-longestTail);
    });
    const ended = (failure: string | undefined) => {
      if (this.#child !== child) return;
      this.#child = undefined;
      this.#failure = failure;
    };
    child.on('error', (error) => ended(`the run could not be started: ${error.message}`));
    // 3: some pictures failed though all stages ended; 130: it was stopped, or SIGINT came before it could answer.
    child.on('close', (code, signal) => {
      const asked = code === 0 || code === 3 || code === 130 || signal === 'SIGINT';
      ended(asked ? undefined : lastWords(tail, code));
    });
  }

  stop(): void {
    // Windows knows no signals that a program could answer: there a message says the same (src/cli/run.ts).
    if (process.platform === 'win32') this.#child?.send('stop');
    else this.#child?.kill('SIGINT');
  }
}

function lastWords(tail: string, code: number | null): string {
  const lines = tail.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  return lines.slice(-3).join('\n') || `the run ended with code ${code}`;
}
