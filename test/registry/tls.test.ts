import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { FileError } from '../../src/errors.js';
import { npmSettings, type Settings } from '../../src/registry/npmrc.js';
import { RegistryClient } from '../../src/registry/registry-client.js';
import { temporaryFolder } from '../temporary-folder.js';
import { createAuthority } from './certificates.js';

const folder = temporaryFolder();
const authority = createAuthority('an authority of the tests');
const stranger = createAuthority('another authority');
const site = authority.issue('a registry');
const servers: Server[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A registry that answers with the name in the certificate of whoever asks. */
async function serve(options: ServerOptions = {}): Promise<string> {
  const server = createServer({ ...site, ...options }, (request, response) => {
    const { subject } = (request.socket as TLSSocket).getPeerCertificate();
    response.end(`hello ${subject?.CN ?? 'somebody'}`);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function ask(host: string, settings: Settings): Promise<string> {
  const client = new RegistryClient({ 'fetch-retries': '0', proxy: 'null', registry: `https://${host}/`, ...settings });
  let text = '';
  try {
    await client.get(`https://${host}/data`, { of: 'data' }, async (body) => {
      for await (const piece of body) text += piece;
    });
    return text;
  } finally {
    await client.close();
  }
}

/** A line of .npmrc: a certificate with its line feeds written as "\n". */
const onOneLine = (pem: string) => `"${pem.trimEnd().replaceAll('\n', '\\n')}"`;
const untrusted = { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' };

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Settings as npm's own files would give them. */
function fromNpmrc(...lines: string[]): Settings {
  const project = join(folder, 'project');
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, 'package.json'), '{}');
  writeFileSync(join(project, '.npmrc'), `${lines.join('\n')}\n`);
  return npmSettings({ folder: project, home: folder, environment: { npm_config_globalconfig: join(folder, 'none') } });
}

describe('a registry with a certificate of an authority that nobody knows', () => {
  it('is refused', async () => {
    await expect(ask(await serve(), {})).rejects.toMatchObject(untrusted);
  });

  it('is believed where .npmrc names the authority in ca, alone or among others', async () => {
    const host = await serve();
    expect(await ask(host, fromNpmrc(`ca=${onOneLine(authority.cert)}`))).toBe('hello somebody');
    const both = [`ca[]=${onOneLine(stranger.cert)}`, `ca[]=${onOneLine(authority.cert)}`];
    expect(await ask(host, fromNpmrc(...both))).toBe('hello somebody');
  });

  it('is believed where cafile holds the authority, which counts before ca', async () => {
    const host = await serve();
    const cafile = file('authorities.pem', `${stranger.cert}${authority.cert}`);
    expect(await ask(host, fromNpmrc(`cafile=${cafile}`))).toBe('hello somebody');
    expect(await ask(host, fromNpmrc(`cafile=${cafile}`, `ca=${onOneLine(stranger.cert)}`))).toBe('hello somebody');
    vi.stubEnv('HOME', folder);
    vi.stubEnv('USERPROFILE', folder);
    expect(await ask(host, fromNpmrc('cafile=~/authorities.pem'))).toBe('hello somebody');
  });

  it('is refused where ca and cafile name others, or nothing', async () => {
    const host = await serve();
    const others = file('others.pem', stranger.cert);
    const wrong = [`ca=${onOneLine(stranger.cert)}`, `cafile=${others}`, 'ca=null', `cafile=${join(folder, 'absent')}`];
    for (const line of wrong) await expect(ask(host, fromNpmrc(line)), line).rejects.toMatchObject(untrusted);
  });

  it('is believed blindly where strict-ssl is off, in each of npm’s spellings, and only there', async () => {
    const host = await serve();
    for (const off of ['false', '0', 'null'])
      expect(await ask(host, fromNpmrc(`strict-ssl=${off}`)), off).toBe('hello somebody');
    for (const on of ['true', '1', ''])
      await expect(ask(host, fromNpmrc(`strict-ssl=${on}`)), on).rejects.toMatchObject(untrusted);
  });

  it('is not tried again: another attempt would end alike', async () => {
    const host = await serve();
    let connections = 0;
    servers[0].on('connection', () => connections++);
    const again = { 'fetch-retries': '3', 'fetch-retry-mintimeout': '1' };
    await expect(ask(host, again)).rejects.toMatchObject(untrusted);
    expect(connections).toBe(1);
  });
});

describe('a registry that asks who we are', () => {
  const strict = { ca: authority.cert, requestCert: true, rejectUnauthorized: true };
  const jay = authority.issue('jay');
  const ca = `ca=${onOneLine(authority.cert)}`;

  it('answers with cert and key of .npmrc, and not without', async () => {
    const host = await serve(strict);
    const own = [`cert=${onOneLine(jay.cert)}`, `key=${onOneLine(jay.key)}`];
    expect(await ask(host, fromNpmrc(ca, ...own))).toBe('hello jay');
    await expect(ask(host, fromNpmrc(ca))).rejects.toThrow();
    const forged = stranger.issue('jay');
    await expect(
      ask(host, fromNpmrc(ca, `cert=${onOneLine(forged.cert)}`, `key=${onOneLine(forged.key)}`)),
    ).rejects.toThrow();
  });

  it('is shown the certfile of its own address, and others are not', async () => {
    const host = await serve(strict);
    const other = await serve({ ...strict, rejectUnauthorized: false });
    const [certfile, keyfile] = [file('jay.pem', jay.cert), file('jay-key.pem', jay.key)];
    const settings = fromNpmrc(ca, `//${host}/:certfile=${certfile}`, `//${host}/:keyfile=${keyfile}`);
    expect(await ask(host, settings)).toBe('hello jay');
    expect(await ask(other, settings)).toBe('hello somebody');
    const half = fromNpmrc(ca, `//${host}/:certfile=${certfile}`);
    await expect(ask(host, half)).rejects.toThrow();
  });

  it.skipIf(process.platform === 'win32')('says which file it cannot read', async () => {
    const host = await serve(strict);
    const cafile = join(folder, 'a-folder.pem');
    mkdirSync(cafile);
    chmodSync(cafile, 0o755);
    await expect(ask(host, { cafile })).rejects.toThrow(FileError);
    await expect(ask(host, { cafile })).rejects.toThrow(cafile);
  });
});
