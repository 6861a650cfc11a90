/**
 * GET over http(s) with a limit on everything: rate, redirects, bytes, time without progress, time in total, and which
 * addresses may be reached. Every hop of a redirect is checked and limited like a first request.
 */
import { Agent, request } from 'undici';
import { AddressPolicy } from './address.js';
import { discard, limited, networkFailure } from './body.js';
import { FetchFailure, Refusal } from './failure.js';
import { HostLimiter, type LimiterOptions, retryAfter } from './limiter.js';
import { longestRobots, RobotsCache, RobotsRules } from './robots.js';

export interface NetworkOptions extends LimiterOptions {
  userAgent: string;
  /** Address ranges that may be reached although they are not public. @default none */
  allowedAddresses?: readonly string[];
  /** Seconds until a connection must stand. @default 15 */
  connectTimeout?: number;
  /** Seconds without a byte before a request is given up. @default 30 */
  idleTimeout?: number;
  /** Seconds for one request with its whole body. @default 120 */
  totalTimeout?: number;
  /** @default 5 */
  maximumRedirects?: number;
  /** Tries per picture or question within one run. @default 5 */
  attempts?: number;
  /** Seconds before the second try; doubled for each further one. @default 1 */
  firstBackoff?: number;
  /** @default true */
  honourRobots?: boolean;
}

export interface HttpAnswer {
  /** After redirects. */
  url: URL;
  headers: Record<string, string | string[] | undefined>;
  /** At most `maximumBytes`; a longer body ends in a Refusal. */
  body: AsyncIterable<Buffer>;
}

export interface GetOptions {
  maximumBytes: number;
  signal?: AbortSignal;
  headers?: Record<string, string>;
  /** Whether to ask a host's robots.txt first; not for APIs, which state their terms elsewhere. @default never */
  robots?(url: URL): boolean;
  /** Sent as an URL-encoded form with POST. */
  form?: Record<string, string>;
  /** Makes each request elsewhere than in this process; what leads from one to the next stays here. */
  elsewhere?: Elsewhere;
}

/** An answer, or the address it redirects to. */
export type Redirect = { location: string; status: number };
export type Elsewhere = (url: URL, hop: number) => Promise<Omit<HttpAnswer, 'url'> | Redirect>;

type Settings = Required<
  Pick<NetworkOptions, 'connectTimeout' | 'idleTimeout' | 'totalTimeout' | 'maximumRedirects' | 'honourRobots'>
>;

export class HttpClient {
  readonly limiter: HostLimiter;
  readonly #addresses: AddressPolicy;
  readonly #agent: Agent;
  readonly #robots: RobotsCache;
  readonly #userAgent: string;
  readonly #settings: Settings;

  constructor(options: NetworkOptions) {
    this.limiter = new HostLimiter(options);
    this.#addresses = new AddressPolicy(options.allowedAddresses);
    this.#userAgent = options.userAgent;
    this.#settings = {
      connectTimeout: options.connectTimeout ?? 15,
      idleTimeout: options.idleTimeout ?? 30,
      totalTimeout: options.totalTimeout ?? 120,
      maximumRedirects: options.maximumRedirects ?? 5,
      honourRobots: options.honourRobots ?? true,
    };
    this.#agent = new Agent({
      connect: { lookup: this.#addresses.lookup, timeout: this.#settings.connectTimeout * 1000 },
      headersTimeout: this.#settings.idleTimeout * 1000,
      bodyTimeout: this.#settings.idleTimeout * 1000,
      pipelining: 1,
    });
    this.#robots = new RobotsCache((url) => this.#loadRobots(url));
  }

  /** Hands the answer to `consume`; its body is read or discarded before the returned promise settles. */
  async get<T>(address: string, options: GetOptions, consume: (answer: HttpAnswer) => Promise<T>): Promise<T> {
    let url = this.#addresses.check(address);
    let asked = options;
    const seen = new Set<string>();
    for (;;) {
      if (options.robots?.(url) && this.#settings.honourRobots) await this.#askRobots(url);
      if (seen.has(url.href))
        throw new FetchFailure('redirect-loop', `${url.origin}${url.pathname.slice(0, 200)} redirects to itself`);
      seen.add(url.href);
      const step = asked.elsewhere
        ? await this.#hopElsewhere(url, asked.elsewhere, seen.size, consume)
        : await this.#hop(url, asked, consume);
      if ('value' in step) return step.value;
      if (seen.size > this.#settings.maximumRedirects)
        throw new FetchFailure('redirect-loop', `more than ${this.#settings.maximumRedirects} redirects`);
      const next = this.#addresses.check(step.location, url);
      asked = redirected(asked, step.status, url, next);
      url = next;
    }
  }

  /** One request, for somebody who follows redirects and asks robots.txt himself. */
  async once<T>(
    address: string,
    options: GetOptions,
    consume: (answer: HttpAnswer) => Promise<T>,
  ): Promise<{ value: T } | Redirect> {
    return this.#hop(this.#addresses.check(address), options, consume);
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #hopElsewhere<T>(
    url: URL,
    elsewhere: Elsewhere,
    hop: number,
    consume: (answer: HttpAnswer) => Promise<T>,
  ): Promise<{ value: T } | Redirect> {
    const answer = await elsewhere(url, hop);
    return 'location' in answer ? answer : { value: await consume({ url, ...answer }) };
  }

  async #hop<T>(
    url: URL,
    options: GetOptions,
    consume: (answer: HttpAnswer) => Promise<T>,
  ): Promise<{ value: T } | Redirect> {
    const { signal } = options;
    const release = await this.limiter.acquire(url.hostname, signal);
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), this.#settings.totalTimeout * 1000);
    const stop = () => timeout.abort();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      const form = options.form && new URLSearchParams(options.form).toString();
      const answer = await request(url, {
        dispatcher: this.#agent,
        method: form === undefined ? 'GET' : 'POST',
        body: form,
        signal: timeout.signal,
        headers: {
          'user-agent': this.#userAgent,
          // Compressed bodies would need a second limit; pictures gain nothing from them.
          'accept-encoding': 'identity',
          ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
          ...options.headers,
        },
      }).catch((error) => {
        throw networkFailure(error, url);
      });
      try {
        const { statusCode: status, headers } = answer;
        if (redirects.has(status) && typeof headers.location === 'string')
          return { location: headers.location, status };
        this.#refuseStatus(url, status, headers);
        this.limiter.succeeded(url.hostname);
        const body = limited(answer.body, url, headers['content-length'], options.maximumBytes);
        return { value: await consume({ url, headers, body }) };
      } finally {
        await discard(answer.body, answer.statusCode);
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (timeout.signal.aborted)
        throw new FetchFailure(
          'timeout',
          `no complete answer from ${url.host} within ${this.#settings.totalTimeout} s`,
        );
      throw error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      release();
    }
  }

  #refuseStatus(url: URL, status: number, headers: HttpAnswer['headers']): void {
    if (status >= 200 && status < 300) {
      const encoding = headers['content-encoding'];
      if (encoding !== undefined && encoding !== 'identity')
        throw new FetchFailure('unexpected-answer', `${url.host} sent "${encoding}" encoding, which was not asked for`);
      if (status === 206) throw new FetchFailure('unexpected-answer', `${url.host} sent a part of the file`);
      return;
    }
    const asked =
      typeof headers['retry-after'] === 'string' ? retryAfter(headers['retry-after'], serverTime(headers)) : undefined;
    if (status === 429 || (status === 503 && asked !== undefined)) {
      this.limiter.pause(url.hostname, asked);
      throw new FetchFailure(
        'throttled',
        `${url.host} answered ${status}${asked === undefined ? '' : `, retry after ${Math.ceil(asked)} s`}`,
      );
    }
    if (status >= 500) throw new FetchFailure('server', `${url.host} answered ${status}`);
    if (status === 408) throw new FetchFailure('timeout', `${url.host} answered ${status}`);
    if (status === 404 || status === 410) throw new FetchFailure('gone', `${url.host} answered ${status}`);
    if (status === 401 || status === 403 || status === 451)
      throw new FetchFailure('refused', `${url.host} answered ${status}`);
    throw new FetchFailure('unexpected-answer', `${url.host} answered ${status}`);
  }

  async #askRobots(url: URL): Promise<void> {
    const rules = await this.#robots.rules(url);
    if (rules.crawlDelay !== undefined) this.limiter.atMost(url.hostname, 1 / Math.min(rules.crawlDelay, 60));
    if (!rules.allows(url))
      throw new Refusal('robots', `${url.origin}/robots.txt disallows ${url.pathname.slice(0, 200)}`);
  }

  /** A host without a robots.txt allows everything; one that cannot say allows nothing (RFC 9309, section 2.3.1). */
  async #loadRobots(robots: URL): Promise<RobotsRules> {
    try {
      return await this.get(robots.href, { maximumBytes: Number.MAX_SAFE_INTEGER }, async ({ body }) => {
        const chunks: Buffer[] = [];
        let length = 0;
        for await (const chunk of body) {
          chunks.push(chunk);
          length += chunk.length;
          if (length >= longestRobots) break;
        }
        return RobotsRules.parse(Buffer.concat(chunks).toString('utf8'));
      });
    } catch (error) {
      const kind = error instanceof FetchFailure ? error.kind : undefined;
      if (kind === 'gone' || kind === 'refused' || kind === 'unexpected-answer' || kind === 'redirect-loop')
        return new RobotsRules([]);
      throw error;
    }
  }
}

/** 304 is none, whatever it names. */
const redirects: ReadonlySet<number> = new Set([300, 301, 302, 303, 307, 308]);

/**
 * What is asked after a redirect. Headers other than `accept` may be credentials, and so may a form: neither leaves for
 * another host, port or protocol. Except for 307 and 308 a form is not sent twice at all (RFC 9110, section 15.4).
 */
function redirected(options: GetOptions, status: number, from: URL, to: URL): GetOptions {
  const { form, headers = {}, ...rest } = options;
  const again = form !== undefined && (status === 307 || status === 308);
  if (from.origin === to.origin) return { ...rest, headers, ...(again && { form }) };
  if (again)
    throw new FetchFailure('unexpected-answer', `${from.host} wants what was sent to it to be sent to ${to.host}`);
  return { ...rest, headers: headers.accept === undefined ? {} : { accept: headers.accept } };
}

/** A date in an answer is by the clock of the host, which may not agree with ours. */
function serverTime({ date }: HttpAnswer['headers']): number {
  const time = typeof date === 'string' ? Date.parse(date) : Number.NaN;
  return Number.isNaN(time) ? Date.now() : time;
}
