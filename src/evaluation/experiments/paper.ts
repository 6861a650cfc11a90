/**
 * The whole paper in one run: its four tables of accuracies from two comparisons (standard and generalized setting), then
 * running time, sensitivity, number of web pictures and weights with the parameters that the comparison chose. Every part
 * has a folder of its own and is continued where it was stopped; `page.md` and `experiment.json` hold all of it.
 */
import { join } from 'node:path';
import { writeFileAtomic } from '../../formats/index.js';
import { compare } from '../compare.js';
import { evaluate } from '../evaluation-run.js';
import { chooseMethods, type GroupName, methodGroups } from '../method-groups.js';
import type { CompareTable, ExperimentResult, ExperimentTable } from '../results.js';
import { claimTable } from './claims.js';
import type { ExperimentName } from './definitions.js';
import { paperPage } from './paper-page.js';
import type { ExperimentOptions } from './run-experiment.js';

/** What is fitted with parameters that were chosen before. */
const figures = ['running-time', 'sensitivity', 'web-count', 'weights'] as const satisfies readonly ExperimentName[];

/** What the paper's tables of accuracies do not have: a row of its table of running times, and the default method. */
const besides = ['combo', 'bowerbird'];

export async function runPaper(
  options: ExperimentOptions,
  about: { title: string; description: string },
  run: (options: ExperimentOptions) => Promise<ExperimentResult>,
): Promise<ExperimentResult> {
  const { folder, seed = 1 } = options;
  const part = (name: string) => join(folder, name);
  // The parts have executors of their own.
  const whole = { ...options, jobs: 1, threads: 1, remote: undefined };
  return evaluate('experiment', whole, { validation: false, test: false }, async ({ record }) => {
    const standard = await compare({
      ...options,
      folder: part('standard'),
      title: 'Tables I and III',
      methods: chooseMethods(['table1', 'table3', ...besides], false),
    });
    const generalized = await compare({
      ...options,
      folder: part('generalized'),
      title: 'Tables II and IV',
      generalized: true,
      methods: chooseMethods(['table2', 'table4'], true),
    });
    const chosen = Object.fromEntries(standard.rows.map((row) => [row.method, row.parameters]));
    const given = { ...chosen, ...options.given };
    const shown: ExperimentResult[] = [];
    for (const name of figures) shown.push(await run({ ...options, name, folder: part(name), given, trials: 0 }));
    const comparisons = [standard, generalized];
    const result: ExperimentResult = {
      schema: 'bowerbird-experiment-1',
      name: 'paper',
      ...about,
      problem: record,
      seed,
      parameters: chosen,
      plots: shown.flatMap(({ plots }) => plots),
      tables: [
        ...(['table1', 'table2', 'table3', 'table4'] as const).map((group) => accuracyTable(group, comparisons)),
        claimTable(standard, generalized),
        ...shown.flatMap(({ tables }) => tables),
      ],
      skipped: [...comparisons, ...shown].flatMap(({ skipped }) => skipped),
      failed: [...comparisons, ...shown].flatMap(({ failed }) => failed),
    };
    await writeFileAtomic(join(folder, 'experiment.json'), `${JSON.stringify(result, null, 2)}\n`);
    await writeFileAtomic(join(folder, 'page.md'), paperPage(result, comparisons));
    return result;
  });
}

/** The rows of one of the paper's tables, ours beside its own. */
export function accuracyTable(group: GroupName, [standard, generalized]: readonly CompareTable[]): ExperimentTable {
  const { title, setting, methods } = methodGroups[group];
  const table = setting === 'generalized' ? generalized : standard;
  const percent = (value: number) => Math.round(1e4 * value) / 100;
  return {
    title,
    columns: ['method', 'accuracy (%)', '95 % interval', 'paper (%)', 'here less paper', 'validation (%)', 'chosen by'],
    rows: [...methods, ...(group === 'table1' ? besides : [])].flatMap((method) => {
      const row = table.rows.find((each) => each.method === method);
      if (!row) return [];
      const { accuracy, paperAccuracy, validationAccuracy, chosenBy } = row;
      const here = percent(accuracy.mean);
      const interval = `${percent(accuracy.low).toFixed(2)}–${percent(accuracy.high).toFixed(2)}`;
      const apart = paperAccuracy === undefined ? null : Math.round(100 * (here - paperAccuracy)) / 100;
      const validation = validationAccuracy === undefined ? null : percent(validationAccuracy);
      return [[method, here, interval, paperAccuracy ?? null, apart, validation, chosenBy]];
    }),
  };
}
