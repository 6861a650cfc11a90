import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claimTable } from '../../src/evaluation/experiments/claims.js';
import { paperPage } from '../../src/evaluation/experiments/paper-page.js';
import {
  type CompareRow,
  type CompareTable,
  type ExperimentResult,
  runExperiment,
} from '../../src/evaluation/index.js';
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
                { x: 0.1, y: 50 },
                { x: 1, y: 51.239 },
              ],
            },
          ],
        },
      ],
      skipped: [{ method: 'svm-plus', reason: 'there is no text' }],
      failed: [],
    } as unknown as ExperimentResult;
    const page = paperPage(result, [standard, generalized]);
    expect(page).toContain('| standard | kmm beats lr |');
    expect(page).toContain('| λ1 | paper (chosen 1) |');
    expect(page).toContain('| 1 | 51.24 |');
    expect(page).toContain('| generalized | chao | search | ridge 2 |');
    expect(page).toContain('- svm-plus: there is no text');
  });
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
