/** A web of its own on a loopback address: picture hosts that misbehave on demand, and every source's API. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { apis, type FakeApiOptions } from './apis.js';
import { faults } from './faults.js';
import { jpegNamed, prepareBases } from './pictures.js';

export interface LoggedRequest {
  /** Milliseconds, monotonic. */
  at: number;
  host: string;
  path: string;
  userAgent: string;
  underWay: number;
}

export interface FakeWebOptions extends FakeApiOptions {
  /** Text of robots.txt; 404 without. */
  robots?: string | number;
  /** Called for API requests; true when it has answered in its own way. */
  interfere?(request: IncomingMessage, response: ServerResponse, tries: number): boolean;
  /** Every picture is served as it should be, whatever its address says. */
  recovered?: boolean;
  /** Keep no log, for very long runs. */
  quiet?: boolean;
}

export class FakeWeb {
  readonly requests: LoggedRequest[] = [];
  options: FakeWebOptions;
  readonly #server: Server;
  readonly #tries = new Map<string, number>();
  #underWay = 0;

  private constructor(options: FakeWebOptions) {
    this.options = options;
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  static async start(options: FakeWebOptions = {}): Promise<FakeWeb> {
    await prepareBases();
    const web = new FakeWeb(options);
    await new Promise<void>((resolve) => web.#server.listen(0, '0.0.0.0', resolve));
    return web;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Every address of 127.0.0.0/8 reaches this server, so that it can play several hosts. */
  url(path: string, host = '127.0.0.1'): string {
    return `http://${host}:${this.port}${path}`;
  }

  /** Addresses to be used instead of those of the real services. */
  get endpoints(): Record<string, string> {
    return {
      flickr: this.url('/flickr/services/rest/'),
      wikimedia: this.url('/wikimedia/w/api.php'),
      inaturalist: this.url('/inaturalist/v1/'),
      openverse: this.url('/openverse/v1/'),
      gbif: this.url('/gbif/v1/'),
      google: this.url('/google/customsearch/v1'),
    };
  }

  tries(path: string): number {
    return this.#tries.get(path) ?? 0;
  }

  forget(): void {
    this.#tries.clear();
    this.requests.length = 0;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
    this.#underWay++;
    response.on('close', () => this.#underWay--);
    const key = `${url.hostname}${request.url}`;
    if (!this.options.quiet) {
      this.requests.push({
        at: performance.now(),
        host: url.hostname,
        path: request.url ?? '',
        userAgent: request.headers['user-agent'] ?? '',
        underWay: this.#underWay,
      });
      this.#tries.set(url.pathname, (this.#tries.get(url.pathname) ?? 0) + 1);
      this.#tries.set(key, (this.#tries.get(key) ?? 0) + 1);
    }
    const tries = this.#tries.get(key) ?? 1;
    const [, kind, fault, name] = url.pathname.split('/');
    const picture = kind === 'picture' ? faults[this.options.recovered ? 'none' : fault] : undefined;
    if (url.pathname === '/robots.txt') this.#robots(response);
    else if (picture) picture.answer(response, jpegNamed(decodeURIComponent(name)), tries, request);
    else if (!apis[kind]) response.writeHead(404).end();
    else if (!this.options.interfere?.(request, response, tries)) {
      const { status, body } = apis[kind](request, url, { ...this.options, base: (path) => this.url(path) });
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    }
  }

  #robots(response: ServerResponse): void {
    const { robots } = this.options;
    if (typeof robots === 'string') response.writeHead(200, { 'content-type': 'text/plain' }).end(robots);
    else response.writeHead(robots ?? 404).end();
  }
}

/** The most requests that arrived within any window of this many milliseconds. */
export function busiestWindow(requests: readonly LoggedRequest[], milliseconds: number): number {
  let most = 0;
  for (let end = 0, start = 0; end < requests.length; end++) {
    while (requests[end].at - requests[start].at >= milliseconds) start++;
    most = Math.max(most, end - start + 1);
  }
  return most;
}
