/** A file of fixed-size items, read a chunk at a time into a place of the shared memory. */
import { closeSync, openSync, readSync } from 'node:fs';
import { FormatError } from '../../errors.js';
import { fileError } from '../../formats/index.js';

export class ChunkFile {
  readonly #path: string;
  readonly #itemBytes: number;
  readonly #room: Uint8Array;
  readonly #file: number;

  /** @param room where chunks go; its length bounds them */
  constructor(path: string, itemBytes: number, room: Uint8Array) {
    this.#path = path;
    this.#itemBytes = itemBytes;
    this.#room = room;
    try {
      this.#file = openSync(path, 'r');
    } catch (error) {
      throw fileError(path, error, 'opened');
    }
  }

  /** Reads items from `position` on, as many as there is room for but none from `to` on; returns how many. */
  read(position: number, to: number): number {
    const count = Math.min(Math.floor(this.#room.length / this.#itemBytes), to - position);
    const wanted = count * this.#itemBytes;
    for (let done = 0; done < wanted; ) {
      const read = readSync(this.#file, this.#room, done, wanted - done, position * this.#itemBytes + done);
      if (read === 0)
        throw new FormatError(
          this.#path,
          position * this.#itemBytes + done,
          'the file became shorter while it was used',
          'Delete the work folder and run the command again.',
        );
      done += read;
    }
    return count;
  }

  close(): void {
    closeSync(this.#file);
  }
}
