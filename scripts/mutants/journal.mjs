// What became of mutants, one line of JSON each, so that an interrupted run goes on and a later one repeats only what may have
// changed: a noticed mutant while its source is the same, one that nobody noticed while the tests are the same too.
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A digest of the tests that decide. */
export function digestOf(root, testFiles) {
  const digest = createHash('sha256');
  for (const file of testFiles) digest.update(file).update(readFileSync(join(root, file)));
  return digest.digest('hex').slice(0, 16);
}

export class Journal {
  #entries = new Map();

  constructor(file) {
    this.file = file;
    mkdirSync(dirname(file), { recursive: true });
    if (!existsSync(file)) return;
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      try {
        const entry = JSON.parse(line);
        this.#entries.set(entry.name, entry);
      } catch {
        // The last line of a run that was killed.
      }
    }
  }

  /** What became of a mutant, if that still holds. */
  known(mutant, tests) {
    const entry = this.#entries.get(mutant.name);
    if (!entry || entry.source !== mutant.source) return undefined;
    const noticed = entry.status === 'killed' || entry.status === 'timeout';
    return noticed || entry.tests === tests ? entry : undefined;
  }

  add(entry) {
    this.#entries.set(entry.name, entry);
    appendFileSync(this.file, `${JSON.stringify(entry)}\n`);
  }
}
