/**
 * Who may ask the studio's server, and what its pages may do. A page of another site can send requests to a server on
 * this machine, and by rebinding its name to this address even read the answers; so can every other account here. So the
 * Host must be ours, requests must come from our own page, and a token is needed.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { Context, MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';

/** The one style element that Observable Plot puts into a chart whose class is `plot`, by its hash. */
export const plotStyleHash = 'sha256-+TfQir1nvDucAdvE6XUQBt4ayUjpAWkbw2kCdSfekHM=';

export const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' '${plotStyleHash}'`,
  "img-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The report is one file with its own style and pictures inside; it may do nothing else. */
export const reportPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Requests that change something carry this header, which no form and no other site can send. */
export const ownHeader = 'x-bowerbird-studio';

const headers = {
  'content-security-policy': contentPolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
};

export interface AccessOptions {
  /** The address the server listens on. */
  host: string;
  /** Asked of everybody. */
  token: string;
  /** Each does for the token once. */
  tickets: Set<string>;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

export function access({ host, token, tickets }: AccessOptions): MiddlewareHandler {
  const local = isLoopback(host);
  return async (context, next) => {
    for (const [name, value] of Object.entries(headers)) context.header(name, value);
    const asked = context.req.header('host') ?? '';
    if (!hostAllowed(asked, host, local)) return refuse(context, `this server is not known as "${asked}"`);
    const origin = context.req.header('origin');
    if (origin !== undefined && origin !== `http://${asked}`)
      return refuse(context, `requests from ${origin} are not answered`);
    const site = context.req.header('sec-fetch-site');
    const navigation = context.req.method === 'GET' && context.req.header('sec-fetch-mode') === 'navigate';
    if (site !== undefined && site !== 'same-origin' && site !== 'none' && !navigation)
      return refuse(context, 'requests from other sites are not answered');
    if (context.req.method !== 'GET' && context.req.method !== 'HEAD' && context.req.header(ownHeader) !== '1')
      return refuse(context, `a request that changes something needs the header ${ownHeader}`);
    // Cookies do not know ports: two studios of one machine must not take each other's.
    const cookieName = `bowerbird-studio-${/:(\d+)$/.exec(asked)?.[1] ?? ''}`;
    const given = context.req.query('token');
    if (given !== undefined && (sameToken(given, token) || tickets.delete(given))) {
      setCookie(context, cookieName, token, { httpOnly: true, sameSite: 'Strict', path: '/' });
      return context.redirect(context.req.path);
    }
    const bearer = /^Bearer (.+)$/.exec(context.req.header('authorization') ?? '')?.[1];
    if (!sameToken(bearer ?? getCookie(context, cookieName) ?? '', token))
      return context.text('Open the address that "bowerbird studio" printed: it holds the token.\n', 401);
    return next();
  };
}

function refuse(context: Context, message: string): Response {
  return context.json({ error: { code: 'forbidden', message } }, 403);
}

/** On loopback only its names; elsewhere also addresses and this machine's own name, none of which can be rebound. */
function hostAllowed(asked: string, host: string, local: boolean): boolean {
  const name = asked.replace(/:\d+$/, '').toLowerCase();
  const bare = name.replace(/^\[(.*)\]$/, '$1');
  if (isLoopback(bare)) return true;
  if (local) return false;
  return bare === host.toLowerCase() || isIP(bare) !== 0 || bare === hostname().toLowerCase();
}

function sameToken(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
