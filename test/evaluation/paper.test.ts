import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claimTable } from '../../src/evaluation/experiments/claims.js';
import { accuracyTable, runPaper } from '../../src/evaluation/experiments/paper.js';
import { paperPage } from '../../src/evaluation/experiments/paper-page.js';
import type { ExperimentOptions, FittedMethod } from '../../src/evaluation/experiments/run-experiment.js';
import { runningTimes } from '../../src/evaluation/experiments/running-time.js';
import {
  builtInProblem,
  type CompareRow,
  type CompareTable,
  type ExperimentResult,
  runExperiment,
} from '../../src/evaluation/index.js';
import { methods } from '../../src/methods/index.js';
import { generateProblem } from '../../src/problem/index.js';
import { temporaryFolder } from '../temporary-folder.js';

const folder = temporaryFolder();

/** A comparison with these accuracies, each with an interval of two points to either side. */
function tableOf(setting: CompareTable['setting'], accuracies: Record<string, number>): CompareTable {
  const rows = Object.entries(accuracies).map(([method, mean]) => {
    const accuracy = { mean, deviation: 0, low: mean - 0.02, high: mean + 0.02 };
    return { method, accuracy, parameters: { ridge: 2 }, chosenBy: 'search' } as unknown as CompareRow;
  });
  const paper = { dataset: 'cub', citation: '', recognisedBy: 'its numbers' };
  return { setting, rows, paper, trials: 20, skipped: [], failed: [] } as unknown as CompareTable;
}

describe('the claims of the paper', () => {
  const standard = tableOf('standard', { lr: 0.6, kmm: 0.66, gfk: 0.61, xiao: 0.5, paper: 0.7, 'paper-pi': 0.6 });
  const generalized = tableOf('generalized', { paper: 0.4, chao: 0.3 });
  const { rows } = claimTable(standard, generalized);
  const verdict = (claim: string) => rows.find((row) => row[1] === claim)!;

  it('hold, do not hold or are unclear, by differences and intervals', () => {
    expect(verdict('kmm beats lr')).toEqual(['standard', 'kmm beats lr', expect.any(String), 2.15, 6, 'holds']);
    expect(verdict('gfk beats lr').at(-1)).toBe('unclear');
    expect(verdict('xiao beats lr').at(-1)).toBe('does not hold');
    expect(verdict('paper-pi beats paper').slice(3)).toEqual([1.47, -10, 'does not hold']);
    expect(verdict('paper beats chao').slice(3)).toEqual([33.85, 10, 'holds']);
  });

  it('are one for each comparison of methods in the paper, which its figures bear out', () => {
    const all = (setting: CompareTable['setting']) =>
      tableOf(setting, Object.fromEntries(methods.map(({ name }) => [name, 0.5])));
    const told = claimTable(all('standard'), all('generalized')).rows;
    expect(told).toHaveLength(25);
    const { columns } = claimTable(all('standard'), all('generalized'));
    expect(columns).toEqual(['setting', 'claim', 'because', 'paper (points)', 'here (points)', 'verdict']);
    expect(new Set(told.map(([setting, claim]) => `${setting}: ${claim}`)).size).toBe(25);
    for (const row of told) {
      expect(row[3], String(row[1])).toBeGreaterThan(0);
      expect(row.slice(4)).toEqual([0, 'unclear']);
    }
  });

  it('are left out where a method did not take part', () => {
    expect(rows.some((row) => String(row[1]).includes('combo'))).toBe(false);
  });

  it('stand on one page with tables, points of plots and parameters', () => {
    const result = {
      title: 'The whole paper',
      seed: 1,
      problem: { testCategories: 5 },
      tables: [claimTable(standard, generalized)],
      plots: [
        {
          title: 'λ1',
          x: { label: 'λ1', scale: 'log' },
          y: { label: 'accuracy (%)' },
          series: [
            {
              name: 'paper',
              mark: 1,
              points: [
                { x: 1, y: 51.239 },
                { x: 0.1, y: 50 },
              ],
            },
            { name: 'bowerbird', points: [{ x: 0.5, y: 60 }] },
          ],
        },
      ],
      skipped: [{ method: 'svm-plus', reason: 'there is no text' }],
      failed: [],
    } as unknown as ExperimentResult;
    const page = paperPage(result, [standard, generalized]);
    expect(page).toContain('| standard | kmm beats lr |');
    expect(page).toContain('the best of 20 trials on validation categories; seed 1.');
    expect(page).toContain("The paper's figures are those of cub (its numbers)");
    expect(page).toContain(
      [
        '## λ1: accuracy (%)',
        '',
        '| λ1 | paper (chosen 1) | bowerbird |',
        '| ---: | ---: | ---: |',
        '| 0.1 | 50 |  |',
        '| 0.5 |  | 60 |',
        '| 1 | 51.24 |  |',
        '',
        '<details><summary>Parameters</summary>',
        '',
        '| setting | method | chosen by | parameters |',
        '| --- | --- | --- | --- |',
        '| standard | lr | search | ridge 2 |',
      ].join('\n'),
    );
    expect(page).toContain('| generalized | chao | search | ridge 2 |\n\n</details>\n\nSkipped:');
    expect(page).toMatch(/\nSkipped:\n\n- svm-plus: there is no text\n$/);
    expect(page).not.toContain('Failed');
    expect(page.split('\n')).toEqual(expect.arrayContaining(['# The whole paper', '## λ1: accuracy (%)']));
    const failed = [{ method: 'gfk', job: 'gfk/seed-1', message: 'odd | even\nnumbers' }];
    const problem = { path: 'birds.npz', semantics: 'glove' };
    const table = {
      title: 'T',
      columns: ['a', 'b'],
      rows: [
        [null, 'x'.repeat(90)],
        [1.5, 'y|\nz'],
      ],
    };
    const bare = { ...result, tables: [table], plots: [], skipped: [], failed, problem } as unknown as ExperimentResult;
    const other = paperPage(bare, [{ ...standard, trials: 0, paper: undefined }]);
    expect(other).toContain('birds.npz, semantic vectors "glove": ');
    expect(other).toContain('defaults; seed 1. \n\n## T\n\n| a | b |\n| ---: | --- |\n');
    expect(other).toContain(`|  | ${'x'.repeat(80)} |\n| 1.5 | y\\| z |\n\n<details>`);
    expect(other).toMatch(/<\/details>\n\nFailed:\n\n- gfk\/seed-1: odd \| even\nnumbers\n$/);
    const curve = (points: number) => ({
      ...result.plots[0],
      series: [{ name: 'paper', points: Array.from({ length: points }, (_, x) => ({ x, y: 1 })) }],
    });
    const long = paperPage({ ...bare, plots: [curve(31), curve(30)] }, [standard]);
    expect(long.match(/## λ1/g)).toHaveLength(1);
  });

  it('come with the accuracies of each of the paper’s tables beside its own', () => {
    const ours = accuracyTable('table2', [standard, generalized]);
    expect(ours.title).toContain('Table II');
    expect(ours.columns).toHaveLength(7);
    expect(ours.rows).toEqual([
      ['chao', 30, '28.00–32.00', null, null, null, 'search'],
      ['paper', 40, '38.00–42.00', null, null, null, 'search'],
    ]);
    const printed = { ...standard.rows[0], paperAccuracy: 68.39, validationAccuracy: 0.51239 };
    const [lr] = accuracyTable('table1', [{ ...standard, rows: [printed] }, generalized]).rows;
    expect(lr).toEqual(['lr', 60, '58.00–62.00', 68.39, -8.39, 51.24, 'search']);
    const besides = tableOf('standard', { bowerbird: 0.8, combo: 0.7 });
    expect(accuracyTable('table1', [besides, generalized]).rows.map(([method]) => method)).toEqual([
      'combo',
      'bowerbird',
    ]);
    expect(accuracyTable('table3', [besides, generalized]).rows).toEqual([]);
  });
});

describe('the table of running times', () => {
  it('has the mean of the fits, and the paper’s seconds where the problem is its own', () => {
    const fit = (seconds: number, iterations?: number) => ({ outcome: { seconds, iterations, accuracy: 0.5 } });
    const fitted = [
      { method: 'paper', fits: [fit(1, 10), fit(2.5, 20)] },
      { method: 'lr', fits: [fit(0.123)] },
    ] as unknown as FittedMethod[];
    const problem = generateProblem({ dimensions: 4 });
    expect(runningTimes(fitted, problem, undefined).rows).toEqual([
      ['paper', 1.75, 15, 50],
      ['lr', 0.12, null, 50],
    ]);
    const { columns, rows } = runningTimes(fitted, problem, 'cub');
    expect(columns).toEqual(['method', 'seconds', 'iterations', 'accuracy (%)', 'seconds in the paper']);
    expect(rows[0][4]).toBeGreaterThan(100);
    expect(rows[1][4]).toBeNull();
  });
});

describe('the problem of experiments that are given none', () => {
  it('is larger and noisier than a generated one by default, and another by seed', () => {
    const problem = builtInProblem(3);
    const { testNames, auxiliaryNames, testFeatures, testSemantics, webKinds } = problem;
    expect([testNames.length, auxiliaryNames.length]).toEqual([12, 30]);
    expect([testFeatures.rows, testFeatures.cols, testSemantics.cols]).toEqual([300, 64, 20]);
    const clean = webKinds!.filter((kind) => kind === 'clean').length;
    expect(Math.abs(clean / 240 - 0.5)).toBeLessThan(0.12);
    expect(builtInProblem(4).testFeatures.at(0, 0)).not.toBe(testFeatures.at(0, 0));
  });
});

describe('the whole paper', () => {
  it('is two comparisons, and figures with the parameters that these chose, in folders of their own', async () => {
    const sizes = { auxiliaryCategories: 6, testCategories: 3, dimensions: 6, semanticDimensions: 4 };
    const problem = generateProblem({ ...sizes, auxiliaryPerCategory: 4, webPerCategory: 4, testPerCategory: 3 });
    const place = join(folder, 'quick');
    const asked: ExperimentOptions[] = [];
    const figure = async (options: ExperimentOptions) => {
      asked.push(options);
      const plot = { title: options.name, x: { label: 'x' }, y: { label: 'y' }, series: [] };
      const table = { title: `of ${options.name}`, columns: [], rows: [] };
      const told = { method: options.name, reason: 'left out', job: 'a', message: 'failed' };
      return { plots: [plot], tables: [table], skipped: [told], failed: [told] } as unknown as ExperimentResult;
    };
    const options = {
      problem,
      folder: place,
      name: 'paper',
      jobs: 1,
      threads: 1,
      given: { lr: { ridge: 3 } },
    } as const;
    const about = { title: 'Everything', description: 'All of it.' };
    const result = await runPaper(options, about, figure);
    const figures = ['running-time', 'sensitivity', 'web-count', 'weights'];
    expect(asked.map(({ name }) => name)).toEqual(figures);
    expect(asked.map((each) => each.folder)).toEqual(figures.map((name) => join(place, name)));
    for (const { given, trials, problem: same } of asked) {
      expect(trials).toBe(0);
      expect(same).toBe(problem);
      expect(given!.lr).toEqual({ ridge: 3 });
      expect(given!.paper).toEqual(result.parameters.paper);
    }
    expect(result).toMatchObject({ schema: 'bowerbird-experiment-1', name: 'paper', seed: 1, ...about });
    expect(result.plots.map(({ title }) => title)).toEqual(figures);
    expect(result.tables.map(({ title }) => title.split(':')[0])).toEqual([
      ...['Table I', 'Table II', 'Table III', 'Table IV', 'What the paper says, and what is found here'],
      ...figures.map((name) => `of ${name}`),
    ]);
    expect(result.tables[0].rows.map(([method]) => method)).toEqual(
      expect.arrayContaining(['lr', 'combo', 'bowerbird']),
    );
    expect(result.skipped.map(({ method }) => method)).toEqual(expect.arrayContaining(figures));
    expect(result.failed.map(({ method }) => method)).toEqual(figures);
    const read = (...names: string[]) => readFileSync(join(place, ...names), 'utf8');
    expect(JSON.parse(read('experiment.json'))).toEqual(JSON.parse(JSON.stringify(result)));
    expect(read('page.md')).toContain('# Everything\n');
    const comparison = (name: string) => JSON.parse(read(name, 'table.json')) as CompareTable;
    expect(comparison('standard')).toMatchObject({ setting: 'standard', title: 'Tables I and III' });
    expect(comparison('generalized')).toMatchObject({ setting: 'generalized', title: 'Tables II and IV' });
    expect(JSON.parse(read('run.json'))).toMatchObject({ command: 'experiment' });
  }, 60_000);
});

describe.runIf(process.env.BOWERBIRD_LONG)('the experiment paper', () => {
  it('makes every table and figure on one page, and does nothing twice', async () => {
    const problem = generateProblem({ seed: 4, dimensions: 24, webPerCategory: 10, testPerCategory: 8 });
    const options = { problem, folder, name: 'paper', jobs: 1, threads: 1, trials: 1 } as const;
    const first = await runExperiment(options);
    expect(first.failed).toEqual([]);
    expect(first.tables.slice(0, 4).every(({ rows }) => rows.length > 3)).toBe(true);
    expect(first.plots.length).toBeGreaterThan(6);
    for (const part of ['standard', 'generalized', 'running-time', 'sensitivity', 'web-count', 'weights'])
      expect(existsSync(join(folder, part, 'run.json'))).toBe(true);
    const page = readFileSync(join(folder, 'page.md'), 'utf8');
    for (const title of [
      'Table I:',
      'Table II:',
      'Table III:',
      'Table IV:',
      'Seconds of one fit',
      'Highest and lowest',
    ])
      expect(page).toContain(title);
    const begun = performance.now();
    expect((await runExperiment(options)).tables[0]).toEqual(first.tables[0]);
    expect(performance.now() - begun).toBeLessThan(20_000);
  }, 600_000);
});
