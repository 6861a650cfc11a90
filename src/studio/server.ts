/** The studio's server: the page, and what the page asks for. */
import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { type ServerType, serve } from '@hono/node-server';
import { Hono } from 'hono';
import { BowerbirdError, UsageError } from '../errors.js';
import { namedFileError } from '../formats/index.js';
import { openWorkspace } from '../workspace/index.js';
import { AskHost } from './ask.js';
import { type Asset, defaultAppFolder, loadAssets } from './assets.js';
import { Library } from './library.js';
import { Live } from './live.js';
import { addRoutes } from './routes.js';
import { Runs } from './runs.js';
import { access } from './security.js';

export interface StudioOptions {
  workspace: string;
  /** @default '127.0.0.1' */
  host?: string;
  /** 0 takes any that is free. @default 0 */
  port?: number;
  /** Asked of everybody: other accounts of this machine reach the same address. @default made up */
  token?: string;
  /** What brings a workspace up to date, such as `['node', 'dist/cli/main.js', 'run']`. */
  runCommand: readonly string[];
  /** The built page. @default beside this file */
  appFolder?: string;
}

export interface Studio {
  /** With the token. */
  url: string;
  /** An address that lets in once, for handing to another program, whose arguments every account here can read. */
  urlOnce(): string;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Shows a workspace in the browser until it is closed.
 *
 * @example
 * const studio = await startStudio({ workspace: 'birds', runCommand: ['bowerbird', 'run'] });
 * console.log(studio.url);
 */
export async function startStudio(options: StudioOptions): Promise<Studio> {
  const { host = '127.0.0.1', port = 0 } = options;
  const { folder } = await openWorkspace(options.workspace);
  const token = options.token ?? randomBytes(24).toString('base64url');
  if (token.length < 16) throw new UsageError('the token is too short: at least 16 characters are expected');
  const library = new Library(folder);
  const runs = new Runs(library, options.runCommand);
  const ask = new AskHost(library, runs);
  const live = new Live(library, runs, ask);
  const app = new Hono();
  const tickets = new Set<string>();
  app.use(access({ host, token, tickets }));
  app.onError((cause, context) => {
    const error = namedFileError(cause) as Error;
    const known = error instanceof BowerbirdError ? error : undefined;
    const { code, hint } = known ?? {};
    return context.json({ error: { code, message: error.message, hint } }, known ? 400 : 500);
  });
  addRoutes(app, { library, runs, live, ask });
  addAssets(app, loadAssets(options.appFolder ?? defaultAppFolder()));
  const server = await listen(app, host, port);
  // Long lists are read before somebody asks; where that fails, the page that asks says so.
  library.listed().catch(() => {});
  library.fit().catch(() => {});
  const { port: taken } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  const close = async () => {
    live.stop();
    runs.stop();
    await ask.close();
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      if ('closeAllConnections' in server) server.closeAllConnections();
    });
  };
  const address = (given: string) => `http://${name}:${taken}/?token=${given}`;
  const urlOnce = () => {
    const ticket = randomBytes(24).toString('base64url');
    tickets.add(ticket);
    return address(ticket);
  };
  return { url: address(token), urlOnce, close, [Symbol.asyncDispose]: close };
}

const ownAddress = 'Give --host an address of this machine, or 0.0.0.0 for all of them.';
const refusals: Record<string, [what: string, hint: string]> = {
  EADDRINUSE: ['the port is taken', 'Choose another with --port; 0 takes any that is free.'],
  EACCES: ['that is not allowed', 'Ports below 1024 are often reserved: choose another with --port.'],
  EADDRNOTAVAIL: ['this machine has no such address', ownAddress],
  ENOTFOUND: ['there is no such name', ownAddress],
  EAI_AGAIN: ['there is no such name', ownAddress],
};

function listen(app: Hono, hostname: string, port: number): Promise<ServerType> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: app.fetch, hostname, port }, () => resolve(server));
    server.once('error', (error: NodeJS.ErrnoException) => {
      const [what, hint] = refusals[error.code ?? ''] ?? [error.message, refusals.EADDRINUSE[1]];
      reject(new BowerbirdError('BOWERBIRD_STUDIO', `cannot listen on ${hostname}:${port}: ${what}`, { hint }));
    });
  });
}

function addAssets(app: Hono, assets: ReadonlyMap<string, Asset>): void {
  app.get('*', (context) => {
    const { path } = context.req;
    const asset = assets.get(path === '/' ? '/index.html' : path);
    if (!asset) return context.json({ error: { message: `there is no ${path}` } }, 404);
    context.header('content-type', asset.type);
    context.header('cache-control', asset.lasting ? 'public, max-age=31536000, immutable' : 'no-cache');
    return context.body(asset.bytes);
  });
}
