/** What a workspace remembers in small files: hashes, states of stages, decisions as inputs, results of runs. */

import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.js';
import { asConfigurationError, ownInputs } from '../../src/workspace/check-stages.js';
import { Fingerprints, hashOf } from '../../src/workspace/fingerprint.js';
import { listSource, webPictures } from '../../src/workspace/pictures.js';
import { picturesOfRun, resultFolders } from '../../src/workspace/run-pictures.js';
import { optionInputs, pluginInputs, resultOf } from '../../src/workspace/stage.js';
import { changedInput, staleReason } from '../../src/workspace/staleness.js';
import { type StageRecord, StageStates } from '../../src/workspace/state.js';
import type { Workspace } from '../../src/workspace/workspace.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bowerbird-remembered-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const path = (...parts: string[]) => join(folder, ...parts);
const write = (name: string, text: string) => {
  mkdirSync(dirname(path(name)), { recursive: true });
  writeFileSync(path(name), text);
};
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const workspace = () => ({ folder, path, fingerprints: new Fingerprints(path('hashes.json')) }) as unknown as Workspace;

describe('hashes of files', () => {
  it('are those of their content, and none where there is no file', async () => {
    write('a.txt', 'one');
    const prints = new Fingerprints(path('.b', 'hashes.json'));
    expect(await prints.ofFile(path('a.txt'))).toBe(sha256('one'));
    expect(await prints.ofFile(path('absent'))).toBeUndefined();
    expect(await prints.ofFile(folder)).toBeUndefined();
  });

  it('are remembered while nothing about the file changes, and from one command to the next', async () => {
    write('a.txt', 'one');
    const first = new Fingerprints(path('.b', 'hashes.json'));
    await first.ofFile(path('a.txt'));
    await first.save();
    const file = path('.b', 'hashes.json');
    // What is remembered is believed.
    writeFileSync(file, readFileSync(file, 'utf8').replace(sha256('one'), 'believed'));
    const second = new Fingerprints(file);
    expect(await second.ofFile(path('a.txt'))).toBe('believed');
    // Nothing new: nothing is written.
    rmSync(file);
    await second.save();
    expect(() => readFileSync(file)).toThrow();
    utimesSync(path('a.txt'), 5, 5);
    expect(await second.ofFile(path('a.txt'))).toBe(sha256('one'));
    await second.save();
    expect(JSON.parse(readFileSync(file, 'utf8'))[path('a.txt')]).toMatchObject({ size: 3, sha256: sha256('one') });
  });

  it('of a folder are those of all files at any depth but hidden ones, in order', async () => {
    write('in/b/z.txt', 'z');
    write('in/a.txt', 'a');
    write('in/.hidden', 'h');
    const found = await new Fingerprints(path('h.json')).ofFolder(path('in'));
    expect([...found]).toEqual([
      ['a.txt', sha256('a')],
      ['b/z.txt', sha256('z')],
    ]);
    expect((await new Fingerprints(path('h.json')).ofFolder(path('absent'))).size).toBe(0);
  });

  it.skipIf(process.getuid?.() === 0)('of a file that may not be read say so', async () => {
    write('in/a.txt', 'a');
    chmodSync(path('in/a.txt'), 0);
    expect([...(await new Fingerprints(path('h.json')).ofFolder(path('in'))).values()]).toEqual(['unreadable']);
  });

  it('of values tell maps by what is in them', () => {
    expect(hashOf(new Map([['a', 1]]))).toBe(hashOf([['a', 1]]));
    expect(hashOf(new Map([['a', 1]]))).not.toBe(hashOf(new Map([['a', 2]])));
    expect(hashOf(undefined)).toMatch(/^[0-9a-f]{32}$/);
    expect(hashOf({ a: 1 })).toBe(sha256('{"a":1}').slice(0, 32));
  });
});

describe('states of stages', () => {
  it('are kept from one command to the next', async () => {
    const states = await StageStates.open({ path } as Workspace);
    await Promise.all([
      states.set('crawl', { state: 'running', inputs: { a: '1' } }),
      states.set('fit', { state: 'done', inputs: {}, output: 'x' }),
    ]);
    const again = await StageStates.open({ path } as Workspace);
    expect(again.get('crawl')).toEqual({ state: 'running', inputs: { a: '1' } });
    expect(again.get('fit')?.output).toBe('x');
    expect(again.get('tune')).toBeUndefined();
  });

  it('that somebody spoilt are none', async () => {
    const good = { state: 'failed', inputs: {}, notes: ['n'], failed: [] };
    const stages = {
      good,
      nothing: null,
      odd: { ...good, state: 'odd' },
      inputs: { ...good, inputs: null },
      text: { ...good, inputs: 'x' },
      notes: { ...good, notes: 'n' },
      failed: { ...good, failed: {} },
    };
    write('.bowerbird/stages.json', JSON.stringify({ version: 1, stages }));
    const states = await StageStates.open({ path } as Workspace);
    expect(Object.keys(stages).filter((name) => states.get(name))).toEqual(['good']);
    for (const text of ['{', JSON.stringify({ version: 2, stages }), 'null']) {
      write('.bowerbird/stages.json', text);
      expect((await StageStates.open({ path } as Workspace)).get('good')).toBeUndefined();
    }
  });
});

describe('what a stage depends on', () => {
  it('is told by the first thing that differs', () => {
    expect(changedInput({ a: '1', b: '2' }, { b: '2', a: '1' })).toBeUndefined();
    expect(changedInput({ a: '1' }, { a: '2' })).toBe('a is 2, was 1');
    expect(changedInput({ a: '1' }, {})).toBe('a is gone, was 1');
    expect(changedInput({}, { a: '1' })).toBe('a is 1, was not set');
    expect(changedInput({ a: 'f'.repeat(64) }, { a: 'e'.repeat(64) })).toBe('a changed');
    expect(changedInput({ a: 'f'.repeat(32) }, {})).toBe('a changed');
    // Too short for a hash, or no hexadecimal number.
    expect(changedInput({ a: 'f'.repeat(31) }, {})).toContain('gone');
    expect(changedInput({ a: `${'f'.repeat(40)}g` }, {})).toContain('gone');
    expect(changedInput({ a: 'long '.repeat(50) }, { a: '' })).toHaveLength(160);
  });

  it('is options by their names, without those that are not set', () => {
    expect(optionInputs('crawl', { a: [1], b: undefined, c: null })).toEqual({ 'crawl.a': '[1]', 'crawl.c': 'null' });
  });

  it('is the content of plugins', async () => {
    write('mine.mjs', 'export {}');
    const plugins = ['mine.mjs', 'absent.mjs'];
    const found = await pluginInputs({ ...workspace(), configuration: { plugins } } as unknown as Workspace);
    expect(found).toEqual({ 'the plugin mine.mjs': sha256('export {}'), 'the plugin absent.mjs': 'missing' });
  });

  it('without the results of other stages', () => {
    expect(ownInputs({ [resultOf('crawl')]: 'x', a: '1' })).toEqual({ a: '1' });
  });

  it('is stale for a reason in words', async () => {
    write('out.txt', 'made');
    const stage = { outputs: async () => ['out.txt'] } as never;
    const output = hashOf([['out.txt', sha256('made')]]);
    const record = (part: Partial<StageRecord>) => ({ state: 'done' as const, inputs: { a: '1' }, output, ...part });
    const reason = (part: Partial<StageRecord> | undefined) =>
      staleReason(stage, workspace(), { a: '1' }, part && record(part));
    expect(await reason({})).toBeUndefined();
    expect(await reason(undefined)).toBe('never run');
    expect(await reason({ state: 'running' })).toBe('interrupted');
    expect(await reason({ state: 'failed' })).toBe('failed: unknown');
    expect(await reason({ state: 'failed', error: { message: 'why' } })).toBe('failed: why');
    expect(await reason({ inputs: { a: '0' } })).toBe('a is 1, was 0');
    expect(await reason({ output: 'other' })).toBe('its result was changed by something else');
  });

  it('told wrongly stands in the configuration', () => {
    expect(asConfigurationError(new UsageError('wrong', 'hint'))).toMatchObject({
      name: 'ConfigurationError',
      hint: 'hint',
    });
    const other = new Error('other');
    expect(asConfigurationError(other)).toBe(other);
  });
});

describe('the results of a workspace', () => {
  it('are those of the fit, the comparison and the search, as far as they are there', () => {
    expect(resultFolders(folder)).toBeUndefined();
    write('bowerbird.yaml', '');
    expect(() => resultFolders(folder)).toThrow(/without results/);
    write('tune/x', '');
    write('run/x', '');
    expect(resultFolders(folder)).toEqual([path('run'), path('tune')]);
  });

  it('know the files of their web pictures as long as the problem is the one they were made from', async () => {
    const stages = { fit: { inputs: { [resultOf('problem')]: 'p' } }, problem: { output: 'p' } };
    write('.bowerbird/stages.json', JSON.stringify({ version: 1, stages }));
    write('problem-pictures.json', JSON.stringify({ web: ['b', 'a', 'gone'] }));
    write('.bowerbird/pictures.jsonl', '{"id":"a","path":"pictures/a.jpg"}\n{"id":"b","path":"pictures/b.jpg"}\n');
    expect(await picturesOfRun(path('run'))).toEqual([path('pictures/b.jpg'), path('pictures/a.jpg'), path('gone')]);
    expect(await picturesOfRun(path('compare'))).toBeUndefined();
    write('.bowerbird/stages.json', JSON.stringify({ version: 1, stages: { ...stages, problem: { output: 'q' } } }));
    expect(await picturesOfRun(path('run'))).toBeUndefined();
    rmSync(path('.bowerbird'), { recursive: true });
    expect(await picturesOfRun(path('run'))).toBeUndefined();
  });

  it('list web pictures a line each', async () => {
    write('.bowerbird/pictures.jsonl', '{"id":"a"}\n{"id":"b"}\n');
    const pictures = await webPictures(workspace());
    expect(pictures.map(({ id }) => id)).toEqual(['a', 'b']);
    const source = listSource(folder, pictures);
    expect([source.folder, source.count]).toEqual([folder, 2]);
    const listed: unknown[] = [];
    for await (const picture of source.pictures()) listed.push(picture);
    expect(listed).toEqual(pictures);
  });
});
