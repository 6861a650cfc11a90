import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { hostname } from 'node:os';
import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Studio } from '../../src/studio/index.js';
import { contentPolicy, plotStyleHash } from '../../src/studio/security.js';
import { drawPicture, makeWorld, type World } from '../workspace/world.js';
import { openStudio } from './finished-world.js';

let world: World;
let studio: Studio;
let port: number;
let token: string;
const outside = 'c'.repeat(24);
beforeAll(async () => {
  world = await makeWorld({ auxiliary: 1, test: 1, web: 1, validation: false });
  mkdirSync(world.path('.bowerbird'));
  // A list of pictures as somebody hostile would write it: out of the workspace by dots, by an absolute path, by a link.
  symlinkSync('/etc/hostname', world.path('link.png'));
  writeFileSync(world.path('inside.png'), await drawPicture('red wren', 1));
  const paths: Record<string, string> = {
    ['a'.repeat(24)]: '../../../../etc/hostname',
    ['b'.repeat(24)]: '/etc/hostname',
    [outside]: 'link.png',
    ['d'.repeat(24)]: 'inside.png',
  };
  const lines = Object.entries(paths).map(([id, path]) =>
    JSON.stringify({ id, path, category: 'red wren', source: 's', rank: 1, address: '', sha256: '', licence: 'cc0' }),
  );
  writeFileSync(world.path('.bowerbird', 'pictures.jsonl'), `${lines.join('\n')}\n`);
  studio = await openStudio(world);
  const { port: taken, searchParams } = new URL(studio.url);
  [port, token] = [Number(taken), searchParams.get('token')!];
});
afterAll(async () => {
  await studio.close();
  world.remove();
});

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  port?: number;
}

/** Node's own client, which sends whatever Host it is told; with the token, where it asks the studio of all tests. */
function send(path: string, { method = 'GET', headers: given = {}, body, port: to = port }: Sent = {}) {
  const headers = to === port ? { authorization: `Bearer ${token}`, ...given } : given;
  return new Promise<{ status: number; headers: Record<string, unknown>; text: string }>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: to, path, method, headers, agent: false }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () =>
        resolve({ status: answer.statusCode!, headers: answer.headers, text: Buffer.concat(parts).toString() }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
const own = { 'x-bowerbird-studio': '1' };

describe('who may ask the studio', () => {
  it('answers its own page', async () => {
    expect((await send('/api/overview')).status).toBe(200);
    expect((await send('/api/overview', { headers: { origin: `http://127.0.0.1:${port}` } })).status).toBe(200);
    expect((await send('/', { headers: { host: `localhost:${port}` } })).status).toBe(200);
  });

  it.each(['evil.example', 'evil.example:4173', '127.0.0.1.evil.example', '192.168.1.7:4173'])(
    'refuses the host "%s", whose name may have been rebound',
    async (host) => {
      expect((await send('/api/overview', { headers: { host } })).status).toBe(403);
    },
  );

  it('refuses requests that another site sends', async () => {
    expect((await send('/api/overview', { headers: { origin: 'http://evil.example' } })).status).toBe(403);
    expect((await send('/api/overview', { headers: { origin: 'null' } })).status).toBe(403);
    expect((await send('/api/overview', { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(403);
  });

  it('changes nothing for a request without its own header, as a form would send it', async () => {
    const body = JSON.stringify({ decision: 'drop', ids: [outside] });
    const form = { 'content-type': 'text/plain' };
    expect((await send('/api/decisions', { method: 'POST', headers: form, body })).status).toBe(403);
    expect((await send('/api/decisions', { method: 'POST', headers: own, body })).status).toBe(200);
    expect((await send('/api/decisions/undo', { method: 'POST', headers: own })).text).toContain('"drop":0');
  });

  it.each(['127.0.0.1', '0.0.0.0'])('asks for a token on %s', async (host) => {
    const open = await openStudio(world, { host });
    try {
      const { port: there, searchParams } = new URL(open.url);
      const wanted = searchParams.get('token')!;
      expect(wanted.length).toBeGreaterThan(30);
      const at = { port: Number(there) };
      expect((await send('/api/overview', at)).status).toBe(401);
      expect((await send('/', at)).status).toBe(401);
      expect((await send(`/?token=${'x'.repeat(32)}`, at)).status).toBe(401);
      const entered = await send(`/?token=${wanted}`, at);
      expect(entered.status).toBe(302);
      const [cookie] = entered.headers['set-cookie'] as string[];
      expect(cookie).toMatch(/HttpOnly/i);
      expect(cookie).toMatch(/SameSite=Strict/i);
      expect((await send('/api/overview', { ...at, headers: { cookie: cookie.split(';')[0] } })).status).toBe(200);
      // The cookie of one studio does not let into another one.
      expect(
        (await send('/api/overview', { headers: { authorization: '', cookie: cookie.split(';')[0] } })).status,
      ).toBe(401);
    } finally {
      await open.close();
    }
  });

  it('answers to addresses and to the name of the machine where it listens on all of them, to no other name', async () => {
    const open = await openStudio(world, { host: '0.0.0.0' });
    try {
      const { port: there, searchParams } = new URL(open.url);
      const authorization = `Bearer ${searchParams.get('token')}`;
      const asked = async (host: string) =>
        (await send('/api/state', { port: Number(there), headers: { authorization, host } })).status;
      for (const host of [hostname().toUpperCase(), '192.0.2.7:80', '[2001:db8::1]:80'])
        expect(await asked(host)).toBe(200);
      for (const host of ['evil.example', `${hostname()}.evil.example`]) expect(await asked(host)).not.toBe(200);
    } finally {
      await open.close();
    }
  });

  it('hands a browser an address that lets in once', async () => {
    const { pathname, search } = new URL(studio.urlOnce());
    expect(search).not.toContain(token);
    const enter = () => send(pathname + search, { headers: { authorization: '' } });
    expect((await enter()).status).toBe(302);
    expect((await enter()).status).toBe(401);
  });

  it.each([
    ['192.0.2.1', /this machine has no such address/, /--host/],
    ['no-such-name.invalid', /there is no such name/, /--host/],
  ])('says when it cannot listen on %s', async (host, message, hint) => {
    const refused = expect(openStudio(world, { host })).rejects;
    await refused.toMatchObject({ message: expect.stringMatching(message), hint: expect.stringMatching(hint) });
  });

  it('refuses a token that could be guessed', async () => {
    await expect(openStudio(world, { token: '1234' })).rejects.toThrow('too short');
  });
});

describe('what the studio gives away', () => {
  it('forbids everything but its own files, on every answer', async () => {
    for (const path of ['/', '/api/overview', '/nothing']) {
      const { headers } = await send(path);
      expect(headers['content-security-policy']).toBe(contentPolicy);
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
    expect(contentPolicy).toContain("default-src 'none'");
    expect(contentPolicy).not.toMatch(/unsafe|https?:|\*/);
  });

  it('allows the style of the charts by the hash it really has', () => {
    const { document } = parseHTML('<html></html>');
    const chart = Plot.plot({ document, className: 'plot', marks: [Plot.dot([[1, 2]])] } as Plot.PlotOptions);
    const style = /<style>([^<]*)<\/style>/.exec(chart.outerHTML)![1];
    expect(plotStyleHash).toBe(`sha256-${createHash('sha256').update(style).digest('base64')}`);
  });

  it('shows pictures of the workspace and of no other place', async () => {
    const show = (id: string) => send(`/api/picture/small/web/${id}`);
    expect((await show('d'.repeat(24))).status).toBe(200);
    for (const id of ['a', 'b', 'c']) expect((await show(id.repeat(24))).status).toBe(404);
    for (const path of [
      '/api/picture/small/test/..%2F..%2Fbowerbird.yaml',
      '/..%2fpackage.json',
      '/api/export/..%2fbowerbird.yaml',
    ])
      expect((await send(path)).status, path).toBe(404);
  });

  it('sends no file of the pictures as it is, and lets it be kept long', async () => {
    const answer = await send(`/api/picture/small/web/${'d'.repeat(24)}`);
    expect(answer.headers['content-type']).toBe('image/jpeg');
    expect(answer.headers['cache-control']).toBe('private, max-age=31536000');
    const again = await send(`/api/picture/small/web/${'d'.repeat(24)}`, {
      headers: { 'if-none-match': answer.headers.etag as string },
    });
    expect(again.status).toBe(304);
  });
});

describe('a workspace that was never run', () => {
  it.each(['overview', 'state', 'gallery', 'decisions', 'categories', 'compare', 'export'])(
    'has an answer for %s',
    async (path) => {
      expect((await send(`/api/${path}`)).status).toBe(200);
    },
  );

  it('has no classifier, and says what to do', async () => {
    const body = await drawPicture('red wren', 3);
    const { status, text } = await send('/api/classify', { method: 'POST', headers: own, body });
    expect(status).toBe(400);
    expect(text).toContain('has no classifier yet');
    expect(text).toContain('bowerbird run');
  });
});

describe('a configuration that is wrong for a while', () => {
  it('is named by what needs it, and does not silence the studio', async () => {
    const right = readFileSync(world.path('bowerbird.yaml'), 'utf8');
    const before = JSON.parse((await send('/api/state')).text);
    writeFileSync(world.path('bowerbird.yaml'), `${right}oops: [\n`);
    try {
      const { status, text } = await send('/api/overview');
      expect([status, text]).toEqual([400, expect.stringContaining('this is not YAML')]);
      const state = await send('/api/state');
      expect(state.status).toBe(200);
      expect(JSON.parse(state.text)).toMatchObject({ running: false, decisions: before.decisions });
      expect(JSON.parse(state.text).version).not.toBe(before.version);
    } finally {
      writeFileSync(world.path('bowerbird.yaml'), right);
    }
  });
});

describe('what the studio takes', () => {
  const classify = (body: Buffer) => send('/api/classify', { method: 'POST', headers: own, body });

  it('refuses more bytes than a picture may have', async () => {
    const { status, text } = await classify(Buffer.alloc(33 * 2 ** 20));
    expect(status).toBe(400);
    expect(text).toContain('more than 32 MiB were sent');
  });

  it('refuses a small file that would become a huge picture', async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="20000" height="20000"><rect width="9" height="9"/></svg>';
    const { status, text } = await classify(Buffer.from(svg));
    expect(status).toBe(400);
    expect(text).toMatch(/SVG drawing/);
  });

  it('refuses decisions about pictures that are not there', async () => {
    const body = JSON.stringify({ decision: 'drop', ids: ['../x'] });
    const { status, text } = await send('/api/decisions', { method: 'POST', headers: own, body });
    expect(status).toBe(400);
    expect(text).toContain('none of the web pictures');
  });

  it('names a stage that is none', async () => {
    const { status } = await send('/api/run', { method: 'POST', headers: own, body: '{"until":"--again"}' });
    expect(status).toBe(400);
  });
});

describe('the built page', () => {
  it('holds no script and no style of its own', () => {
    const page = readFileSync(new URL('../../dist/studio/app/index.html', import.meta.url), 'utf8');
    expect(page).not.toMatch(/<script(?![^>]*src=)|<style|style=|https?:/);
  });
});

describe('an answer that cannot be right', () => {
  it.each(['null', '7', '[]', '"x"', '{'])('is refused: %s', async (body) => {
    for (const path of ['/api/run', '/api/export', '/api/decisions']) {
      const { status, text } = await send(path, { method: 'POST', headers: own, body });
      expect([path, status], text).toEqual([path, 400]);
    }
  });
});
