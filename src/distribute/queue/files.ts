/** Files of a run on a worker's machine: from a shared folder, from an earlier download, or from the coordinator. */
import { createDecipheriv, createHash, randomUUID } from 'node:crypto';
import {
  createReadStream,
  createWriteStream,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { statfs } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { request } from 'undici';
import { QueueError } from './connect.js';
import { counterBytes, smallBytes } from './file-server.js';
import type { FileRecord } from './records.js';

export async function describeFile(path: string): Promise<FileRecord> {
  const { size } = statSync(path);
  return { name: basename(path), hash: await hashOf(path, size), bytes: size };
}

async function hashOf(path: string, size: number): Promise<string> {
  const hash = createHash('sha256');
  if (size <= smallBytes) {
    // Between two pictures whatever waits has its turn. Reading them through other threads takes ten times as long.
    await yieldToEventLoop();
    return hash.update(readFileSync(path)).digest('hex');
  }
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
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found?.isFile()) continue;
    if (found.size === record.bytes && (await hashOf(path, found.size)) === record.hash) return path;
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
  // The same contents may be on their way twice.
  const part = `${target}.${randomUUID()}.part`;
  mkdirSync(dirname(target), { recursive: true });
  // Before anybody is asked.
  if (record.bytes > smallBytes) await requireRoom(record, dirname(target));
  try {
    const { statusCode, body } = await request(url, { signal, headersTimeout: stallMs, bodyTimeout: stallMs });
    if (statusCode !== 200) {
      dropped(body);
      throw new Error(`the coordinator answered ${statusCode}`);
    }
    if (record.bytes <= smallBytes) await receiveSmall(body, key, record, part);
    else await receiveLarge(body, key, record, part, signal);
    renameSync(part, target);
    return target;
  } catch (error) {
    rmSync(part, { force: true });
    signal?.throwIfAborted();
    throw new QueueError(
      `${record.name} could not be fetched from the coordinator: ${(error as Error).message}`,
      'If the coordinator cannot be reached from here, share a folder with it and name it with --folder.',
      error,
    );
  }
}

async function requireRoom(record: FileRecord, folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (record.bytes > bavail * bsize)
    throw new QueueError(
      `${record.name} has ${record.bytes} bytes, ${bavail * bsize} are free in ${folder}`,
      'Name another folder with --cache.',
    );
}

/** In one piece, and written at once: for a picture the steps of a stream would take longer than all else. */
async function receiveSmall(body: Readable, key: Uint8Array, record: FileRecord, part: string): Promise<void> {
  const chunks: Buffer[] = [];
  let bytes = -counterBytes;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    requireLength(bytes, record);
    chunks.push(chunk);
  }
  const received = Buffer.concat(chunks);
  if (received.length < counterBytes) throw new Error('the answer has no contents');
  const decipher = createDecipheriv('aes-256-ctr', key, received.subarray(0, counterBytes));
  const contents = decipher.update(received.subarray(counterBytes));
  requireHash(createHash('sha256').update(contents).digest('hex'), record);
  writeFileSync(part, contents);
}

async function receiveLarge(
  body: Readable,
  key: Uint8Array,
  record: FileRecord,
  part: string,
  signal?: AbortSignal,
): Promise<void> {
  const hash = createHash('sha256');
  let bytes = 0;
  await pipeline(
    body,
    (chunks: AsyncIterable<Uint8Array>) => decrypted(chunks, key),
    async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        bytes += chunk.byteLength;
        requireLength(bytes, record);
        hash.update(chunk);
        yield chunk;
      }
    },
    createWriteStream(part),
    { signal },
  );
  requireHash(hash.digest('hex'), record);
}

/** Nobody wants the rest, nor to hear that it was cut off. */
function dropped(body: Readable): void {
  body.on('error', () => {}).destroy();
}

function requireLength(bytes: number, record: FileRecord): void {
  if (bytes > record.bytes) throw new Error(`more than the ${record.bytes} bytes announced`);
}

function requireHash(found: string, record: FileRecord): void {
  if (found !== record.hash) throw new Error(`SHA-256 ${found} instead of ${record.hash}`);
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
