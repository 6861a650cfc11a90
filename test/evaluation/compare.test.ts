import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type CompareTable,
  chooseMethods,
  compare,
  impliesGeneralized,
  type JournalLine,
  mcnemarP,
  methodGroups,
} from '../../src/evaluation/index.js';
import { accuracy } from '../../src/fit/index.js';
import { readNpy } from '../../src/formats/index.js';
import { Matrix } from '../../src/linalg/index.js';
import { findMethod, methods } from '../../src/methods/index.js';
import { generateProblem } from '../../src/problem/index.js';
import { temporaryFolder } from '../temporary-folder.js';

const folder = temporaryFolder();
const place = (name: string) => join(folder, name);

const problem = generateProblem({ seed: 5, noise: 1.5, wrong: 0.4, webPerCategory: 12, testPerCategory: 15 });
const named = (...names: string[]) => names.map(findMethod);
const base = { problem, jobs: 1, threads: 1 };

describe('a comparison', () => {
  it('agrees with its own predictions: accuracies, confusion, wins and losses', async () => {
    const options = { ...base, folder: place('a'), methods: named('lr', 'eszsl', 'knn'), trials: 3 };
    const table = await compare(options);
    expect(table.rows.map((row) => row.method)).toEqual(['lr', 'eszsl', 'knn']);
    const labels = problem.testLabels!;
    const predictions = new Map<string, Int32Array>();
    for (const row of table.rows) {
      const stored = (await readNpy(join(place('a'), 'predictions', `${row.method}-1.npy`))).data as Int32Array;
      predictions.set(row.method, stored);
      expect(row.accuracy.mean).toBeCloseTo(accuracy(stored, labels), 12);
      expect(row.accuracy.low).toBeLessThan(row.accuracy.mean);
      expect(row.accuracy.high).toBeGreaterThan(row.accuracy.mean);
      expect(row.trials).toBe(3);
      expect(row.chosenBy).toBe('search');
    }
    expect(table.reference).toBe('lr');
    const right = (method: string) => Array.from(labels, (label, i) => predictions.get(method)![i] === label);
    const [lr, eszsl] = [right('lr'), right('eszsl')];
    const wins = eszsl.filter((value, i) => value && !lr[i]).length;
    const losses = lr.filter((value, i) => value && !eszsl[i]).length;
    const paired = table.rows[1].againstReference!;
    expect([paired.wins, paired.losses]).toEqual([wins, losses]);
    expect(paired.mcnemar).toBeCloseTo(mcnemarP(wins, losses), 12);
    expect(paired.difference).toBeCloseTo((wins - losses) / labels.length, 12);
    expect(table.rows[0].againstReference).toBeUndefined();
    const trace = table.confusion.counts.reduce((sum, row, c) => sum + row[c], 0);
    const best = table.rows.find((row) => row.method === table.best)!;
    expect(trace / labels.length).toBeCloseTo(best.accuracy.mean, 12);
    expect(Math.max(...table.rows.map((row) => row.accuracy.mean))).toBe(best.accuracy.mean);
  });

  it('makes what methods have in common once, their trials in turn, and says how much that spared', async () => {
    const notes: string[] = [];
    const methods = named('laplacian-shot', 'lr', 'transclip');
    const options = {
      ...base,
      folder: place('shared'),
      methods,
      trials: 4,
      onNote: (note: string) => notes.push(note),
    };
    const table = await compare(options);
    const jobs = readFileSync(join(place('shared'), 'outcomes.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as JournalLine).job);
    const trials = jobs.filter(({ id, method }) => id.includes('trial') && method !== 'lr');
    for (let k = 0; k < trials.length; k += 2) {
      expect(trials[k].parameters.power).toBe(trials[k + 1].parameters.power);
      expect(trials[k].method).not.toBe(trials[k + 1].method);
    }
    const [first, plain, second] = table.rows.map(({ preparation }) => preparation);
    expect(plain).toBeUndefined();
    expect(first!.shared + second!.shared).toBeGreaterThan(0);
    expect(notes.slice(0, 1)).toEqual([
      expect.stringMatching(/^fits shared \d+\.\d of \d+\.\d s of preparation \(\d+ %\)$/),
    ]);
    const alone = await compare({ ...base, folder: place('alone'), methods: named('transclip'), trials: 4 });
    expect(alone.rows[0].accuracy).toEqual(table.rows[2].accuracy);
    expect(alone.rows[0].parameters).toEqual(table.rows[2].parameters);
  });

  it('writes the table three times: JSON, CSV, Markdown', async () => {
    const table = await compare({ ...base, folder: place('files'), methods: named('lr', 'prototype') });
    expect(JSON.parse(readFileSync(join(place('files'), 'table.json'), 'utf8'))).toEqual(table);
    const [header, first] = readFileSync(join(place('files'), 'table.csv'), 'utf8').split('\n');
    expect(first.split(',')[header.split(',').indexOf('accuracy')]).toBe(String(table.rows[0].accuracy.mean));
    const page = readFileSync(join(place('files'), 'table.md'), 'utf8');
    expect(page).toContain('| lr |');
    expect(page).toContain((100 * table.rows[1].accuracy.mean).toFixed(2));
  });

  it('spreads over seeds: mean and deviation of the fits, one interval', async () => {
    const table = await compare({ ...base, folder: place('seeds'), methods: named('sje', 'lr'), seeds: 3 });
    const [sje, lr] = table.rows;
    expect(sje.seeds).toEqual([1, 2, 3]);
    const each = await Promise.all(
      [1, 2, 3].map(async (seed) =>
        accuracy(
          (await readNpy(join(place('seeds'), 'predictions', `sje-${seed}.npy`))).data as Int32Array,
          problem.testLabels!,
        ),
      ),
    );
    const mean = each.reduce((sum, value) => sum + value, 0) / 3;
    expect(sje.accuracy.mean).toBeCloseTo(mean, 12);
    const squares = each.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    expect(sje.accuracy.deviation).toBeCloseTo(Math.sqrt(squares / 2), 12);
    expect(lr.accuracy.deviation).toBeCloseTo(0, 12);
  });

  it('lists methods that cannot work on the problem with the reason, and compares the others', async () => {
    const { webText: _text, webTexts: _texts, ...silent } = problem;
    const chosen = named('lr', 'svm-plus', 'paper-pi', 'bowerbird', 'lr-mix', 'clip');
    const table = await compare({ ...base, problem: silent, folder: place('skip'), methods: chosen, trials: 2 });
    // The last one uses text where there is some, and does without where there is none.
    expect(table.rows.map((row) => row.method)).toEqual(['lr', 'bowerbird']);
    const reasons = Object.fromEntries(table.skipped.map(({ method, reason }) => [method, reason]));
    expect(reasons['svm-plus']).toContain('no text');
    expect(reasons['paper-pi']).toContain('no web text');
    expect(reasons['lr-mix']).toContain('generalized');
    expect(reasons.clip).toContain('dimensions');
    expect(table.failed).toEqual([]);
  });

  it('needs no pictures to choose by where nothing is chosen', async () => {
    const { validationWeb: _, ...plain } = problem;
    const options = { ...base, problem: plain, folder: place('unchosen'), methods: named('lr') };
    expect((await compare(options)).rows).toHaveLength(1);
    await expect(compare({ ...options, trials: 2 })).rejects.toThrow('validation');
  });

  it('takes the defaults, and says why, where only the search is impossible', async () => {
    const { text: _, texts: __, ...silentWeb } = problem.validationWeb!;
    const table = await compare({
      ...base,
      problem: { ...problem, validationWeb: silentWeb },
      folder: place('untuned'),
      methods: named('svm-plus'),
      trials: 2,
    });
    expect(table.rows[0].chosenBy).toBe('defaults');
    expect(table.rows[0].note).toContain('no text');
  });

  it('reports a defect of a method as failed, not as skipped', async () => {
    const broken = { ...problem, webFeatures: new Matrix(new Float64Array(72 * 3), 72, 3) };
    const table = await compare({ ...base, problem: broken, folder: place('failed'), methods: named('eszsl', 'lr') });
    expect(table.rows.map((row) => row.method)).toEqual(['eszsl']);
    expect(table.failed.map(({ job }) => job)).toEqual(['lr/seed-1']);
  });

  it('scores seen and unseen categories in the generalized setting', async () => {
    const table = await compare({
      ...base,
      folder: place('generalized'),
      methods: named('lr-mix', 'paper'),
      generalized: true,
    });
    expect(table.setting).toBe('generalized');
    expect(table.categories.length).toBe(18);
    for (const { seen, unseen, harmonic, ausuc } of table.rows) {
      expect(ausuc).toBeGreaterThan(0);
      expect(ausuc).toBeLessThanOrEqual(1);
      expect(harmonic!.mean).toBeCloseTo((2 * seen!.mean * unseen!.mean) / (seen!.mean + unseen!.mean || 1), 12);
      expect(harmonic!.low).toBeLessThanOrEqual(harmonic!.mean);
      expect(harmonic!.high).toBeGreaterThanOrEqual(harmonic!.mean);
    }
  });

  it('puts the figures of the paper beside ours for its datasets', async () => {
    const asked = await compare({ ...base, folder: place('paper'), methods: named('lr'), paper: 'dogs' });
    expect(asked.rows[0].paperAccuracy).toBe(77.67);
    const other = await compare({ ...base, folder: place('files'), methods: named('lr') });
    expect(other.rows[0].paperAccuracy).toBeUndefined();
    const cub = generateProblem({
      auxiliaryCategories: 150,
      testCategories: 50,
      dimensions: 8,
      auxiliaryPerCategory: 1,
      webPerCategory: 2,
      testPerCategory: 1,
    });
    const recognized: CompareTable = await compare({
      ...base,
      problem: { ...cub, testNames: ['Sooty Albatross', ...cub.testNames.slice(1)] },
      folder: place('cub'),
      methods: named('lr'),
    });
    expect(recognized.paper).toMatchObject({ dataset: 'cub', recognisedBy: expect.stringContaining('150 auxiliary') });
    expect(recognized.rows[0].paperAccuracy).toBe(68.39);
  });

  it('does not do again what it has done, and is not made without labels', async () => {
    const begun = performance.now();
    await compare({ ...base, folder: place('a'), methods: named('lr', 'eszsl', 'knn'), trials: 3 });
    expect(performance.now() - begun).toBeLessThan(20_000);
    const lines = readFileSync(join(place('a'), 'outcomes.jsonl'), 'utf8')
      .trim()
      .split('\n');
    expect(lines.length).toBe(3 * 4);
    const { testLabels: _, ...blind } = problem;
    await expect(compare({ ...base, problem: blind, folder: place('z'), methods: named('lr') })).rejects.toThrow(
      'labels',
    );
    expect(existsSync(place('z'))).toBe(false);
  });
});

describe('lists of methods', () => {
  it('know names, all, and the tables of the paper', () => {
    expect(chooseMethods(['lr', 'knn', 'lr'], false).map(({ name }) => name)).toEqual(['lr', 'knn']);
    expect(chooseMethods(['all'], false).length).toBe(
      methods.filter(({ setting }) => setting !== 'generalized').length,
    );
    expect(impliesGeneralized(['table2', 'table4'])).toBe(true);
    expect(impliesGeneralized(['table1'])).toBe(false);
    expect(() => chooseMethods(['table2'], false)).toThrow('generalized');
    expect(() => chooseMethods(['nonsense'], false)).toThrow('nonsense');
  });

  it('name only methods that there are', () => {
    const known = new Set(methods.map(({ name }) => name));
    const missing = Object.values(methodGroups).flatMap((group) => group.methods.filter((name) => !known.has(name)));
    expect(missing).toEqual([]);
  });
});
