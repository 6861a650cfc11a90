/** What stages hand to the parts that do their work, and what they make of the answers; the work itself is made up here. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openCatalog, pictureId } from '../../src/catalog/index.js';
import { BowerbirdError, ProblemError } from '../../src/errors.js';
import { generateProblem, problemHash, readProblem, saveProblem } from '../../src/problem/index.js';
import { openWorkspace, type StageName, stages } from '../../src/workspace/index.js';
import { workspacePictures } from '../../src/workspace/stages/report.js';

/** Whatever a part is asked: each has options of its own. */
type Asked = ReturnType<typeof JSON.parse>;

/** What was asked of the parts, and what they answer. */
const { told, part } = vi.hoisted(() => {
  const heard = { asked: [] as [string, Asked][], answers: {} as Record<string, (asked: Asked) => unknown> };
  const answering =
    (name: string) =>
    async (...asked: unknown[]) => {
      heard.asked.push([name, asked.length > 1 ? asked : asked[0]]);
      return heard.answers[name](asked.at(-1));
    };
  return { told: heard, part: answering };
});
vi.mock('../../src/crawl/index.js', async (original) => ({
  ...(await original<object>()),
  ...{ crawl: part('crawl'), dedupe: part('dedupe') },
}));
vi.mock('../../src/evaluation/index.js', async (original) => ({
  ...(await original<object>()),
  ...{ compare: part('compare'), search: part('search') },
}));
vi.mock('../../src/report/index.js', async (original) => ({
  ...(await original<object>()),
  writeReport: part('report'),
}));

let folder: string;
const path = (...parts: string[]) => join(folder, ...parts);
function write(name: string, content: string) {
  mkdirSync(dirname(path(name)), { recursive: true });
  writeFileSync(path(name), content);
}
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bowerbird-work-'));
  for (const name of ['crow', 'daw', 'eagle', 'owl']) write(`aux/${name}/p.jpg`, name);
  write('test/gull/a.jpg', '');
  Object.assign(told, { asked: [], answers: {} });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function work(name: StageName, more = '') {
  write('bowerbird.yaml', `name: Birds\ncategories: [gull, hawk]\nauxiliary: aux\ntest: test\n${more}`);
  const notes: string[] = [];
  const context = {
    workspace: await openWorkspace(folder),
    ...{ signal: new AbortController().signal, onProgress: () => {}, note: (note: string) => notes.push(note) },
  };
  const result = await stages.find((stage) => stage.name === name)!.run(context);
  return { ...result, notes };
}
const askedOf = (name: string) => told.asked.filter(([part]) => part === name).map(([, asked]) => asked);
const lines = (name: string) =>
  readFileSync(path(name), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** Pictures of the catalog, kept, by name and category. */
async function keepPictures(pictures: Record<string, string>) {
  const id = (name: string) => pictureId(pictures[name], 's', name);
  const catalog = await openCatalog(folder);
  for (const [k, [name, category]] of Object.entries(pictures).entries()) {
    const found = {
      ...{ id: id(name), category, source: 's', sourceId: name, rank: k + 1, imageUrl: `https://x/${name}` },
      ...{ licence: 'cc0', title: `a ${name}`, tags: [name] },
    };
    catalog.recordPage([found], { category, source: 's', nextRank: 9, state: 'open' });
    const file = { path: `pictures/${name}.jpg`, sha256: name };
    catalog.move({ id: id(name), from: 'found', to: 'fetched', ...file });
    catalog.move({ id: id(name), from: 'fetched', to: 'checked' }, { id: id(name), from: 'checked', to: 'kept' });
  }
  await catalog.close();
}

describe('the crawl of a workspace', () => {
  const summary = { short: [], unanswered: [], failures: [] };

  it('asks for what the configuration says, test categories and validation categories', async () => {
    await keepPictures({ a: 'gull', b: 'gull', c: 'hawk', d: 'other' });
    told.answers.crawl = () => ({ ...summary, short: [{ category: 'hawk' }, { category: 'crow' }] });
    const {
      summary: said,
      failed,
      notes,
    } = await work(
      'crawl',
      `sources: [{ source: wikimedia, rate: 3 }, flickr]\ncrawl: { perCategory: 5, contact: me@x.org, licences: [cc0], robots: false, attempts: 2, requestsPerSecond: 4, concurrency: 6, minimumSide: 20, comments: true, allowAddresses: ['10.0.0.0/8'] }\n`,
    );
    const [asked] = askedOf('crawl');
    expect(asked).toMatchObject({
      ...{ workspace: folder, perCategory: 5, licences: ['cc0'], resume: true, comments: true, concurrency: 6 },
      ...{ check: { minimumSide: 20 } },
      network: {
        ...{ allowedAddresses: ['10.0.0.0/8'], requestsPerSecond: 4, attempts: 2, honourRobots: false },
        groups: [{ name: 'wikimedia', hosts: ['wikimedia'], requestsPerSecond: 3, concurrency: 8 }],
      },
    });
    expect(asked.network.userAgent).toContain('me@x.org');
    expect(asked.sources.map(({ name }: { name: string }) => name)).toEqual(['wikimedia', 'flickr']);
    expect(asked.sources[0].hosts.requestsPerSecond).toBe(3);
    const categories = asked.categories.map(({ name }: { name: string }) => name);
    expect(categories.slice(0, 2)).toEqual(['gull', 'hawk']);
    expect(categories.length).toBeGreaterThan(2);
    expect(said).toBe('3 pictures of 2 categories, 1 categories with fewer than 5');
    expect([failed, notes]).toEqual([[], []]);
    expect(
      lines('.bowerbird/crawled.jsonl').map(({ title, path: file, category, address }) => [
        title,
        file,
        category,
        address,
      ]),
    ).toEqual(
      ['a', 'b', 'c'].map((name) => [
        `a ${name}`,
        `pictures/${name}.jpg`,
        name === 'c' ? 'hawk' : 'gull',
        `https://x/${name}`,
      ]),
    );
  });

  it('says what failed, which categories have nothing, and fails where no source answered', async () => {
    await keepPictures({ a: 'gull' });
    const unanswered = [
      { source: 'flickr', category: 'hawk', detail: 'down' },
      { source: 'flickr', category: 'gull', detail: 'x' },
    ];
    told.answers.crawl = () => ({ ...summary, unanswered, failures: [{ url: 'https://x/1', detail: 'gone' }] });
    const { summary: said, failed, notes } = await work('crawl', 'crawl: { validation: false }\n');
    expect(said).toBe('1 pictures of 1 categories');
    expect(failed).toEqual(['flickr, hawk: down', 'flickr, gull: x', 'https://x/1: gone']);
    expect(notes).toEqual(['no web picture was found for hawk']);
    expect(askedOf('crawl')[0].categories).toEqual([{ name: 'gull' }, { name: 'hawk' }]);
    const elsewhere = 'crawl: { minimumSide: 99 }\n';
    told.answers.crawl = () => keepPictures({ z: 'other' }).then(() => ({ ...summary, unanswered }));
    await expect(work('crawl', elsewhere)).rejects.toMatchObject({ code: 'BOWERBIRD_SOURCE' });
  });

  it('goes on where it wants more of the same, and begins anew beside the old one where it wants something else', async () => {
    told.answers.crawl = () => keepPictures({ a: 'gull' }).then(() => summary);
    await work('crawl', 'crawl: { perCategory: 5 }\n');
    write('pictures/a.jpg', 'a');
    const more = await work('crawl', 'crawl: { perCategory: 6, validation: false }\n');
    expect(more.notes.join()).not.toContain('anew');
    expect(existsSync(path('pictures', 'a.jpg'))).toBe(true);
    const fewer = await work('crawl', 'crawl: { perCategory: 4 }\n');
    expect(fewer.notes[0]).toContain('the crawl begins anew');
    expect(existsSync(path('pictures'))).toBe(false);
    const [aside] = readdirSync(path('.bowerbird', 'earlier'));
    expect(readdirSync(path('.bowerbird', 'earlier', aside))).toContain('pictures');
    await new Promise((resolve) => setTimeout(resolve, 2));
    const other = await work('crawl', 'crawl: { perCategory: 4, minimumSide: 99 }\n');
    expect(other.notes[0]).toContain('the crawl begins anew');
    expect(readdirSync(path('.bowerbird', 'earlier'))).toHaveLength(2);
  });
});

describe('the removal of duplicates of a workspace', () => {
  it('compares with the pictures of its own, and lists what stays', async () => {
    await keepPictures({ a: 'gull', b: 'gull', c: 'hawk' });
    mkdirSync(path('.bowerbird'), { recursive: true });
    const merges = [
      { removed: 'x', stays: path('test', 'gull', 'a.jpg') },
      { removed: 'y', stays: 'a'.repeat(24) },
    ];
    told.answers.dedupe = () => ({ merges });
    const { summary, notes } = await work('dedupe', 'dedupe: { radius: 3, likeness: 0.7, leaks: error }\n');
    expect(askedOf('dedupe')[0]).toMatchObject({
      ...{
        workspace: folder,
        test: [path('test')],
        auxiliary: [path('aux')],
        radius: 3,
        likeness: 0.7,
        dropLeaks: false,
      },
    });
    expect(summary).toBe('3 pictures stay, 2 duplicates removed');
    expect(notes).toEqual(['1 web pictures were in the test set and are left out']);
    expect(lines('.bowerbird/merges.jsonl')).toEqual(merges);
    expect(lines('.bowerbird/pictures.jsonl')).toHaveLength(3);
    told.answers.dedupe = () => ({ merges: [] });
    expect((await work('dedupe')).notes).toEqual([]);
    expect(askedOf('dedupe')[1].dropLeaks).toBe(true);
    expect(readFileSync(path('.bowerbird', 'merges.jsonl'), 'utf8')).toBe('');
  });
});

describe('searches and comparisons of a workspace', () => {
  const written = generateProblem({
    seed: 3,
    dimensions: 4,
    semanticDimensions: 3,
    webPerCategory: 3,
    scaling: 'none',
  });
  const tuned = { validationAccuracy: 0.5, validation: { categories: 4 }, trials: 7, failedTrials: 0 };
  const table = { rows: [{ method: 'lr', accuracy: { mean: 0.625 } }], best: 'lr', skipped: [], failed: [] };
  beforeEach(() => saveProblem(path('problem.npz'), written));

  it('are made on its problem, with its seed, and restart what is about other pictures', async () => {
    told.answers.search = () => ({ chosen: tuned });
    const yaml = 'seed: 5\njobs: 2\nlearner: { method: lr, device: wasm, threads: 3 }\ntune: { trials: 7 }\n';
    write('tune/chosen.json', '{}');
    const { summary, notes } = await work('tune', yaml);
    const [asked] = askedOf('search');
    expect(asked).toMatchObject({
      ...{ folder: path('tune'), origin: { path: 'problem.npz' }, seed: 5, generalized: false, jobs: 2, threads: 3 },
      ...{ device: 'wasm', restart: true, method: 'lr', trials: 7, earlyStopping: { keep: 1 / 3, share: 1 / 4 } },
      configuration: { problem: 'problem.npz', method: 'lr', seed: 5 },
    });
    expect(asked.versions).toHaveProperty('bowerbird');
    expect(asked.syntheticValidation).toBeUndefined();
    expect(summary).toBe('best of 7 trials: 50.0 % on 4 validation categories');
    expect(notes).toEqual([]);
    expect(existsSync(path('tune', 'chosen.json'))).toBe(false);
    const problem = problemHash(asked.problem);
    for (const [inputs, restart] of [
      [{ problem, seed: 5, validation: 'web' }, false],
      [{ problem, seed: 6, validation: 'web' }, true],
    ] as const) {
      write('tune/run.json', JSON.stringify({ inputs }));
      await work('tune', yaml);
      expect(askedOf('search').at(-1).restart).toBe(restart);
    }
  });

  it('choose on auxiliary pictures where there are no others, and say so', async () => {
    const { validationWeb: _, ...bare } = await readProblem(path('problem.npz'));
    await saveProblem(path('problem.npz'), bare);
    told.answers.search = () => ({ chosen: { ...tuned, failedTrials: 2 } });
    const { summary, notes } = await work('tune', 'learner: { method: lr }\ntune: { noise: 0.4 }\n');
    expect(askedOf('search')[0].syntheticValidation).toBe(0.4);
    expect(notes).toEqual([expect.stringContaining('made-up label noise')]);
    expect(summary).toMatch(/, 2 trials failed$/);
    told.answers.compare = () => table;
    await work('compare', 'compare: { methods: [lr] }\n');
    expect(askedOf('compare')[0].syntheticValidation).toBe(0.3);
  });

  it('keep the defaults where there is too little to try, and pass on what is a fault', async () => {
    const yaml = 'learner: { method: lr }\ncompare: { methods: [lr, knn], tune: 4, seeds: 2 }\n';
    for (const error of [
      new ProblemError('a', undefined, 'too few'),
      new BowerbirdError('BOWERBIRD_SEARCH', 'none', {}),
    ]) {
      told.answers.search = () => Promise.reject(error);
      const { summary, notes } = await work('tune', yaml);
      expect(summary).toContain('defaults');
      expect(notes[0]).toContain(error.message);
      told.answers.compare = ({ trials }) => (trials > 0 ? Promise.reject(error) : table);
      expect((await work('compare', yaml)).notes).toEqual([expect.stringContaining(error.message)]);
    }
    told.answers.search = () => Promise.reject(new BowerbirdError('BOWERBIRD_ODD', 'odd', {}));
    told.answers.compare = told.answers.search;
    await expect(work('tune', yaml)).rejects.toThrow('odd');
    await expect(work('compare', yaml)).rejects.toThrow('odd');
    told.answers.compare = () => Promise.reject(new ProblemError('a', undefined, 'not this problem'));
    told.asked = [];
    await expect(work('compare', 'compare: { methods: [lr] }\n')).rejects.toThrow('not this problem');
    expect(askedOf('compare')).toHaveLength(1);
  });

  it('compare the methods that are named, the own one as it is fitted', async () => {
    told.answers.compare = () => ({
      ...{ ...table, skipped: [{ method: 'knn', reason: 'no' }], failed: [{ job: 'svm/1', message: 'broke' }] },
    });
    const yaml =
      'learner: { method: lr, parameters: { ridge: 3 } }\ntune: false\ncompare: { methods: [lr, knn], tune: 4, seeds: 2 }\n';
    const { summary, failed, notes } = await work('compare', yaml);
    const [asked] = askedOf('compare');
    expect(asked).toMatchObject({
      ...{ folder: path('compare'), trials: 4, seeds: 2, title: 'Birds' },
      given: { lr: { ridge: 3 } },
    });
    expect(asked.methods.map(({ name }: { name: string }) => name)).toEqual(['lr', 'knn']);
    expect(asked.earlyStopping).toEqual({ keep: 1 / 3, share: 1 / 4 });
    expect(summary).toBe('1 methods, best lr with 62.50 %');
    expect([failed, notes]).toEqual([['svm/1: broke'], ['knn is left out: no']]);
    told.answers.compare = () => ({ ...table, rows: [], best: '' });
    const none = await work('compare', 'compare: { methods: [lr] }\nlearner: { method: knn }\n');
    expect(none.summary).toBe('0 methods, best ');
    expect(askedOf('compare')[1].given).toBeUndefined();
  });

  it('are refused before they begin where a method is of the other setting', async () => {
    const check = async (more: string) => {
      write('bowerbird.yaml', `categories: [gull, hawk]\nauxiliary: aux\ntest: test\n${more}`);
      await stages.find(({ name }) => name === 'compare')!.check!(await openWorkspace(folder));
    };
    await check('compare: { methods: [table1] }\n');
    await check('answers: all\ncompare: { methods: [table2] }\n');
    await expect(check('compare: { methods: [table2] }\n')).rejects.toMatchObject({ code: 'BOWERBIRD_USAGE' });
    await expect(check('answers: all\ncompare: { methods: [table1] }\n')).rejects.toMatchObject({
      code: 'BOWERBIRD_USAGE',
    });
  });
});

describe('the report of a workspace', () => {
  it('is about the folders there are, with the picture of each row', async () => {
    write('problem-pictures.json', JSON.stringify({ web: ['w1', 'gone'], test: ['gull/a.jpg'] }));
    write('.bowerbird/pictures.jsonl', `${JSON.stringify({ id: 'w1', path: 'pictures/1.jpg', title: 'a gull' })}\n`);
    for (const name of ['run', 'compare', 'tune']) mkdirSync(path(name));
    told.answers.report = () => ({ bytes: 12_400 });
    const yaml = 'learner: { method: lr }\ncompare: { methods: [lr] }\n';
    expect((await work('report', yaml)).summary).toBe('report.html, 12 kB');
    const folders = () => (askedOf('report').at(-1)[1].folders as string[]).map((one) => one.slice(folder.length + 1));
    const [file, { title, pictures }] = askedOf('report')[0];
    expect([file, title]).toEqual([path('report.html'), 'Birds']);
    expect(folders()).toEqual(['run', 'compare']);
    expect(await pictures.webPicture(0)).toMatchObject({ id: 'w1', title: 'a gull', file: path('pictures', '1.jpg') });
    expect(await pictures.webPicture(1)).toBeUndefined();
    expect(await pictures.testPicture(0)).toEqual({ file: path('test', 'gull', 'a.jpg'), title: 'a.jpg' });
    write('tune/chosen.json', '{}');
    told.answers.report = () => ({ bytes: 12 });
    expect((await work('report', yaml)).summary).toBe('report.html, 1 kB');
    expect(folders()).toEqual(['run', 'compare', 'tune']);
    await work('report', 'learner: { method: lr }\ntune: false\ncompare: false\n');
    expect(folders()).toEqual(['run']);
    expect(await workspacePictures(folder)).toBeDefined();
    rmSync(path('problem-pictures.json'));
    expect(await workspacePictures(folder)).toBeUndefined();
  });
});
