import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultEarlyStopping, type JournalLine, search } from '../../src/evaluation/index.js';
import { runFit } from '../../src/evaluation/run-fit.js';
import { createBackend } from '../../src/linalg/index.js';
import { generateProblem, validationSplit } from '../../src/problem/index.js';
import { temporaryFolder } from '../temporary-folder.js';

const folder = temporaryFolder();
const place = (name: string) => join(folder, name);

const small = generateProblem({
  seed: 3,
  dimensions: 20,
  semanticDimensions: 6,
  webPerCategory: 10,
  testPerCategory: 8,
});
const base = { problem: small, trials: 6, jobs: 1, threads: 1 };

/** What a journal says, in the order of the jobs' names and without times. */
function results(name: string): unknown[] {
  const lines = readFileSync(join(place(name), 'trials.jsonl'), 'utf8')
    .trim()
    .split('\n');
  return lines
    .map((line) => JSON.parse(line) as JournalLine)
    .map((line) => ('outcome' in line ? { ...line, outcome: { ...line.outcome, ...timeless } } : line))
    .sort((a, b) => a.job.id.localeCompare(b.job.id));
}

/** What differs from run to run. */
const timeless = { seconds: 0, processorSeconds: undefined, preparation: undefined };

describe('a search', () => {
  it('records every trial and writes the best one for fit', async () => {
    const { chosen, trials } = await search({ ...base, folder: place('lr'), method: 'lr' });
    expect(trials.length).toBe(6);
    const best = Math.max(...trials.map((line) => ('outcome' in line ? line.outcome.meanCategoryAccuracy! : 0)));
    expect(chosen.validationAccuracy).toBe(best);
    expect(JSON.parse(readFileSync(join(place('lr'), 'chosen.json'), 'utf8'))).toEqual(chosen);
    expect(chosen.validation).toMatchObject({ kind: 'web', categories: 4 });
  });

  it('scores trials on the validation problem, as a fit of one’s own does', async () => {
    const { trials } = await search({ ...base, folder: place('own'), method: 'eszsl', trials: 2 });
    const backend = await createBackend({ threads: 1 });
    for (const line of trials) {
      const own = await runFit(line.job, validationSplit(small), { backend });
      expect('outcome' in line && line.outcome.accuracy).toBe(own.accuracy);
    }
    backend.dispose();
  });

  it('is the same twice, and the same on threads as in one', async () => {
    const options = { ...base, method: 'sje', earlyStopping: defaultEarlyStopping };
    const one = await search({ ...options, folder: place('one') });
    const two = await search({ ...options, folder: place('two') });
    const threads = await search({ ...options, folder: place('threads'), jobs: 2 });
    expect(two.chosen).toEqual(one.chosen);
    expect(threads.chosen).toEqual(one.chosen);
    expect(results('two')).toEqual(results('one'));
    expect(results('threads')).toEqual(results('one'));
    expect(one.chosen.stoppedTrials).toBe(4);
  });

  it('in the generalized setting searches the parts of a method in the setting that they know', async () => {
    const options = { ...base, folder: place('parts'), method: 'wsl+lr', generalized: true, trials: 1 };
    const { trials } = await search(options);
    expect(trials.map((line) => [line.job.method, line.job.generalized, 'outcome' in line])).toEqual([
      ['xiao', false, true],
      ['wsl+lr', true, true],
    ]);
  });

  it('with more trials keeps those it has', async () => {
    await search({ ...base, folder: place('more'), method: 'lr', trials: 3 });
    const before = readFileSync(join(place('more'), 'trials.jsonl'), 'utf8');
    await search({ ...base, folder: place('more'), method: 'lr', trials: 5 });
    const after = readFileSync(join(place('more'), 'trials.jsonl'), 'utf8');
    expect(after.startsWith(before)).toBe(true);
    expect(after.trim().split('\n').length).toBe(5);
  });

  it('refuses a folder of another problem, seed or validation set, until told to begin anew', async () => {
    await search({ ...base, folder: place('mine'), method: 'lr', trials: 2 });
    const other = { ...base, folder: place('mine'), method: 'lr', trials: 2, seed: 5 };
    await expect(search(other)).rejects.toThrow('holds the results of another run');
    await search({ ...other, restart: true });
    expect(results('mine').length).toBe(2);
  });

  it('says what to do where web pictures of validation categories are missing, and takes a substitute', async () => {
    const { validationWeb: _, ...bare } = small;
    const options = { ...base, problem: bare, method: 'lr', trials: 2 };
    await expect(search({ ...options, folder: place('none') })).rejects.toMatchObject({
      code: 'BOWERBIRD_PROBLEM',
      hint: expect.stringContaining('--synthetic-validation'),
    });
    const { chosen } = await search({ ...options, folder: place('synthetic'), syntheticValidation: 0.25 });
    expect(chosen.validation).toMatchObject({ kind: 'synthetic', noise: 0.25 });
  });

  it('never sees test labels: other ones lead to the same choice', async () => {
    const shuffled = { ...small, testLabels: small.testLabels!.map((label) => (label + 1) % 6) };
    const honest = await search({ ...base, folder: place('honest'), method: 'shojaee', trials: 3 });
    const blind = await search({ ...base, problem: shuffled, folder: place('blind'), method: 'shojaee', trials: 3 });
    expect(blind.chosen).toEqual(honest.chosen);
  });

  it('stops when told, and goes on from there', async () => {
    const stop = new AbortController();
    const options = { ...base, folder: place('stopped'), method: 'latem', trials: 4 };
    const halted = search({
      ...options,
      signal: stop.signal,
      onProgress: ({ done }) => {
        if (done === 2) stop.abort(new Error('enough'));
      },
    });
    await expect(halted).rejects.toThrow('enough');
    expect(existsSync(join(place('stopped'), 'chosen.json'))).toBe(false);
    expect(results('stopped').length).toBeGreaterThanOrEqual(2);
    expect(results('stopped').length).toBeLessThan(4);
    const resumed = await search(options);
    const whole = await search({ ...options, folder: place('whole') });
    expect(resumed.chosen).toEqual(whole.chosen);
    expect(results('stopped')).toEqual(results('whole'));
  });

  it('explains methods that have nothing to choose or cannot work here', async () => {
    await expect(search({ ...base, folder: place('x'), method: 'prototype' })).rejects.toThrow('no parameters');
    await expect(search({ ...base, folder: place('x'), method: 'lr-mix' })).rejects.toThrow('generalized setting');
  });
});
