/**
 * One picture from its source to a file in the workspace. The file is named after the catalog's id and the type found in
 * its content, never after anything the web says; it is written beside, flushed to disk and renamed.
 */
import { createHash } from 'node:crypto';
import { constants, mkdirSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { PictureRow } from '../catalog/index.js';
import { signatureBytes } from '../decoding/index.js';
import { answerOf, type Downloads, pictureHeaders } from './elsewhere.js';
import { sha256Of } from './file-hash.js';
import { Refusal } from './network/failure.js';
import type { HttpClient } from './network/http.js';
import { matchesHost } from './network/limiter.js';
import { forbiddingTag } from './network/robots.js';
import { ownFolder } from './own-folder.js';
import { expectPicture, type PictureType } from './picture-type.js';
import { isPlaceholderAddress } from './placeholders.js';
import type { Source } from './sources/source.js';

export const picturesFolder = 'pictures';
export const partialFolder = '.partial';

export interface StoredPicture {
  /** Relative to the workspace, with forward slashes. */
  path: string;
  bytes: number;
  sha256: string;
  mediaType: string;
}

export interface DownloadOptions {
  /** @default 25 MiB */
  maximumBytes?: number;
}

export class PictureStore {
  readonly #workspace: string;
  readonly #http: HttpClient;
  readonly #maximumBytes: number;
  readonly #downloads: Downloads | undefined;

  /** @param downloads who fetches pictures of the web, if not this process */
  constructor(workspace: string, http: HttpClient, options: DownloadOptions = {}, downloads?: Downloads) {
    this.#workspace = workspace;
    this.#http = http;
    this.#downloads = downloads;
    this.#maximumBytes = options.maximumBytes ?? 25 * 2 ** 20;
    ownFolder(join(workspace, picturesFolder));
    ownFolder(join(workspace, picturesFolder, partialFolder));
  }

  /** @param attempt of this picture, from 1 */
  async fetch(
    picture: PictureRow,
    source: Source,
    attempt: number,
    signal: AbortSignal | undefined,
  ): Promise<StoredPicture> {
    if (source.read) return this.#store(picture.id, source.read(picture), this.#maximumBytes);
    const downloads = this.#downloads;
    const maximumBytes = this.#maximumBytes;
    const options = {
      ...{ maximumBytes, signal, headers: pictureHeaders },
      ...(downloads && {
        elsewhere: async (url: URL, hop: number) =>
          answerOf(await downloads.request(`${picture.id}-${attempt}-${hop}`, { url: url.href, maximumBytes }, signal)),
      }),
      // The hosts of a source's own pictures are part of its service, whose terms are those of the API.
      robots: (url: URL) => !source.hosts?.hosts.some((pattern) => matchesHost(pattern, url.hostname)),
    };
    return this.#http.get(picture.imageUrl, options, async ({ url, headers, body }) => {
      const tag = forbiddingTag([headers['x-robots-tag'] ?? []].flat());
      if (tag) throw new Refusal('x-robots-tag', `${url.host} sent X-Robots-Tag: ${tag}`);
      if (isPlaceholderAddress(url))
        throw new Refusal('placeholder', `led to ${url.host}${url.pathname.slice(0, 200)}`);
      return this.#store(picture.id, body, this.#maximumBytes);
    });
  }

  /** Where the file of a picture lies. */
  file(path: string): string {
    return join(this.#workspace, path);
  }

  /** The place for a replacement of a picture's file in another format. */
  pathFor(id: string, extension: string): string {
    const folder = `${picturesFolder}/${id.slice(0, 2)}`;
    mkdirSync(join(this.#workspace, folder), { recursive: true });
    return `${folder}/${id}.${extension}`;
  }

  async remove(path: string): Promise<void> {
    await rm(this.file(path), { force: true });
  }

  partial(id: string): string {
    return join(this.#workspace, picturesFolder, partialFolder, id);
  }

  /** Returns the hash of the file. */
  async replace(partial: string, path: string): Promise<string> {
    const handle = await open(partial, 'r+');
    await handle.datasync().finally(() => handle.close());
    const sha256 = await sha256Of(partial);
    await rename(partial, this.file(path));
    return sha256;
  }

  async #store(id: string, body: AsyncIterable<Buffer>, maximumBytes: number): Promise<StoredPicture> {
    const partial = this.partial(id);
    const hash = createHash('sha256');
    const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW = 0 } = constants;
    const handle = await open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o644);
    let bytes = 0;
    let head = Buffer.alloc(0);
    let type: PictureType | undefined;
    try {
      for await (const chunk of body) {
        bytes += chunk.length;
        if (bytes > maximumBytes) throw new Refusal('too-large', `more than ${maximumBytes} bytes`);
        if (!type && head.length < signatureBytes) {
          head = Buffer.concat([head, chunk.subarray(0, signatureBytes - head.length)]);
          // A page that is plainly not a picture is not worth reading to its end.
          if (head.length === signatureBytes) type = expectPicture(head);
        }
        hash.update(chunk);
        await handle.writeFile(chunk);
      }
      type ??= expectPicture(head);
      await handle.datasync();
    } catch (error) {
      await handle.close();
      await rm(partial, { force: true });
      throw error;
    }
    await handle.close();
    const path = this.pathFor(id, type.extension);
    await rename(partial, this.file(path));
    return { path, bytes, sha256: hash.digest('hex'), mediaType: type.mediaType };
  }
}
