/** Files of a run on a worker's machine: from a shared folder, from an earlier download, or from the coordinator. */
import { createDecipheriv, createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { QueueError } from './connect.js';
import { counterBytes } from './file-server.js';
import type { FileRecord } from './records.js';

export async function describeFile(path: string): Promise<FileRecord> {
  const { size } = await stat(path);
  return { name: basename(path), hash: await hashOf(path), bytes: size };
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 20 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** A coordinator that sends nothing for this long is given up. */
const stallMs = 60_000;

export interface FilePlaces {
  /** Folder shared with the coordinator; looked at first. */
  folder?: string;
  /** Where downloads are kept. */
  cache: string;
  /** `${address}/${hash}` gives the file, encrypted with `key`. */
  address?: string;
  key?: Uint8Array;
  signal?: AbortSignal;
}

/**
 * Path of a local file with exactly the contents described.
 * @throws QueueError when no place has it
 */
export async function obtainFile(
  record: FileRecord,
  { folder, cache, address, key, signal }: FilePlaces,
): Promise<string> {
  // The record comes over the network: nothing of it may lead out of the folders.
  if (!/^[0-9a-f]{64}$/.test(record.hash)) throw new QueueError(`"${record.hash}" is no SHA-256`);
  const extension = /^\.[A-Za-z0-9]{1,8}$/.test(extname(record.name)) ? extname(record.name) : '';
  const stored = record.hash + extension;
  const candidates = [
    ...(folder ? [join(folder, basename(record.name)), join(folder, stored)] : []),
    join(cache, stored),
  ];
  const rejected: string[] = [];
  for (const path of candidates) {
    const found = await stat(path).catch(() => undefined);
    if (!found?.isFile()) continue;
    if (found.size === record.bytes && (await hashOf(path)) === record.hash) return path;
    rejected.push(path);
  }
  if (address && key) return download(`${address}/${record.hash}`, key, record, join(cache, stored), signal);
  throw new QueueError(
    `${record.name} is not on this machine${rejected.length > 0 ? ` (other contents: ${rejected.join(', ')})` : ''}`,
    'Give the folder that holds it with --folder.',
  );
}

async function download(
  url: string,
  key: Uint8Array,
  record: FileRecord,
  target: string,
  signal?: AbortSignal,
): Promise<string> {
  await mkdir(dirname(target), { recursive: true });
  const { bavail, bsize } = await statfs(dirname(target));
  if (record.bytes > bavail * bsize)
    throw new QueueError(
      `${record.name} has ${record.bytes} bytes, ${bavail * bsize} are free in ${dirname(target)}`,
      'Name another folder with --cache.',
    );
  const part = `${target}.${process.pid}.part`;
  const hash = createHash('sha256');
  let bytes = 0;
  const stalled = new AbortController();
  let timer = setTimeout(() => stalled.abort(), stallMs);
  try {
    const response = await fetch(url, {
      signal: AbortSignal.any([stalled.signal, ...(signal ? [signal] : [])]),
      redirect: 'error',
    });
    if (!response.ok || !response.body) throw new Error(`the coordinator answered ${response.status}`);
    await pipeline(
      Readable.fromWeb(response.body as import('node:stream/web').ReadableStream),
      (chunks: AsyncIterable<Uint8Array>) => decrypted(chunks, key),
      async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          clearTimeout(timer);
          timer = setTimeout(() => stalled.abort(), stallMs);
          bytes += chunk.byteLength;
          if (bytes > record.bytes) throw new Error(`more than the ${record.bytes} bytes announced`);
          hash.update(chunk);
          yield chunk;
        }
      },
      createWriteStream(part),
      { signal },
    );
    const found = hash.digest('hex');
    if (found !== record.hash) throw new Error(`SHA-256 ${found} instead of ${record.hash}`);
    await rename(part, target);
    return target;
  } catch (error) {
    await rm(part, { force: true });
    signal?.throwIfAborted();
    throw new QueueError(
      `${record.name} could not be fetched from the coordinator: ${(error as Error).message}`,
      'If the coordinator cannot be reached from here, share a folder with it and name it with --folder.',
      error,
    );
  } finally {
    clearTimeout(timer);
  }
}

async function* decrypted(chunks: AsyncIterable<Uint8Array>, key: Uint8Array): AsyncGenerator<Uint8Array> {
  let counter = Buffer.alloc(0);
  let decipher: ReturnType<typeof createDecipheriv> | undefined;
  for await (const chunk of chunks) {
    let rest = chunk;
    if (!decipher) {
      const missing = counterBytes - counter.length;
      counter = Buffer.concat([counter, rest.subarray(0, missing)]);
      rest = rest.subarray(missing);
      if (counter.length < counterBytes) continue;
      decipher = createDecipheriv('aes-256-ctr', key, counter);
    }
    if (rest.length > 0) yield decipher.update(rest);
  }
}
