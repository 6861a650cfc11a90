/** Several looks at pictures as one set of features, and everything put together as a problem, worked out by hand. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fromMatrix, writeNpz } from '../../src/formats/index.js';
import { Matrix } from '../../src/linalg/index.js';
import { unanswered } from '../../src/problem/index.js';
import {
  completeShards,
  describeFeatures,
  type FeatureMeta,
  loadFeatures,
  readFailures,
  type ShardEntry,
  writeFeatureMeta,
  writeIndex,
  writeShard,
} from '../../src/vision/index.js';
import { assembleProblem } from '../../src/workspace/assemble.js';
import { readExtraction, writeCombined } from '../../src/workspace/combined-features.js';
import type { ModelSettings } from '../../src/workspace/configuration.js';
import { recordActs, recordDecision } from '../../src/workspace/decisions.js';
import {
  combinedMeta,
  combineLooks,
  explainedScales,
  type Look,
  looksOf,
  scaleParts,
} from '../../src/workspace/looks.js';
import { openWorkspace, type Workspace } from '../../src/workspace/workspace.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bowerbird-combining-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const metaOf = (name: string, dimension: number, more: Partial<FeatureMeta['model']> = {}): FeatureMeta =>
  describeFeatures({
    model: { name, source: `file:${name}`, sha256: name, licence: 'MIT', ...more },
    ...{ layer: `layer of ${name}`, reduction: 'flatten', dimension, preprocessing: {} as never },
    ...{ shardSize: 2, device: 'cpu' },
  });

async function writeFeatures(
  into: string,
  meta: FeatureMeta,
  rows: [id: string, values?: number[], category?: string][],
) {
  const good = rows.filter(([, values]) => values);
  await completeShards(into);
  const features = Matrix.zeros(good.length, meta.dimension, 'float32');
  for (const [i, [, values]] of good.entries()) features.row(i).set(values!);
  const entries = rows.map(
    ([id, values, category]): ShardEntry => ({
      ...{ id, path: `${id}.jpg`, bytes: 1, ...(category && { category }) },
      ...(values ? { row: good.findIndex(([other]) => other === id) } : { fault: 'broken', message: 'no picture' }),
    }),
  );
  await writeShard(into, 0, features, entries);
  await writeFeatureMeta(into, meta);
  await writeIndex(into, [0], () => 0);
}

const look = (network: number, more: { view?: Look['view']; settings?: Partial<ModelSettings> } = {}): Look =>
  ({ view: 'plain', ...more, network, settings: { name: 'n', ...more.settings } }) as unknown as Look;
const close = (found: ArrayLike<number>, expected: number[]) => {
  expect(found).toHaveLength(expected.length);
  expected.forEach((value, k) => {
    expect(found[k]).toBeCloseTo(value, 6);
  });
};

describe('looks at pictures', () => {
  it('are one for each view of each network, plain where none is named', () => {
    const networks = [{ name: 'a', views: ['plain', 'mirror'] }, { name: 'b' }];
    const looks = looksOf({ configuration: { networks } } as unknown as Workspace);
    expect(looks.map(({ settings, view, network }) => [settings.name, view, network])).toEqual([
      ['a', 'plain', 0],
      ['a', 'mirror', 0],
      ['b', 'plain', 1],
    ]);
  });

  it('of one network are averaged as directions, those of others stand beside them', () => {
    const looks = [look(0), look(0, { view: 'mirror' }), look(1)];
    const features = [
      [
        [3, 4],
        [0, 0],
      ],
      [
        [10, 0],
        [0, 2],
      ],
      [
        [0, 5, 0],
        [0, 0, 0],
      ],
    ].map((rows) => Matrix.from(rows, 'float32'));
    const found = combineLooks(looks, features);
    const length = Math.hypot(1.6, 0.8);
    close(found.row(0), [1.6 / length, 0.8 / length, 0, 1, 0]);
    close(found.row(1), [0, 1, 0, 0, 0]);
  });

  it('of one network stand beside each other where that is asked for', () => {
    const settings = { combine: 'concatenate' } as const;
    const found = combineLooks(
      [look(0, { settings }), look(0, { settings })],
      [Matrix.from([[3, 4]]), Matrix.from([[0, -2]])],
    );
    close(found.row(0), [0.6, 0.8, 0, -1]);
  });

  it('are described as features of one network, a part for each', () => {
    const looks = [look(0), look(0, { view: 'mirror' }), look(1)];
    const metas = [metaOf('a', 2, { space: 's' }), metaOf('a', 2, { space: 's' }), metaOf('b', 3, { licence: 'CC0' })];
    const found = combinedMeta(looks, metas);
    expect(found.parts).toEqual([
      { name: 'a (plain, mirror)', width: 2, space: 's' },
      { name: 'b', width: 3 },
    ]);
    expect([found.dimension, found.model.name, found.model.source, found.model.licence]).toEqual([
      ...[5, 'a (plain, mirror) + b', 'file:a, file:b', 'MIT, CC0'],
    ]);
    expect(found.layer).toBe('layer of a + layer of a + layer of b');
    const settings = { combine: 'concatenate' } as const;
    const beside = combinedMeta([look(0, { settings }), look(0, { settings }), look(1)], metas);
    expect(beside.parts![0]).toEqual({ name: 'a (plain, plain)', width: 4 });
    expect(beside.fingerprint).not.toBe(found.fingerprint);
    expect(combinedMeta([look(0), look(1), look(2)], metas).fingerprint).not.toBe(found.fingerprint);
    expect(combinedMeta(looks, metas).fingerprint).toBe(found.fingerprint);
  });

  it('count by the share of their variance that lies between categories, less what chance puts there', () => {
    const rows = [
      [1, 5, 0],
      [2, 1, 0],
      [7, 2, 0],
      [8, 6, 0],
      [9, 4, 0],
    ];
    const labels = Int32Array.of(0, 0, 1, 1, 1);
    const parts = [1, 1, 1].map((width, k) => ({ name: `${k}`, width }));
    const share = (column: number) => {
      const values = rows.map((row) => row[column]);
      const mean = (some: number[]) => some.reduce((sum, value) => sum + value, 0) / some.length;
      const squares = (some: number[], about: number) => some.reduce((sum, value) => sum + (value - about) ** 2, 0);
      const groups = [values.slice(0, 2), values.slice(2)];
      const within = groups.reduce((sum, group) => sum + squares(group, mean(group)), 0);
      const total = squares(values, mean(values));
      // One degree of freedom between two categories, three within them.
      return (total - within - within / 3) / total;
    };
    close(explainedScales(Matrix.from(rows), labels, parts), [1, Math.sqrt(Math.max(share(1) / share(0), 1e-4)), 0.01]);
    const weak = rows.map(([first, second]) => [first, first + second / 2]);
    const found = explainedScales(Matrix.from(weak), labels, parts.slice(0, 2));
    const values = weak.map((row) => [row[1]]);
    const alone = explainedScales(Matrix.from(values), labels, parts.slice(0, 1));
    expect(alone).toEqual([1]);
    expect(found[1]).toBeGreaterThan(0.01);
    expect(found[1]).toBeLessThan(1);
  });

  it('are scaled a part at a time', () => {
    const features = Matrix.from([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    scaleParts(
      features,
      [
        { name: 'a', width: 1 },
        { name: 'b', width: 2 },
      ],
      [10, 0.5],
    );
    expect([...features.data]).toEqual([10, 1, 1.5, 40, 2.5, 3]);
  });

  it('are written as one set: what failed in one has failed, whatever the order of the others', async () => {
    const [first, second, both] = ['first', 'second', 'both'].map((name) => join(folder, name));
    await writeFeatures(first, metaOf('a', 1), [
      ['x', [2], 'red'],
      ['y', [3]],
      ['z', undefined],
      ['w', [4]],
      ['v', [-5]],
    ]);
    await writeFeatures(second, metaOf('b', 1), [
      ['v', [1]],
      ['w', undefined],
      ['z', [1]],
      ['y', [-1]],
      ['x', [1], 'red'],
    ]);
    const parts = [await readExtraction(first), await readExtraction(second)];
    const told = await writeCombined(both, [look(0), look(1)], parts);
    expect([told.pictures, told.failures, told.meta.dimension]).toEqual([3, 2, 2]);
    const found = await loadFeatures(both);
    // In shards of two.
    expect(found.ids).toEqual(['x', 'y', 'v']);
    expect(found.categories).toEqual(['red', '', '']);
    expect(found.paths).toEqual(['x.jpg', 'y.jpg', 'v.jpg']);
    expect([...found.features.data]).toEqual([1, 1, 1, -1, -1, 1]);
    const failed = await readFailures(both);
    expect(failed.map(({ id, fault }) => [id, fault]).sort()).toEqual([
      ['w', 'broken'],
      ['z', 'broken'],
    ]);
  });
});

describe('looks at pictures that all failed', () => {
  it('are a set without rows, with what failed', async () => {
    const [first, both] = ['first', 'both'].map((name) => join(folder, name));
    await writeFeatures(first, metaOf('a', 1), [['x', undefined]]);
    const part = await readExtraction(first);
    const told = await writeCombined(both, [look(0), look(1)], [part, part]);
    expect([told.pictures, told.failures]).toEqual([0, 1]);
    expect((await loadFeatures(both)).ids).toEqual([]);
    expect((await readFailures(both)).map(({ id }) => id)).toEqual(['x']);
  });
});

describe('a problem put together', () => {
  const auxiliary = ['crow', 'daw', 'eagle', 'finch'];
  const web = ['hawk', 'gull', 'gull', 'hawk', 'crow', 'owl'].map((category, k) => ({
    ...{ id: `w${k}`, path: `pictures/w${k}.jpg`, category, source: 's', rank: k },
    ...{ address: `http://x/${k === 2 ? 'wrong' : 'right'}/${k}`, sha256: '', licence: '' },
  }));

  async function prepare(
    configuration: string,
    test: [string, string?][] = [
      ['b.jpg', 'hawk'],
      ['a.jpg', 'gull'],
    ],
  ) {
    for (const name of auxiliary) {
      mkdirSync(join(folder, 'aux', name), { recursive: true });
      writeFileSync(join(folder, 'aux', name, 'p.jpg'), '');
    }
    writeFileSync(
      join(folder, 'bowerbird.yaml'),
      `categories: [gull, hawk]\nauxiliary: aux\ntest: test\nlearner: { method: bowerbird }\n${configuration}`,
    );
    const meta = metaOf('net', 2, { space: 'joint' });
    const features = (set: string) => join(folder, 'features', set);
    mkdirSync(join(folder, '.bowerbird'), { recursive: true });
    mkdirSync(join(folder, 'words'), { recursive: true });
    mkdirSync(join(folder, 'text'), { recursive: true });
    await writeFeatures(
      features('auxiliary'),
      meta,
      ['eagle', 'crow', 'stray', 'daw', 'crow'].map((category, k) => [`${category}/${9 - k}`, [k, 1], category]),
    );
    await writeFeatures(
      features('test'),
      meta,
      test.map(([id, category], k) => [id, [10 + k, 1], category]),
    );
    await writeFeatures(
      features('web'),
      meta,
      [...web].reverse().map(({ id }, k) => [id, id === 'w5' ? undefined : [k, 7]]),
    );
    const rows = (values: number[]) => fromMatrix(Matrix.from(values.map((value) => [value])), 'float32');
    await writeNpz(join(folder, 'words', 'semantics.npz'), [
      ['aux_semantics', rows([1, 2, 3, 4])],
      ['test_semantics', rows([5, 6])],
    ]);
    const strings = (data: string[]) => ({ shape: [data.length], dtype: 'string' as const, data });
    await writeNpz(join(folder, 'text', 'web_text.npz'), [
      ['ids', strings(web.map(({ id }) => id).reverse())],
      ['web_text', rows([5, 4, 3, 2, 1, 0])],
      ['web_texts', strings(web.map(({ id }) => `about ${id}`).reverse())],
    ]);
    writeFileSync(join(folder, '.bowerbird', 'pictures.jsonl'), web.map((one) => `${JSON.stringify(one)}\n`).join(''));
    return openWorkspace(folder);
  }

  it('has rows by category, then by name or rank, and knows which picture each is', async () => {
    const { problem, rows, notes } = await assembleProblem(await prepare('text: true\n'));
    expect(problem.auxiliaryNames).toEqual(auxiliary);
    expect(rows.auxiliary).toEqual(['crow/5', 'crow/8', 'daw/6', 'eagle/9']);
    expect([...problem.auxiliaryLabels]).toEqual([0, 0, 1, 2]);
    expect([...problem.auxiliaryFeatures.data]).toEqual([4, 1, 1, 1, 3, 1, 0, 1]);
    expect(rows.test).toEqual(['a.jpg', 'b.jpg']);
    expect([...problem.testLabels!]).toEqual([0, 1]);
    expect([...problem.testFeatures.data]).toEqual([11, 1, 10, 1]);
    expect(rows.web).toEqual(['w1', 'w2', 'w0', 'w3']);
    expect([...problem.webLabels]).toEqual([0, 0, 1, 1]);
    // In the reversed order of the list.
    expect([...problem.webFeatures.data]).toEqual([4, 7, 3, 7, 5, 7, 2, 7]);
    expect([...problem.webText!.data]).toEqual([1, 2, 0, 3]);
    expect(problem.webTexts).toEqual(['about w1', 'about w2', 'about w0', 'about w3']);
    expect([...problem.auxiliarySemantics.data, ...problem.testSemantics.data]).toEqual([1, 2, 3, 4, 5, 6]);
    expect(problem.featureBlocks).toEqual([{ name: 'net', width: 2, space: 'joint' }]);
    expect(problem).not.toHaveProperty('webVouched');
    expect(problem).not.toHaveProperty('testKnown');
    expect(problem.generalized).toBe(false);
    expect(rows).not.toHaveProperty('featureScales');
    // The categories that play listed ones are those that come first.
    expect(notes.filter((note) => note.includes('has no web picture'))).toEqual([]);
  });

  it('leaves out, moves and vouches for web pictures as people said, and says which decisions have no picture', async () => {
    const workspace = await prepare('text: false\n');
    await recordDecision(workspace, 'drop', ['w1', 'w2']);
    await recordDecision(workspace, 'keep', ['w3', 'lost']);
    await recordActs(workspace, [{ ids: ['w4'], move: 'hawk' }]);
    writeFileSync(workspace.path('.bowerbird', 'crawled.jsonl'), web.map(({ id }) => `{"id":"${id}"}\n`).join(''));
    const { problem, rows, notes } = await assembleProblem(workspace);
    expect(rows.web).toEqual(['w0', 'w3', 'w4']);
    expect([...problem.webLabels]).toEqual([1, 1, 1]);
    expect([...problem.webVouched!]).toEqual([0, 1, 1]);
    expect(notes).toContain('gull has no web picture');
    expect(notes).toContain('1 decisions made by hand are about pictures that the crawl no longer has');
    expect(problem.webText).toBeUndefined();
  });

  it('holds what people said of test pictures, those nobody named apart from those that show none', async () => {
    const workspace = await prepare('', [['a.jpg'], ['b.jpg'], ['c.jpg']]);
    await recordActs(workspace, [
      { ids: ['b.jpg'], label: 'hawk' },
      { ids: ['c.jpg'], label: null },
    ]);
    const { problem } = await assembleProblem(workspace);
    expect([...problem.testKnown!]).toEqual([unanswered, 1, -1]);
    expect(problem.testLabels).toBeUndefined();
  });

  it('with all categories as answers counts the auxiliary ones after the listed', async () => {
    const test: [string, string?][] = [
      ['a.jpg', 'crow'],
      ['b.jpg', 'gull'],
      ['c.jpg', 'unlisted'],
    ];
    const { problem } = await assembleProblem(await prepare('answers: all\n', test));
    expect(problem.generalized).toBe(true);
    expect([...problem.testLabels!]).toEqual([2, 0, -1]);
  });

  it('knows which web pictures are wrong by their addresses or by a list', async () => {
    const byAddress = await assembleProblem(await prepare('truth: { wrong: "/wrong/" }\n'));
    expect(byAddress.problem.webKinds).toEqual(['clean', 'wrong', 'clean', 'clean']);
    writeFileSync(join(folder, 'truth.csv'), 'address,kind\nhttp://x/right/1,blurred\n');
    const byList = await assembleProblem(await prepare('truth: { file: truth.csv }\n'));
    expect(byList.problem.webKinds).toEqual(['blurred', 'unknown', 'unknown', 'unknown']);
    rmSync(join(folder, 'truth.csv'));
    await expect(assembleProblem(await openWorkspace(folder))).rejects.toMatchObject({ name: 'ConfigurationError' });
  });

  it('has crawled pictures of validation categories only where there are some of each', async () => {
    await prepare('');
    const yaml = 'categories: [gull, hawk]\ntest: test\ntext: true\ncrawl: { validation: true }\n';
    writeFileSync(join(folder, 'bowerbird.yaml'), `${yaml}auxiliary: { folder: aux, validation: [daw] }\n`);
    const workspace = await openWorkspace(folder);
    const lacking = await assembleProblem(workspace);
    expect(lacking.problem.auxiliaryNames).toEqual(['daw', 'crow', 'eagle', 'finch']);
    expect(lacking.problem.validationWeb).toBeUndefined();
    expect(lacking.rows.validationWeb).toEqual([]);
    expect(lacking.notes).toEqual([expect.stringContaining('no web pictures of the validation categories were found')]);
    await recordActs(workspace, [{ ids: ['w4', 'w1'], move: 'daw' }]);
    const { problem, rows, notes } = await assembleProblem(workspace);
    expect(rows.validationWeb).toEqual(['w1', 'w4']);
    const { features, labels, text, texts } = problem.validationWeb!;
    expect([...labels]).toEqual([0, 0]);
    expect(problem.validationWeb).not.toHaveProperty('kinds');
    expect([...features.data]).toEqual([4, 7, 1, 7]);
    expect([...text!.data]).toEqual([1, 4]);
    expect(texts).toEqual(['about w1', 'about w4']);
    expect(notes).toEqual([expect.stringContaining('decisions made by hand')]);
    writeFileSync(
      join(folder, 'bowerbird.yaml'),
      `${yaml}auxiliary: { folder: aux, validation: [daw] }\ntruth: { wrong: "/4$" }\n`,
    );
    const known = await assembleProblem(await openWorkspace(folder));
    expect(known.problem.validationWeb!.kinds).toEqual(['clean', 'wrong']);
  });

  it('with shares that no list of categories fits names the configuration', async () => {
    const workspace = await prepare('answers: all\nshares: { gull: 1, hawk: 2 }\n');
    await expect(assembleProblem(workspace)).rejects.toMatchObject({ name: 'ConfigurationError' });
  });
});
