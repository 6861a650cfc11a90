/**
 * Small versions of pictures, made when they are first asked for and kept in the workspace. Whatever the file holds, a
 * browser gets pixels that were decoded and encoded here. The newest request goes first: it is what is on the screen.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { decode } from '../decoding/index.js';
import { writeFileAtomic } from '../formats/index.js';

/** Longest side in pixels: in a gallery, and alone. */
export const sides = { small: 240, large: 1280 } as const;
export type Side = keyof typeof sides;

const maxPixels = 100e6;

export interface Thumbnail {
  bytes: Uint8Array<ArrayBuffer>;
  tag: string;
}

export class Thumbnails {
  readonly #folder: string;
  readonly #atOnce: number;
  readonly #waiting: (() => void)[] = [];
  #working = 0;

  /** @param atOnce pictures decoded side by side */
  constructor(folder: string, atOnce = 2) {
    this.#folder = folder;
    this.#atOnce = atOnce;
  }

  /** @throws where the file is no picture; an aborted request gives up its place */
  async get(file: string, side: Side, signal?: AbortSignal): Promise<Thumbnail> {
    const { size, mtimeMs } = await stat(file);
    const tag = createHash('sha256').update(`${file}\0${size}\0${mtimeMs}\0${sides[side]}`).digest('hex').slice(0, 32);
    const kept = join(this.#folder, tag.slice(0, 2), `${tag}.jpg`);
    const before = await readFile(kept).catch(() => undefined);
    if (before) return { bytes: before, tag };
    const bytes = await this.#inTurn(() => shrink(file, sides[side]), signal);
    // Nobody waits for the disk, and a workspace that cannot be written to is still looked at.
    mkdir(dirname(kept), { recursive: true })
      .then(() => writeFileAtomic(kept, bytes))
      .catch(() => {});
    return { bytes, tag };
  }

  async #inTurn<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#working >= this.#atOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#working++;
    try {
      signal?.throwIfAborted();
      return await work();
    } finally {
      const next = this.#waiting.pop();
      if (next) next();
      else this.#working--;
    }
  }
}

async function shrink(file: string, side: number): Promise<Buffer<ArrayBuffer>> {
  const { data } = await decode(
    file,
    { kind: 'thumbnail', side, fit: 'inside', format: 'jpeg', quality: 78 },
    { pixels: maxPixels, seconds: 20, tolerant: true },
  );
  return Buffer.from(data);
}
