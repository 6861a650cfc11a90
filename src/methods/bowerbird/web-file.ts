/**
 * Web pictures that do not fit in memory: whitened once, a block at a time, and written in the order of their labels to a file
 * without a name, which goes away with the process. Passes read it block by block.
 */
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileError } from '../../errors.js';
import { type Backend, Matrix } from '../../linalg/index.js';
import type { WebRows } from '../../problem/index.js';
import type { WhitenedSpace } from '../blocks/whitened-space.js';
import { dotOf } from './vectors.js';
import { type RowBlocks, WebPictures } from './web-pictures.js';

/** Bytes of a block. */
const blockBytes = 2 ** 25;

const files = new FinalizationRegistry((descriptor: number) => closeSync(descriptor));

/**
 * @param order row in the source of each picture, in the order of the labels
 * @param starts where the pictures of each category begin there, and where the last ones end
 */
export async function webOnDisk(
  backend: Backend,
  space: WhitenedSpace,
  source: WebRows,
  { order, starts }: { order: Int32Array; starts: Int32Array },
  pause: (done: number) => Promise<void>,
): Promise<WebPictures> {
  const { rows, cols } = source;
  const atOnce = Math.max(1, Math.min(rows, Math.floor(blockBytes / (4 * cols))));
  const file = new RowFile(rows, cols, atOnce);
  const places = new Int32Array(rows);
  order.forEach((row, place) => {
    places[row] = place;
  });
  const squaredLengths = new Float64Array(rows);
  const room = Matrix.zeros(atOnce, cols, 'float32');
  for (let start = 0; start < rows; start += atOnce) {
    const end = Math.min(rows, start + atOnce);
    const block = room.view(0, end - start);
    await source.read(block, start, end);
    const whitened = space.placeRows(block, 'float32');
    for (let from = 0; from < block.rows; ) {
      let to = from + 1;
      while (to < block.rows && places[start + to] === places[start + to - 1] + 1) to++;
      file.write(whitened.view(from, to), places[start + from]);
      from = to;
    }
    for (let i = 0; i < block.rows; i++) {
      const row = whitened.row(i);
      squaredLengths[places[start + i]] = dotOf(row, row);
    }
    await pause(end / rows);
  }
  return new WebPictures(backend, file, squaredLengths, starts);
}

class RowFile implements RowBlocks {
  readonly rows: number;
  readonly cols: number;
  readonly dtype = 'float32';
  readonly atOnce: number;
  readonly #descriptor: number;
  readonly #path: string;
  readonly #room: Matrix<Float32Array>;

  constructor(rows: number, cols: number, atOnce: number) {
    this.rows = rows;
    this.cols = cols;
    this.atOnce = atOnce;
    this.#room = Matrix.zeros(atOnce, cols, 'float32');
    this.#path = join(tmpdir(), `bowerbird-web-${process.pid}-${performance.now()}`);
    try {
      this.#descriptor = openSync(this.#path, 'wx+', 0o600);
    } catch (error) {
      throw unusable(this.#path, error, 'opened');
    }
    files.register(this, this.#descriptor);
    try {
      unlinkSync(this.#path);
    } catch {
      // Where open files cannot be removed, the system's own care for its temporary folder has to do.
    }
  }

  read(start: number, end: number): Matrix {
    this.#transfer(readSync, this.#room.data.subarray(0, (end - start) * this.cols), start, 'read');
    return this.#room.view(0, end - start);
  }

  write({ data, rows, cols }: Matrix, start: number): void {
    this.#transfer(writeSync, data.subarray(0, rows * cols), start, 'written');
  }

  #transfer(
    move: (descriptor: number, bytes: Uint8Array, offset: number, length: number, position: number) => number,
    { buffer, byteOffset, byteLength }: Matrix['data'],
    start: number,
    what: 'read' | 'written',
  ): void {
    const bytes = new Uint8Array(buffer, byteOffset, byteLength);
    try {
      for (let done = 0; done < byteLength; ) {
        const moved = move(this.#descriptor, bytes, done, byteLength - done, start * this.cols * 4 + done);
        if (moved === 0) throw new Error('the file is shorter than what was written to it');
        done += moved;
      }
    } catch (error) {
      throw unusable(this.#path, error, what);
    }
  }
}

function unusable(path: string, cause: unknown, what: 'opened' | 'read' | 'written'): FileError {
  const { message } = cause as Error;
  const hint = 'It holds the whitened web pictures: name a folder with room for them in TMPDIR.';
  return new FileError(path, `cannot be ${what}: ${message}`, { hint, cause });
}
