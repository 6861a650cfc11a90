import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configurationText, openWorkspace, readConfiguration } from '../../src/workspace/index.js';
import { parseConfiguration, schemaFile } from '../../src/workspace/read-configuration.js';
import { bowerbird } from './world.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bowerbird-configuration-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const base = 'categories: [Blue Jay, Ovenbird]\nauxiliary: known\ntest: new\n';
const read = (text: string) => {
  writeFileSync(join(folder, 'bowerbird.yaml'), text);
  return readConfiguration(folder);
};

describe('bowerbird.yaml', () => {
  it('needs three keys; the rest has defaults', async () => {
    const { crawl, model, learner, text } = await read(base);
    expect(crawl.perCategory).toBe(100);
    expect(model).toEqual({ name: 'resnet50' });
    expect(learner.scaling).toBe('l2');
    expect(text?.size).toBe(2000);
  });

  it('has the defaults that its schema tells an editor', async () => {
    const { properties } = JSON.parse(readFileSync(schemaFile, 'utf8'));
    const found = await read(`${base}learner: { method: lr }\ncompare: { methods: [lr] }\n`);
    const stated = (described: { description?: string }) => /\[([\w.-]+)\]$/.exec(described.description ?? '')?.[1];
    const told: Record<string, string> = {};
    const here: Record<string, string> = {};
    for (const section of ['crawl', 'dedupe', 'words', 'text', 'learner', 'tune', 'compare'] as const) {
      const keys = [properties[section], ...(properties[section].anyOf ?? properties[section].oneOf ?? [])];
      for (const [key, described] of Object.entries<object>(keys.find((one) => one.properties).properties))
        if (stated(described)) {
          told[`${section}.${key}`] = stated(described)!;
          here[`${section}.${key}`] = String((found[section] as unknown as Record<string, unknown>)[key]);
        }
    }
    for (const key of ['seed', 'answers', 'shares', 'report'] as const) {
      told[key] = stated(properties[key])!;
      here[key] = String(found[key]);
    }
    expect(here).toEqual(told);
    expect(Object.keys(told).length).toBeGreaterThan(23);
    expect(found).toMatchObject({ sources: [{ source: 'openverse' }], vectors: ['glove-100'], name: basename(folder) });
  });

  it('searches for parameters where it is told to, or where the method does not learn them by itself', async () => {
    expect((await read(base)).tune).toBeUndefined();
    expect((await read(`${base}tune: { trials: 3 }\n`)).tune).toMatchObject({ trials: 3, noise: 0.3 });
    expect((await read(`${base}learner: { method: lr }\n`)).tune).toMatchObject({ trials: 20 });
    expect((await read(`${base}learner: { method: lr }\ntune: false\n`)).tune).toBeUndefined();
  });

  it('does not read words out of the file names of a folder unless told to', async () => {
    expect((await read(`${base}sources: ['folder:web']\n`)).text).toBeUndefined();
    expect((await read(`${base}sources: ['folder:web']\ntext: true\n`)).text).toBeDefined();
    expect((await read(`${base}sources: ['folder:web', 'urls:list.csv']\n`)).text).toBeDefined();
    expect((await read(`${base}sources: ['urls:list.csv']\ntext: false\n`)).text).toBeUndefined();
  });

  it('takes normalize of words under its earlier spelling too', async () => {
    expect((await read(base)).words).toEqual({ missing: 'skip', normalize: 'l2' });
    for (const spelling of ['normalize', 'normalise'])
      expect((await read(`${base}words: { ${spelling}: none }\n`)).words).toEqual({
        missing: 'skip',
        normalize: 'none',
      });
  });

  it('takes names, aliases and queries, or a file of names', async () => {
    const { categories } = await read(
      'categories:\n  - Blue Jay\n  - { name: Auk, aliases: [razorbill], query: auk bird }\nauxiliary: a\ntest: t\n',
    );
    expect(categories[1]).toEqual({ name: 'Auk', aliases: ['razorbill'], query: 'auk bird' });
    writeFileSync(join(folder, 'names.txt'), 'Blue Jay\nAuk\n');
    const fromFile = await read('categories: names.txt\nauxiliary: a\ntest: t\n');
    expect(fromFile.categories.map(({ name }) => name)).toEqual(['Blue Jay', 'Auk']);
  });

  it.each([
    ['an unknown key', `${base}modle: resnet50\n`, /line 4: modle is not known here/],
    ['a missing key', 'categories: [a, b]\ntest: t\n', /auxiliary is missing/],
    ['a number out of range', `${base}crawl:\n  perCategory: 0\n`, /line 5: crawl\.perCategory is 0; .*>= 1/],
    [
      'a word for a number',
      `${base}crawl:\n  perCategory: many\n`,
      /crawl\.perCategory is "many"; a whole number was expected/,
    ],
    [
      'a wrong choice',
      `${base}dedupe:\n  leaks: ignore\n`,
      /dedupe\.leaks is "ignore"; one of error, drop was expected/,
    ],
    [
      'an unknown key in a list',
      `${base}sources:\n  - source: flickr\n    key: abc\n`,
      /line 6: sources\.0\.key is not known here/,
    ],
    ['a number for a text', `${base}model: 5\n`, /model is 5; text or keys with values or a list was expected/],
    [
      'a view there is not',
      `${base}model: { name: a, views: [upside] }\n`,
      /model\.views\.0 is "upside"; one of plain, mi/,
    ],
    ['one category', 'categories: [a]\nauxiliary: a\ntest: t\n', /categories is \["a"\].*at least 2/],
    [
      'a category twice',
      'categories: [a, b, a]\nauxiliary: a\ntest: t\n',
      /line 1: categories\.2 names "a" a second time/,
    ],
    ['a method there is not', `${base}learner:\n  method: magic\n`, /line 5: learner\.method is "magic"/],
    [
      'a parameter there is not',
      `${base}learner:\n  method: paper\n  parameters: { lambda9: 1 }\n`,
      /line 6: .*lambda9 is not a parameter of paper/,
    ],
    [
      'pictures where results go',
      'categories: [a, b]\nauxiliary: a\ntest: run/new\n',
      /line 3: test is run\/new, where results/,
    ],
    [
      'test pictures to learn from',
      'categories: [a, b]\nauxiliary: a\ntest: ./a\n',
      /line 3: test and auxiliary are the same/,
    ],
    ['a source there is not', `${base}sources: [openverse, flikr]\n`, /line 4: sources\.1: "flikr" is not a source/],
    ['broken YAML', 'categories: [a, b\ntest: t\n', /line 2: this is not YAML: [^:]+$/],
    ['nothing in it', '', /: the file is empty; keys with values was expected$/],
    ['a value left out', `${base}crawl:\n  perCategory:\n`, /line 5: crawl\.perCategory is empty; a whole number/],
    ['a missing key in a list', `${base}sources:\n  - rate: 1\n`, /line 5: sources\.0\.source is missing/],
    [
      'a text without letters',
      'categories: [a, ""]\nauxiliary: a\ntest: t\n',
      /categories\.1 is ""; some text or keys with/,
    ],
    ['a very long value', `${base}seed: ${'x'.repeat(99)}\n`, /seed is "x{59}…; a whole number was expected/],
    [
      'web pictures where results go',
      `${base}sources: ['folder:features/web']\n`,
      /line 4: sources is features\/web, wh/,
    ],
    [
      'the workspace itself as a folder',
      'categories: [a, b]\nauxiliary: .\ntest: t\n',
      /line 2: auxiliary is \., where/,
    ],
    [
      'test pictures within others',
      'categories: [a, b]\nauxiliary: a\ntest: a/new\n',
      /line 3: of test \(a\/new\) and aux/,
    ],
    [
      'others within test pictures',
      'categories: [a, b]\nauxiliary: t/known\ntest: t\n',
      /line 3: of test \(t\) and auxil/,
    ],
    [
      'web pictures to classify',
      `${base}sources: ['folder:new']\n`,
      /line 3: test and sources are the same folder, new/,
    ],
    [
      'a method of one setting',
      `${base}learner: { method: lr }\nanswers: all\n`,
      /line 5: answers is all, and lr chooses/,
    ],
    [
      'a method of the other',
      `${base}learner:\n  method: lr-mix\n`,
      /line 5: learner\.method is lr-mix, which chooses/,
    ],
    [
      'a share of a stranger',
      `${base}shares: { Dodo: 1, Ovenbird: 1, Blue Jay: 1 }\n`,
      /line 4: shares\.Dodo is none of the categories/,
    ],
    [
      'a share left out',
      `categories: [a, b, c]\nauxiliary: x\ntest: y\nshares: { a: 1, b: 1 }\n`,
      /line 4: shares does not say how frequent "c" is/,
    ],
    ['no share above 0', `${base}shares: { Ovenbird: 0, Blue Jay: 0 }\n`, /line 4: shares are all 0/],
    [
      'a parameter out of range',
      `${base}learner:\n  method: lr\n  parameters: { ridge: -1 }\n`,
      /line 6: learner\.parameters\.ridge is -1; it must be/,
    ],
    ['a name that all objects have', `${base}learner:\n  parameters: { toString: 1 }\n`, /toString is not a parameter/],
    ['a pattern that is none', `${base}truth: { wrong: '[' }\n`, /line 4: truth\.wrong is no regular expression/],
  ])('with %s is refused with line, key, value and expectation', async (_, text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });

  it('takes folders beside each other, shares with a zero among them, and settings that fit', async () => {
    const { shares, test, auxiliary } = await read(
      'categories: [a, b]\nauxiliary: a\ntest: ab\nshares: { a: 0, b: 2 }\n',
    );
    expect([shares, test, auxiliary]).toEqual([{ a: 0, b: 2 }, 'ab', { folder: 'a', aliases: {} }]);
    const all = await read(`${base}answers: all\nshares: { Blue Jay: 1, Wren: 2 }\nlearner: { method: lr-mix }\n`);
    expect([all.answers, all.learner.method]).toEqual(['all', 'lr-mix']);
    expect((await read(`${base}sources: ['folder:../test', 'folder:..new']\n`)).sources).toHaveLength(2);
    expect((await read(`${base}truth: { wrong: '^x' }\n`)).truth).toEqual({ wrong: '^x' });
    expect((await read(`${base}learner: { method: lr, parameters: { ridge: 2 } }\n`)).learner.parameters).toEqual({
      ridge: 2,
    });
  });

  it('says which keys, names and parameters there are, and what a missing one is for', async () => {
    const hint = async (text: string) => (await read(text).catch((error) => error)).hint;
    expect(await hint(`${base}modle: resnet50\n`)).toMatch(/^Keys are: name, .*\bmodel\b.*\.$/);
    expect(await hint('categories: [a, b]\ntest: t\n')).toMatch(/pictures/i);
    expect(await hint(`${base}learner: { method: magic }\n`)).toMatch(/\blr, /);
    expect(await hint(`${base}learner: { method: lr, parameters: { x: 1 } }\n`)).toBe('Parameters: ridge.');
    expect(await hint(`${base}learner: { method: prototype, parameters: { x: 1 } }\n`)).toBe('Parameters: none.');
    expect(await hint(`${base}shares: { Dodo: 1, Auk: 1 }\n`)).toBe('Categories: Blue Jay, Ovenbird.');
    expect(await hint(`${base}sources: [flikr]\n`)).toContain('flickr');
    expect(await hint('categories: [a, b]\nauxiliary: run\ntest: t\n')).toContain('features, pictures, run, text');
  });

  it('takes several networks, with views by name, and one by itself', async () => {
    const { model, networks } = await read(
      `${base}model: [resnet18, { name: b, views: five-crops, combine: concatenate }]\n`,
    );
    expect(model).toEqual({ name: 'resnet18' });
    expect(networks[1]).toMatchObject({ name: 'b', combine: 'concatenate' });
    expect(networks[1].views).toHaveLength(5);
    expect((await read(`${base}model: { name: b, views: [mirror] }\n`)).networks).toEqual([
      { name: 'b', views: ['mirror'] },
    ]);
    expect((await read(`${base}model: { name: b }\n`)).model).toEqual({ name: 'b' });
  });

  it('takes names with aliases for auxiliary categories too, a file with queries, and what is to be compared', async () => {
    const { auxiliary, compare, plugins, records, jobs, name, seed } = await read(
      `name: Garden\nseed: 4\njobs: 2\ncategories: [a, b]\nauxiliary: { folder: x, aliases: { wren: [jenny] } }\ntest: t\ncompare: { methods: [lr], seeds: 3 }\n`,
    );
    expect(auxiliary).toEqual({ folder: 'x', aliases: { wren: ['jenny'] } });
    expect(compare).toEqual({ methods: ['lr'], tune: 0, seeds: 3 });
    expect([plugins, records, jobs, name, seed]).toEqual([[], {}, 2, 'Garden', 4]);
    writeFileSync(join(folder, 'names.csv'), 'name,query\nAuk,auk bird\nJay,\n');
    const { categories } = await read('categories: names.csv\nauxiliary: a\ntest: t\n');
    expect(categories).toEqual([
      { name: 'Auk', aliases: ['auk bird'], query: 'auk bird' },
      { name: 'Jay', aliases: [] },
    ]);
    const { compare: none, truth, vectors } = await read(`${base}compare: false\nvectors: { train: [a.txt] }\n`);
    expect([none, truth, vectors]).toEqual([undefined, undefined, { train: ['a.txt'] }]);
    expect((await read(`${base}vectors: [a.txt, b.txt]\n`)).vectors).toEqual(['a.txt', 'b.txt']);
  });

  it('that is not there is missed', async () => {
    await expect(readConfiguration(folder)).rejects.toThrow(/is no workspace/);
  });

  it('is described by a schema that every example follows', () => {
    const example = new URL('../../examples/birds-mini/bowerbird.yaml', import.meta.url);
    expect(() => parseConfiguration(readFileSync(example, 'utf8'), 'example')).not.toThrow();
    expect(configurationText({ categories: ['a', 'b'], auxiliary: 'x', test: 'y' })).toMatch(
      /^# yaml-language-server: \$schema=\S+bowerbird\.schema\.json\n/,
    );
  });
});

/** As many files as an init looks for. */
function fillFolders(...folders: string[]): void {
  for (const name of folders) {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, 'one.jpg'), '');
  }
}

describe('bowerbird init', () => {
  it('writes a workspace from options; folders are written as seen from it', async () => {
    fillFolders('photos/known/wren', 'photos/known/robin', 'photos/new');
    const words = [
      'init',
      'birds',
      '--categories',
      'Blue Jay,Ovenbird',
      '--auxiliary',
      'photos/known',
      '--test',
      'photos/new',
    ];
    const { code, stderr } = await bowerbird([...words, '--source', 'flickr,folder:web'], { cwd: folder });
    expect(code, stderr).toBe(0);
    const { configuration } = await openWorkspace(join(folder, 'birds'));
    expect(configuration.auxiliary.folder).toBe('../photos/known');
    expect(configuration.sources.map(({ source }) => source)).toEqual(['flickr', 'folder:../web']);
    const again = await bowerbird(words, { cwd: folder });
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('is there already');
  });

  it.each([
    ['a category twice', ['--categories', 'a,b,a'], 'categories.2 names "a" a second time'],
    ['one name that is no file', ['--categories', 'names.txt'], 'that is neither two names nor a file'],
    ['a source there is not', ['--categories', 'a,b', '--source', 'flikr'], '"flikr" is not a source'],
  ])('writes nothing that a run would refuse: %s', async (_, words, message) => {
    fillFolders('photos/known/wren', 'photos/known/robin', 'photos/new');
    const folders = ['--auxiliary', 'photos/known', '--test', 'photos/new'];
    const { code, stderr } = await bowerbird(['init', 'birds', ...words, ...folders], { cwd: folder });
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(existsSync(join(folder, 'birds'))).toBe(false);
  });

  it('says what the run will miss, and what to type for it', async () => {
    fillFolders('known/wren', 'known/robin', 'new');
    const words = ['--categories', 'a,b', '--auxiliary', 'known', '--test', 'new', '--source', 'wikimedia'];
    const { code, stdout, stderr } = await bowerbird(['init', 'my birds', ...words], { cwd: folder });
    expect(code).toBe(0);
    expect(stderr).toContain('wikimedia wants to know who asks');
    expect(stdout).toContain("bowerbird run 'my birds'");
  });

  it('says which option is missing when it cannot ask', async () => {
    const { code, stderr } = await bowerbird(['init', 'birds', '--categories', 'a,b'], { cwd: folder });
    expect(code).toBe(2);
    expect(stderr).toContain('--auxiliary is missing');
    expect(existsSync(join(folder, 'birds'))).toBe(false);
  });
});

describe('plugins of bowerbird.yaml', () => {
  const plugin = () => join(folder, 'own.mjs');
  const loaded = () => existsSync(join(folder, 'loaded'));
  const withPlugin = () => {
    writeFileSync(
      plugin(),
      "import { writeFileSync } from 'node:fs';\nwriteFileSync(new URL('./loaded', import.meta.url), '');\nexport const sources = { magpie: () => ({}) };\n",
    );
    return read(`${base}plugins: [own.mjs]\n`);
  };

  it('are loaded from files of one’s own', async () => {
    expect((await withPlugin()).plugins).toEqual(['own.mjs']);
    expect(loaded()).toBe(true);
  });

  it.skipIf(process.platform === 'win32').each(['own.mjs', 'bowerbird.yaml'])(
    'are not loaded where anybody can write %s',
    async (name) => {
      await read(base);
      writeFileSync(join(folder, name), readFileSync(join(folder, 'bowerbird.yaml')));
      chmodSync(join(folder, name), 0o666);
      await expect(withPlugin()).rejects.toThrow(
        `line 4: ${join(folder, name)} can be written by anybody, and plugins are loaded only from files of your own`,
      );
      expect(loaded()).toBe(false);
    },
  );

  // Only the administrator can give a file away.
  it.skipIf(process.getuid?.() !== 0).each(['own.mjs', 'bowerbird.yaml'])(
    'are not loaded where %s belongs to another user (skipped where the tests do not run as root)',
    async (name) => {
      await read(base);
      writeFileSync(join(folder, name), readFileSync(join(folder, 'bowerbird.yaml')));
      chownSync(join(folder, name), 12_345, 12_345);
      await expect(withPlugin()).rejects.toThrow(`${join(folder, name)} belongs to another user`);
      expect(loaded()).toBe(false);
    },
  );
});

describe('methods under their old names in bowerbird.yaml', () => {
  const old = `${base}learner: { method: ours-wsl }\ncompare: { methods: [ours, lr, ours-wsl] }\n`;

  it('are understood, and their writer is told', async () => {
    const { learner, compare, notes } = await read(old);
    expect(learner.method).toBe('paper-wsl');
    expect(compare?.methods).toEqual(['paper', 'lr', 'paper-wsl']);
    expect(notes).toEqual([
      'the method ours-wsl is now called paper-wsl: change it in bowerbird.yaml',
      'the method ours is now called paper: change it in bowerbird.yaml',
    ]);
    expect((await read(base)).notes).toEqual([]);
  });

  it('are noted by bowerbird run and status', async () => {
    await read(old);
    for (const command of ['run', 'status'])
      expect((await bowerbird([command, folder])).stderr).toContain('the method ours-wsl is now called paper-wsl');
  });
});

describe('bowerbird run and status', () => {
  it('name the folder that is no workspace', async () => {
    for (const command of ['run', 'status']) {
      const { code, stderr } = await bowerbird([command, folder]);
      expect(code).toBe(1);
      expect(stderr).toContain('BOWERBIRD_CONFIGURATION');
    }
  });

  it('name the folder of pictures that is not there', async () => {
    await read(base);
    const { stderr, code } = await bowerbird(['run', folder]);
    expect(code).toBe(1);
    expect(stderr).toContain(`auxiliary is known; there is no folder ${join(folder, 'known')}`);
    const { stdout } = await bowerbird(['status', folder]);
    expect(stdout).toMatch(/crawl +failed/);
  });
});
