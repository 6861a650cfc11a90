/**
 * Offers the files of a run to its workers: GET /TOKEN/HASH, and nothing else. Whoever does not know the token, which
 * lies in the queue, learns nothing. What is sent is encrypted (AES-256 in counter mode, its 16 random bytes first): who
 * listens on the way, or knows the token but not the queue's secret, learns nothing either. That the contents are the
 * right ones is told by their hash.
 */
import { createCipheriv, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import { pipeline } from 'node:stream/promises';

/** Of the counter that comes before the contents. */
export const counterBytes = 16;

export interface FileServer {
  /** A file is at `${address}/${hash}`. */
  address: string;
  close(): Promise<void>;
}

/** @param files path of each file by its SHA-256 */
export async function serveFiles(
  files: ReadonlyMap<string, string>,
  host: string,
  key: Uint8Array,
): Promise<FileServer> {
  const token = randomBytes(24).toString('hex');
  const server = createServer(async (request, response) => {
    const [, given = '', hash = ''] = (request.url ?? '').split('/');
    const path = same(given, token) ? files.get(hash) : undefined;
    const file = path && request.method === 'GET' ? await stat(path).catch(() => undefined) : undefined;
    if (!path || !file?.isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': file.size + counterBytes });
    const counter = randomBytes(counterBytes);
    response.write(counter);
    // A worker that goes away in the middle is its own trouble.
    await pipeline(createReadStream(path), createCipheriv('aes-256-ctr', key, counter), response).catch(() => {});
  });
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://${isIPv6(host) ? `[${host}]` : host}:${port}/${token}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function same(given: string, expected: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
}
