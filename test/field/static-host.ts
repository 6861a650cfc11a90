/** A web host of the plainest kind: files of a folder under some path, the usual types, no other headers. */
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

const types: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
};

export interface StaticHost {
  /** Address of the folder, with a slash at the end. */
  readonly url: string;
  /** Another folder in its place. */
  folder: string;
  /** Files that are answered with an error for now. */
  broken?: RegExp;
  close(): Promise<void>;
}

export async function startHost(folder: string, path = '/some/where/'): Promise<StaticHost> {
  const server: Server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const name = decodeURIComponent(pathname.slice(path.length)) || 'index.html';
    const file = normalize(join(host.folder, name));
    const content =
      pathname.startsWith(path) && file.startsWith(host.folder) && !host.broken?.test(name)
        ? await readFile(file).catch(() => undefined)
        : undefined;
    response.writeHead(content ? 200 : 404, { 'content-type': types[extname(name)] ?? 'application/octet-stream' });
    response.end(content ?? 'not found');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host: StaticHost = {
    url: `http://localhost:${(server.address() as AddressInfo).port}${path}`,
    folder,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return host;
}
