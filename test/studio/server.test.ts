/** What the studio's server sends with its answers, and what it says of mistakes. */
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type Studio, startStudio } from '../../src/studio/index.js';
import { reportPolicy } from '../../src/studio/security.js';
import { folder, path, useFolder, write } from './written-workspace.js';

useFolder();
let open: Studio[] = [];
afterEach(async () => {
  for (const studio of open) await studio.close();
  open = [];
});

const token = 'a token of some length';
async function start(options: Partial<Parameters<typeof startStudio>[0]> = {}) {
  write('app/index.html', '<html>');
  write('app/app/index-w9xTVYb0.js', 'x');
  for (const name of ['style.css', 'bird.svg', 'list.json']) write(`app/${name}`, name);
  const studio = await startStudio({
    workspace: folder,
    runCommand: ['true'],
    appFolder: path('app'),
    token,
    ...options,
  });
  open.push(studio);
  const { origin } = new URL(studio.url);
  const get = (address: string, headers: Record<string, string> = {}) =>
    fetch(`${origin}${address}`, { headers: { authorization: `Bearer ${token}`, ...headers }, redirect: 'manual' });
  return { studio, get, origin };
}

describe('the server of the studio', () => {
  it('serves its page and what belongs to it, each as what it is', async () => {
    const { get } = await start();
    const types = {
      ...{ '/': 'text/html; charset=utf-8', '/index.html': 'text/html; charset=utf-8', '/bird.svg': 'image/svg+xml' },
      ...{ '/style.css': 'text/css; charset=utf-8', '/list.json': 'application/json' },
    };
    for (const [address, type] of Object.entries(types)) {
      const answer = await get(address);
      expect([address, answer.headers.get('content-type')]).toEqual([address, type]);
      expect(answer.headers.get('cache-control')).toBe('no-cache');
    }
    const lasting = await get('/app/index-w9xTVYb0.js');
    expect(lasting.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(await lasting.text()).toBe('x');
    const absent = await get('/nothing');
    expect([absent.status, await absent.json()]).toEqual([404, { error: { message: 'there is no /nothing' } }]);
  });

  it('sends with every answer what browsers must not do with it', async () => {
    const { get } = await start();
    const { headers } = await get('/api/state');
    const sent = Object.fromEntries(headers);
    expect(sent).toMatchObject({
      ...{ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer', 'x-frame-options': 'DENY' },
      ...{ 'cross-origin-opener-policy': 'same-origin', 'cross-origin-resource-policy': 'same-origin' },
      'permissions-policy': 'camera=(), microphone=(), geolocation=()',
    });
    const policy = Object.fromEntries(sent['content-security-policy'].split('; ').map((rule) => rule.split(/ (.*)/)));
    expect(policy).toMatchObject({
      ...{ 'default-src': "'none'", 'script-src': "'self'", 'connect-src': "'self'", 'img-src': "'self' blob:" },
      ...{ 'base-uri': "'none'", 'form-action': "'none'", 'frame-ancestors': "'none'" },
    });
    expect(policy['style-src']).toMatch(/^'self' 'sha256-[\w+/]+='$/);
  });

  it('lets the report do nothing but show itself', async () => {
    const { get } = await start();
    expect((await get('/report')).status).toBe(404);
    write('report.html', '<p>birds</p>');
    const { headers } = await get('/report');
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toBe(reportPolicy);
    for (const rule of ["default-src 'none'", "style-src 'unsafe-inline'", 'img-src data:', "form-action 'none'"])
      expect(reportPolicy.split('; ')).toContain(rule);
  });

  it('hands out exported files under their names, whole', async () => {
    const { get } = await start();
    write('export/my birds.onnx', '12345');
    const answer = await get('/api/export/my%20birds.onnx');
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      ...{ 'content-type': 'application/octet-stream', 'content-length': '5' },
      'content-disposition': "attachment; filename*=UTF-8''my%20birds.onnx",
    });
    expect(await answer.text()).toBe('12345');
  });

  it('lets in by the token in the address, by a cookie of its own port, and by nothing else', async () => {
    const { get, studio, origin } = await start();
    const entered = await fetch(studio.url, { redirect: 'manual' });
    expect([entered.status, entered.headers.get('location')]).toEqual([302, '/']);
    const cookie = entered.headers.get('set-cookie')!;
    const { port } = new URL(origin);
    expect(cookie).toMatch(new RegExp(`^bowerbird-studio-${port}=`));
    expect(cookie).toMatch(/; Path=\//);
    const statusWith = async (headers: Record<string, string>) =>
      (await get('/api/state', { authorization: '', ...headers })).status;
    expect(await statusWith({ cookie: cookie.split(';')[0] })).toBe(200);
    expect(await statusWith({ cookie: cookie.split(';')[0].replace(port, '1') })).toBe(401);
    expect(await statusWith({ authorization: `Bearer ${token}x` })).toBe(401);
    expect(await statusWith({ authorization: `xBearer ${token}` })).toBe(401);
    expect(await statusWith({ authorization: token })).toBe(401);
    const elsewhere = await get('/api/state?token=wrong');
    expect(elsewhere.status).toBe(200);
  });

  it('says what is wrong with a code and a hint where it knows, and that it is its own fault where it does not', async () => {
    const { get } = await start();
    write('bowerbird.yaml', 'oops: [');
    const known = await get('/api/overview');
    expect(known.status).toBe(400);
    expect(await known.json()).toMatchObject({ error: { code: expect.stringMatching(/^BOWERBIRD_/) } });
    write('bowerbird.yaml', 'categories: [wren, finch]\nauxiliary: aux\ntest: test\n');
    write('.bowerbird/pictures.jsonl', 'no json\n');
    const unknown = await get('/api/gallery');
    expect(unknown.status).toBe(500);
    expect(((await unknown.json()) as { error: object }).error).not.toHaveProperty('code');
  });

  it('takes any free port unless told which, and says when that is taken', async () => {
    const { studio } = await start();
    const { port, hostname } = new URL(studio.url);
    expect(hostname).toBe('127.0.0.1');
    await expect(start({ port: Number(port) })).rejects.toMatchObject({
      ...{ code: 'BOWERBIRD_STUDIO', message: `cannot listen on 127.0.0.1:${port}: the port is taken` },
      hint: expect.stringContaining('--port'),
    });
    const six = await start({ host: '::1' }).catch(() => undefined);
    if (six) expect(six.studio.url).toMatch(/^http:\/\/\[::1\]:\d+\/\?token=/);
    const free = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => free.once('listening', resolve));
    const wanted = (free.address() as { port: number }).port;
    await new Promise((resolve) => free.close(resolve));
    expect(new URL((await start({ port: wanted })).studio.url).port).toBe(String(wanted));
  });

  it('has a token of its own where none is given, another one each time', async () => {
    const tokens = await Promise.all(
      [1, 2].map(async () => new URL((await start({ token: undefined })).studio.url).searchParams.get('token')!),
    );
    expect(tokens[0]).toMatch(/^[\w-]{32}$/);
    expect(tokens[0]).not.toBe(tokens[1]);
    await expect(start({ token: 'x'.repeat(15) })).rejects.toMatchObject({ code: 'BOWERBIRD_USAGE' });
    await start({ token: 'x'.repeat(16) });
  });

  it('is gone when it is closed', async () => {
    const { studio, get } = await start();
    await studio[Symbol.asyncDispose]();
    open = [];
    await expect(get('/')).rejects.toThrow();
  });
});
