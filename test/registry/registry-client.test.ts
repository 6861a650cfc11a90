import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Settings } from '../../src/registry/npmrc.js';
import { RegistryClient } from '../../src/registry/registry-client.js';

const servers: Server[] = [];
const clients: RegistryClient[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(clients.splice(0).map((client) => client.close()));
  for (const server of servers.splice(0)) server.close();
});

/** A server on a free port of this machine, and what it was asked. */
async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const asked: { url: string; authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    asked.push({ url: request.url ?? '', authorization: request.headers.authorization });
    answer(request, response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

function client(settings: Settings): RegistryClient {
  const made = new RegistryClient({ 'fetch-retries': '0', proxy: 'null', ...settings });
  clients.push(made);
  return made;
}

async function body(from: RegistryClient, url: string, of = 'data'): Promise<string> {
  let text = '';
  await from.get(url, { of }, async (pieces) => {
    text = '';
    for await (const piece of pieces) text += piece;
  });
  return text;
}

const document = (tarball: string, integrity?: string) =>
  JSON.stringify({ versions: { '1.0.0': { dist: { tarball, integrity } } } });

describe('the registry asked', () => {
  it('is that of the scope, else the configured one, else npm’s', () => {
    const made = client({ registry: 'https://mirror.example/npm', '@birds:registry': 'https://birds.example' });
    expect(made.registryOf('@birds/songs').href).toBe('https://birds.example/');
    expect(made.registryOf('@fish/songs').href).toBe('https://mirror.example/npm/');
    expect(client({}).registryOf('songs').href).toBe('https://registry.npmjs.org/');
  });

  it('publishes address and hash of a version, also of a package with a scope', async () => {
    const { host, asked } = await serve((_, response) => response.end(document('http://a.example/x.tgz', 'sha512-x')));
    const made = client({ '@birds:registry': `http://${host}/npm` });
    expect(await made.version('@birds/songs', '1.0.0')).toEqual({
      tarball: 'http://a.example/x.tgz',
      integrity: 'sha512-x',
    });
    expect(asked.map(({ url }) => url)).toEqual(['/npm/@birds%2fsongs']);
    await expect(made.version('@birds/songs', '2.0.0')).rejects.toThrow(/no version 2\.0\.0/);
  });

  it('gives the tarballs that its documents place at npm’s own', async () => {
    const { host, asked } = await serve((_, response) => response.end('bytes'));
    const made = client({ registry: `http://${host}/mirror/` });
    expect(await body(made, 'https://registry.npmjs.org/data/-/data-1.0.0.tgz')).toBe('bytes');
    expect(asked[0].url).toBe('/mirror/data/-/data-1.0.0.tgz');
  });
});

describe('credentials', () => {
  const at = (settings: Settings, url: string) =>
    client({ registry: 'https://r.example/npm/', ...settings }).authorization(new URL(url), 'data');

  it('are those of the longest path above the address', () => {
    const settings = { '//r.example/:_authToken': 'outer', '//r.example/npm/:_authToken': 'inner' };
    expect(at(settings, 'https://r.example/npm/data')).toBe('Bearer inner');
    expect(at({ '//r.example/:_authToken': 'outer' }, 'https://r.example/npm/data')).toBe('Bearer outer');
    expect(at(settings, 'https://r.example/files/data.tgz')).toBe('Bearer outer');
  });

  it('of the registry serve tarballs on its own host, wherever they lie there, and no other host', () => {
    const settings = { '//r.example/npm/:_authToken': 'inner' };
    expect(at(settings, 'https://r.example/files/data.tgz')).toBe('Bearer inner');
    expect(at(settings, 'https://cdn.example/npm/data.tgz')).toBeUndefined();
    expect(at(settings, 'https://r.example:8443/npm/data.tgz')).toBeUndefined();
  });

  it('may be a pair, together or apart', () => {
    const pair = Buffer.from('jay:blue').toString('base64');
    const apart = { '//r.example/:username': 'jay', '//r.example/:_password': Buffer.from('blue').toString('base64') };
    expect(at({ '//r.example/:_auth': pair }, 'https://r.example/npm/data')).toBe(`Basic ${pair}`);
    expect(at(apart, 'https://r.example/npm/data')).toBe(`Basic ${pair}`);
  });

  it('do not follow a redirection to another host', async () => {
    const other = await serve((_, response) => response.end('bytes'));
    const { host, asked } = await serve((_, response) =>
      response.writeHead(302, { location: `http://${other.host}/x` }).end(),
    );
    const made = client({ registry: `http://${host}/`, [`//${host}/:_authToken`]: 'secret' });
    expect(await body(made, `http://${host}/x`)).toBe('bytes');
    expect(asked[0].authorization).toBe('Bearer secret');
    expect(other.asked).toEqual([{ url: '/x', authorization: undefined }]);
  });
});

describe('trouble', () => {
  it('that may pass is tried again as often as npm would, other is not', async () => {
    let failures = 2;
    const { host, asked } = await serve((request, response) => {
      if (request.url === '/gone') response.writeHead(404).end();
      else if (failures-- > 0) response.writeHead(503).end();
      else response.end('bytes');
    });
    const made = client({ registry: `http://${host}/`, 'fetch-retries': '2', 'fetch-retry-mintimeout': '1' });
    expect(await body(made, `http://${host}/busy`)).toBe('bytes');
    expect(asked).toHaveLength(3);
    await expect(body(made, `http://${host}/gone`)).rejects.toThrow(/404/);
    expect(asked).toHaveLength(4);
  });

  it('halfway begins the body anew', async () => {
    let broken = false;
    const { host } = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '8' });
      if (broken) return response.end('complete');
      broken = true;
      response.write('half');
      setTimeout(() => response.destroy(), 20);
      return undefined;
    });
    const made = client({ 'fetch-retries': '1', 'fetch-retry-mintimeout': '1' });
    expect(await body(made, `http://${host}/x`)).toBe('complete');
  });

  it('of endless redirections ends', async () => {
    const { host } = await serve((_, response) => response.writeHead(302, { location: '/again' }).end());
    await expect(body(client({}), `http://${host}/x`)).rejects.toThrow(/redirected more than 5 times/);
  });

  it('is not retried once the user has stopped', async () => {
    const { host, asked } = await serve((_, response) => response.writeHead(503).end());
    const stop = new AbortController();
    const made = client({ 'fetch-retries': '5' });
    const attempt = made.get(`http://${host}/x`, { of: 'data', signal: stop.signal }, async () => {});
    setTimeout(() => stop.abort(), 100);
    await expect(attempt).rejects.toThrow(/abort/i);
    expect(asked).toHaveLength(1);
  });
});

describe('a proxy', () => {
  it('of npm’s settings is used, but not for hosts of noproxy', async () => {
    const proxy = await serve((_, response) => response.end('by proxy'));
    const { host } = await serve((_, response) => response.end('directly'));
    const through = { proxy: `http://${proxy.host}/` };
    expect(await body(client(through), 'http://far.example/x')).toBe('by proxy');
    expect(proxy.asked[0].url).toBe('http://far.example/x');
    expect(await body(client({ ...through, noproxy: '127.0.0.1' }), `http://${host}/x`)).toBe('directly');
  });

  it('of the environment is used where npm’s settings name none', async () => {
    const proxy = await serve((_, response) => response.end('by proxy'));
    vi.stubEnv('http_proxy', `http://${proxy.host}/`);
    vi.stubEnv('no_proxy', '');
    const made = new RegistryClient({ 'fetch-retries': '0' });
    clients.push(made);
    expect(await body(made, 'http://far.example/x')).toBe('by proxy');
  });
});
