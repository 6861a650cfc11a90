/**
 * Offers the files of a run to its workers: GET /TOKEN/HASH, and nothing else. Whoever does not know the token, which
 * lies in the queue, learns nothing. What is sent is encrypted (AES-256 in counter mode, its 16 random bytes first): who
 * listens on the way, or knows the token but not the queue's secret, learns nothing either. That the contents are the
 * right ones is told by their hash.
 */
import { createCipheriv, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import { pipeline } from 'node:stream/promises';

/** Files up to this size, such as pictures, are sent in one piece, which takes much less time than a stream. */
export const smallBytes = 2 ** 22;

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
    const file = path && request.method === 'GET' ? opened(path) : undefined;
    if (!path || !file) {
      response.writeHead(404).end();
      return;
    }
    const counter = randomBytes(counterBytes);
    const cipher = createCipheriv('aes-256-ctr', key, counter);
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': file.size + counterBytes });
    if (file.contents) response.end(Buffer.concat([counter, cipher.update(file.contents)]));
    else {
      response.write(counter);
      // A worker that goes away in the middle is its own trouble.
      await pipeline(createReadStream(path), cipher, response).catch(() => {});
    }
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

/** The size of a file, and what is in it if that is little; undefined where it is no file that can be read. */
function opened(path: string): { size: number; contents?: Buffer } | undefined {
  try {
    const found = statSync(path);
    if (!found.isFile()) return undefined;
    if (found.size > smallBytes) return { size: found.size };
    const contents = readFileSync(path);
    return { size: contents.length, contents };
  } catch {
    return undefined;
  }
}

function same(given: string, expected: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
}
