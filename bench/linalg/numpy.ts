/** numpy as a contestant: a python3 process that is told what to do line by line. */
import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Case } from './cases.js';

const script = fileURLToPath(new URL('../linalg.py', import.meta.url));

/** Why there is no numpy to compare with, or undefined when there is. */
export function numpyProblem(): string | undefined {
  const { status, stderr, error } = spawnSync('python3', ['-c', 'import numpy'], { encoding: 'utf8' });
  return status === 0 ? undefined : (error?.message ?? stderr.trim().split('\n').at(-1));
}

export class Numpy {
  readonly #child;
  readonly #lines;
  version = '';

  constructor(threads: number, clock: 'wall' | 'processor') {
    const count = String(threads);
    const env = { ...process.env, OPENBLAS_NUM_THREADS: count, OMP_NUM_THREADS: count, MKL_NUM_THREADS: count };
    this.#child = spawn('python3', [script, clock], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  async start(): Promise<this> {
    this.version = (JSON.parse(await this.#answer()) as { numpy: string }).numpy;
    return this;
  }

  async prepare(test: Case): Promise<void> {
    await this.#ask({ prepare: test });
  }

  async trial(repeat: number): Promise<number> {
    return Number(await this.#ask({ repeat }));
  }

  end(): void {
    this.#child.stdin.end();
  }

  #ask(command: unknown): Promise<string> {
    this.#child.stdin.write(`${JSON.stringify(command)}\n`);
    return this.#answer();
  }

  async #answer(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error('the numpy process ended; its message is above');
    return value as string;
  }
}
