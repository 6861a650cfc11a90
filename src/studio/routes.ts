/** Addresses below /api, and which part of the studio answers each. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { ArgumentError } from '../errors.js';
import { type StageName, stageNames } from '../workspace/index.js';
import { answersView, recordAnswers } from './answers.js';
import type { AskHost } from './ask.js';
import { Categories } from './categories.js';
import { classifyUpload, uploadLimits } from './classify.js';
import { compareRuns, comparison, lastChange, takeBackSince } from './comparison.js';
import { correctUpload } from './correct.js';
import { exportedFile, exportView, makeExport, reportPage } from './export.js';
import { decide, gallery, pictureDetails, standing, undo } from './gallery.js';
import { Guesses } from './guesses.js';
import type { Library } from './library.js';
import type { Live } from './live.js';
import { overview } from './overview.js';
import type { Runs } from './runs.js';
import { reportPolicy } from './security.js';
import { type Side, sides, Thumbnails } from './thumbnails.js';

export interface StudioParts {
  library: Library;
  runs: Runs;
  live: Live;
  ask: AskHost;
}

export function addRoutes(app: Hono, { library, runs, live, ask }: StudioParts): void {
  app.get('/api/overview', async (context) => context.json(await overview(library)));
  app.get('/api/state', async (context) => context.json(await live.state()));
  addEvents(app, live);
  app.post('/api/run', async (context) => {
    const { until, quick } = await readJson<{ until?: unknown; quick?: unknown }>(context.req.raw);
    if (until !== undefined && !(stageNames as readonly unknown[]).includes(until))
      throw new ArgumentError(`until is ${JSON.stringify(until)}; a stage was expected`, stageNames.join(', '));
    await runs.start({ until: until as StageName | undefined, quick: quick === true });
    return context.json({});
  });
  app.post('/api/run/stop', (context) => {
    runs.stop();
    return context.json({});
  });
  app.post('/api/run/back', async (context) => {
    const { fit } = await readJson<{ fit?: unknown }>(context.req.raw);
    const takenBack = await takeBackSince(library, String(fit));
    await runs.start({ until: 'fit', quick: true });
    return context.json({ takenBack });
  });
  addGallery(app, library);
  addAsking(app, ask);
  app.get('/api/answers', async (context) => context.json(await answersView(library)));
  app.post('/api/answers', async (context) => {
    const given = await recordAnswers(library, await readJson(context.req.raw));
    ask.look();
    return context.json(given);
  });
  addPictures(app, library);
  addResults(app, library);
  addExport(app, library);
}

function addGallery(app: Hono, library: Library): void {
  const guesses = new Guesses(library);
  app.get('/api/gallery', async (context) => context.json(await gallery(library)));
  app.get('/api/pictures/:id', async (context) => {
    const details = await pictureDetails(library, context.req.param('id'));
    return details ? context.json(details) : context.json(missing('such picture'), 404);
  });
  app.get('/api/pictures/:id/likeness', async (context) =>
    context.json(await guesses.likeness(context.req.param('id'), context.req.raw.signal)),
  );
  app.get('/api/guesses', async (context) => context.json(await guesses.differing()));
  app.get('/api/decisions', async (context) => context.json(await standing(library)));
  app.post('/api/decisions', async (context) => context.json(await decide(library, await readJson(context.req.raw))));
  app.post('/api/decisions/undo', async (context) => context.json(await undo(library)));
}

function addResults(app: Hono, library: Library): void {
  const categories = new Categories(library);
  app.get('/api/categories', async (context) => context.json(await categories.view()));
  app.get('/api/confused', async (context) => {
    const { truth = '', predicted = '' } = context.req.query();
    return context.json(await categories.confused(truth, predicted));
  });
  app.get('/api/examples', async (context) =>
    context.json(await categories.examples(context.req.query('category') ?? '')),
  );
  app.get('/api/compare', async (context) => context.json(await comparison(library)));
  app.get('/api/compare/last', async (context) => context.json((await lastChange(library)) ?? null));
  app.get('/api/compare/runs', async (context) => {
    const { first = '', second = '' } = context.req.query();
    const found = await compareRuns(library, first, second);
    return found ? context.json(found) : context.json(missing('such fit'), 404);
  });
  app.post('/api/classify', async (context) => {
    const picture = await readBody(context.req.raw, uploadLimits.bytes);
    return context.json(await classifyUpload(library, picture, context.req.raw.signal));
  });
  app.post('/api/classify/correct', async (context) => {
    const { name = '', label } = context.req.query();
    const picture = await readBody(context.req.raw, uploadLimits.bytes);
    return context.json(await correctUpload(library, picture, { name, label: label ?? null }));
  });
}

function addAsking(app: Hono, ask: AskHost): void {
  app.get('/api/ask', async (context) => context.json(await ask.view()));
  app.post('/api/ask/open', async (context) => context.json(await ask.open(await readJson(context.req.raw))));
  app.post('/api/ask/answer', async (context) => context.json(await ask.answer(await readJson(context.req.raw))));
  app.post('/api/ask/undo', async (context) => context.json(await ask.undo()));
  app.post('/api/ask/category', async (context) => context.json(await ask.category(await readJson(context.req.raw))));
}

function addExport(app: Hono, library: Library): void {
  app.get('/api/export', async (context) => context.json(await exportView(library)));
  app.post('/api/export', async (context) => {
    const { formats } = await readJson<{ formats?: unknown }>(context.req.raw);
    return context.json(await makeExport(library, formats));
  });
  app.get('/api/export/:name', async (context) => {
    const name = context.req.param('name');
    const file = await exportedFile(library, name);
    if (file === undefined) return context.json(missing('such file'), 404);
    context.header('content-type', 'application/octet-stream');
    context.header('content-length', String((await stat(file)).size));
    context.header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(name)}`);
    return context.body(Readable.toWeb(createReadStream(file)) as ReadableStream);
  });
  app.get('/report', async (context) => {
    const page = await reportPage(library);
    if (!page) return context.json(missing('report yet'), 404);
    context.header('content-security-policy', reportPolicy);
    context.header('content-type', 'text/html; charset=utf-8');
    return context.body(page);
  });
}

function addPictures(app: Hono, library: Library): void {
  const thumbnails = new Thumbnails(`${library.folder}/.bowerbird/thumbnails`);
  app.get('/api/picture/:side/:set/:id', async (context) => {
    const { side, set, id } = context.req.param();
    if (!Object.hasOwn(sides, side) || (set !== 'web' && set !== 'auxiliary' && set !== 'test'))
      return context.json(missing('such picture'), 404);
    const file = await library.pictureFile(set, id);
    if (file === undefined) return context.json(missing('such picture'), 404);
    let picture: Awaited<ReturnType<Thumbnails['get']>>;
    try {
      picture = await thumbnails.get(file, side as Side, context.req.raw.signal);
    } catch (error) {
      return context.json({ error: { message: `cannot be shown: ${(error as Error).message}` } }, 415);
    }
    context.header('cache-control', 'private, max-age=31536000');
    context.header('etag', `"${picture.tag}"`);
    if (context.req.header('if-none-match') === `"${picture.tag}"`) return context.body(null, 304);
    context.header('content-type', 'image/jpeg');
    return context.body(picture.bytes);
  });
}

function addEvents(app: Hono, live: Live): void {
  app.get('/api/events', (context) =>
    streamSSE(context, async (stream) => {
      const send = (data: unknown) => stream.writeSSE({ event: 'state', data: JSON.stringify(data) });
      const end = live.listen((state) => void send(state));
      stream.onAbort(end);
      await send(await live.state());
      // A line now and then keeps the connection, and shows when the page has gone.
      while (!stream.aborted && !stream.closed) {
        await stream.sleep(15_000);
        await stream.writeSSE({ event: 'still-here', data: '' });
      }
      end();
    }),
  );
}

const mostJson = 8 * 2 ** 20;

async function readJson<T extends object>(request: Request): Promise<T> {
  const text = new TextDecoder().decode(await readBody(request, mostJson));
  let value: unknown;
  try {
    value = text === '' ? {} : JSON.parse(text);
  } catch {
    throw new ArgumentError('the request is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ArgumentError(`the request is ${JSON.stringify(value).slice(0, 60)}; an object was expected`);
  return value as T;
}

/** @throws ArgumentError as soon as there are more bytes than allowed */
export async function readBody(request: Request, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of request.body ?? []) {
    length += part.length;
    if (length > most) throw new ArgumentError(`more than ${(most / 2 ** 20).toFixed(0)} MiB were sent`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

export function missing(what: string) {
  return { error: { message: `there is no ${what}` } };
}
