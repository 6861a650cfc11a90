/** Mistakes in a configuration are found before anything is done, and seen to be corrected. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openWorkspace, runWorkspace, type WrittenConfiguration, workspaceStatus } from '../../src/workspace/index.js';
import { compareStage } from '../../src/workspace/stages/compare.js';
import { makeWorld, type World, writeConfiguration } from './world.js';

let world: World;
beforeEach(async () => {
  world = await makeWorld({ auxiliary: 2, test: 2, web: 2, validation: false });
});
afterEach(() => {
  vi.unstubAllEnvs();
  world.remove();
});

const begun = () => existsSync(world.path('features')) || existsSync(world.path('.bowerbird', 'stages.json'));

describe('a run', () => {
  it.each<[string, Partial<WrittenConfiguration>, RegExp]>([
    ['a network', { model: 'absent.onnx' }, /there is no file .*absent\.onnx/],
    ['a network of no known name', { model: 'resnet51' }, /there is no model "resnet51"/],
    ['preprocessing', { model: { name: 'resnet50', preprocessing: 'odd.json' } }, /odd\.json/],
    ['word vectors', { vectors: 'absent.txt' }, /vectors is absent\.txt, and there is no file/],
    ['a corpus', { vectors: { train: ['absent.txt'] } }, /absent\.txt, and there is no file/],
    ['methods to compare with', { compare: { methods: ['lr', 'magic'] } }, /there is no method "magic"/],
    ['what is known of web pictures', { truth: { file: 'absent.csv' } }, /truth\.file is absent\.csv/],
    ['a folder of web pictures', { sources: ['folder:absent'] }, /absent is not a folder/],
    ['a list of addresses', { sources: ['urls:absent.csv'] }, /absent\.csv does not exist/],
    ['a file of keys', { crawl: { keys: 'absent.env' } }, /absent\.env cannot be read/],
    ['licences', { crawl: { licences: ['cc-bye'] } }, /cc-bye/],
  ])('misses %s before anything is done', async (_, change, message) => {
    writeConfiguration(world, change);
    await expect(runWorkspace(await openWorkspace(world.folder))).rejects.toThrow(message);
    expect(begun()).toBe(false);
  });

  it('misses the key of a source, unless the crawl is done already', async () => {
    vi.stubEnv('FLICKR_API_KEY', '');
    writeConfiguration(world, { sources: ['flickr'] });
    await expect(runWorkspace(await openWorkspace(world.folder))).rejects.toMatchObject({
      code: 'BOWERBIRD_KEY_MISSING',
    });
    expect(begun()).toBe(false);
  });

  it('names every mistake at once', async () => {
    writeConfiguration(world, { model: 'absent.onnx', vectors: 'absent.txt' });
    const notes: string[] = [];
    const run = runWorkspace(await openWorkspace(world.folder), { onNote: (note) => notes.push(note) });
    await expect(run).rejects.toThrow(/absent\.onnx/);
    expect(notes).toEqual([expect.stringMatching(/^also: .*absent\.txt/)]);
  });

  it('does not ask for what later stages need where it stops before them', async () => {
    writeConfiguration(world, { model: 'absent.onnx' });
    const { stages } = await runWorkspace(await openWorkspace(world.folder), { until: 'words' });
    expect(stages.at(-1)?.outcome).toBe('ran');
  });
});

describe('a comparison', () => {
  const omitted = async () => compareStage.omitted!(await openWorkspace(world.folder));

  it('is left out where no test picture is known to show a category', async () => {
    writeConfiguration(world, { compare: { methods: ['lr'] }, test: 'other' });
    expect(await omitted()).toBeUndefined();
    for (const name of ['.hidden', 'unlisted']) mkdirSync(world.path('other', name), { recursive: true });
    writeFileSync(world.path('other', 'one.png'), '');
    expect(await omitted()).toContain('no labels');
    mkdirSync(world.path('other', 'red wren'));
    expect(await omitted()).toBeUndefined();
    writeConfiguration(world, { compare: false });
    expect(await omitted()).toBe('compare is switched off');
  });
});

describe('status', () => {
  const words = async () =>
    (await workspaceStatus(await openWorkspace(world.folder))).find(({ stage }) => stage === 'words');

  it('says what is missing before any run, and no more of it when it is there', async () => {
    writeConfiguration(world, { vectors: 'later.txt' });
    expect(await words()).toMatchObject({ state: 'failed', reason: expect.stringContaining('later.txt') });
    writeFileSync(world.path('later.txt'), 'blue 1 2\n');
    expect(await words()).toMatchObject({ state: 'waiting', reason: 'never run' });
  });

  it('calls a stage that failed stale once its configuration was corrected', async () => {
    writeFileSync(world.path('broken.txt'), 'blue 1 2\nred 1\n');
    writeConfiguration(world, { vectors: 'broken.txt' });
    await expect(runWorkspace(await openWorkspace(world.folder), { until: 'words' })).rejects.toThrow();
    expect(await words()).toMatchObject({ state: 'failed', reason: expect.stringContaining('broken.txt') });
    writeConfiguration(world);
    expect(await words()).toMatchObject({
      state: 'stale',
      reason: expect.stringMatching(/^vectors is .* since it failed; the next run tries it again$/),
    });
    mkdirSync(world.path('unrelated'));
    await runWorkspace(await openWorkspace(world.folder), { until: 'words' });
    expect(await words()).toMatchObject({ state: 'done' });
  });
});
