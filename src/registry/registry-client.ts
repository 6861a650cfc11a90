/**
 * Questions to the npm registry the user has configured, as `npm` itself would put them: the registry of the package's scope,
 * the credentials of the address asked (never those of another), proxy and certificates, and as many retries.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import type { Settings } from './npmrc.js';
import { certificateFiles, tlsOptions } from './tls.js';

const npmRegistry = 'https://registry.npmjs.org/';
const mostRedirects = 5;

/** What the registry publishes of one version. */
export interface PublishedVersion {
  readonly tarball: string;
  /** Hashes of the tarball, separated by spaces; old packages have none. */
  readonly integrity: string | undefined;
}

interface Question {
  /** The package the address belongs to, which decides on the registry. */
  of: string;
  accept?: string;
  signal?: AbortSignal;
}

/** An answer that says no; those that a later attempt may change are `passing`. */
class Refusal extends Error {
  readonly passing: boolean;

  constructor(status: number, url: URL) {
    super(`${status} for ${url.origin}${url.pathname}`);
    this.passing = status === 408 || status === 429 || status >= 500;
  }
}

export class RegistryClient {
  readonly #settings: Settings;
  /** By the settings of whom the certificate is: one for each registry that wants one, one for all others. */
  readonly #dispatchers = new Map<string | undefined, Dispatcher>();

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  async version(name: string, version: string, signal?: AbortSignal): Promise<PublishedVersion> {
    const accept = 'application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*';
    const url = new URL(name.replace('/', '%2f'), this.registryOf(name));
    let published: { tarball?: unknown; integrity?: unknown } | undefined;
    await this.get(url, { of: name, accept, signal }, async (body) => {
      published = JSON.parse(await text(body))?.versions?.[version]?.dist;
    });
    if (typeof published?.tarball !== 'string') throw new Error(`${url.href} has no version ${version}`);
    return {
      tarball: published.tarball,
      integrity: typeof published.integrity === 'string' ? published.integrity : undefined,
    };
  }

  /** Hands the body of an answer to `take`, which is called again when an attempt breaks off and another is made. */
  async get(address: string | URL, question: Question, take: (body: AsyncIterable<Buffer>) => Promise<void>) {
    const url = this.#rehosted(new URL(address), question.of);
    const attempts = 1 + number(this.#settings['fetch-retries'], 2);
    for (let attempt = 1; ; attempt++) {
      try {
        return await take(await this.#ask(url, question));
      } catch (error) {
        question.signal?.throwIfAborted();
        if (attempt >= attempts || !mayPass(error)) throw error;
        await wait(this.#pause(attempt), undefined, { signal: question.signal });
      }
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#dispatchers.values()].map((dispatcher) => dispatcher.destroy()));
  }

  /** The registry of the scope (`@scope:registry`), else `registry`, else npm's; ends with a slash. */
  registryOf(name: string): URL {
    const scope = /^(@[^/]+)\//.exec(name)?.[1];
    const chosen = (scope && this.#settings[`${scope}:registry`]) || this.#settings.registry || npmRegistry;
    return new URL(chosen.endsWith('/') ? chosen : `${chosen}/`);
  }

  /**
   * What authorizes a request to this address: the settings of the longest path above it (`//host/path/:_authToken`, `_auth`,
   * or `username` and `_password`); a tarball on the registry's own host may use those of the registry.
   */
  authorization(url: URL, name: string): string | undefined {
    for (const place of this.#placesOf(url, name)) {
      const found = this.#credentials(place);
      if (found) return found;
    }
    return undefined;
  }

  /** Beginnings of the keys whose settings belong to an address, the longest path first. */
  *#placesOf(url: URL, name: string): Iterable<string> {
    const registry = this.registryOf(name);
    for (const place of url.host === registry.host ? [url, registry] : [url])
      for (let path = place.pathname; ; path = path.slice(0, path.lastIndexOf('/', path.length - 2) + 1)) {
        yield `//${place.host}${path.endsWith('/') ? path : `${path}/`}`;
        if (path === '/' || path === '') break;
      }
  }

  #dispatcherFor(url: URL, name: string): Dispatcher {
    const place = [...this.#placesOf(url, name)].find((one) => certificateFiles(this.#settings, one));
    const known = this.#dispatchers.get(place) ?? openDispatcher(this.#settings, place);
    this.#dispatchers.set(place, known);
    return known;
  }

  #credentials(place: string): string | undefined {
    const of = (key: string) => this.#settings[`${place}:${key}`];
    const [token, basic, user, password] = [of('_authToken'), of('_auth'), of('username'), of('_password')];
    if (token) return `Bearer ${token}`;
    if (basic) return `Basic ${basic}`;
    if (!user || !password) return undefined;
    // npm keeps the password, not the pair, in base64.
    return `Basic ${Buffer.from(`${user}:${Buffer.from(password, 'base64')}`).toString('base64')}`;
  }

  /** Tarballs that a mirror's documents still place at npm's own registry are asked for at the mirror. */
  #rehosted(url: URL, name: string): URL {
    const replace = this.#settings['replace-registry-host'] || 'npmjs';
    const host = replace === 'npmjs' ? 'registry.npmjs.org' : replace;
    const registry = this.registryOf(name);
    if (url.host === registry.host || (replace !== 'always' && url.hostname !== host)) return url;
    const within = url.pathname.startsWith(registry.pathname)
      ? url.pathname.slice(registry.pathname.length)
      : url.pathname;
    return new URL(within.replace(/^\//, ''), registry);
  }

  async #ask(address: URL, { of, accept = '*/*', signal }: Question): Promise<AsyncIterable<Buffer>> {
    let url = address;
    for (let redirects = 0; redirects <= mostRedirects; redirects++) {
      const authorization = this.authorization(url, of);
      const headers = { accept, 'user-agent': 'bowerbird', ...(authorization ? { authorization } : {}) };
      const dispatcher = this.#dispatcherFor(url, of);
      const { statusCode, headers: answer, body } = await request(url, { dispatcher, headers, signal });
      if (statusCode === 200) return body as AsyncIterable<Buffer>;
      await body.dump();
      if (statusCode < 300 || statusCode >= 400 || !answer.location) throw new Refusal(statusCode, url);
      url = new URL(String(answer.location), url);
    }
    throw new Error(`${address.href} is redirected more than ${mostRedirects} times`);
  }

  /** Milliseconds to wait after an attempt: growing by npm's factor between npm's bounds. */
  #pause(attempt: number): number {
    const of = (key: string, usual: number) => number(this.#settings[`fetch-retry-${key}`], usual);
    return Math.min(of('maxtimeout', 60_000), of('mintimeout', 10_000) * of('factor', 10) ** (attempt - 1));
  }
}

function openDispatcher(settings: Settings, place: string | undefined): Dispatcher {
  const timeout = number(settings['fetch-timeout'], 300_000);
  const tls = { ...tlsOptions(settings, place), localAddress: settings['local-address'] || undefined };
  // Where npm's settings name no proxy the agent takes that of the environment, as npm does.
  const proxy = settings['https-proxy'] ?? settings.proxy;
  const none = proxy === 'null' || proxy === 'false';
  return new EnvHttpProxyAgent({
    httpProxy: none ? '' : proxy,
    httpsProxy: none ? '' : proxy,
    noProxy: settings.noproxy?.replaceAll('\n', ','),
    connect: tls,
    requestTls: tls,
    proxyTls: tls,
    proxyTunnel: false,
    headersTimeout: timeout,
    bodyTimeout: timeout,
  });
}

/** Network trouble and busy servers may pass; a refusal, a hash or a document that is wrong will not. */
function mayPass(error: unknown): boolean {
  if (error instanceof Refusal) return error.passing;
  const { code = '' } = error as { code?: string };
  return code.startsWith('UND_ERR_') || passingTroubles.has(code);
}

const passingTroubles = new Set([
  ...['ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'ETIMEDOUT', 'EPIPE'],
  ...['EAI_AGAIN', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH'],
]);

function number(value: string | undefined, usual: number): number {
  return value !== undefined && value !== '' && Number(value) >= 0 ? Number(value) : usual;
}

async function text(body: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of body) pieces.push(piece);
  return String(Buffer.concat(pieces));
}
