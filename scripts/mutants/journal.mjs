// What became of mutants, one line of JSON each, so that an interrupted run goes on and a later one repeats only what may have
// changed: a noticed mutant when its source did, one that nobody noticed with the test files that did as well.
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A digest of each of the test files that decide. */
export function digestsOf(root, testFiles) {
  const digestOf = (file) =>
    createHash('sha256')
      .update(readFileSync(join(root, file)))
      .digest('hex')
      .slice(0, 12);
  return Object.fromEntries(testFiles.map((file) => [file, digestOf(file)]));
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

  /** What became of a mutant while its source was the same. */
  known(mutant) {
    const entry = this.#entries.get(mutant.name);
    return entry?.source === mutant.source ? entry : undefined;
  }

  add(entry) {
    this.#entries.set(entry.name, entry);
    appendFileSync(this.file, `${JSON.stringify(entry)}\n`);
  }
}

/** The test files that may change what became of a mutant: all where nothing is known, none where one noticed it. */
export function filesToTry(entry, digests) {
  if (entry?.status === 'killed' || entry?.status === 'timeout' || entry?.status === 'invalid') return [];
  return Object.keys(digests).filter((file) => entry?.tests?.[file] !== digests[file]);
}
