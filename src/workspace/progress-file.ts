/** How far a run is, in `.bowerbird/progress.json` while it lasts: for those who look at the workspace meanwhile. */
import { rmSync, writeFileSync } from 'node:fs';
import type { Progress } from '../progress.js';
import { layout, type Workspace } from './workspace.js';

const millisecondsBetween = 300;

export class ProgressFile {
  readonly #file: string;
  #written = 0;

  constructor(workspace: Workspace) {
    this.#file = workspace.path(layout.progress);
  }

  /** A look at half a file is a look at none, so it is neither flushed nor renamed. */
  update(progress: Progress): void {
    const now = performance.now();
    if (now - this.#written < millisecondsBetween) return;
    this.#written = now;
    try {
      writeFileSync(this.#file, JSON.stringify({ process: process.pid, ...progress }));
    } catch {
      // A run does not fail because nobody can watch it.
    }
  }

  remove(): void {
    rmSync(this.#file, { force: true });
  }
}
