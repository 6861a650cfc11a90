/** The body of an answer: read within its limits, or thrown away; and what goes wrong on the way as a failure. */
import type { Dispatcher } from 'undici';
import type { FailureKind } from '../../catalog/index.js';
import { FetchFailure, Refusal } from './failure.js';

/** Reads the rest of a short error page, which keeps the connection; anything longer is cut off. */
export async function discard(body: Dispatcher.ResponseData['body'], status: number): Promise<void> {
  if (body.readableEnded || body.destroyed) return;
  body.on('error', () => {});
  if (status >= 200 && status < 300) body.destroy();
  else await body.dump({ limit: 65_536 }).catch(() => {});
}

/** Only errors of the connection are turned into failures; those of whoever reads the body stay what they are. */
export async function* limited(
  body: AsyncIterable<Buffer>,
  url: URL,
  length: string | string[] | undefined,
  maximumBytes: number,
): AsyncIterable<Buffer> {
  if (typeof length === 'string' && Number(length) > maximumBytes)
    throw new Refusal('too-large', `${length} bytes announced, ${maximumBytes} allowed`);
  let read = 0;
  try {
    for await (const chunk of body) {
      read += chunk.length;
      if (read > maximumBytes) throw new Refusal('too-large', `more than ${maximumBytes} bytes`);
      yield chunk;
    }
  } catch (error) {
    throw networkFailure(error, url);
  }
  if (typeof length === 'string' && /^\d+$/.test(length) && read !== Number(length))
    throw new FetchFailure('length', `${read} bytes arrived, ${length} were announced`);
}

const kindsByCode: Record<string, FailureKind> = {
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  ETIMEDOUT: 'timeout',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'length',
  UND_ERR_HEADERS_OVERFLOW: 'unexpected-answer',
};

export function networkFailure(error: unknown, url: URL): Error {
  if (error instanceof FetchFailure || error instanceof Refusal) return error;
  const { code = '', message = '', cause } = error as { code?: string; message?: string; cause?: unknown };
  if (cause instanceof FetchFailure) return cause;
  return new FetchFailure(kindsByCode[code] ?? 'connection', `${url.host}: ${message || code}`, { cause: error });
}
