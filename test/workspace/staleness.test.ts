import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorkspace, runWorkspace, type StageName, workspaceStatus } from '../../src/workspace/index.js';
import { drawPicture, makeWorld, type World, writeConfiguration } from './world.js';

let world: World;
/** Most stages at work at the same time in the first run. */
let atOnce = 0;
beforeAll(async () => {
  world = await makeWorld();
  const seen = new Set<string>();
  await runWorkspace(await openWorkspace(world.folder), {
    onProgress: ({ parts }) => {
      for (const { stage } of parts!) seen.add(stage!);
      atOnce = Math.max(atOnce, parts!.length);
    },
  });
  expect(seen).toContain('fit');
}, 60_000);
afterAll(() => world.remove());

async function ran(): Promise<StageName[]> {
  const { stages } = await runWorkspace(await openWorkspace(world.folder));
  return stages.filter(({ outcome }) => outcome === 'ran').map(({ stage }) => stage);
}

/** What the stages say they made. */
async function summaries(): Promise<Record<string, string | undefined>> {
  const status = await workspaceStatus(await openWorkspace(world.folder));
  return Object.fromEntries(status.map(({ stage, summary }) => [stage, summary]));
}

/** Changes the configuration for good, so that each change is against the one before. */
function change(part: Partial<World['configuration']>): void {
  Object.assign(world.configuration, part);
  writeConfiguration(world);
}

describe('a first run', () => {
  it('works on independent stages side by side', () => {
    expect(atOnce).toBeGreaterThan(1);
  });

  it('says what every stage made', async () => {
    expect(await summaries()).toMatchObject({
      crawl: '40 pictures of 5 categories, 3 categories with fewer than 20',
      dedupe: '40 pictures stay, 0 duplicates removed',
      fit: expect.stringMatching(/^paper with .*parameters, accuracy [\d.]+ %$/),
    });
  });
});

describe('a second run', () => {
  it('runs nothing when nothing changed', async () => {
    expect(await ran()).toEqual([]);
  });

  it('runs nothing when a file was only touched', async () => {
    utimesSync(world.path('vectors.txt'), new Date(), new Date());
    utimesSync(world.path('test', 'red wren', 'red wren 00.png'), new Date(), new Date());
    expect(await ran()).toEqual([]);
  });

  it.each<[string, Partial<World['configuration']>, StageName[]]>([
    [
      'a parameter of the method',
      { learner: { method: 'paper', device: 'wasm', parameters: { lambda2: 1 } } },
      ['fit'],
    ],
    ['the seed', { seed: 2 }, ['fit']],
    ['the words of the texts', { text: { size: 3 } }, ['text', 'problem', 'fit']],
    ['the scaling of word vectors', { words: { normalize: 'none' } }, ['words', 'problem', 'fit']],
    ['how duplicates are found, when none are', { dedupe: { radius: 0, likeness: 0.9 } }, ['dedupe']],
    ['what the search costs', { crawl: { perCategory: 20, minimumSide: 32, concurrency: 2 } }, []],
    [
      'a category',
      { categories: ['blue finch', 'red wren', { name: 'green jay', aliases: ['green finch'] }] },
      ['words'],
    ],
  ])('after a change of %s runs exactly what depends on it', async (_, part, expected) => {
    change(part);
    const status = await workspaceStatus(await openWorkspace(world.folder));
    expect(status.find(({ state }) => state !== 'done' && state !== 'omitted')?.stage).toBe(expected[0]);
    expect(await ran()).toEqual(expected);
    expect(await ran()).toEqual([]);
  });

  it('moves the pictures of another crawl aside, and goes on with one that wants more of the same', async () => {
    const earlier = world.path('.bowerbird', 'earlier');
    const after = ['crawl', 'dedupe', 'features-web', 'text', 'problem', 'fit'];
    change({ crawl: { perCategory: 4, minimumSide: 32 } });
    expect(await ran()).toEqual(after);
    expect((await summaries()).crawl).toBe('20 pictures of 5 categories');
    expect(readdirSync(earlier)).toHaveLength(1);
    expect(readdirSync(join(earlier, readdirSync(earlier)[0]))).toContain('pictures');
    expect(readdirSync(world.path('.bowerbird'))).toContain('crawl.json');
    change({ crawl: { perCategory: 6, minimumSide: 32 } });
    expect(await ran()).toEqual(after);
    expect(readdirSync(earlier)).toHaveLength(1);
    expect(await ran()).toEqual([]);
  });

  it('sees that a picture was replaced, though size and name are the same', async () => {
    const file = world.path('test', 'red wren', 'red wren 00.png');
    const before = readFileSync(file);
    const picture = await drawPicture('red wren', 999);
    const length = Math.max(before.length, picture.length);
    const padded = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(length - bytes.length)]);
    writeFileSync(file, padded(before));
    await ran();
    writeFileSync(file, padded(picture));
    expect(await ran()).toEqual(['dedupe', 'features-test', 'problem', 'fit']);
  });

  it('makes a result again that somebody deleted, and what follows stands when it is the same', async () => {
    rmSync(world.path('words', 'semantics.npz'));
    const status = await workspaceStatus(await openWorkspace(world.folder));
    expect(status.find(({ stage }) => stage === 'words')).toMatchObject({
      state: 'stale',
      reason: 'its result is missing',
    });
    expect(await ran()).toEqual(['words']);
  });

  it('trains word vectors on a corpus', async () => {
    const sentences = [
      'the amber wren sings',
      'a blue finch and a red finch',
      'green jay, pale jay, dark jay',
      'blue wren, red wren',
    ];
    writeFileSync(world.path('corpus.txt'), `${Array(40).fill(sentences.join('\n')).join('\n')}\n`);
    change({ vectors: { train: ['corpus.txt'], dim: 8, epochs: 2, minimumCount: 1, threads: 1 } });
    expect(await ran()).toEqual(['words', 'problem', 'fit']);
    expect(existsSync(world.path('words', 'training'))).toBe(false);
    change({ vectors: 'vectors.txt' });
    await ran();
  });

  it('goes on after a failure with what failed', async () => {
    writeFileSync(world.path('broken.txt'), 'blue 1 2\nred 1\n');
    change({ vectors: 'broken.txt' });
    await expect(ran()).rejects.toThrow(/broken\.txt/);
    const status = await workspaceStatus(await openWorkspace(world.folder));
    expect(status.find(({ stage }) => stage === 'words')).toMatchObject({ state: 'failed' });
    change({ vectors: 'vectors.txt' });
    expect(await ran()).toEqual(['words']);
  });
});
