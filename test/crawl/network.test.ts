import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { AddressPolicy } from '../../src/crawl/network/address.js';
import { HttpClient, type NetworkOptions } from '../../src/crawl/network/http.js';
import { HostLimiter, matchesHost, retryAfter } from '../../src/crawl/network/limiter.js';
import { forbiddingTag, RobotsRules } from '../../src/crawl/network/robots.js';
import { processorTime } from '../processor-time.js';
import { crawlFake, fastNetwork } from './web/crawling.js';
import { freshWeb } from './web/fresh.js';
import { busiestWindow } from './web/server.js';

const { web, folder } = await freshWeb();

async function fetched(url: string, options: Partial<NetworkOptions> = {}): Promise<number> {
  const http = new HttpClient({ ...fastNetwork, ...options });
  try {
    return await http.get(url, { maximumBytes: 1e6 }, async ({ body }) => {
      let bytes = 0;
      for await (const chunk of body) bytes += chunk.length;
      return bytes;
    });
  } finally {
    await http.close();
  }
}

describe('addresses', () => {
  const strict = new AddressPolicy();

  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fe80::1',
    'fc00::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    'ff02::1',
    'no address',
  ])('%s is not reached', (address) => {
    expect(strict.permits(address)).toBe(false);
  });

  it.each(['93.184.216.34', '8.8.8.8', '2606:2800:220:1:248:1893:25c8:1946'])('%s is reached', (address) => {
    expect(strict.permits(address)).toBe(true);
  });

  it.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://[::1]/',
    'http://[::ffff:7f00:1]/',
    'http://0/',
    'https://169.254.169.254/x',
  ])('the address %s is refused however it is spelt', (address) => {
    expect(() => strict.check(address)).toThrow(/not a public address/);
  });

  it.each([
    'file:///etc/passwd',
    'ftp://example.org/a.jpg',
    'data:image/png;base64,AAAA',
    'javascript:alert(1)',
    'http://user:word@example.org/',
    'nonsense',
    `http://example.org/${'a'.repeat(5000)}`,
  ])('%s is not an address to fetch from', (address) => {
    expect(() => strict.check(address)).toThrow();
  });

  it('a range that is allowed is reached, and only that', () => {
    const policy = new AddressPolicy(['127.0.0.0/8', '10.1.2.3']);
    expect(['127.9.9.9', '10.1.2.3', '10.1.2.4', '::1'].map((address) => policy.permits(address))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(() => new AddressPolicy(['localhost'])).toThrow(/not an address range/);
  });

  it('a name is refused at connect time when it resolves to a private address', async () => {
    await expect(
      fetched(`http://localhost:${web.port}/picture/none/a.jpg`, { allowedAddresses: [] }),
    ).rejects.toMatchObject({ kind: 'forbidden-address' });
    expect(
      await fetched(`http://localhost:${web.port}/picture/none/a.jpg`, {
        allowedAddresses: ['127.0.0.0/8', '::1/128'],
      }),
    ).toBeGreaterThan(500);
  });
});

describe('Retry-After', () => {
  it('is read in seconds and as a date', () => {
    const now = Date.UTC(2026, 0, 1);
    expect(retryAfter('120')).toBe(120);
    expect(retryAfter(new Date(now + 90_000).toUTCString(), now)).toBe(90);
    expect(retryAfter('Wed, 21 Oct 2015 07:28:00 GMT', now)).toBe(0);
    expect([retryAfter(undefined), retryAfter('soon'), retryAfter('-1x')]).toEqual([undefined, undefined, undefined]);
  });

  it('holds back the whole group, and ends the wait where the pause is too long', async () => {
    const group = { name: 'group', hosts: ['a.example', '*.b.example'], requestsPerSecond: 1e6, concurrency: 8 };
    const limiter = new HostLimiter({ groups: [group], maximumPause: 1 });
    limiter.pause('a.example', 0.2);
    const begun = performance.now();
    (await limiter.acquire('x.b.example'))();
    expect(performance.now() - begun).toBeGreaterThan(190);
    limiter.pause('x.b.example', 60);
    await expect(limiter.acquire('a.example')).rejects.toMatchObject({ kind: 'throttled', final: true });
    (await limiter.acquire('other.example'))();
  });

  it('is remembered when the crawl is ended and begun again', async () => {
    web.options = {
      interfere: (request, response) => {
        if (!request.url?.includes('photos.search')) return false;
        response.writeHead(429, { 'retry-after': '600' }).end();
        return true;
      },
    };
    const settings = { workspace: folder.path, network: { ...fastNetwork, maximumPause: 1 } };
    const first = await crawlFake(web, settings);
    expect(first.unanswered).toMatchObject([{ kind: 'throttled' }]);
    web.options = {};
    web.forget();
    const second = await crawlFake(web, { ...settings, resume: true });
    expect(web.requests).toEqual([]);
    expect(second.unanswered[0].detail).toMatch(/asks for no requests until/);
  });

  it('doubles a pause of unknown length until a request succeeds', async () => {
    const limiter = new HostLimiter({ requestsPerSecond: 1e6, maximumPause: 0.5 });
    limiter.pause('a.example');
    await expect(limiter.acquire('a.example')).rejects.toThrow(/asks for no requests/);
  });
});

describe('the rate', () => {
  it('knows hosts by name and by domain', () => {
    expect([
      matchesHost('*.flickr.com', 'api.flickr.com'),
      matchesHost('*.flickr.com', 'flickr.com'),
      matchesHost('*.flickr.com', 'notflickr.com'),
    ]).toEqual([true, true, false]);
  });

  it('is kept for API and pictures together, as the server sees it', async () => {
    web.options = { results: 60 };
    const rate = 25;
    const network = {
      ...fastNetwork,
      groups: [{ name: 'flickr', hosts: ['127.0.0.1'], requestsPerSecond: rate, concurrency: 16 }],
    };
    const begun = performance.now();
    await crawlFake(web, { workspace: folder.path, perCategory: 60, network });
    const seconds = (performance.now() - begun) / 1000;
    const requests = web.requests.filter(({ host }) => host === '127.0.0.1');
    expect(requests.length).toBeGreaterThanOrEqual(62);
    const busiest = busiestWindow(requests, 1000);
    console.log(`at ${rate} requests a second the busiest second had ${busiest}, over ${seconds.toFixed(1)} s`);
    // A request that reaches a busy server late falls into the second of those behind it.
    expect(busiest).toBeLessThanOrEqual(1.1 * rate);
    expect(seconds).toBeGreaterThan((requests.length - 1) / rate - 0.1);
  });

  it('is counted for each host by itself where hosts are not grouped', async () => {
    web.options = { results: 30, pictureHost: '127.0.0.2' };
    const network = {
      ...fastNetwork,
      groups: [{ name: 'api', hosts: ['127.0.0.1'], requestsPerSecond: 1e6, concurrency: 4 }],
      requestsPerSecond: 20,
      concurrency: 3,
    };
    await crawlFake(web, { workspace: folder.path, perCategory: 30, network });
    const pictures = web.requests.filter(({ host }) => host === '127.0.0.2');
    // One of them asks for robots.txt.
    expect(pictures).toHaveLength(31);
    expect(busiestWindow(pictures, 1000)).toBeLessThanOrEqual(20);
    expect(Math.max(...pictures.map(({ underWay }) => underWay))).toBeLessThanOrEqual(4);
  });

  it('lets a serial source have one request under way', async () => {
    web.options = { results: 40 };
    const network = {
      ...fastNetwork,
      groups: [{ name: 'wikimedia', hosts: ['127.0.0.1'], requestsPerSecond: 1e6, concurrency: 1 }],
    };
    await crawlFake(web, { workspace: folder.path, sources: ['wikimedia'], perCategory: 40, network });
    expect(Math.max(...web.requests.map(({ underWay }) => underWay))).toBe(1);
    expect(new Set(web.requests.map(({ userAgent }) => userAgent))).toEqual(
      new Set(['bowerbird/test (test@example.org)']),
    );
  });
});

describe('robots.txt', () => {
  const allows = (text: string, path: string) => RobotsRules.parse(text).allows(new URL(path, 'https://example.org'));

  it('is read for our own name, else for everyone', () => {
    const text = 'User-agent: *\nDisallow: /\n\nUser-agent: Bowerbird\nUser-agent: other\nDisallow: /private\n';
    expect([allows(text, '/a.jpg'), allows(text, '/private/a.jpg')]).toEqual([true, false]);
    expect(allows('User-agent: somebody\nDisallow: /', '/a.jpg')).toBe(true);
  });

  it('lets the longest rule decide, with allow winning a tie', () => {
    const text =
      'User-agent: *\nDisallow: /photos\nAllow: /photos/public\nDisallow: /photos/public/no\nAllow: /tie\nDisallow: /tie';
    expect(
      ['/photos/1', '/photos/public/1', '/photos/public/no1', '/tie', '/else'].map((path) => allows(text, path)),
    ).toEqual([false, true, false, true, true]);
  });

  it('understands wildcards, ends, comments and empty rules', () => {
    const text = '\ufeffUser-Agent: * # all\r\nDisallow: /*.gif$\r\nDisallow: /a*b*c\r\nDisallow:\r\nnonsense\r\n';
    expect(['/x.gif', '/x.gif?y', '/a1b2c3', '/abx', '/ok'].map((path) => allows(text, path))).toEqual([
      false,
      true,
      false,
      true,
      true,
    ]);
  });

  it('matches the parts of a wildcard one behind the other, never the same signs twice', () => {
    const text = 'User-agent: *\nDisallow: /*ab*ab\nDisallow: /q*x*x$\n';
    expect(['/ab', '/xaby', '/abab', '/ab/1/ab2', '/qx', '/qxx', '/qxyx'].map((path) => allows(text, path))).toEqual([
      ...[true, true, false, false],
      ...[true, false, false],
    ]);
  });

  it('is decided quickly whatever the pattern', async () => {
    const spent = await processorTime(() => {
      allows(`User-agent: *\nDisallow: /${'*a'.repeat(2000)}$`, `/${'a'.repeat(4000)}b`);
      allows(`User-agent:${' '.repeat(500_000)}x\nDisallow:${' \t'.repeat(200_000)}y`, '/');
    });
    expect(spent).toBeLessThan(500);
  });

  it('keeps pictures from being asked for, and slows down where it asks for it', async () => {
    web.options = {
      results: 6,
      pictureHost: '127.0.0.2',
      robots: 'User-agent: *\nDisallow: /picture/none/flickr-Blue_Jay-3\nCrawl-delay: 0.05\n',
    };
    const summary = await crawlFake(web, { workspace: folder.path, perCategory: 6 });
    expect(summary.dropped).toEqual({ robots: 1 });
    expect(web.tries('/picture/none/flickr-Blue_Jay-3.jpg')).toBe(0);
    expect(web.tries('/robots.txt')).toBe(1);
    expect(
      busiestWindow(
        web.requests.filter(({ path }) => path.startsWith('/picture')),
        200,
      ),
    ).toBeLessThanOrEqual(5);
  });

  it('is not asked on the hosts of the source itself, whose API states its terms', async () => {
    web.options = { results: 2, robots: 'User-agent: *\nDisallow: /' };
    expect(await crawlFake(web, { workspace: folder.path, perCategory: 2 })).toMatchObject({ kept: 2 });
    expect(web.tries('/robots.txt')).toBe(0);
  });

  it('that cannot be had means not now, and may be tried again', async () => {
    web.options = { results: 2, pictureHost: '127.0.0.2', robots: 503 };
    const first = await crawlFake(web, { workspace: folder.path, perCategory: 2 });
    expect(first.failed).toEqual({ 'robots-unreachable': 2 });
    web.options = { results: 2, pictureHost: '127.0.0.2' };
    const second = await crawlFake(web, { workspace: folder.path, perCategory: 2, resume: true });
    expect(second).toMatchObject({ kept: 2, failed: {} });
  });
});

describe('X-Robots-Tag', () => {
  it.each([
    [['noai'], 'noai'],
    [['all', 'NoImageAI, nofollow'], 'noimageai'],
    [['none'], 'none'],
    [['bowerbird: noindex'], 'noindex'],
    [['googlebot: noindex'], undefined],
    [['unavailable_after: 25 Jun 2030 15:00:00 PST'], undefined],
    [['max-image-preview: large, noai'], 'noai'],
    [['nofollow, nosnippet'], undefined],
    [[], undefined],
  ])('%j forbids because of %s', (headers, expected) => {
    expect(forbiddingTag(headers)).toBe(expected);
  });
});

describe('a redirect', () => {
  /** What a second host gets to see when the first one sends us there. */
  async function seenElsewhere(
    status: number,
    options: { headers?: Record<string, string>; form?: Record<string, string> },
    to = '127.0.0.2',
  ) {
    const seen: { method?: string; authorization?: string; accept?: string; body: string }[] = [];
    const server = createServer((request, response) => {
      const host = request.headers.host?.split(':')[0];
      if (request.url === '/from') {
        const { port } = server.address() as AddressInfo;
        response.writeHead(status, { location: `http://${to}:${port}/to` }).end();
        return;
      }
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        const { authorization, accept } = request.headers;
        seen.push({ method: request.method, authorization, accept, body });
        response.end(host);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
    const http = new HttpClient({ ...fastNetwork, attempts: 1 });
    try {
      const { port } = server.address() as AddressInfo;
      const asked = { maximumBytes: 1e6, ...options };
      const outcome = await http
        .get(`http://127.0.0.1:${port}/from`, asked, async ({ body }) => {
          for await (const _ of body);
          return 'answered';
        })
        .catch((error: Error) => error.message);
      return { outcome, seen };
    } finally {
      await http.close();
      server.closeAllConnections();
      server.close();
    }
  }
  const authorized = { headers: { accept: 'application/json', authorization: 'Bearer secret' } };
  const form = { client_secret: 'secret' };

  it.each([301, 302, 303, 307, 308])('to another host (%i) takes no credentials along', async (status) => {
    const { outcome, seen } = await seenElsewhere(status, authorized);
    expect(outcome).toBe('answered');
    expect(seen).toEqual([{ method: 'GET', authorization: undefined, accept: 'application/json', body: '' }]);
  });

  it.each([404, 503])('that is none (%i) is not followed, whatever place it names', async (status) => {
    const { seen } = await seenElsewhere(status, authorized);
    expect(seen).toEqual([]);
  });

  it.each([301, 302, 303])('(%i) of a form is followed without the form', async (status) => {
    const { seen } = await seenElsewhere(status, { ...authorized, form });
    expect(seen).toEqual([{ method: 'GET', authorization: undefined, accept: 'application/json', body: '' }]);
  });

  it.each([307, 308])('(%i) does not carry a form to another host', async (status) => {
    const { outcome, seen } = await seenElsewhere(status, { form });
    expect(seen).toEqual([]);
    expect(outcome).toMatch(/127\.0\.0\.2/);
  });

  it.each([307, 308])('(%i) keeps form and credentials on the same host', async (status) => {
    const { seen } = await seenElsewhere(status, { ...authorized, form }, '127.0.0.1');
    expect(seen).toEqual([
      { method: 'POST', authorization: 'Bearer secret', accept: 'application/json', body: 'client_secret=secret' },
    ]);
  });
});
