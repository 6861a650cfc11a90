/** What each stage of a workspace depends on, when it is left out, and what the quick ones make. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readNpz, toMatrix, toStrings } from '../../src/formats/index.js';
import { addCategory } from '../../src/workspace/add-category.js';
import { chosenParameters, freeParameters } from '../../src/workspace/chosen-parameters.js';
import { soleNetwork, startsFromPixels } from '../../src/workspace/feature-model.js';
import { openWorkspace, type StageName, stages } from '../../src/workspace/index.js';
import { auxiliaryCategories, openTestPictures } from '../../src/workspace/pictures.js';
import { parseKind, semanticKinds } from '../../src/workspace/semantics/kinds.js';
import type { StageContext } from '../../src/workspace/stage.js';
import { configurationText, createWorkspace } from '../../src/workspace/template.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bowerbird-stage-'));
  for (const name of ['crow', 'daw', 'owl']) write(`aux/${name}/p.jpg`, name);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
function write(name: string, content: string) {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), content);
}
const open = (more = '') => {
  write('bowerbird.yaml', `categories: [gull, hawk]\nauxiliary: aux\ntest: test\n${more}`);
  return openWorkspace(folder);
};
const stage = (name: StageName) => stages.find((one) => one.name === name)!;
const inputs = async (name: StageName, more = '') => stage(name).inputs(await open(more));
const omitted = async (name: StageName, more = '') => stage(name).omitted?.(await open(more));
const hash = expect.stringMatching(/^[0-9a-f]{32,64}$/);

describe('the stages', () => {
  it('come after those they need', () => {
    const needs = Object.fromEntries(stages.map(({ name, needs: of }) => [name, of]));
    expect(needs).toMatchObject({
      ...{ crawl: [], dedupe: ['crawl'], 'features-test': [], 'features-web': ['dedupe'], text: ['dedupe'], words: [] },
      ...{ tune: ['problem'], fit: ['problem', 'tune'], compare: ['problem'], report: ['fit', 'tune', 'compare'] },
      problem: ['dedupe', 'features-auxiliary', 'features-test', 'features-web', 'words', 'text'],
    });
    const names = stages.map(({ name }) => name);
    for (const { name, needs: of } of stages)
      for (const other of of) expect(names.indexOf(other)).toBeLessThan(names.indexOf(name));
    const heavy = stages.filter((one) => one.heavy).map(({ name }) => name);
    expect(heavy).toEqual(['features-auxiliary', 'features-test', 'features-web', 'tune', 'fit', 'compare']);
  });

  it('are left out where nobody wants them, and it is said why', async () => {
    expect(await omitted('text', "sources: ['folder:web']\n")).toBe('text is switched off');
    expect(await omitted('text', 'sources: [flickr]\n')).toBeUndefined();
    expect(await omitted('report', 'report: false\n')).toBe('report is switched off');
    expect(await omitted('compare', 'compare: false\n')).toBe('compare is switched off');
    mkdirSync(join(folder, 'test', 'unlisted'), { recursive: true });
    mkdirSync(join(folder, 'test', '.hidden'));
    const compare = 'compare: { methods: [lr] }\n';
    expect(await omitted('compare', compare)).toMatch(/no labels/);
    mkdirSync(join(folder, 'test', 'gull'));
    expect(await omitted('compare', compare)).toBeUndefined();
    rmSync(join(folder, 'test'), { recursive: true });
    expect(await omitted('compare', compare)).toBeUndefined();
  });

  it('search for parameters where there are some that nobody gave', async () => {
    expect(await omitted('tune')).toBe('no search was asked for');
    const tune = 'tune: { trials: 3 }\n';
    expect(await omitted('tune', `${tune}learner: { method: paper }\n`)).toBeUndefined();
    const workspace = await open(`${tune}learner: { method: paper, parameters: { lambda2: 0.5 } }\n`);
    expect(Object.keys(freeParameters(workspace))).not.toContain('lambda2');
    expect(Object.keys(freeParameters(workspace))).toContain('lambda1');
    expect(await chosenParameters(workspace)).toMatchObject({ from: 'given', parameters: { lambda2: 0.5 } });
    write('tune/chosen.json', JSON.stringify({ parameters: { lambda1: 7, lambda2: 9 } }));
    expect(await chosenParameters(workspace)).toMatchObject({
      from: 'tuned',
      parameters: { lambda1: 7, lambda2: 0.5 },
    });
    const untuned = await open('tune: false\nlearner: { method: paper }\n');
    expect((await chosenParameters(untuned)).from).toBe('default');
  });

  it('depend on what changes their results and on nothing else', async () => {
    const crawl = await inputs('crawl', 'crawl: { perCategory: 7, concurrency: 3, attempts: 2, contact: me@x.org }\n');
    expect(crawl).toMatchObject({
      'crawl.perCategory': '7',
      sources: expect.any(String),
      categories: expect.any(String),
    });
    for (const key of ['keys', 'contact', 'concurrency', 'attempts', 'requestsPerSecond'])
      expect(crawl).not.toHaveProperty(`crawl.${key}`);
    write('web/gull/a.jpg', 'a');
    write('list.csv', 'x');
    const own = await inputs('crawl', "sources: ['folder:web', 'urls:list.csv', 'urls:absent.csv']\n");
    expect(own).toMatchObject({
      ...{ 'the pictures in web': hash, 'the list list.csv': hash, 'the list absent.csv': 'missing' },
    });
    write('test/a.jpg', 'a');
    expect(await inputs('dedupe', 'dedupe: { radius: 3 }\n')).toMatchObject({
      ...{ 'dedupe.radius': '3', 'the test pictures': hash, 'the auxiliary pictures': hash },
    });
    const problem = await inputs('problem');
    expect(Object.keys(problem)).toEqual(['categories']);
    write('truth.csv', 'x');
    expect(await inputs('problem', 'answers: all\nshares: equal\ntruth: { file: truth.csv }\n')).toEqual({
      ...{ categories: '["gull","hawk"]', answers: 'all', shares: '"equal"', 'truth.file': '"truth.csv"' },
      'the file truth.csv': hash,
    });
    const fit = await inputs('fit', 'seed: 5\nlearner: { method: lr, threads: 3 }\n');
    expect(fit).toMatchObject({ seed: '5', 'learner.method': '"lr"' });
    expect(fit).not.toHaveProperty('learner.threads');
    expect(await inputs('report', 'name: Birds\n')).toEqual({ name: '"Birds"' });
  });

  it('that compute features depend on the network, its files and the pictures', async () => {
    write('net.onnx', 'n');
    const model = 'model: [{ name: net.onnx, batch: 3, workers: 2 }, { name: resnet50, layer: x }]\n';
    const found = await inputs('features-auxiliary', model);
    expect(found).toMatchObject({
      ...{
        'model.name': '"net.onnx"',
        'the file net.onnx': hash,
        'model.2.name': '"resnet50"',
        'model.2.layer': '"x"',
      },
      'the auxiliary pictures': hash,
    });
    for (const key of ['model.batch', 'model.workers', 'the test pictures', 'the file resnet50'])
      expect(found).not.toHaveProperty(key);
    expect(await inputs('features-test', model)).not.toHaveProperty('the auxiliary pictures');
    expect(startsFromPixels(await open(model))).toBe(false);
    expect(() => soleNetwork({ configuration: { networks: [{}, {}] } } as never)).toThrow('several networks');
    expect(soleNetwork(await open('model: resnet50\n')).name).toBe('resnet50');
    expect(startsFromPixels(await open('model: { name: resnet50, views: [plain, mirror] }\n'))).toBe(false);
  });

  it('of words depend on names, vectors and files of every kind', async () => {
    write('vectors.txt', 'gull 1\n');
    write('kinds.csv', 'x');
    const words = await inputs('words', 'vectors: vectors.txt\nseed: 4\n');
    expect(words).toMatchObject({ 'names and aliases': expect.stringContaining('crow'), 'the file vectors.txt': hash });
    expect(words).not.toHaveProperty('seed');
    expect(words).not.toHaveProperty('semantics');
    const trained = await inputs('words', 'vectors: { train: [vectors.txt] }\nseed: 4\n');
    expect(trained).toMatchObject({ seed: '4', 'the file vectors.txt': hash });
    const kinds = await inputs('words', 'semantics: [{ attributes: kinds.csv }, { taxonomy: absent.csv }]\n');
    expect(kinds).toMatchObject({
      semantics: expect.any(String),
      'the file kinds.csv': hash,
      'the file absent.csv': 'missing',
    });
    expect(kinds).not.toHaveProperty('vectors');
  });
});

describe('texts of web pictures', () => {
  it('are counted word by word, with titles, tags, descriptions and comments', async () => {
    const workspace = await open('text: { size: 5 }\n');
    const pictures = [
      { id: 'a', title: 'Grey gull', tags: ['gull', 'sea'], description: 'a gull', comments: ['lovely gull'] },
      { id: 'b' },
    ];
    write('.bowerbird/pictures.jsonl', pictures.map((one) => `${JSON.stringify(one)}\n`).join(''));
    const { summary } = await stage('text').run({ workspace } as unknown as StageContext);
    const arrays = await readNpz(workspace.path('text/web_text.npz'));
    expect(toStrings(arrays.get('ids')!)).toEqual(['a', 'b']);
    expect(toStrings(arrays.get('web_texts')!)).toEqual(['Grey gull\ngull\nsea\na gull\nlovely gull', '']);
    const vocabulary = readFileSync(workspace.path('text/vocabulary.txt'), 'utf8').trim().split('\n');
    const counts = toMatrix(arrays.get('web_text')!, 'float32', { name: 'web_text', file: '' });
    const place = vocabulary.findIndex((line) => line.split(/\s/)[0] === 'gull');
    expect(counts.at(0, place)).toBe(4);
    expect([...counts.row(1)].every((count) => count === 0)).toBe(true);
    expect(summary).toBe(`${vocabulary.length} words in the texts of 2 pictures, 1 of which have none`);
  });
});

describe('pictures of a workspace', () => {
  it('of auxiliary categories are there, in two folders at least, none of which is a category', async () => {
    expect((await auxiliaryCategories(await open())).names).toEqual(['crow', 'daw', 'owl']);
    const refused = async (more: string, message: RegExp) =>
      expect(auxiliaryCategories(await open(more))).rejects.toThrow(message);
    mkdirSync(join(folder, 'aux', 'empty'));
    await refused('', /no picture in its sub-folder "empty"/);
    rmSync(join(folder, 'aux', 'empty'), { recursive: true });
    write('aux/gull/p.jpg', '');
    await refused('', /"gull" is one of the categories and an auxiliary category/);
    rmSync(join(folder, 'aux', 'gull'), { recursive: true });
    write('bowerbird.yaml', 'categories: [a, b]\ntest: test\nauxiliary: { folder: aux, aliases: { wren: [x] } }\n');
    await expect(auxiliaryCategories(await openWorkspace(folder))).rejects.toThrow('auxiliary names "wren"');
    for (const name of ['crow', 'daw']) rmSync(join(folder, 'aux', name), { recursive: true });
    await refused('', /has 1 sub-folders/);
  });

  it('to classify lie in one folder or in one for each category, not both', async () => {
    const source = async (more = '') => openTestPictures(await open(more));
    await expect(source()).rejects.toThrow(/test/);
    mkdirSync(join(folder, 'test'));
    await expect(source()).rejects.toThrow('there is no picture in it');
    write('test/gull/a.jpg', '');
    write('test/unlisted/b.jpg', '');
    expect((await source()).count).toBe(2);
    write('test/c.jpg', '');
    await expect(source()).rejects.toThrow('2 of 3 test pictures lie in sub-folders');
    rmSync(join(folder, 'test', 'c.jpg'));
    write('test/crow/d.jpg', '');
    await expect(source()).rejects.toThrow('a sub-folder "crow"');
    expect((await source('answers: all\n')).count).toBe(3);
  });
});

describe('a category more', () => {
  it('is written under the others, comments kept, or into the file that names them', async () => {
    const workspace = await open('# mine\nseed: 3\n');
    const added = await addCategory(workspace, '  great   auk ');
    expect(added.configuration.categories.map(({ name }) => name)).toEqual(['gull', 'hawk', 'great auk']);
    expect(readFileSync(join(folder, 'bowerbird.yaml'), 'utf8')).toContain('# mine');
    for (const name of ['', ' ', 'a/b', 'a\\b', 'a\u0001', 'x'.repeat(101), 'GULL', 'Crow'])
      await expect(addCategory(workspace, name), name).rejects.toMatchObject({ name: 'UsageError' });
    for (const [list, after] of [
      ['gull\nhawk', 'gull\nhawk\nauk\n'],
      ['gull\nhawk\n', 'gull\nhawk\nauk\n'],
    ]) {
      write('names.txt', list);
      write('bowerbird.yaml', 'categories: names.txt\nauxiliary: aux\ntest: test\n');
      await addCategory(await openWorkspace(folder), 'auk');
      expect(readFileSync(join(folder, 'names.txt'), 'utf8')).toBe(after);
    }
  });
});

describe('a new workspace', () => {
  it('has what was said, each part under a line that explains it, and a schema for editors', async () => {
    const text = configurationText({ categories: ['a', 'b'], auxiliary: 'aux', test: 'test', seed: 4 });
    expect(text).toMatch(/^# yaml-language-server: \$schema=\.\/\.bowerbird\/bowerbird\.schema\.json\n/);
    expect(text).toContain('\n# What to tell apart.');
    expect(text).toContain('seed: 4\n');
    const made = join(folder, 'made');
    const file = await createWorkspace(made, { categories: ['a', 'b'], auxiliary: '../aux', test: '../test' });
    expect(readFileSync(file, 'utf8')).toContain('auxiliary: ../aux');
    expect(JSON.parse(readFileSync(join(made, '.bowerbird', 'bowerbird.schema.json'), 'utf8'))).toHaveProperty(
      'properties',
    );
    await expect(createWorkspace(made, { categories: ['a', 'b'], auxiliary: 'x', test: 'y' })).rejects.toThrow(
      'there already',
    );
    const checked = createWorkspace(
      join(folder, 'other'),
      { categories: ['a', 'b'], auxiliary: 'x', test: 'y' },
      { checkPictures: true },
    );
    await expect(checked).rejects.toMatchObject({ name: 'ConfigurationError' });
  });
});

describe('kinds of semantics', () => {
  it('are what was written, with defaults', () => {
    expect(semanticKinds()).toEqual([{ kind: 'words' }]);
    expect(semanticKinds([{ attributes: 'a.csv', array: 'x' }, { names: 'n.npz' }, { taxonomy: 't.csv' }])).toEqual([
      { kind: 'attributes', file: 'a.csv', array: 'x' },
      { kind: 'names', file: 'n.npz' },
      { kind: 'taxonomy', file: 't.csv' },
    ]);
    expect(semanticKinds({ text: 'clip' })).toEqual([
      { kind: 'text', model: 'clip', templates: ['a photo of a {}.'], aliases: false },
    ]);
    expect(semanticKinds({ text: 'clip', templates: ['{}'], aliases: true })[0]).toMatchObject({
      templates: ['{}'],
      aliases: true,
    });
  });

  it('are given to commands as a word and a value', () => {
    expect(['words', 'attributes=a.csv', 'text=m=1', 'odd=x', 'names=', 'xnames=a'].map(parseKind)).toEqual([
      ...['words', { attributes: 'a.csv' }, { text: 'm=1' }, undefined, undefined, undefined],
    ]);
  });
});
