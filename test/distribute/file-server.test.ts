import { createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FileServer, serveFiles } from '../../src/distribute/queue/file-server.js';
import { describeFile, obtainFile } from '../../src/distribute/queue/files.js';

describe('files of a run', () => {
  let folder: string;
  let server: FileServer;
  const contents = 'x'.repeat(200_000);
  const hash = createHash('sha256').update(contents).digest('hex');
  const key = randomBytes(32);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bowerbird-files-'));
    await writeFile(join(folder, 'problem.npz'), contents);
    await writeFile(join(folder, 'secret.txt'), 'secret');
    server = await serveFiles(new Map([[hash, join(folder, 'problem.npz')]]), '127.0.0.1', key);
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const record = () => ({ name: 'problem.npz', hash, bytes: contents.length });

  it('are served to whoever knows the token, and nothing else is', async () => {
    const get = (path: string, options?: RequestInit) => fetch(new URL(path, server.address), options);
    const token = new URL(server.address).pathname;
    const sent = Buffer.from(await (await get(`${token}/${hash}`)).arrayBuffer());
    expect(sent.includes('xxxxxxxx')).toBe(false);
    const opened = createDecipheriv('aes-256-ctr', key, sent.subarray(0, 16)).update(sent.subarray(16));
    expect(opened.toString()).toBe(contents);
    const refused = [
      `/${hash}`,
      `/wrong/${hash}`,
      `${token}/`,
      token,
      '/',
      `${token}/secret.txt`,
      `${token}/..%2fsecret.txt`,
    ];
    for (const path of refused) expect((await get(path)).status, path).toBe(404);
    expect((await get(`${token}/${hash}`, { method: 'POST' })).status).toBe(404);
  });

  it('are described by name, size and hash', async () => {
    expect(await describeFile(join(folder, 'problem.npz'))).toEqual(record());
  });

  it('that are large come in a stream and small ones in one piece, also several times at once', async () => {
    const large = join(folder, 'large.npz');
    await writeFile(large, randomBytes(5 * 2 ** 20));
    const wanted = await describeFile(large);
    const other = await serveFiles(new Map([[wanted.hash, large]]), '127.0.0.1', key);
    const cache = join(folder, 'at-once');
    for (const [file, { address }] of [
      [wanted, other],
      [record(), server],
    ] as const) {
      const paths = await Promise.all([1, 2, 3].map(() => obtainFile(file, { cache, address, key })));
      expect(new Set(paths).size).toBe(1);
      expect((await describeFile(paths[0])).hash).toBe(file.hash);
    }
    await other.close();
    expect((await readdir(cache)).length).toBe(2);
    const changed = { ...wanted, hash: hash.replace(/^./, '0') };
    const wrong = await serveFiles(new Map([[changed.hash, large]]), '127.0.0.1', key);
    const refusing = join(folder, 'large-refused');
    await expect(obtainFile(changed, { cache: refusing, address: wrong.address, key })).rejects.toThrow('instead of');
    await wrong.close();
    expect(await readdir(refusing)).toEqual([]);
  });

  it('are fetched once and then found in the cache', async () => {
    const cache = join(folder, 'cache');
    const path = await obtainFile(record(), { cache, address: server.address, key });
    expect(path).toBe(join(cache, `${hash}.npz`));
    expect(await obtainFile(record(), { cache })).toBe(path);
    await writeFile(path, 'y'.repeat(contents.length));
    await expect(obtainFile(record(), { cache })).rejects.toThrow('other contents');
    expect(await obtainFile(record(), { cache, address: server.address, key })).toBe(path);
  });

  it('are refused when they are longer or other than announced, and nothing is left behind', async () => {
    const cache = join(folder, 'refused');
    const short = { ...record(), bytes: 1000 };
    await expect(obtainFile(short, { cache, address: server.address, key })).rejects.toThrow(
      'more than the 1000 bytes',
    );
    const other = createHash('sha256').update('other').digest('hex');
    const wrong = await serveFiles(new Map([[other, join(folder, 'problem.npz')]]), '127.0.0.1', key);
    await expect(obtainFile({ ...record(), hash: other }, { cache, address: wrong.address, key })).rejects.toThrow(
      'SHA-256',
    );
    await wrong.close();
    expect(await readdir(cache)).toEqual([]);
  });

  it('cannot lead out of the folders by their names', async () => {
    const cache = join(folder, 'cache');
    for (const way of ['../../secret', `${hash}/../../secret`, `../../${hash}`, hash.slice(1)]) {
      const outside = { name: '../../secret.txt', hash: way, bytes: 6 };
      await expect(obtainFile(outside, { cache, folder: cache })).rejects.toThrow('no SHA-256');
    }
    const named = { name: '../secret.txt', hash: createHash('sha256').update('secret').digest('hex'), bytes: 6 };
    await expect(obtainFile(named, { cache, folder: cache })).rejects.toThrow('not on this machine');
  });
});
