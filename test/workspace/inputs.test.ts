/** Which stages have to run again after a change of the configuration, by their inputs alone: nothing is run here. */
import { rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorkspace, stages, type WrittenConfiguration } from '../../src/workspace/index.js';
import { optionInputs } from '../../src/workspace/stage.js';
import { changedInput } from '../../src/workspace/staleness.js';
import { makeWorld, type World, writeConfiguration } from './world.js';

type Inputs = Record<string, Readonly<Record<string, string>>>;

let world: World;
let before: Inputs;
beforeAll(async () => {
  world = await makeWorld({ auxiliary: 2, test: 2, web: 2, validation: false });
  writeFileSync(world.path('truth.csv'), 'id,wrong\n');
  Object.assign(world.configuration, { compare: { methods: ['lr'], tune: 2 }, tune: { trials: 2 } });
  writeConfiguration(world);
  before = await inputs();
});
afterAll(() => world.remove());

/** Those of stages that read what earlier ones made are empty here. */
async function inputs(): Promise<Inputs> {
  const workspace = await openWorkspace(world.folder);
  const each = stages.map(async (stage) => [stage.name, await stage.inputs(workspace).catch(() => ({}))] as const);
  return Object.fromEntries(await Promise.all(each));
}

/** What the inputs of every stage say of a change of the configuration. */
async function changes(part: Partial<WrittenConfiguration>): Promise<Record<string, string>> {
  writeConfiguration(world, part);
  const found = Object.entries(await inputs()).map(([name, now]) => [name, changedInput(before[name], now)] as const);
  return Object.fromEntries(found.flatMap(([name, words]) => (words === undefined ? [] : [[name, words]])));
}

const crawl = { perCategory: 20, minimumSide: 32 };
const others: [Partial<WrittenConfiguration>, Record<string, string>][] = [
  [{ truth: { wrong: 'wrong' } }, { problem: 'truth.wrong is "wrong", was not set' }],
  [{ truth: { file: 'truth.csv' } }, { problem: 'truth.file is "truth.csv", was not set' }],
  [{ answers: 'all' }, { problem: 'answers is all, was not set' }],
  [{ shares: 'equal' }, { problem: 'shares is "equal", was not set' }],
  [{ tune: { trials: 3 } }, { tune: 'tune.trials is 3, was 2' }],
  [{ tune: { trials: 2, noise: 0.1 } }, { tune: 'tune.noise is 0.1, was 0.3', compare: 'tune.noise is 0.1, was 0.3' }],
  [{ compare: { methods: ['lr'], tune: 2, seeds: 3 } }, { compare: 'compare.seeds is 3, was 1' }],
  [{ words: { missing: 'mean' } }, { words: 'words.missing is "mean", was "skip"' }],
  [{ text: { size: 5 } }, { text: 'text.size is 5, was 2000' }],
  [{ dedupe: { radius: 0, leaks: 'error' } }, { dedupe: 'dedupe.leaks is "error", was "drop"' }],
  [{ crawl: { ...crawl, perCategory: 3 } }, { crawl: 'crawl.perCategory is 3, was 20' }],
  [{ crawl: { ...crawl, concurrency: 3 } }, {}],
  [{ jobs: 3 }, {}],
  [{ name: 'other' }, { report: expect.stringMatching(/^name is "other"/) }],
  [{ seed: 5 }, Object.fromEntries(['tune', 'fit', 'compare'].map((stage) => [stage, 'seed is 5, was 1']))],
];

describe('the inputs of stages', () => {
  it.each(others)('after %j differ where it matters: %j', async (part, expected) => {
    expect(await changes(part)).toEqual(expected);
  });

  it('of a crawl are the list of addresses and the folders that it takes pictures from', async () => {
    writeFileSync(world.path('list.csv'), 'url\n');
    const sources = ['urls:list.csv', 'folder:web'];
    writeConfiguration(world, { sources });
    const crawlInputs = async () => (await inputs()).crawl;
    const first = await crawlInputs();
    expect(Object.keys(first)).toEqual(expect.arrayContaining(['the list list.csv', 'the pictures in web']));
    writeFileSync(world.path('list.csv'), 'url\nhttps://a.example/b.jpg\n');
    expect(changedInput(first, await crawlInputs())).toBe('the list list.csv changed');
    rmSync(world.path('list.csv'));
    expect((await crawlInputs())['the list list.csv']).toBe('missing');
  });

  it('are words for what was set, and hashes for what is too long to say', () => {
    expect(Object.entries(optionInputs('text', { size: 5, stem: undefined }))).toEqual([['text.size', '5']]);
    expect(changedInput({ a: '1' }, {})).toBe('a is gone, was 1');
    expect(changedInput({ a: '0'.repeat(32) }, { a: '1' })).toBe('a changed');
    expect(changedInput({ a: '1' }, { a: 'f'.repeat(64) })).toBe('a changed');
    expect(changedInput({ a: '1', b: '2' }, { b: '2', a: '1' })).toBeUndefined();
  });
});
