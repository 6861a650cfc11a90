/**
 * An append-only journal of JSON lines in numbered segment files. A line is handed to the operating system before
 * `append` returns, so killing the process loses nothing; `fdatasync` follows within a second, so a power cut loses at
 * most that. A torn last line is cut off on opening.
 */
import {
  closeSync,
  existsSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

const segmentName = /^(\d{9})\.jsonl$/;
const syncDelay = 1000;

export interface Segment {
  number: number;
  file: string;
}

export class Journal {
  readonly #folder: string;
  #number: number;
  #descriptor: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lines = 0;
  #bytes = 0;

  /** @param after every new segment gets a number greater than this one */
  constructor(folder: string, after: number) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
    this.#number = Math.max(after, ...this.segments().map((segment) => segment.number));
  }

  /** Lines written since the last rotation. */
  get lines(): number {
    return this.#lines;
  }

  get bytes(): number {
    return this.#bytes;
  }

  append(lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#descriptor ??= openSync(this.#file(++this.#number), 'ax', 0o644);
    const data = Buffer.from(`${lines.join('\n')}\n`);
    for (let written = 0; written < data.length; ) written += writeSync(this.#descriptor, data, written);
    this.#lines += lines.length;
    this.#bytes += data.length;
    this.#timer ??= setTimeout(() => this.#sync(), syncDelay).unref();
  }

  /** Closes the segment being written, if any; the next line starts a new one. Returns the last closed one's number. */
  rotate(): number {
    if (this.#descriptor === undefined) return this.#number;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    fdatasyncSync(this.#descriptor);
    closeSync(this.#descriptor);
    this.#descriptor = undefined;
    this.#lines = 0;
    this.#bytes = 0;
    return this.#number;
  }

  /** All segments on disk, oldest first. */
  segments(): Segment[] {
    return readdirSync(this.#folder)
      .flatMap((name) => segmentName.exec(name)?.slice(1) ?? [])
      .map((digits) => ({ number: Number(digits), file: this.#file(Number(digits)) }))
      .sort((a, b) => a.number - b.number);
  }

  remove(segment: Segment): void {
    unlinkSync(segment.file);
  }

  #file(number: number): string {
    return join(this.#folder, `${String(number).padStart(9, '0')}.jsonl`);
  }

  #sync(): void {
    this.#timer = undefined;
    const descriptor = this.#descriptor;
    // A failing disk shows itself at the next write; there is nobody to hand this error to.
    if (descriptor !== undefined) fdatasync(descriptor, () => {});
  }
}

/** Whether a journal was left that has not been brought into the tables. */
export function hasSegments(folder: string): boolean {
  return existsSync(folder) && readdirSync(folder).some((name) => segmentName.test(name));
}

/** Cuts off an unfinished last line. Returns false when nothing is left. */
export function trimTornLine(file: string): boolean {
  const descriptor = openSync(file, 'r+');
  try {
    let end = fstatSync(descriptor).size;
    const byte = Buffer.alloc(1);
    while (end > 0 && (readSync(descriptor, byte, 0, 1, end - 1) !== 1 || byte[0] !== 0x0a)) end--;
    ftruncateSync(descriptor, end);
    return end > 0;
  } finally {
    closeSync(descriptor);
  }
}
