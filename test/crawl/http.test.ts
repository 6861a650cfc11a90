/** What becomes of every kind of answer, against a server that answers as it is told; and whose turn it is to ask. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type GetOptions, HttpClient, type NetworkOptions } from '../../src/crawl/network/http.js';
import { HostLimiter, retryAfter, type SharedTurns } from '../../src/crawl/network/limiter.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
let answers: Record<string, Answer> = {};
let asked: { path: string; headers: IncomingMessage['headers']; method?: string; body: string }[] = [];
const server = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const path = request.url!;
  asked.push({ path, headers: request.headers, method: request.method, body: Buffer.concat(parts).toString() });
  (answers[path] ?? ((_, to) => to.writeHead(404).end()))(request, response);
});
let origin: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  [answers, asked] = [{}, []];
});
let clients: HttpClient[] = [];
afterEach(async () => {
  for (const client of clients) await client.close();
  clients = [];
});

const quick: NetworkOptions = { userAgent: 'tests', allowedAddresses: ['127.0.0.0/8'], requestsPerSecond: 1e6 };
function clientWith(options: Partial<NetworkOptions> = {}): HttpClient {
  const client = new HttpClient({ ...quick, ...options });
  clients.push(client);
  return client;
}
const plain =
  (status: number, headers: Record<string, string> = {}, body = 'body'): Answer =>
  (_, response) =>
    response.writeHead(status, headers).end(body);
async function fetched(path: string, more: Partial<GetOptions> = {}, client = clientWith()): Promise<string> {
  return client.get(`${origin}${path}`, { maximumBytes: 1000, ...more }, async ({ body, url }) => {
    let text = `${url.pathname}: `;
    for await (const chunk of body) text += chunk.toString();
    return text;
  });
}

describe('an answer', () => {
  it.each([
    [429, 'throttled'],
    [500, 'server'],
    [503, 'server'],
    [599, 'server'],
    [408, 'timeout'],
    [404, 'gone'],
    [410, 'gone'],
    [401, 'refused'],
    [403, 'refused'],
    [451, 'refused'],
    [400, 'unexpected-answer'],
    [304, 'unexpected-answer'],
    [206, 'unexpected-answer'],
  ])('of %i is a failure of the kind %s', async (status, kind) => {
    answers['/a'] = plain(status, {}, status === 304 ? '' : 'body');
    await expect(fetched('/a')).rejects.toMatchObject({
      name: 'FetchFailure',
      kind,
      message: expect.stringContaining('127'),
    });
  });

  it('is read where it is one, with the address it came from', async () => {
    for (const status of [200, 203, 299]) {
      answers['/a'] = plain(status);
      expect(await fetched('/a')).toBe('/a: body');
    }
    answers['/a'] = plain(200, { 'content-encoding': 'identity' });
    expect(await fetched('/a')).toBe('/a: body');
    answers['/a'] = plain(200, { 'content-encoding': 'gzip' });
    await expect(fetched('/a')).rejects.toMatchObject({ kind: 'unexpected-answer' });
  });

  it('is asked for with our name, uncompressed, and a form as a form', async () => {
    answers['/a'] = plain(200);
    await fetched('/a', { headers: { accept: 'application/json' } });
    await fetched('/a', { form: { q: 'blue jay', key: 'a&b' } });
    const [get, post] = asked;
    expect(get).toMatchObject({
      ...{ method: 'GET', body: '' },
      headers: { 'user-agent': 'tests', 'accept-encoding': 'identity', accept: 'application/json' },
    });
    expect(get.headers).not.toHaveProperty('content-type');
    expect(post).toMatchObject({ method: 'POST', body: 'q=blue+jay&key=a%26b' });
    expect(post.headers['content-type']).toBe('application/x-www-form-urlencoded');
  });

  it('may be no longer than allowed, as announced and as it comes', async () => {
    answers['/announced'] = plain(200, { 'content-length': '1001' }, 'x'.repeat(1001));
    answers['/longer'] = (_, response) => {
      response.writeHead(200);
      response.write('x'.repeat(600));
      response.end('x'.repeat(600));
    };
    answers['/just'] = plain(200, {}, 'x'.repeat(1000));
    await expect(fetched('/announced')).rejects.toMatchObject({ name: 'Refusal', reason: 'too-large' });
    await expect(fetched('/longer')).rejects.toMatchObject({ reason: 'too-large' });
    expect(await fetched('/just')).toHaveLength(1007);
  });

  it('that does not come in time, or breaks off, is a failure that may pass', async () => {
    answers['/never'] = () => {};
    answers['/half'] = (_, response) => {
      response.writeHead(200);
      response.write('half');
    };
    answers['/broken'] = (_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half');
      setTimeout(() => response.destroy(), 20);
    };
    // In all, until the first byte, and between two of them.
    const impatient = [{ totalTimeout: 0.15 }, { idleTimeout: 0.15 }].map((options) => clientWith(options));
    const late = impatient.flatMap((client) => ['/never', '/half'].map((path) => fetched(path, {}, client)));
    for (const { reason } of (await Promise.allSettled(late)) as PromiseRejectedResult[])
      expect(reason).toMatchObject({ kind: 'timeout', final: false });
    await expect(fetched('/broken')).rejects.toMatchObject({ name: 'FetchFailure', final: false });
    const nobody = clientWith().get('http://127.0.0.1:1/', { maximumBytes: 1 }, async () => {});
    await expect(nobody).rejects.toMatchObject({ kind: 'connection' });
  });

  it('is not waited for when the crawl is stopped', async () => {
    answers['/never'] = () => {};
    const stop = new AbortController();
    const waiting = fetched('/never', { signal: stop.signal });
    setTimeout(() => stop.abort(new Error('enough')), 50);
    await expect(waiting).rejects.toThrow('enough');
  });
});

describe('redirects', () => {
  const to = (location: string, status = 302) => plain(status, { location }, '');

  it('are followed, five of them unless told otherwise', async () => {
    for (let k = 0; k < 7; k++) answers[`/${k}`] = to(`/${k + 1}`);
    answers['/7'] = plain(200);
    expect(await fetched('/2')).toBe('/7: body');
    await expect(fetched('/1')).rejects.toMatchObject({ kind: 'redirect-loop' });
    expect(await fetched('/0', {}, clientWith({ maximumRedirects: 7 }))).toBe('/7: body');
    answers['/self'] = to('/self');
    await expect(fetched('/self')).rejects.toMatchObject({ kind: 'redirect-loop' });
    answers['/out'] = to('file:///etc/passwd');
    await expect(fetched('/out')).rejects.toMatchObject({ name: 'FetchFailure' });
    answers['/unchanged'] = to('/7', 304);
    await expect(fetched('/unchanged')).rejects.toMatchObject({ kind: 'unexpected-answer' });
    answers['/nowhere'] = plain(302, {}, '');
    await expect(fetched('/nowhere')).rejects.toMatchObject({ kind: 'unexpected-answer' });
  });

  it('are left to whoever asks one step at a time, or makes the requests elsewhere', async () => {
    answers['/a'] = to('/b', 307);
    answers['/b'] = plain(200);
    const client = clientWith();
    const once = (path: string) =>
      client.once(`${origin}${path}`, { maximumBytes: 9 }, async ({ url }) => url.pathname);
    expect(await once('/a')).toEqual({ location: '/b', status: 307 });
    expect(await once('/b')).toEqual({ value: '/b' });
    const hops: [string, number][] = [];
    const elsewhere: GetOptions['elsewhere'] = async (url, hop) => {
      hops.push([url.pathname, hop]);
      if (url.pathname === '/x') return { location: '/y', status: 302 };
      return {
        headers: {},
        body: (async function* () {
          yield Buffer.from('far');
        })(),
      };
    };
    asked = [];
    expect(await fetched('/x', { elsewhere })).toBe('/y: far');
    expect(hops).toEqual([
      ['/x', 1],
      ['/y', 2],
    ]);
    expect(asked).toEqual([]);
  });
});

describe('a host that asks for patience', () => {
  it('is left alone for as long as it says, by its own clock', async () => {
    const pauses: [string, number][] = [];
    const client = clientWith({ maximumPause: 5, onPause: (name, seconds) => pauses.push([name, seconds]) });
    const date = new Date(Date.UTC(2020, 0, 1));
    const until = new Date(date.getTime() + 90_000).toUTCString();
    answers['/busy'] = plain(503, { 'retry-after': until, date: date.toUTCString() });
    await expect(fetched('/busy', {}, client)).rejects.toMatchObject({ kind: 'throttled', final: false });
    expect(pauses).toEqual([['127.0.0.1', 90]]);
    await expect(fetched('/other', {}, client)).rejects.toMatchObject({ kind: 'throttled', final: true });
    expect(asked.map(({ path }) => path)).toEqual(['/busy']);
  });

  it('is asked again at once where it says nothing else, and a little later where it says nothing', async () => {
    const pauses: unknown[] = [];
    const client = clientWith({ onPause: (...told) => pauses.push(told) });
    answers['/now'] = plain(429, { 'retry-after': '0' });
    await expect(fetched('/now', {}, client)).rejects.toMatchObject({ kind: 'throttled' });
    answers['/now'] = plain(200);
    const begun = performance.now();
    expect(await fetched('/now', {}, client)).toBe('/now: body');
    expect(performance.now() - begun).toBeLessThan(900);
    expect(pauses).toEqual([]);
    answers['/now'] = plain(429);
    await expect(fetched('/now', {}, client)).rejects.toMatchObject({ kind: 'throttled' });
    await expect(client.limiter.acquire('127.0.0.1', AbortSignal.timeout(100))).rejects.toThrow();
  });
});

describe('the robots.txt of a host', () => {
  const robots = { robots: () => true };

  it('is obeyed unless nobody asked for that, and asked once', async () => {
    answers['/robots.txt'] = plain(200, {}, 'User-agent: *\nDisallow: /private\n');
    answers['/private'] = plain(200);
    answers['/public'] = plain(200);
    const client = clientWith();
    await expect(fetched('/private', robots, client)).rejects.toMatchObject({ name: 'Refusal', reason: 'robots' });
    expect(await fetched('/public', robots, client)).toBe('/public: body');
    expect(asked.map(({ path }) => path)).toEqual(['/robots.txt', '/public']);
    expect(await fetched('/private', { robots: () => false }, client)).toBe('/private: body');
    expect(await fetched('/private', {}, client)).toBe('/private: body');
    expect(await fetched('/private', robots, clientWith({ honourRobots: false }))).toBe('/private: body');
  });

  it.each([404, 403, 400])('that is answered with %i forbids nothing', async (status) => {
    answers['/robots.txt'] = plain(status);
    answers['/a'] = plain(200);
    expect(await fetched('/a', robots)).toBe('/a: body');
  });

  it('that redirects in circles forbids nothing, one that cannot be had everything for now', async () => {
    answers['/a'] = plain(200);
    answers['/robots.txt'] = plain(302, { location: '/robots.txt' }, '');
    expect(await fetched('/a', robots)).toBe('/a: body');
    answers['/robots.txt'] = plain(500);
    await expect(fetched('/a', robots)).rejects.toMatchObject({ kind: 'robots-unreachable' });
  });

  it('slows requests down, to one a minute at the slowest', async () => {
    answers['/robots.txt'] = plain(200, {}, 'User-agent: *\nCrawl-delay: 0.2\n');
    answers['/a'] = plain(200);
    const client = clientWith();
    await fetched('/a', robots, client);
    const begun = performance.now();
    await fetched('/a', robots, client);
    await fetched('/a', robots, client);
    expect(performance.now() - begun).toBeGreaterThan(200);
  });
});

describe('turns', () => {
  const timed = async (work: () => Promise<unknown>) => {
    const begun = performance.now();
    await work();
    return performance.now() - begun;
  };
  const turn = async (limiter: HostLimiter, host: string) => (await limiter.acquire(host))();

  it('are a little more than the rate apart, for each host by itself', async () => {
    const limiter = new HostLimiter({ requestsPerSecond: 20 });
    const took = await timed(async () => {
      for (let k = 0; k < 4; k++) await turn(limiter, 'a.org');
    });
    expect(took).toBeGreaterThan(3 * 51);
    const order: string[] = [];
    await Promise.all(['a.org', 'b.org'].map((host) => turn(limiter, host).then(() => order.push(host))));
    expect(order).toEqual(['b.org', 'a.org']);
  });

  it('are had by so many at a time, in the order in which they asked', async () => {
    const limiter = new HostLimiter({ requestsPerSecond: 1e6, concurrency: 2 });
    const order: number[] = [];
    const ends = [await limiter.acquire('a.org'), await limiter.acquire('a.org')];
    const waiting = [1, 2, 3].map(async (k) => {
      const end = await limiter.acquire('a.org');
      order.push(k);
      ends.push(end);
    });
    await sleep(20);
    expect(order).toEqual([]);
    ends[0]();
    ends[0]();
    await sleep(20);
    expect(order).toEqual([1]);
    ends[1]();
    ends[2]();
    await Promise.all(waiting);
    expect(order).toEqual([1, 2, 3]);
  });

  it('wait for what an earlier run was asked to wait', async () => {
    const limiter = new HostLimiter({ requestsPerSecond: 1e6, pauses: [{ name: 'a.org', seconds: 0.15 }] });
    const order: string[] = [];
    await Promise.all(['a.org', 'b.org'].map((host) => turn(limiter, host).then(() => order.push(host))));
    expect(order).toEqual(['b.org', 'a.org']);
  });

  it('wait longer each time a host says no, until it says yes', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'] });
    try {
      const limiter = new HostLimiter({ requestsPerSecond: 1e6, maximumPause: 0.1 });
      /** Seconds that the host is left alone, as it is said to whoever asks meanwhile. */
      const left = async () => {
        const { message } = (await limiter.acquire('a.org').catch((error: Error) => error)) as Error;
        return (Date.parse(/until (.*)$/.exec(message)![1]) - Date.now()) / 1000;
      };
      const paused = async () => {
        limiter.pause('a.org');
        // Of requests under way together only the first counts.
        limiter.pause('a.org');
        const seconds = await left();
        vi.advanceTimersByTime(1000 * seconds + 10);
        return seconds;
      };
      for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) expect(await paused()).toBeCloseTo(seconds, 2);
      limiter.succeeded('a.org');
      expect(await paused()).toBeCloseTo(1, 2);
      limiter.pause('a.org', 30);
      limiter.pause('a.org', 20);
      expect(await left()).toBeCloseTo(30, 2);
    } finally {
      vi.useRealTimers();
    }
  });

  it('are slowed down further, never sped up', async () => {
    const limiter = new HostLimiter({ requestsPerSecond: 20 });
    limiter.atMost('a.org', 1000);
    await turn(limiter, 'a.org');
    expect(await timed(() => turn(limiter, 'a.org'))).toBeGreaterThan(40);
    limiter.atMost('b.org', 8);
    await turn(limiter, 'b.org');
    expect(await timed(() => turn(limiter, 'b.org'))).toBeGreaterThan(100);
  });

  it('are taken from one place where several processes ask', async () => {
    const told: unknown[][] = [];
    const given: Awaited<ReturnType<SharedTurns['take']>>[] = [];
    const shared: SharedTurns = {
      take: async (...asked) => {
        told.push(['take', ...asked]);
        return given.shift() ?? { release: () => told.push(['release']) };
      },
      pause: (...asked) => told.push(['pause', ...asked]),
      succeeded: (...asked) => told.push(['succeeded', ...asked]),
    };
    const group = { name: 'g', hosts: ['a.org'], requestsPerSecond: 1030, concurrency: 3 };
    const options = { groups: [group], shared, maximumPause: 2, pauses: [{ name: 'other', seconds: 7 }] };
    const limiter = new HostLimiter(options);
    expect(told).toEqual([['pause', 'other', 7]]);
    given.push({ delay: 60, paused: false }, { delay: 60, paused: true });
    expect(await timed(() => turn(limiter, 'a.org'))).toBeGreaterThan(110);
    expect(told.slice(1)).toEqual([...[1, 2, 3].map(() => ['take', 'g', 1, 3]), ['release']]);
    limiter.pause('a.org');
    limiter.succeeded('a.org');
    // How long that is, the others know.
    expect(await timed(() => turn(limiter, 'a.org'))).toBeLessThan(900);
    limiter.pause('a.org', 9);
    expect(told.filter(([what]) => what === 'pause' || what === 'succeeded').slice(1)).toEqual([
      ['pause', 'g', undefined],
      ['succeeded', 'g'],
      ['pause', 'g', 9],
    ]);
    await expect(limiter.acquire('a.org')).rejects.toMatchObject({ kind: 'throttled', final: true });
  });

  it('are asked for in seconds or by a date, never by anything else', () => {
    expect([retryAfter(' 7 '), retryAfter('1234567890'), retryAfter('7 s')].map((one) => one ?? 'none')).toEqual([
      ...[7, 'none', 'none'],
    ]);
  });
});
