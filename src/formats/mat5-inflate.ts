/** Inflates one compressed variable of a MATLAB file into a buffer of exactly the size that it declares. */
import { pipeline, Readable } from 'node:stream';
import { createInflate } from 'node:zlib';
import { BowerbirdError, FormatError } from '../errors.js';
import type { RandomAccessFile } from './file.js';

const chunkBytes = 2 ** 18;
/** Deflate never shrinks data by more than this factor. */
const largestRatio = 1032;

/** The variable's data element (tag and content) from the `length` compressed bytes after the tag at `offset`. */
export async function inflateElement(
  file: RandomAccessFile,
  offset: number,
  length: number,
  littleEndian: boolean,
  limit: number,
): Promise<Uint8Array<ArrayBuffer>> {
  async function* compressed() {
    for (let done = 0; done < length; done += chunkBytes)
      yield await file.read(offset + 8 + done, Math.min(chunkBytes, length - done), 'deflated data');
  }
  const stream = createInflate({ chunkSize: chunkBytes });
  // The error, if any, is also thrown by the loop below.
  pipeline(Readable.from(compressed()), stream, () => {});
  const tag = new Uint8Array(8);
  let target = tag;
  let filled = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      let rest = chunk;
      if (filled < 8) {
        const start = rest.subarray(0, 8 - filled);
        target.set(start, filled);
        filled += start.length;
        rest = rest.subarray(start.length);
        if (filled < 8) continue;
        target = allocate(file, offset, length, tag, littleEndian, limit);
      }
      if (filled + rest.length > target.length)
        throw new FormatError(file.name, offset, `the deflated variable goes on after its ${target.length} bytes`);
      target.set(rest, filled);
      filled += rest.length;
    }
  } catch (error) {
    if (error instanceof BowerbirdError) throw error;
    throw new FormatError(file.name, offset, `the deflated variable is damaged: ${(error as Error).message}`);
  } finally {
    stream.destroy();
  }
  if (filled < target.length)
    throw new FormatError(file.name, offset, `the deflated variable ends after ${filled} of ${target.length} bytes`);
  return target;
}

function allocate(
  file: RandomAccessFile,
  offset: number,
  length: number,
  tag: Uint8Array<ArrayBuffer>,
  littleEndian: boolean,
  limit: number,
): Uint8Array<ArrayBuffer> {
  const size = 8 + new DataView(tag.buffer).getUint32(4, littleEndian);
  if (size > largestRatio * (length + 8))
    throw new FormatError(
      file.name,
      offset,
      `${length} deflated bytes cannot hold the ${size} bytes that are declared`,
    );
  if (size > limit)
    throw new FormatError(
      file.name,
      offset,
      `a variable would inflate to ${size} bytes; ${limit} are left of the limit for this file`,
      'If you trust the file, raise maximumInflatedBytes, or save it again without compression (-v6).',
    );
  const target = new Uint8Array(size);
  target.set(tag);
  return target;
}
