/**
 * Pictures that are read from a file: whitened once, a block at a time, and kept in memory or, where they do not fit there, in a
 * file without a name, which goes away with the process. Passes read that block by block.
 */
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileError } from '../../errors.js';
import { type Dtype, elementsOf, Matrix, poweredRows, type RowBlocks, runsOf } from '../../linalg/index.js';
import { roomOn } from '../../numerics/index.js';
import type { FeatureRows } from '../../problem/index.js';
import { rowsAtOnce, visitFeatures } from '../blocks/feature-rows.js';
import { precisionFor, type WhitenedSpace } from '../blocks/whitened-space.js';
import { type Placed, withLengths } from './ground.js';

const files = new FinalizationRegistry((descriptor: number) => closeSync(descriptor));

/**
 * What `place` does, with pictures that stay in files.
 * @param keep where to keep the whitened ones
 * @param order row in the source of each picture @default as they are
 */
export async function placeByBlocks(
  space: WhitenedSpace,
  source: FeatureRows,
  keep: 'memory' | 'disk',
  pause: (done: number) => Promise<void>,
  order?: Int32Array,
): Promise<Placed> {
  const { rows, cols } = source;
  const dtype = precisionFor(rows, cols);
  const kept =
    keep === 'memory' ? roomOn(space.backend, rows, cols, dtype) : new RowFile(rows, cols, dtype, rowsAtOnce(source));
  const write = (block: Matrix, start: number) => {
    if (kept instanceof RowFile) kept.write(block, start);
    else space.backend.copy(kept.view(start, start + block.rows), block);
  };
  // Read in the order in which they are kept, in the blocks of `place`, they come out the same to the last bit.
  const inOrder = source.sequential ? undefined : order;
  const places = Int32Array.from({ length: rows }, (_, place) => place);
  if (order && !inOrder)
    order.forEach((row, place) => {
      places[row] = place;
    });
  const squaredLengths = new Float64Array(rows);
  const see = async (block: Matrix, start: number) => {
    const whitened = withLengths(space.backend, space.placeRows(block, dtype));
    const there = places.subarray(start, start + block.rows);
    for (const { place, from, to } of runsOf(there)) write(whitened.rows.view(place, place + to - from), from);
    space.backend.release(whitened.rows);
    there.forEach((place, i) => {
      squaredLengths[place] = whitened.squaredLengths[i];
    });
    await pause((start + block.rows) / rows);
  };
  await visitFeatures(source, see, { rows: inOrder, together: poweredRows(cols, dtype), backend: space.backend });
  return { rows: kept, squaredLengths };
}

class RowFile implements RowBlocks {
  readonly rows: number;
  readonly cols: number;
  readonly dtype: Dtype;
  readonly atOnce: number;
  readonly #descriptor: number;
  readonly #path: string;
  /** Where the last rows that were asked for are, and where the next will be. */
  #rooms: [Matrix, Matrix];

  constructor(rows: number, cols: number, dtype: Dtype, atOnce: number) {
    this.rows = rows;
    this.cols = cols;
    this.dtype = dtype;
    this.atOnce = atOnce;
    this.#rooms = [Matrix.zeros(atOnce, cols, dtype), Matrix.zeros(atOnce, cols, dtype)];
    this.#path = join(tmpdir(), `bowerbird-pictures-${process.pid}-${performance.now()}`);
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

  view(start: number, end: number): Matrix {
    const [last, room] = this.#rooms;
    this.#rooms = [room, last];
    const block = room.view(0, end - start);
    this.#transfer(readSync, block, start, 'read');
    return block;
  }

  write(block: Matrix, start: number): void {
    this.#transfer(writeSync, block, start, 'written');
  }

  #transfer(
    move: (descriptor: number, bytes: Uint8Array, offset: number, length: number, position: number) => number,
    block: Matrix,
    start: number,
    what: 'read' | 'written',
  ): void {
    const { buffer, byteOffset, byteLength, BYTES_PER_ELEMENT: width } = elementsOf(block);
    const bytes = new Uint8Array(buffer, byteOffset, byteLength);
    try {
      for (let done = 0; done < byteLength; ) {
        const moved = move(this.#descriptor, bytes, done, byteLength - done, start * this.cols * width + done);
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
  const hint = 'It holds whitened pictures: name a folder with room for them in TMPDIR.';
  return new FileError(path, `cannot be ${what}: ${message}`, { hint, cause });
}
