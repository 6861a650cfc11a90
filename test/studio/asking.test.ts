/** The addresses of the studio and its page of questions, with a thread that asks what it is told to. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AskThreadState } from '../../src/ask/index.js';
import { AskHost } from '../../src/studio/ask.js';
import { Library } from '../../src/studio/library.js';
import { Live } from '../../src/studio/live.js';
import { overview } from '../../src/studio/overview.js';
import { addRoutes } from '../../src/studio/routes.js';
import type { Runs } from '../../src/studio/runs.js';
import { access } from '../../src/studio/security.js';
import { recordActs } from '../../src/workspace/index.js';

const told = vi.hoisted(() => ({ state: {} as unknown, opened: [] as unknown[], looks: 0, closed: 0 }));
vi.mock('../../src/ask/index.js', async (original) => ({
  ...(await original<object>()),
  AskThread: class {
    constructor(...given: unknown[]) {
      told.opened.push(given);
    }
    get state() {
      return told.state;
    }
    look() {
      told.looks++;
    }
    async close() {
      told.closed++;
    }
  },
}));

let folder: string;
let library: Library;
let started: unknown[];
let host: AskHost;
let runs: { own: boolean; start(options: object): Promise<void>; stop(): void };
const write = (name: string, content: string) => {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), content);
};
const question = (key: string, ids: string[], more: object = {}) => ({
  key,
  ids,
  kind: 'test',
  why: 'gain',
  predicted: 'wren',
  ...more,
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bowerbird-asking-'));
  write('bowerbird.yaml', 'categories: [wren, finch]\nauxiliary: aux\ntest: test\n');
  write('aux/crow/p.jpg', '');
  write('aux/owl/p.jpg', '');
  write('features/test/index.csv', 'id,path,category,shard,row\na,a,,0,0\nb,b,,0,1\nc,c,,0,2\n');
  library = new Library(folder);
  started = [];
  runs = { own: false, start: async (options) => void started.push(options), stop: () => void started.push('stop') };
  host = new AskHost(library, runs as unknown as Runs);
  Object.assign(told, { opened: [], looks: 0, closed: 0 });
  const questions = [
    question('q1', ['a']),
    question('q2', ['b', 'c'], { why: 'group' }),
    question('w', ['x'], { kind: 'web' }),
  ];
  told.state = { state: 'ready', busy: false, questions, names: ['wren'], version: 3 } as unknown as AskThreadState;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the page of questions', () => {
  it('is closed until somebody opens it, with shares that are shares', async () => {
    expect(await host.view()).toMatchObject({
      state: 'closed',
      busy: false,
      questions: [],
      answered: 0,
      undoable: 0,
      pictures: 3,
    });
    expect(host.version).toBe('');
    for (const request of [{ check: -0.1 }, { check: 1.1 }, { repeat: '1' }, { by: 7 }, { by: 'n'.repeat(81) }])
      await expect(host.open(request)).rejects.toMatchObject({ name: 'ArgumentError' });
    expect(told.opened).toEqual([]);
    const view = await host.open({ by: ' ada ' });
    expect(told.opened).toEqual([[folder, 12, { by: 'ada', check: 0.25, repeat: 0 }]]);
    expect(view).toMatchObject({ state: 'ready', by: 'ada', names: ['wren'], categories: ['wren', 'finch'] });
    expect(view.questions.map(({ key }) => key)).toEqual(['q1', 'q2', 'w']);
    expect(host.version).toMatch(/ 3$/);
    await host.open({ check: 0, repeat: 1 });
    expect(told.opened[1]).toEqual([folder, 12, { by: undefined, check: 0, repeat: 1 }]);
    expect(told.closed).toBe(1);
  });

  it('writes answers down, each as what it is, and asks no more of what is answered', async () => {
    await host.open({ by: 'ada' });
    expect(await host.answer({ key: 'q1', reply: { label: 'finch' } })).toEqual({ answered: 1, undoable: 1 });
    expect((await host.view()).questions.map(({ key }) => key)).toEqual(['q2', 'w']);
    await host.answer({ key: 'w', reply: { right: false } });
    await host.answer({ key: 'q2', reply: { unsure: true } });
    const { of, answers, unsure } = await library.decisions();
    expect([of.get('x'), answers.get('a')![0].label, [...unsure]]).toEqual(['drop', 'finch', ['b', 'c']]);
    expect((await host.view()).questions.map(({ key }) => key)).toEqual(['q2']);
    expect(told.looks).toBe(3);
    await host.answer({ key: 'q2', reply: { label: null } });
    expect((await host.view()).questions).toEqual([]);
    for (const request of [
      { key: 'q9', reply: {} },
      { key: 1 },
      { key: 'q1', reply: {} },
      { key: 'q1' },
      { key: 'q1', reply: { label: 'x'.repeat(201) } },
    ])
      await expect(host.answer(request)).rejects.toMatchObject({ name: 'ArgumentError' });
  });

  it('takes an answer that comes when it has been closed, of nobody in particular', async () => {
    await host.open({ by: 'ada' });
    await host.close();
    expect(await host.answer({ key: 'q1', reply: { label: 'wren' } })).toEqual({ answered: 1, undoable: 1 });
    expect((await library.decisions()).answers.get('a')![0].by).not.toBe('ada');
    expect(await host.undo()).toMatchObject({ ids: ['a'] });
  });

  it('takes back what its own person said last', async () => {
    await recordActs(await library.workspace(), [{ ids: ['c'], label: 'wren' }], 'bob');
    await host.open({ by: 'ada' });
    expect((await host.view()).undoable).toBe(0);
    expect(await host.undo()).toMatchObject({ ids: [], answered: 1 });
    await host.answer({ key: 'q1', reply: { label: 'wren' } });
    expect(await host.undo()).toEqual({ ids: ['a'], answered: 1, undoable: 0 });
    // Another has not answered it: it is asked.
    expect((await host.view()).questions.map(({ key }) => key)).toEqual(['q1', 'q2', 'w']);
  });

  it('makes a category of a question, and has it crawled', async () => {
    await host.open({});
    await host.view();
    await expect(host.category({ key: 'q2' })).rejects.toThrow('needs a name');
    expect(await host.category({ key: 'q2', name: 'great tit' })).toEqual({ answered: 2, undoable: 1 });
    expect((await library.workspace()).configuration.categories.map(({ name }) => name)).toContain('great tit');
    expect((await library.decisions()).answers.get('b')![0].label).toBe('great tit');
    expect(started).toEqual([{ quick: true }]);
  });

  it('begins anew when a run has made another problem, not while one is at work', async () => {
    write('problem.npz', 'one');
    await host.open({ by: 'ada' });
    write('problem.npz', 'another');
    runs.own = true;
    await host.view();
    expect(told.opened).toHaveLength(1);
    runs.own = false;
    await host.view();
    expect(told.opened).toHaveLength(2);
    expect(told.opened[1]).toEqual(told.opened[0]);
    host.look();
    expect(told.looks).toBe(1);
    await host.close();
    expect(told.closed).toBe(2);
    host.look();
    expect([told.looks, host.version]).toEqual([1, '']);
  });

  it('says what the thread says: progress, failures, moves and how many there are', async () => {
    const moves = Array.from({ length: 70 }, (_, k) => k);
    told.state = {
      ...(told.state as object),
      state: 'failed',
      progress: { done: 1 },
      failure: { message: 'odd' },
      standing: { moves },
    };
    const view = await host.open({});
    expect(view).toMatchObject({ state: 'failed', progress: { done: 1 }, failure: { message: 'odd' } });
    expect(view.standing).toMatchObject({ moved: 70 });
    expect(view.standing!.moves).toHaveLength(60);
    expect(view).not.toHaveProperty('by');
  });
});

describe('the addresses of the studio', () => {
  function app() {
    const made = new Hono();
    made.onError((error, context) => context.json({ error: error.message }, 400));
    const live = new Live(library, runs as unknown as Runs, host);
    addRoutes(made, { library, runs: runs as unknown as Runs, live, ask: host });
    return made;
  }
  const get = async (path: string) => {
    const answer = await app().request(path);
    return { status: answer.status, body: await answer.text() };
  };
  const post = async (path: string, body: unknown) => {
    const answer = await app().request(path, { method: 'POST', body: JSON.stringify(body) });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };

  it('answer in a workspace where nothing was made yet', async () => {
    for (const path of [
      'overview',
      'state',
      'gallery',
      'decisions',
      'guesses',
      'answers',
      'categories',
      'compare',
      'export',
      'ask',
    ])
      expect((await get(`/api/${path}`)).status, path).toBe(200);
    expect((await get('/api/compare/last')).body).toBe('null');
    expect((await get('/api/pictures/x/likeness')).body).toBe('{"nearest":[]}');
    expect((await get('/api/examples?category=wren')).body).toBe('[]');
    expect(JSON.parse((await get('/api/confused?truth=wren&predicted=finch')).body)).toMatchObject({
      truth: 'wren',
      predicted: 'finch',
    });
    for (const path of [
      '/api/pictures/x',
      '/api/compare/runs?first=1&second=2',
      '/api/export/x',
      '/report',
      '/api/picture/small/web/x',
      '/api/picture/odd/web/x',
      '/api/picture/small/odd/x',
    ])
      expect((await get(path)).status, path).toBe(404);
    write('report.html', '<p>report</p>');
    expect(await get('/report')).toEqual({ status: 200, body: '<p>report</p>' });
    write('export/a.txt', 'abc');
    expect(await get('/api/export/a.txt')).toEqual({ status: 200, body: 'abc' });
  });

  it('tell at once how the workspace stands, and go on telling', async () => {
    const answer = await app().request('/api/events');
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const reader = answer.body!.getReader();
    const { value } = await reader.read();
    await reader.cancel();
    const [event, data] = new TextDecoder().decode(value).split('\n');
    expect(event).toBe('event: state');
    expect(JSON.parse(data.replace('data: ', ''))).toMatchObject({ running: false, own: false });
  });

  it('start and stop runs, and take requests that are objects', async () => {
    expect((await post('/api/run', { until: 'fit', quick: true })).status).toBe(200);
    expect((await post('/api/run', {})).status).toBe(200);
    expect((await post('/api/run', { until: 'odd' })).body.error).toContain('a stage was expected');
    await post('/api/run/stop', {});
    expect((await post('/api/run/back', { fit: 'none' })).body).toEqual({ takenBack: 0 });
    expect(started).toEqual([
      { until: 'fit', quick: true },
      { until: undefined, quick: false },
      'stop',
      { until: 'fit', quick: true },
    ]);
    for (const body of [7, null, [1]])
      expect((await post('/api/run', body)).body.error).toContain('an object was expected');
    const odd = await app().request('/api/run', { method: 'POST', body: '{' });
    expect(await odd.json()).toEqual({ error: 'the request is not JSON' });
    expect((await post('/api/decisions', { decision: 'keep', ids: ['x'] })).status).toBe(400);
    expect((await post('/api/decisions/undo', {})).body).toMatchObject({ undoable: 0 });
    expect((await post('/api/ask/open', { by: 'ada' })).body).toMatchObject({ state: 'ready' });
    expect((await post('/api/ask/answer', { key: 'q1', reply: { label: 'wren' } })).body).toEqual({
      answered: 1,
      undoable: 1,
    });
    expect((await post('/api/ask/undo', {})).body).toMatchObject({ answered: 0 });
    expect((await post('/api/ask/category', { key: 'q1', name: 'tit' })).body).toMatchObject({ answered: 1 });
    expect((await post('/api/export', { formats: [] })).body.error).toContain('no format');
    expect((await post('/api/answers', { ids: [] })).status).toBe(400);
    expect((await post('/api/classify', {})).status).toBe(400);
    expect((await post('/api/classify/correct?name=a.png&label=odd', {})).body.error).toContain(
      'none of the categories',
    );
  });
});

describe('the overview', () => {
  it('knows which stages each stage needs', async () => {
    const { stages, name, categories, runs: fits, decisions, report, warnings } = await overview(library);
    const needs = Object.fromEntries(stages.map(({ stage, needs: of }) => [stage, of]));
    expect(needs).toMatchObject({
      crawl: [],
      dedupe: ['crawl'],
      fit: ['problem', 'tune'],
      report: ['fit', 'tune', 'compare'],
    });
    expect([categories, fits, report, decisions]).toEqual([2, [], false, { keep: 0, drop: 0, undoable: 0 }]);
    expect(name.length).toBeGreaterThan(0);
    expect(warnings.every((line) => line.startsWith('The stage “'))).toBe(true);
    write('run/run.json', JSON.stringify({ warnings: ['few categories'], converged: false }));
    const again = await overview(library);
    expect(again.warnings.slice(-2)).toEqual([
      'few categories',
      'The fit stopped before it had converged: its weights may still change.',
    ]);
  });
});

describe('a request that is refused', () => {
  it('is told why', async () => {
    const app = new Hono();
    app.use(access({ host: '127.0.0.1', token: 't'.repeat(20), tickets: new Set(['once']) }));
    app.all('*', (context) => context.text('in'));
    const ask = async (headers: Record<string, string>, method = 'GET', path = '/') => {
      const answer = await app.request(path, { headers: { host: '127.0.0.1:1', ...headers }, method });
      return [answer.status, await answer.text()] as const;
    };
    const token = { authorization: `Bearer ${'t'.repeat(20)}` };
    expect(await ask(token)).toEqual([200, 'in']);
    expect((await ask({ host: 'evil.example' }))[1]).toContain('this server is not known as \\"evil.example\\"');
    expect((await ask({ ...token, origin: 'http://evil' }))[1]).toContain('requests from http://evil are not answered');
    expect((await ask({ ...token, 'sec-fetch-site': 'cross-site' }))[1]).toContain('other sites');
    expect((await ask({ ...token, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }))[0]).toBe(200);
    expect((await ask(token, 'POST'))[1]).toContain('needs the header x-bowerbird-studio');
    expect((await ask({ ...token, 'x-bowerbird-studio': '1' }, 'POST'))[0]).toBe(200);
    expect((await ask({}))[0]).toBe(401);
    expect((await ask({}, 'GET', '/?token=once'))[0]).toBe(302);
    expect((await ask({}, 'GET', '/?token=once'))[0]).toBe(401);
  });
});
