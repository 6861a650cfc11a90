/** A value computed from files, kept until one of them changes. */
import { stat } from 'node:fs/promises';

export class FileCache<T> {
  readonly #files: () => readonly string[];
  readonly #compute: () => Promise<T>;
  #stamp: string | undefined;
  #value: Promise<T> | undefined;

  constructor(files: () => readonly string[], compute: () => Promise<T>) {
    this.#files = files;
    this.#compute = compute;
  }

  async get(): Promise<T> {
    const stamp = await stampOf(this.#files());
    if (this.#value && stamp === this.#stamp) return this.#value;
    const value = this.#compute();
    this.#stamp = stamp;
    this.#value = value;
    value.catch(() => {
      if (this.#value === value) this.#value = undefined;
    });
    return value;
  }
}

/** Differs whenever one of the files has been written, made or removed. */
export async function stampOf(files: readonly string[]): Promise<string> {
  const parts = files.map(async (file) => {
    const found = await stat(file).catch(() => undefined);
    return found ? `${found.size}-${found.mtimeMs}-${found.ino}` : '';
  });
  return (await Promise.all(parts)).join('|');
}
