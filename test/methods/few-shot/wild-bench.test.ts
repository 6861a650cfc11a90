import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { calibratedError, calibration, calibrationError, pooled } from '../../../bench/wild/calibration.js';
import { measure, parseMethod } from '../../../bench/wild/measure.js';
import { wildSources } from '../../../bench/wild/problems.js';
import { drawRegime, regimes } from '../../../bench/wild/regimes.js';
import { drawFigure, writeGeneralizedReport, writeReport } from '../../../bench/wild/report.js';
import { type Line, openMeasured, summarize } from '../../../bench/wild/results.js';
import { openSearched, parseSearched, searchParameters, withSearches } from '../../../bench/wild/search.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { Random } from '../../../src/linalg/random.js';
import { checkProblem, drawFolder, generateProblem, restrictToCategories } from '../../../src/problem/index.js';
import { temporaryFolder } from '../../temporary-folder.js';
import { backend } from './small-data.js';

const whole = generateProblem({ seed: 12, testCategories: 6, noise: 0.7 });
const wild = {
  problem: restrictToCategories(whole, { test: [0, 1, 2, 3] }),
  strangers: restrictToCategories(whole, { test: [4, 5] }).testFeatures,
  far: whole.webFeatures,
};

describe('a measurement', () => {
  it('counts what the method names, and its confidence, picture by picture', async () => {
    const folder = drawRegime(regimes['strangers-30'], wild, 1);
    const found = await measure('whitened-means', folder, backend, 1);
    if ('failure' in found) throw new Error(found.failure);
    const listed = folder.truth.filter((category) => category >= 0).length;
    expect(found.pictures).toBe(listed);
    const bins = (values: number[]) => values.reduce((a, b) => a + b, 0);
    expect(bins(found.confidence.counts)).toBe(folder.truth.length);
    expect(bins(found.confidence.true)).toBe(found.right);
    expect(Object.keys(found.strangers)).toEqual(['maximum logit', 'energy']);
  });

  it('uses the probabilities of a method that states them', async () => {
    const folder = drawFolder(wild.problem, { strangers: wild.strangers, strangerShare: 0.3 }, 2);
    const { score } = await import('../../../bench/wild/measure.js');
    const n = folder.truth.length;
    // Sure of the truth, and of who is a stranger.
    const listed = Matrix.zeros(n, 4);
    const unlisted = new Float64Array(n);
    folder.truth.forEach((category, i) => {
      if (category >= 0) listed.set(i, category, 1);
      else unlisted[i] = 1;
    });
    const oracle = {
      fit: async () => oracle,
      decisionValues: () => Matrix.zeros(n, 4),
      predict: () => new Int32Array(n),
      probabilities: () => ({ listed, unlisted }),
    };
    const found = score(oracle as never, folder, 0, backend);
    expect([found.right, found.pictures]).toEqual([folder.truth.filter((c) => c >= 0).length, found.right]);
    expect(found.strangers.unlisted).toBe(1);
    expect(found.calledUnlisted).toBe(0);
    expect(calibrationError(found.confidence)).toBe(0);
  });

  it('has seen and unseen categories where auxiliary ones are candidates, and tables of these', async () => {
    const folder = drawRegime(regimes['strangers-30'], wild, 1, true);
    const { auxiliaryNames } = wild.problem;
    expect(new Set(folder.truth).size).toBe(1 + 4 + auxiliaryNames.length);
    const found = await measure('lr-mix', folder, backend, 1);
    if ('failure' in found) throw new Error(found.failure);
    const line: Line = { problem: 'cub-web', regime: 'strangers-30', seed: 1, draw: 0, method: 'lr-mix', ...found };
    const [{ seen, unseen, harmonic }] = summarize([line]);
    expect([seen, unseen]).toEqual([100 * found.seen!, 100 * found.unseen!]);
    expect(2 / harmonic!).toBeCloseTo(1 / seen! + 1 / unseen!, 9);
    const text = writeGeneralizedReport([line], new Map(), 'npm run bench -- wild --generalized');
    expect(text).toContain(`| 30 % strangers | lr-mix | ${seen!.toFixed(1)} | ${unseen!.toFixed(1)} |`);
  });

  it('says why a method could not be fitted', async () => {
    const folder = drawFolder(wild.problem, {}, 1);
    const { webText: _, webTexts: __, ...problem } = folder.problem;
    expect(await measure('svm-plus', { ...folder, problem }, backend, 1)).toHaveProperty('failure');
  });

  it('reads methods with parameters', () => {
    expect(parseMethod('whitened-em:origin=web:sharpness=30')).toEqual({
      name: 'whitened-em',
      parameters: { origin: 'web', sharpness: 30 },
    });
  });
});

/** The mean calibration error over all ways in which answers of these chances can turn out, each as often as they say. */
function enumerated(chances: readonly number[]): number {
  let total = 0;
  for (let way = 0; way < 2 ** chances.length; way++) {
    const right = chances.map((_, i) => ((way >> i) & 1) === 1);
    const odds = chances.reduce((product, p, i) => product * (right[i] ? p : 1 - p), 1);
    total += odds * calibrationError(calibration(chances, right));
  }
  return total;
}

describe('the calibration error of answers whose confidences hold', () => {
  const expected = (chances: readonly number[]) => calibratedError(calibration(chances, new Array(chances.length)));

  it('is what all ways to turn out say where the confidences of a bin are the same', () => {
    expect(expected([0.3])).toBeCloseTo(2 * 0.3 * 0.7, 9);
    const chances = [0.3, 0.3, 0.3, 0.95, 0.95, 0.95, 0.95, 0.95, 0.95, 0.5, 0];
    expect(expected(chances)).toBeCloseTo(enumerated(chances), 9);
  });

  it('is at most that, by a few percent, where they differ', () => {
    const chances = [0.34, 0.36, 0.38, 0.39, 0.94, 0.96, 0.98, 0.99, 0.01, 0.04, 0.06];
    const [most, exact] = [expected(chances), enumerated(chances)];
    expect(most).toBeGreaterThanOrEqual(exact);
    expect(most).toBeLessThan(1.04 * exact);
  });

  it('is what random answers of these confidences show on average, in folders of any size and taken together', () => {
    const random = new Random(8);
    for (const size of [1, 20, 400]) {
      const folders = [1, 2].map(() => Array.from({ length: size }, () => random.uniform()));
      const draws = 2000;
      let error = 0;
      for (let draw = 0; draw < draws; draw++) {
        const drawn = folders.map((chances) =>
          calibration(
            chances,
            chances.map((p) => random.uniform() < p),
          ),
        );
        error += calibrationError(pooled(drawn)) / draws;
      }
      const told = calibratedError(pooled(folders.map((chances) => calibration(chances, new Array(size)))));
      expect(Math.abs(told / error - 1)).toBeLessThan(0.05);
    }
  });

  it('holds for many answers, and for confidences that are nearly certain', () => {
    const normal = Math.sqrt((2 * 0.5 * 0.5) / (Math.PI * 1e6));
    const many = { counts: [1e6], stated: [5e5], true: [0] };
    expect(calibratedError(many) / normal).toBeCloseTo(1, 4);
    const sure = { counts: [100], stated: [100 - 1e-13], true: [100] };
    expect(calibratedError(sure)).toBeLessThan(1e-12);
  });
});

describe('results', () => {
  const line = (seed: number, right: number, area: number): Line => ({
    problem: 'cub-web',
    regime: 'strangers-30',
    seed,
    draw: 0,
    method: 'lr',
    pictures: 10,
    right,
    macro: right / 10,
    strangers: { energy: area, 'maximum logit': 0.5 },
    confidence: {
      counts: [5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5],
      stated: [0.2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4.9],
      true: [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, right - 1],
    },
    seconds: 1,
  });

  it('are summed up over seeds', () => {
    const [summary] = summarize([line(1, 6, 0.7), line(2, 4, 0.9)]);
    expect(summary.accuracy).toBe(50);
    expect(summary.strangers.energy).toBeCloseTo(0.8, 12);
    // |0.4 − 2| + |9.8 − 8| over 20 pictures.
    expect(summary.confidenceError).toBeCloseTo((1.6 + 1.8) / 20, 12);
    expect(summary.confidenceIfCalibrated).toBe(calibratedError(summary.confidence));
  });

  it('survive an interruption in the middle of a line', () => {
    const file = join(temporaryFolder(), 'measured.jsonl');
    const first = openMeasured(file);
    first.add(line(1, 6, 0.7));
    appendFileSync(file, '{"problem":"cub-w');
    const second = openMeasured(file);
    expect(second.has(line(1, 6, 0.7))).toBe(true);
    expect(second.has(line(2, 6, 0.7))).toBe(false);
  });

  it('make tables and a figure', () => {
    const own = (seed: number): Line => ({ ...line(seed, 3, 0.6), method: 'bowerbird' });
    const lines = [line(1, 6, 0.7), line(2, 4, 0.9), own(1), own(2)];
    const text = writeReport(lines, new Map([['cub-web', 'CUB']]), 'npm run bench -- wild');
    expect(text).toContain('**CUB**');
    expect(text).toContain('| lr | **50.0** | 50.0 |');
    expect(text).toContain('cub-web, 30 % strangers: 30.0 against 50.0 (lr)');
    const [, , ofChance] = text.split('| method | confidence |');
    const { confidenceError, confidenceIfCalibrated } = summarize(lines)[0];
    const pair = `${confidenceError.toFixed(3)} | ${confidenceIfCalibrated.toFixed(3)}`;
    expect(ofChance).toContain(`| lr | ${pair} | ${pair} | ${pair} | ${pair} | – | – | – | – |`);
    expect(drawFigure(lines)).toMatch(/^<svg[\s\S]*<\/svg>\n$/);
  });
});

describe('a search for the parameters of rivals', () => {
  it('is for methods with parameters, and never for the own one', () => {
    const names = withSearches(['bowerbird', 'prototype', 'lr', 'whitened-em', 'whitened-em:origin=web'], 20);
    expect(names.slice(5)).toEqual(['lr:search=20', 'whitened-em:search=20']);
    expect(parseSearched(names[6])).toEqual({ method: 'whitened-em', trials: 20 });
    expect(parseSearched('whitened-em:origin=web')).toBeUndefined();
  });

  it('chooses the same whatever the test labels are, and is kept', async () => {
    const { problem } = wild;
    const shuffled = { ...problem, testLabels: problem.testLabels!.map((label) => (label + 1) % 4) };
    const chosen: unknown[] = [];
    for (const each of [problem, shuffled]) {
      const out = temporaryFolder();
      const file = join(out, 'searched.jsonl');
      const task = { name: 'generated', seed: 1, trials: 3, validationNoise: 0.3, out };
      await searchParameters(task, each, ['lr', 'whitened-means'], openSearched(file), backend);
      const kept = openSearched(file);
      expect(kept.has({ problem: 'generated', seed: 1, trials: 3, method: 'lr' })).toBe(true);
      expect(kept.has({ problem: 'generated', seed: 1, trials: 5, method: 'lr' })).toBe(false);
      chosen.push(kept.lines);
    }
    expect(chosen[1]).toEqual(chosen[0]);
  });

  it('is set beside what rivals do as they come', () => {
    const cell = (method: string, right: number): Line => ({
      problem: 'cub-web',
      regime: 'web-5',
      seed: 1,
      draw: 0,
      method,
      pictures: 100,
      right,
      macro: right / 100,
      strangers: {},
      confidence: { counts: [100], stated: [50], true: [right] },
      seconds: 1,
    });
    const lines = [cell('bowerbird', 60), cell('lr', 50), cell('lr:search=20', 80)];
    const text = writeReport(lines, new Map(), 'npm run bench -- wild');
    expect(text).toContain('| 5 web | 60.0 | lr 50.0 | lr 50.0 | lr **80.0** | – |');
    expect(text).toContain('| lr:search=20 | 1 | 50.0 | 80.0 | – | – | 50.0 | 80.0 |');
    expect(text).toContain('Over 1 cells of the other regimes');
    expect(text).toContain('cub-web, 5 web: 60.0 against 80.0 (lr:search=20)');
  });
});

const data = '../shared/data';
const present = existsSync(join(data, 'cub-resnet50.npz')) && existsSync(join(data, 'cub-web.npz'));
if (!present) console.log(`${data} has no CUB features: the problems of the wild benchmark are not tested`);

describe.skipIf(!present)('problems from real features', () => {
  it('cub-web keeps strangers out of the auxiliary pictures', async () => {
    const { problem, strangers, far } = await wildSources(data, 'unused')['cub-web'].make(1, { perCategory: 5 });
    checkProblem(problem);
    expect([problem.auxiliaryNames.length, problem.testNames.length, problem.webLabels.length]).toEqual([130, 50, 250]);
    const known = new Set(
      Array.from({ length: problem.auxiliaryFeatures.rows }, (_, i) => problem.auxiliaryFeatures.row(i).join()),
    );
    for (let i = 0; i < strangers.rows; i += 50) expect(known.has(strangers.row(i).join())).toBe(false);
    expect(far.rows).toBeGreaterThan(50);
  });

  it('cub-resnet50 uses every picture once, and has the noise that was asked for', async () => {
    const { plantedCub, readCub } = await import('../../../bench/wild/problems.js');
    const { problem, strangers } = plantedCub(await readCub(data), 'attributes', 3, { wrong: 0.2 });
    checkProblem(problem);
    const sets = [problem.auxiliaryFeatures, problem.webFeatures, problem.testFeatures, strangers];
    const rows = sets.flatMap((set) => Array.from({ length: set.rows }, (_, i) => set.row(i).subarray(0, 40).join()));
    // A few photographs are in the data set twice.
    expect(new Set(rows).size).toBeGreaterThan(rows.length - 30);
    const wrong = problem.webKinds!.filter((kind) => kind !== 'clean').length;
    expect(wrong / problem.webKinds!.length).toBeCloseTo(0.2, 2);
    expect([problem.auxiliaryNames.length, problem.testNames.length]).toEqual([130, 50]);
  });
});
