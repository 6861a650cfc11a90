/**
 * The bytes of a corpus file, decompressed on the way where it is gzip or bzip2 (recognized by its first bytes, not by
 * its name). Damaged and truncated files end in an error that names the byte of the file as it lies on disk.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { createGunzip, type Gunzip } from 'node:zlib';
import { FormatError, InterruptedError } from '../../errors.js';
import { fileError } from '../../formats/index.js';
import type { Progress } from '../../progress.js';
import { decompressBzip2 } from './bzip2.js';

export interface ReadBytesOptions {
  signal?: AbortSignal;
  /** Bytes read from disk so far, and the size of the file. */
  onProgress?: (progress: Progress) => void;
}

const pieceBytes = 1 << 18;
/** zlib says which of its inputs was damaged, not where in it: small inputs make the answer useful. */
const gzipBytes = 1 << 14;

/** Decompressed pieces of a file, in order. */
export async function* readBytes(path: string, options: ReadBytesOptions = {}): AsyncGenerator<Uint8Array> {
  const handle = await open(path, 'r').catch((error) => {
    throw fileError(path, error, 'opened');
  });
  try {
    const magic = new Uint8Array(3);
    await handle.read(magic, 0, 3, 0).catch((error) => {
      throw fileError(path, error, 'read');
    });
    const stored = readPieces(handle, path, options);
    if (magic[0] === 0x1f && magic[1] === 0x8b) yield* decompressGzip(stored, path);
    else if (magic[0] === 0x42 && magic[1] === 0x5a && magic[2] === 0x68) yield* decompressBzip2(stored, path);
    else yield* stored;
  } finally {
    await handle.close();
  }
}

async function* readPieces(handle: FileHandle, path: string, options: ReadBytesOptions): AsyncGenerator<Uint8Array> {
  const { size } = await handle.stat();
  for (let position = 0; ; ) {
    if (options.signal?.aborted) throw new InterruptedError(`reading ${path} was interrupted`);
    const piece = new Uint8Array(pieceBytes);
    const { bytesRead } = await handle.read(piece, 0, pieceBytes, position).catch((error) => {
      throw fileError(path, error, 'read');
    });
    if (bytesRead === 0) return;
    position += bytesRead;
    yield piece.subarray(0, bytesRead);
    options.onProgress?.({ done: position, total: Math.max(size, position) });
  }
}

async function* decompressGzip(stored: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: pieceBytes });
  let failure: unknown;
  const feeding = (async () => {
    try {
      for await (const piece of stored)
        for (let i = 0; i < piece.length; i += gzipBytes) {
          if (gunzip.destroyed) return;
          if (!gunzip.write(piece.subarray(i, i + gzipBytes))) await drained(gunzip);
        }
      gunzip.end();
    } catch (error) {
      failure = error;
      gunzip.destroy(error as Error);
    }
  })();
  try {
    for await (const piece of gunzip) yield piece as Uint8Array;
  } catch (error) {
    if (failure) throw failure;
    const truncated = (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR';
    throw new FormatError(
      path,
      gunzip.bytesWritten,
      truncated
        ? 'the gzip data ends before its last block'
        : `gzip: ${(error as Error).message} (noticed within ${gzipBytes} bytes from here)`,
      `The file is ${truncated ? 'truncated' : 'damaged'}; fetch it again.`,
    );
  } finally {
    gunzip.destroy();
    await feeding;
  }
}

function drained(stream: Gunzip): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done).off('close', done);
      resolve();
    };
    stream.on('drain', done).on('close', done);
  });
}
