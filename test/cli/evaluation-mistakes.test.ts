import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { run } from '../../src/cli/run.js';
import { generateProblem, saveProblem } from '../../src/problem/index.js';
import { temporaryFolder } from '../temporary-folder.js';
import { catchOutput } from './output.js';

const folder = temporaryFolder();
const file = (...names: string[]) => join(folder, ...names);
const printed = catchOutput();

beforeAll(async () => {
  await saveProblem(file('problem.npz'), generateProblem({ seed: 3 }));
});

describe('tune, compare and experiment, used wrongly', () => {
  it('keep a fit that lies where they should write, also when they begin anew', async () => {
    expect(await run(['fit', file('problem.npz'), '--out', file('fitted'), '--method', 'lr', '--quiet'])).toBe(0);
    const before = readdirSync(file('fitted'));
    const words = [file('problem.npz'), '--out', file('fitted'), '--quiet', '--jobs', '1'];
    for (const command of [['tune'], ['compare', '--restart'], ['experiment', 'running-time', '--tune', '0']]) {
      printed.errors = '';
      expect(await run([...command, ...words])).toBe(2);
      expect(printed.errors).toContain(`${file('fitted')} holds the results of a fit`);
      expect(printed.errors).toContain('Name another folder with --out.');
    }
    expect(readdirSync(file('fitted'))).toEqual(before);
  });

  it('show a line that can be typed when the folder is missing', async () => {
    expect(await run(['experiment', 'weights'])).toBe(2);
    expect(printed.errors).toContain('Try: bowerbird experiment weights --out results\n');
    expect(await run(['tune', 'birds.npz'])).toBe(2);
    expect(printed.errors).toContain('Try: bowerbird tune birds.npz --out results\n');
  });

  it('check the parameters that they are given', async () => {
    const words = ['experiment', 'running-time', file('problem.npz'), '--quiet', '--out', file('x'), '--params'];
    expect(await run([...words, file('nowhere.json')])).toBe(1);
    expect(printed.errors).toContain('nowhere.json: cannot be opened: no such file or folder [BOWERBIRD_FILE]');
    for (const [text, message] of [
      ['{', 'is not JSON'],
      ['null', 'has no "method" and "parameters"'],
      ['{"method": "eszl", "parameters": {}}', 'Did you mean "eszsl"?'],
      ['{"method": "lr", "parameters": {"rigde": 1}}', 'lr has no parameter "rigde"'],
    ]) {
      writeFileSync(file('given.json'), text);
      expect(await run([...words, file('given.json')])).not.toBe(0);
      expect(printed.errors).toContain(message);
    }
  });

  it('refuse an address that is no queue before they read or write', async () => {
    const words = ['compare', file('problem.npz'), '--methods', 'lr', '--out', file('queued'), '--queue'];
    for (const address of ['head', 'http://head:6379', 'head:6379']) {
      printed.errors = '';
      expect(await run([...words, address])).toBe(2);
      expect(await run(['worker', '--queue', address])).toBe(2);
      expect(printed.errors.match(/It looks like redis:\/\/host:6379/g)).toHaveLength(2);
      expect(printed.errors).not.toContain('waiting for jobs');
    }
    expect(await run([...words, 'http://user:secret@head'])).toBe(2);
    expect(printed.errors).not.toContain('secret');
    expect(existsSync(file('queued'))).toBe(false);
  });

  it('name a file where a folder was expected', async () => {
    const words = [file('problem.npz'), '--out', file('problem.npz'), '--methods', 'lr', '--quiet'];
    expect(await run(['compare', ...words])).toBe(1);
    expect(printed.errors).toContain('problem.npz: cannot be written: a file of this name is there already');
  });
});

describe('a search that begins anew', () => {
  it('has no results until it has ended', async () => {
    const words = [file('problem.npz'), '--out', file('anew'), '--methods', 'lr', '--jobs', '1'];
    expect(await run(['compare', ...words, '--quiet'])).toBe(0);
    expect(readdirSync(file('anew'))).toContain('table.json');
    const ended = run([
      'compare',
      ...words.map((word) => (word === 'lr' ? 'latem' : word)),
      '--tune',
      '200',
      '--restart',
    ]);
    await vi.waitUntil(() => printed.errors.includes('compare: '), { timeout: 20_000 });
    process.emit('SIGINT');
    expect(await ended).toBe(130);
    expect(readdirSync(file('anew'))).not.toContain('table.json');
    expect(await run(['report', file('anew'), '--out', file('anew.html')])).toBe(2);
    expect(printed.errors).toContain('It was begun but not finished');
  });
});

describe('a search that is interrupted', () => {
  it('says that the same command goes on', async () => {
    const words = [file('problem.npz'), '--method', 'latem', '--trials', '200', '--jobs', '1', '--out', file('tuned')];
    const ended = run(['tune', ...words]);
    await vi.waitUntil(() => printed.errors.includes('tune: '), { timeout: 20_000 });
    process.emit('SIGINT');
    expect(await ended).toBe(130);
    expect(printed.errors).toContain('the same command goes on from there');
  });
});
