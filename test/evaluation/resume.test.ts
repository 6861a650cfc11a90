import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { artefact } from '../../src/artefact.js';
import { generateProblem, saveProblem } from '../../src/problem/index.js';
import { temporaryFolder } from '../temporary-folder.js';

const folder = temporaryFolder();
const place = (...names: string[]) => join(folder, ...names);
beforeAll(() => saveProblem(place('problem.npz'), generateProblem({ seed: 9, webPerCategory: 15, scaling: 'none' })));

function start(words: string[]): ChildProcess {
  return spawn(process.execPath, [fileURLToPath(artefact('cli/main.js')), ...words, '--quiet'], {
    stdio: 'ignore',
    env: { ...process.env, OPENBLAS_NUM_THREADS: '1' },
  });
}

async function finish(words: string[]): Promise<void> {
  const [code] = (await once(start(words), 'exit')) as [number];
  expect(code).toBe(0);
}

/** Kills the command as soon as its journal has this many lines. */
async function killAfter(words: string[], journal: string, lines: number): Promise<void> {
  const child = start(words);
  const ended = once(child, 'exit');
  const count = () => (existsSync(journal) ? readFileSync(journal, 'utf8').split('\n').length - 1 : 0);
  while (count() < lines && child.exitCode === null) await wait(5);
  child.kill('SIGKILL');
  expect(await ended).toEqual([null, 'SIGKILL']);
}

/** A file without what may differ between two runs: times and where the results went. */
function content(path: string): unknown {
  const timeless = (key: string, value: unknown) => (/seconds|preparation/i.test(key) ? undefined : value);
  return JSON.parse(readFileSync(path, 'utf8'), timeless);
}

function journalIds(path: string): string[] {
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return lines.map((line) => (JSON.parse(line) as { job: { id: string } }).job.id).sort();
}

describe('a command that is killed and started again', () => {
  it('tune ends as if nothing had happened, each trial done once', async () => {
    const words = (out: string) => [
      'tune',
      place('problem.npz'),
      '--method',
      'latem',
      '--trials',
      '8',
      '--out',
      place(out),
    ];
    await finish(words('tune-whole'));
    for (const lines of [2, 6]) await killAfter(words('tune'), place('tune', 'trials.jsonl'), lines);
    await finish(words('tune'));
    expect(content(place('tune', 'chosen.json'))).toEqual(content(place('tune-whole', 'chosen.json')));
    const ids = journalIds(place('tune', 'trials.jsonl'));
    expect(ids).toEqual(journalIds(place('tune-whole', 'trials.jsonl')));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('compare ends as if nothing had happened', async () => {
    const options = ['--methods', 'lr,sje,latem,knn', '--tune', '4', '--seeds', '2'];
    const words = (out: string) => ['compare', place('problem.npz'), ...options, '--out', place(out)];
    await finish(words('whole'));
    for (const lines of [5, 14]) await killAfter(words('killed'), place('killed', 'outcomes.jsonl'), lines);
    await finish(words('killed'));
    expect(content(place('killed', 'table.json'))).toEqual(content(place('whole', 'table.json')));
    expect(journalIds(place('killed', 'outcomes.jsonl'))).toEqual(journalIds(place('whole', 'outcomes.jsonl')));
  });
});
