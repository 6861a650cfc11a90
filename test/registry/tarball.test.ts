import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from 'tar';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { InterruptedError } from '../../src/errors.js';
import { fetchTarball, RegistryError, readTarballEntry } from '../../src/registry/index.js';

const numbers = Buffer.from(Array.from({ length: 200_000 }, (_, i) => `${i}\n`).join(''));
let folder: string;
let tarball: Buffer;
let served: Buffer;
let integrity: string;
let server: Server;
let requests: string[] = [];

const name = 'bowerbird-test-data';
const spec = () => ({ name, version: '1.0.0', integrity });

async function contents(path: string, entry: Parameters<typeof readTarballEntry>[1]): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of readTarballEntry(path, entry)) pieces.push(piece);
  return Buffer.concat(pieces);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bowerbird-registry-'));
  mkdirSync(join(folder, 'package'));
  writeFileSync(join(folder, 'package', 'package.json'), JSON.stringify({ name, version: '1.0.0' }));
  writeFileSync(join(folder, 'package', 'numbers.txt'), numbers);
  await create({ gzip: true, cwd: folder, file: join(folder, 'package.tgz') }, ['package']);
  tarball = readFileSync(join(folder, 'package.tgz'));
  integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  server = createServer((request, response) => {
    requests.push(request.url ?? '');
    const { port } = server.address() as AddressInfo;
    if (request.url === `/${name}`)
      response.end(
        JSON.stringify({
          name,
          'dist-tags': { latest: '1.0.0' },
          versions: {
            '1.0.0': { name, version: '1.0.0', dist: { integrity, tarball: `http://127.0.0.1:${port}/data.tgz` } },
          },
        }),
      );
    else if (request.url === '/data.tgz') response.end(served);
    else response.writeHead(404).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

beforeEach(() => {
  served = tarball;
  requests = [];
  vi.stubEnv('npm_config_registry', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  vi.stubEnv('npm_config_fetch_retries', '0');
  vi.stubEnv('npm_config_noproxy', '127.0.0.1');
  vi.stubEnv('BOWERBIRD_CACHE', mkdtempSync(join(folder, 'cache-')));
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

describe('fetchTarball', () => {
  it('fetches from the registry npm is configured for, once', async () => {
    const bytes: number[] = [];
    const path = await fetchTarball(spec(), { onProgress: (progress) => bytes.push(progress.done) });
    expect(readFileSync(path).equals(tarball)).toBe(true);
    expect(bytes.at(-1)).toBe(tarball.length);
    expect(requests).toContain('/data.tgz');
    requests = [];
    expect(await fetchTarball(spec())).toBe(path);
    expect(requests).toEqual([]);
  });

  it('fetches again where the cached file was damaged', async () => {
    const path = await fetchTarball(spec());
    writeFileSync(path, tarball.subarray(0, 100));
    await fetchTarball(spec());
    expect(readFileSync(path).equals(tarball)).toBe(true);
  });

  it('keeps nothing when the registry serves other bytes', async () => {
    served = Buffer.concat([tarball, Buffer.from('x')]);
    await expect(fetchTarball(spec())).rejects.toThrow(RegistryError);
    expect(readdirSync(join(process.env.BOWERBIRD_CACHE!, 'tarballs'))).toEqual([]);
  });

  it('refuses a package whose registry publishes another hash than the pinned one', async () => {
    const other = `sha512-${createHash('sha512').update('other').digest('base64')}`;
    await expect(fetchTarball({ ...spec(), integrity: other })).rejects.toThrow(/expected sha512-/);
  });

  it('says which package and what to check when there is none', async () => {
    const missing = fetchTarball({ ...spec(), name: 'bowerbird-no-such-data' });
    await expect(missing).rejects.toMatchObject({
      code: 'BOWERBIRD_REGISTRY',
      message: expect.stringContaining('bowerbird-no-such-data@1.0.0'),
      hint: expect.stringContaining('npm config get registry'),
    });
  });

  it('refuses a weak or malformed pin', async () => {
    await expect(fetchTarball({ ...spec(), integrity: 'sha1-abc' })).rejects.toThrow(/sha512/);
  });

  it('stops when aborted', async () => {
    const abort = new AbortController();
    abort.abort();
    await expect(fetchTarball(spec(), { signal: abort.signal })).rejects.toThrow(InterruptedError);
  });
});

describe('readTarballEntry', () => {
  it('streams one entry', async () => {
    const path = await fetchTarball(spec());
    expect((await contents(path, 'package/numbers.txt')).equals(numbers)).toBe(true);
    expect(JSON.parse(String(await contents(path, (entry) => entry.endsWith('.json'))))).toMatchObject({ name });
  });

  it('can be left early', async () => {
    const path = await fetchTarball(spec());
    for await (const piece of readTarballEntry(path, 'package/numbers.txt')) {
      expect(piece.length).toBeGreaterThan(0);
      break;
    }
  });

  it('names the entry that is not there', async () => {
    const path = await fetchTarball(spec());
    await expect(contents(path, 'package/nothing')).rejects.toThrow(/no entry package\/nothing/);
  });

  it('reports a truncated tarball and one that is not a tarball', async () => {
    const path = join(folder, 'broken.tgz');
    writeFileSync(path, tarball.subarray(0, tarball.length - 1000));
    await expect(contents(path, 'package/numbers.txt')).rejects.toThrow(RegistryError);
    writeFileSync(path, 'not a tarball at all '.repeat(100));
    await expect(contents(path, 'package/numbers.txt')).rejects.toThrow(RegistryError);
  });
});
