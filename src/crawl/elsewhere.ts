/**
 * Pictures that other processes ask for: one request each, without redirects, its outcome as plain values. Which address
 * comes next, whether robots.txt allows it, how often to try and what to keep is decided where the crawl runs; rate,
 * size, time and permitted addresses are held where the request is made.
 */
import { failureKinds } from '../catalog/index.js';
import { signatureBytes } from '../decoding/index.js';
import { FetchFailure, Refusal } from './network/failure.js';
import { type HttpAnswer, HttpClient, type NetworkOptions, type Redirect } from './network/http.js';
import type { SharedTurns } from './network/limiter.js';
import { expectPicture } from './picture-type.js';

export interface PictureRequest {
  url: string;
  maximumBytes: number;
}

/** How a request ended early: a failure, or a refusal. */
type RequestEnd = { detail: string } & ({ kind: FetchFailure['kind']; final: boolean } | { reason: Refusal['reason'] });

/** Of what is no picture, or broke off, only the first bytes come along. */
export type RequestOutcome =
  | Redirect
  | { robotsTags: readonly string[]; bytes: Uint8Array; end?: RequestEnd }
  | { end: RequestEnd };

/** A pause that a host asked for, under the name of its group or its own. */
export interface HostPause {
  name: string;
  seconds: number;
}

/** What a crawl needs to have its pictures fetched elsewhere. */
export interface Downloads {
  readonly turns: SharedTurns;
  /** @param id the same for the same try of the same picture */
  request(id: string, request: PictureRequest, signal?: AbortSignal): Promise<RequestOutcome>;
  close(): Promise<void>;
}

/** @param network limits of the crawl, those of its sources among them */
export type DownloadDispatcher = (
  network: NetworkOptions,
  listener: { signal: AbortSignal; onPause(pause: HostPause): void },
) => Promise<Downloads>;

export const pictureHeaders = { accept: 'image/*' };

/** Makes requests for a crawl that runs elsewhere. */
export class PictureRequester {
  readonly #http: HttpClient;
  #pauses: HostPause[] = [];

  constructor(network: NetworkOptions) {
    this.#http = new HttpClient({ ...network, onPause: (name, seconds) => this.#pauses.push({ name, seconds }) });
  }

  /** Pauses that hosts asked for since the last call. */
  takePauses(): HostPause[] {
    return this.#pauses.splice(0);
  }

  async ask({ url, maximumBytes }: PictureRequest, signal?: AbortSignal): Promise<RequestOutcome> {
    let robotsTags: readonly string[] | undefined;
    const chunks: Buffer[] = [];
    try {
      const options = { maximumBytes, signal, headers: pictureHeaders };
      const step = await this.#http.once(url, options, async ({ headers, body }) => {
        robotsTags = [headers['x-robots-tag'] ?? []].flat();
        await read(body, chunks);
      });
      if ('location' in step) return step;
      return { robotsTags: robotsTags ?? [], bytes: Buffer.concat(chunks) };
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      const end = endOf(error);
      if (!end) throw error;
      return robotsTags ? { robotsTags, bytes: head(chunks), end } : { end };
    }
  }

  close(): Promise<void> {
    return this.#http.close();
  }
}

/** Stops at the first bytes of a page that is plainly not a picture: they say what it is. */
async function read(body: AsyncIterable<Buffer>, chunks: Buffer[]): Promise<void> {
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    const before = length;
    length += chunk.length;
    if (before >= signatureBytes || length < signatureBytes || isPicture(head(chunks))) continue;
    chunks.splice(0, chunks.length, head(chunks));
    return;
  }
}

function head(chunks: readonly Buffer[]): Buffer {
  return Buffer.concat(chunks).subarray(0, signatureBytes);
}

function isPicture(bytes: Buffer): boolean {
  try {
    expectPicture(bytes);
    return true;
  } catch {
    return false;
  }
}

function endOf(error: unknown): RequestEnd | undefined {
  if (error instanceof Refusal) return { reason: error.reason, detail: error.message };
  if (error instanceof FetchFailure) return { kind: error.kind, detail: error.message, final: error.final };
  return undefined;
}

/** The outcome as if the request had been made here. @throws FetchFailure or Refusal, as it would have been */
export function answerOf(outcome: RequestOutcome): Redirect | Omit<HttpAnswer, 'url'> {
  if ('location' in outcome) return outcome;
  if (!('bytes' in outcome)) throw errorOf(outcome.end);
  const { robotsTags, bytes, end } = outcome;
  async function* body() {
    if (bytes.length > 0) yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (end) throw errorOf(end);
  }
  return { headers: { 'x-robots-tag': [...robotsTags] }, body: body() };
}

function errorOf(end: RequestEnd): Error {
  if ('reason' in end) return new Refusal(end.reason, end.detail);
  const kind = Object.hasOwn(failureKinds, end.kind) ? end.kind : 'unexpected-answer';
  return new FetchFailure(kind, end.detail, { final: end.final });
}
