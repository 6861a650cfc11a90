/**
 * How a picture host can misbehave, and what must become of a picture it misbehaves on. The fault is part of the
 * address: /picture/FAULT/NAME.jpg.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { jpegNamed, pngBomb } from './pictures.js';

interface Fault {
  /** `kept`, a reason for dropping, or a kind of failure. */
  outcome: string;
  /** @param tries requests for this picture so far, this one included */
  answer(response: ServerResponse, picture: Buffer, tries: number, request: IncomingMessage): void;
}

const send = (response: ServerResponse, body: Buffer, headers: Record<string, string | number> = {}, status = 200) => {
  response.writeHead(status, { 'content-type': 'image/jpeg', 'content-length': body.length, ...headers }).end(body);
};

const status = (response: ServerResponse, code: number, headers: Record<string, string> = {}) =>
  response.writeHead(code, { 'content-type': 'text/plain', ...headers }).end(`status ${code}`);

const redirect = (response: ServerResponse, location: string) => response.writeHead(302, { location }).end();

/** The first request fails, later ones succeed. */
const once = (fail: Fault['answer']): Fault => ({
  outcome: 'kept',
  answer: (response, picture, tries, request) =>
    tries === 1 ? fail(response, picture, tries, request) : send(response, picture),
});

const htmlPage = Buffer.from(
  '<!DOCTYPE html><html><body><script>alert(1)</script>Please log in</body></html>'.padEnd(400),
);
const unavailable = () => jpegNamed('this photo is no longer available');

export const faults: Record<string, Fault> = {
  none: { outcome: 'kept', answer: (response, picture) => send(response, picture) },
  'throttled-seconds': once((response) => status(response, 429, { 'retry-after': '1' })),
  'throttled-date': once((response) =>
    status(response, 429, { 'retry-after': new Date(Date.now() + 1000).toUTCString() }),
  ),
  'throttled-bare': once((response) => status(response, 429)),
  'error-once': once((response) => status(response, 500)),
  'error-always': { outcome: 'server', answer: (response) => status(response, 500) },
  gone: { outcome: 'gone', answer: (response) => status(response, 404) },
  refused: { outcome: 'refused', answer: (response) => status(response, 403) },
  'slow-once': once((response, picture) => trickle(response, picture)),
  'slow-always': { outcome: 'timeout', answer: (response, picture) => trickle(response, picture) },
  'silent-once': once(() => {}),
  'cut-once': once((response, picture) => {
    response.writeHead(200, { 'content-length': picture.length });
    response.write(picture.subarray(0, picture.length >> 1), () => response.destroy());
  }),
  'cut-always': {
    outcome: 'connection',
    answer: (response, picture) => {
      response.writeHead(200, { 'content-length': picture.length });
      response.write(picture.subarray(0, picture.length >> 1), () => response.destroy());
    },
  },
  'refused-connection': once((response) => response.destroy()),
  'wrong-length': once((response, picture) => {
    response.strictContentLength = false;
    response.writeHead(200, { 'content-length': picture.length + 1000 });
    response.end(picture);
    response.socket?.end();
  }),
  /** Cut short without a length, so that only decoding shows it. */
  'unnoticed-cut-once': once((response, picture) => {
    response.writeHead(200, { connection: 'close', 'content-type': 'image/jpeg' });
    response.end(picture.subarray(0, picture.length - 300));
  }),
  truncated: {
    outcome: 'does-not-decode',
    answer: (response, picture) => send(response, picture.subarray(0, picture.length - 300)),
  },
  html: { outcome: 'not-an-image', answer: (response) => send(response, htmlPage) },
  empty: { outcome: 'not-an-image', answer: (response) => send(response, Buffer.alloc(0)) },
  svg: {
    outcome: 'unsupported-type',
    answer: (response) => send(response, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'.padEnd(80))),
  },
  bomb: {
    outcome: 'too-many-pixels',
    answer: (response) => send(response, pngBomb(), { 'content-type': 'image/png' }),
  },
  announced: {
    outcome: 'too-large',
    answer: (response) => {
      response.writeHead(200, { 'content-length': 10 ** 12 });
      response.write(jpegNamed('large'));
    },
  },
  endless: { outcome: 'too-large', answer: (response, picture) => endless(response, picture) },
  compressed: {
    outcome: 'unexpected-answer',
    answer: (response, picture) => send(response, picture, { 'content-encoding': 'gzip' }),
  },
  'redirect-once': {
    outcome: 'kept',
    answer: (response, picture, _tries, request) =>
      request.url?.includes('?moved') ? send(response, picture) : redirect(response, `${request.url}?moved`),
  },
  'redirect-loop': {
    outcome: 'redirect-loop',
    answer: (response, _p, _t, request) => redirect(response, request.url ?? '/'),
  },
  'redirect-chain': {
    outcome: 'redirect-loop',
    answer: (response, _p, _t, request) =>
      redirect(response, `${request.url}${request.url?.includes('?') ? '' : '?'}x`),
  },
  'redirect-private': {
    outcome: 'forbidden-address',
    answer: (response) => redirect(response, 'http://10.0.0.1/secret.jpg'),
  },
  'redirect-metadata': {
    outcome: 'forbidden-address',
    answer: (response) => redirect(response, 'http://169.254.169.254/latest/meta-data/'),
  },
  'redirect-mapped': {
    outcome: 'forbidden-address',
    answer: (response) => redirect(response, 'http://[::ffff:10.0.0.1]/secret.jpg'),
  },
  'redirect-file': { outcome: 'bad-address', answer: (response) => redirect(response, 'file:///etc/passwd') },
  noai: {
    outcome: 'x-robots-tag',
    answer: (response, picture) => send(response, picture, { 'x-robots-tag': 'noai, noimageai' }),
  },
  noindex: {
    outcome: 'x-robots-tag',
    answer: (response, picture) => send(response, picture, { 'x-robots-tag': 'noindex' }),
  },
  'noai-for-others': {
    outcome: 'kept',
    answer: (response, picture) => send(response, picture, { 'x-robots-tag': 'otherbot: noai' }),
  },
  placeholder: { outcome: 'placeholder', answer: (response) => send(response, unavailable()) },
  'placeholder-address': {
    outcome: 'placeholder',
    answer: (response, picture, _t, request) =>
      request.url?.includes('photo_unavailable')
        ? send(response, picture)
        : redirect(response, '/picture/placeholder-address/photo_unavailable.gif'),
  },
};

function trickle(response: ServerResponse, picture: Buffer): void {
  response.writeHead(200, { 'content-length': picture.length });
  let sent = 0;
  const timer = setInterval(() => response.write(picture.subarray(sent, ++sent)), 50);
  response.on('close', () => clearInterval(timer));
}

function endless(response: ServerResponse, picture: Buffer): void {
  response.writeHead(200, { 'content-type': 'image/jpeg' });
  response.write(picture);
  const block = Buffer.alloc(65_536, 1);
  const more = () => {
    while (!response.destroyed && response.write(block));
  };
  response.on('drain', more);
  more();
}
