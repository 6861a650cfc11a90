/** What a run says about pictures that are not where they should be, and what it keeps meanwhile. */
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readNpz } from '../../src/formats/index.js';
import { readProblem } from '../../src/problem/index.js';
import { openWorkspace, runWorkspace, type StageName, workspaceStatus } from '../../src/workspace/index.js';
import { makeWorld, type World, writeConfiguration } from './world.js';

let world: World;
beforeEach(async () => {
  world = await makeWorld({ auxiliary: 2, test: 2, web: 2, validation: false });
});
afterEach(() => {
  vi.unstubAllEnvs();
  world.remove();
});

async function run(until?: StageName) {
  return runWorkspace(await openWorkspace(world.folder), { until });
}

describe('a run', () => {
  it('names a test folder without pictures', async () => {
    mkdirSync(world.path('empty'));
    writeConfiguration(world, { test: 'empty' });
    await expect(run('features-test')).rejects.toMatchObject({
      code: 'BOWERBIRD_CONFIGURATION',
      message: 'bowerbird.yaml: test is empty, and there is no picture in it',
    });
  });

  it('names an auxiliary category without pictures before anything is crawled', async () => {
    mkdirSync(world.path('auxiliary', 'grey wren'));
    await expect(run('crawl')).rejects.toThrow(/no picture in its sub-folder "grey wren"/);
  });

  it('does not take features that were extracted beside the pictures for a category', async () => {
    mkdirSync(world.path('auxiliary', 'features', 'resnet50'), { recursive: true });
    writeFileSync(world.path('auxiliary', 'features', 'resnet50', 'meta.json'), '{}');
    const { stages } = await run('words');
    expect(stages[0].summary).toContain('9 names');
  });

  it('says where it looked for a folder', async () => {
    writeConfiguration(world, { auxiliary: '../elsewhere' });
    await expect(run('words')).rejects.toThrow(/auxiliary is \.\.\/elsewhere; there is no folder \/.*elsewhere/);
  });

  it('says that there are no web pictures rather than learn without them', async () => {
    mkdirSync(world.path('nothing'));
    writeConfiguration(world, { sources: ['folder:nothing'], text: false });
    await expect(run('problem')).rejects.toMatchObject({
      code: 'BOWERBIRD_CONFIGURATION',
      message: 'there is no web picture of any category, and paper learns from them',
    });
    writeConfiguration(world, { sources: ['folder:nothing'], text: false, learner: { method: 'eszsl' } });
    expect((await run('problem')).stages.at(-1)?.outcome).toBe('ran');
  });

  it('goes on where names have no word vector, and says so once, before anything else is done', async () => {
    writeConfiguration(world, { categories: ['blue finch', 'red wren', 'qqq'], auxiliary: 'auxiliary' });
    const notes: string[] = [];
    const report = await runWorkspace(await openWorkspace(world.folder), {
      until: 'words',
      onNote: (message, kind) => kind === 'note' && notes.push(message),
    });
    expect(report.stages.at(-1)?.outcome).toBe('ran');
    expect(notes).toEqual([
      'words: 1 of 9 names have no word vector, so that words say nothing of them: qqq; an alias that has one helps',
    ]);
    const semantics = (await readNpz(world.path('words', 'semantics.npz'))).get('test_semantics')!;
    expect([...(semantics.data as Float32Array).slice(-semantics.shape[1])].every((value) => value === 0)).toBe(true);
  });

  it('stops at a name without a word vector where that was asked for', async () => {
    writeConfiguration(world, { categories: ['blue finch', 'red wren', 'qqq'], words: { missing: 'error' } });
    await expect(run('words')).rejects.toMatchObject({ hint: expect.stringMatching(/set words\.missing to skip/) });
  });

  it('does not count a crawl as done when no source answered, and asks again the next time', async () => {
    // Nobody listens there.
    const source = { source: 'openverse', endpoint: 'http://127.0.0.1:9/', rate: 1000 };
    const crawl = { perCategory: 2, attempts: 1, allowAddresses: ['127.0.0.0/8'], robots: false, validation: false };
    writeConfiguration(world, { sources: [source], crawl });
    for (let time = 0; time < 2; time++)
      await expect(run('crawl')).rejects.toMatchObject({
        code: 'BOWERBIRD_SOURCE',
        message: expect.stringMatching(/^no source answered: openverse, asked for .*; 2 other questions likewise$/),
      });
  });

  it('asks Wikimedia in the name of BOWERBIRD_CONTACT too', async () => {
    vi.stubEnv('BOWERBIRD_CONTACT', '');
    const source = { source: 'wikimedia', endpoint: 'http://127.0.0.1:9/', rate: 1000 };
    const crawl = { perCategory: 2, attempts: 1, allowAddresses: ['127.0.0.0/8'], robots: false };
    writeConfiguration(world, { sources: [source], crawl });
    await expect(run('crawl')).rejects.toMatchObject({
      code: 'BOWERBIRD_CONFIGURATION',
      hint: expect.stringContaining('crawl.contact'),
    });
    vi.stubEnv('BOWERBIRD_CONTACT', 'me@example.org');
    await expect(run('crawl')).rejects.toMatchObject({ code: 'BOWERBIRD_SOURCE' });
  });

  it('finds the folder of a category by its name where the search words are others', async () => {
    const [blue, ...others] = world.configuration.categories as string[];
    writeConfiguration(world, { categories: [{ name: blue, query: 'blue finch bird' }, ...others] });
    expect((await run('crawl')).stages[0].summary).toBe('6 pictures of 3 categories, 3 categories with fewer than 20');
  });

  it('takes a category for the folder of its name, however the system writes an accent', async () => {
    const name = 'blue finch'.replace('i', 'í');
    renameSync(world.path('test', 'blue finch'), world.path('test', name.normalize('NFD')));
    renameSync(world.path('web', 'blue finch'), world.path('web', name.normalize('NFD')));
    const [, ...others] = world.configuration.categories as string[];
    writeConfiguration(world, {
      categories: [{ name: name.normalize('NFC'), aliases: ['blue finch'] }, ...others],
      text: false,
    });
    const { stages } = await run('problem');
    expect(stages[0].summary).toContain('6 pictures of 3 categories');
    const { testLabels } = await readProblem(world.path('problem.npz'));
    expect(testLabels?.filter((label) => label === 0)).toHaveLength(2);
  });

  it('keeps what was made from a folder that is away for a while', async () => {
    await run('words');
    renameSync(world.path('auxiliary'), world.path('away'));
    await expect(run('words')).rejects.toThrow(/there is no folder/);
    renameSync(world.path('away'), world.path('auxiliary'));
    expect((await run('words')).stages.map(({ outcome }) => outcome)).toEqual(['unchanged']);
  });

  it('leaves with the stage, for status, which pictures failed', async () => {
    writeFileSync(world.path('test', 'red wren', 'broken.png'), 'no picture');
    const { failed } = await run('features-test');
    expect(failed).toEqual(['1 test pictures have no features: features/test/failures.csv']);
    const stages = await workspaceStatus(await openWorkspace(world.folder));
    expect(stages.find(({ stage }) => stage === 'features-test')).toMatchObject({ state: 'done', failed });
  });

  // Rights mean nothing to the superuser.
  it.skipIf(process.getuid?.() === 0)('goes on without a picture that may not be read', async () => {
    chmodSync(world.path('test', 'red wren', 'red wren 00.png'), 0);
    const { failed } = await run('features-test');
    expect(failed).toEqual(['1 test pictures have no features: features/test/failures.csv']);
  });

  it('says so where the configuration is there but cannot be read', async () => {
    rmSync(world.path('bowerbird.yaml'));
    mkdirSync(world.path('bowerbird.yaml'));
    await expect(run()).rejects.toMatchObject({ code: 'BOWERBIRD_FILE' });
  });

  it('says which stage is being looked at, since that may take long', async () => {
    const seen: string[] = [];
    const stages = await workspaceStatus(await openWorkspace(world.folder), ({ detail, done, total }) => {
      expect([done, total]).toEqual([seen.length, 12]);
      seen.push(detail!);
    });
    expect(seen).toEqual(stages.map(({ stage }) => stage));
  });

  it('can be looked at where nothing can be written', async () => {
    await run('words');
    const workspace = await openWorkspace(world.folder);
    rmSync(world.path('.bowerbird', 'hashes.json'));
    mkdirSync(world.path('.bowerbird', 'hashes.json', 'in the way'), { recursive: true });
    const stages = await workspaceStatus(workspace);
    expect(stages.find(({ stage }) => stage === 'words')?.state).toBe('done');
  });
});
