/** A run and the status of a workspace whose stages are made up: what runs, in which order, what is told and kept. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BowerbirdError, UsageError } from '../../src/errors.js';
import type { Progress } from '../../src/progress.js';
import { lockWorkspace } from '../../src/workspace/lock.js';
import { type RunOptions, runWorkspace } from '../../src/workspace/run.js';
import type { Stage, StageContext } from '../../src/workspace/stage.js';
import { workspaceStatus } from '../../src/workspace/status.js';
import { openWorkspace, type Workspace } from '../../src/workspace/workspace.js';

const made = vi.hoisted(() => ({ stages: [] as unknown[] }));
vi.mock('../../src/workspace/stages/index.js', () => ({ stages: made.stages }));

let folder: string;
let workspace: Workspace;
let ran: string[];
let inputs: Record<string, string>;
let works: Partial<Record<string, (context: StageContext) => unknown>>;
let checks: Partial<Record<string, () => unknown>>;
let omitted: Partial<Record<string, string>>;

function stage(name: Stage['name'], needs: Stage['needs'], heavy = false): Stage {
  return {
    ...{ name, needs, heavy },
    omitted: () => omitted[name],
    check: async () => void (await checks[name]?.()),
    inputs: async () => ({ option: inputs[name] ?? '1' }),
    outputs: async () => [`${name}.txt`],
    async run(context) {
      ran.push(name);
      const said = await works[name]?.(context);
      if (said !== 'nothing') writeFileSync(join(folder, `${name}.txt`), `${name} ${inputs[name] ?? '1'}`);
      return { summary: `${name} made`, ...(said === 'failed items' && { failed: [`${name} item`] }) };
    },
  };
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bowerbird-stages-'));
  writeFileSync(join(folder, 'bowerbird.yaml'), 'categories: [a, b]\nauxiliary: aux\ntest: test\n');
  workspace = await openWorkspace(folder);
  [ran, inputs, works, checks, omitted] = [[], {}, {}, {}, {}];
  const all = [
    stage('crawl', []),
    stage('words', [], true),
    stage('text', ['crawl']),
    stage('fit', ['text', 'words'], true),
  ];
  made.stages.splice(0, made.stages.length, ...all, stage('tune', []), stage('compare', ['words'], true));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (options: RunOptions = {}) => runWorkspace(workspace, options);
const outcomes = async (options?: RunOptions) =>
  Object.fromEntries((await run(options)).stages.map((report) => [report.stage, report.outcome]));
const status = async () =>
  Object.fromEntries((await workspaceStatus(workspace)).map((one) => [one.stage, [one.state, one.reason]]));
const allRan = { crawl: 'ran', words: 'ran', text: 'ran', fit: 'ran', tune: 'ran', compare: 'ran' };
const nothingNew = Object.fromEntries(Object.keys(allRan).map((name) => [name, 'unchanged']));

describe('a run of stages', () => {
  it('runs each after those it needs, once, and nothing the second time', async () => {
    expect(await outcomes()).toEqual(allRan);
    expect([...ran].sort()).toEqual(Object.keys(allRan).sort());
    for (const [name, before] of [
      ['text', 'crawl'],
      ['fit', 'text'],
      ['fit', 'words'],
      ['compare', 'words'],
    ])
      expect(ran.indexOf(name)).toBeGreaterThan(ran.indexOf(before));
    ran = [];
    expect(await outcomes()).toEqual(nothingNew);
    expect(ran).toEqual([]);
  });

  it('runs what depends on a change, and what is asked for again', async () => {
    await run();
    ran = [];
    inputs.crawl = '2';
    expect(await outcomes()).toMatchObject({ crawl: 'ran', text: 'ran', words: 'unchanged' });
    // Its result is the same as before, so nothing after it runs.
    expect(ran).toEqual(['crawl', 'text']);
    ran = [];
    const { stages } = await run({ again: 'words' });
    expect(stages.find((one) => one.stage === 'words')).toMatchObject({ outcome: 'ran', reason: 'asked for' });
    expect(ran).toEqual(['words']);
  });

  it('runs again what somebody changed or removed', async () => {
    await run();
    writeFileSync(join(folder, 'words.txt'), 'other');
    rmSync(join(folder, 'crawl.txt'));
    expect((await status()).words).toEqual(['stale', 'its result was changed by something else']);
    expect((await status()).crawl).toEqual(['stale', 'its result is missing']);
    const { stages } = await run();
    expect(stages.filter(({ outcome }) => outcome === 'ran').map(({ stage: name }) => name)).toEqual([
      'crawl',
      'words',
    ]);
  });

  it('stops after the stage that was named', async () => {
    expect(await outcomes({ until: 'text' })).toEqual({ crawl: 'ran', text: 'ran' });
    expect((await status()).fit).toEqual(['waiting', 'words comes first']);
    expect((await status()).words).toEqual(['waiting', 'never run']);
  });

  it('leaves out what is omitted, and those that need it run', async () => {
    omitted.words = 'not wanted';
    const { stages } = await run();
    expect(stages.find((one) => one.stage === 'words')).toMatchObject({ outcome: 'omitted', reason: 'not wanted' });
    expect(ran).toContain('fit');
    expect((await status()).words).toEqual(['omitted', 'not wanted']);
    expect((await status()).fit[0]).toBe('done');
  });

  it('quickly keeps what was searched for, and searches where there is nothing yet', async () => {
    expect(await outcomes({ quick: true })).toEqual(allRan);
    inputs.tune = '2';
    inputs.compare = '2';
    inputs.words = '2';
    expect(await outcomes({ quick: true })).toMatchObject({
      words: 'ran',
      fit: 'ran',
      tune: 'unchanged',
      compare: 'unchanged',
    });
    expect(await outcomes()).toMatchObject({ words: 'unchanged', tune: 'ran', compare: 'ran' });
  });

  it('has heavy stages work one after the other, the others meanwhile', async () => {
    let [working, most] = [0, 0];
    const heavy = async () => {
      most = Math.max(most, ++working);
      await new Promise((resolve) => setTimeout(resolve, 5));
      working--;
    };
    made.stages.push(stage('report', [], true));
    // Each of the two waits for the other to begin.
    const begun = { crawl: () => {}, words: () => {} };
    const both = {
      crawl: new Promise<void>((resolve) => (begun.crawl = resolve)),
      words: new Promise<void>((resolve) => (begun.words = resolve)),
    };
    works = {
      report: heavy,
      compare: heavy,
      crawl: async () => {
        begun.crawl();
        await both.words;
      },
      words: async () => {
        begun.words();
        await both.crawl;
        await heavy();
      },
    };
    await run();
    expect(most).toBe(1);
  });
});

describe('a stage that fails', () => {
  const broken = new BowerbirdError('BOWERBIRD_SOURCE', 'no answer', { hint: 'Ask again.' });

  it('stops those that need it, not the others; the next run tries it again', async () => {
    works.crawl = () => {
      throw broken;
    };
    const notes: string[] = [];
    await expect(run({ onNote: (note) => notes.push(note) })).rejects.toBe(broken);
    expect(ran.sort()).toEqual(['compare', 'crawl', 'tune', 'words']);
    expect(notes).toContain('crawl failed: no answer');
    const [failed] = await workspaceStatus(workspace);
    expect(failed).toMatchObject({ state: 'failed', reason: 'no answer', hint: 'Ask again.' });
    expect((await status()).text).toEqual(['waiting', 'crawl comes first']);
    const kept = JSON.parse(readFileSync(join(folder, '.bowerbird', 'stages.json'), 'utf8'));
    expect(kept.stages.crawl.error).toEqual({ code: 'BOWERBIRD_SOURCE', message: 'no answer', hint: 'Ask again.' });
    inputs.crawl = '2';
    expect((await status()).crawl[0]).toBe('stale');
    expect((await status()).crawl[1]).toMatch(/option is 2, was 1 since it failed; the next run tries it again/);
    works = {};
    ran = [];
    const { stages } = await run();
    expect(stages[0].reason).toBe('failed: no answer');
    expect(ran).toEqual(['crawl', 'text', 'fit']);
  });

  it('without its result has failed', async () => {
    works.words = () => 'nothing';
    await expect(run()).rejects.toThrow('words ended without its outputs');
    expect((await status()).words[0]).toBe('failed');
  });

  it('over what it was told names the configuration', async () => {
    works.words = () => {
      throw new UsageError('a wrong word', 'Say another.');
    };
    await expect(run()).rejects.toMatchObject({ name: 'ConfigurationError', hint: 'Say another.' });
  });

  it('when what it depends on cannot be found out keeps its result', async () => {
    await run();
    const [crawl] = made.stages as [Stage];
    const known = crawl.inputs;
    Object.assign(crawl, { inputs: () => Promise.reject(new Error('the folder is away')) });
    expect((await status()).crawl).toEqual(['failed', 'the folder is away']);
    await expect(run()).rejects.toThrow('the folder is away');
    Object.assign(crawl, { inputs: known });
    ran = [];
    await run();
    expect(ran).toEqual([]);
  });

  it('is known before anything is done where it can be', async () => {
    checks.words = () => {
      throw new UsageError('no such word');
    };
    checks.tune = () => {
      throw new UsageError('nothing to tune');
    };
    const notes: string[] = [];
    await expect(run({ onNote: (note) => notes.push(note) })).rejects.toThrow('no such word');
    expect(notes).toEqual(['also: nothing to tune']);
    expect(ran).toEqual([]);
    expect((await status()).words).toEqual(['failed', 'no such word']);
    omitted.words = 'not wanted';
    omitted.tune = 'not wanted';
    await run();
    expect(ran).toContain('fit');
  });
});

describe('what a run tells', () => {
  it('is how many stages need nothing more, and how far those at work are', async () => {
    const seen: Progress[] = [];
    works.crawl = ({ onProgress }) => {
      onProgress({ done: 3, total: 9, stage: 'fetch', detail: 'a name' });
      onProgress({ done: 4, total: 9, stage: 'crawl' });
    };
    await run({ onProgress: (progress) => seen.push(progress) });
    expect(seen.every(({ total }) => total === 6)).toBe(true);
    expect(seen.at(-1)).toEqual({ done: 6, total: 6, parts: [] });
    const parts = seen.flatMap((progress) => progress.parts!.filter((part) => part.stage === 'crawl'));
    expect(parts).toContainEqual({ done: 0, stage: 'crawl' });
    expect(parts).toContainEqual({ done: 3, total: 9, stage: 'crawl', detail: 'fetch, a name' });
    expect(parts).toContainEqual({ done: 4, total: 9, stage: 'crawl' });
  });

  it('is what each made, in how many seconds, and notes, which stay with the result', async () => {
    const notes: [string, string][] = [];
    works.text = ({ note }) => note('few words');
    works.words = () => 'failed items';
    const first = await run({ onNote: (message, kind) => notes.push([message, kind]) });
    expect(notes).toContainEqual(['text: few words', 'note']);
    expect(notes.filter(([message]) => /^fit: fit made \([\d.]+ s\)$/.test(message))).toEqual([
      [expect.any(String), 'end'],
    ]);
    expect(first.failed).toEqual(['words item']);
    const second = await run();
    expect(second.failed).toEqual(['words item']);
    expect(second.stages.find((one) => one.stage === 'text')).toMatchObject({
      summary: 'text made',
      notes: ['few words'],
    });
    const text = (await workspaceStatus(workspace)).find((one) => one.stage === 'text')!;
    expect(text).toMatchObject({ state: 'done', summary: 'text made', notes: ['few words'], failed: [] });
    expect(text.seconds).toBeGreaterThanOrEqual(0);
    expect(text.seconds).toBeLessThan(60);
    expect(Date.parse(text.finished!)).toBeGreaterThan(Date.now() - 600_000);
  });

  it('lies in a file while it works, which goes with its end', async () => {
    const file = join(folder, '.bowerbird', 'progress.json');
    let seen = '';
    works.crawl = () => {
      seen = readFileSync(file, 'utf8');
    };
    await run();
    expect(JSON.parse(seen)).toMatchObject({ process: process.pid, total: 6 });
    expect(readdirSync(join(folder, '.bowerbird'))).not.toContain('progress.json');
    expect(readdirSync(join(folder, '.bowerbird', 'locks'))).toEqual([]);
  });
});

describe('an interrupted run', () => {
  it('says so and is gone on with', async () => {
    const stop = new AbortController();
    works.crawl = () => {
      stop.abort();
      throw new Error('given up');
    };
    await expect(run({ signal: stop.signal })).rejects.toMatchObject({ name: 'InterruptedError' });
    expect(ran).not.toContain('text');
    expect((await status()).crawl).toEqual(['stale', 'interrupted']);
    works = {};
    const { stages } = await run();
    expect(stages[0]).toMatchObject({ outcome: 'ran', reason: 'interrupted' });
  });

  it('before it began runs nothing', async () => {
    await expect(run({ signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'InterruptedError' });
    expect(ran).toEqual([]);
  });
});

describe('the status', () => {
  it('of a stage at work is that it runs, as long as somebody is at work', async () => {
    let during: unknown;
    works.words = async () => {
      during = (await status()).words;
    };
    await run();
    expect(during).toEqual(['running', 'at work now']);
    const free = await lockWorkspace(workspace);
    expect((await status()).words[0]).toBe('done');
    await free();
  });

  it('tells which stage it looks at', async () => {
    const seen: Progress[] = [];
    await workspaceStatus(workspace, (progress) => seen.push(progress));
    expect(seen[1]).toEqual({ done: 1, total: 6, unit: 'stages', detail: 'words' });
    expect(seen).toHaveLength(6);
  });
});
