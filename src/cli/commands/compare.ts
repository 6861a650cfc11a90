/** `bowerbird compare`: fits and scores many methods on one problem. */
import { PartialFailureError, UsageError } from '../../errors.js';
import {
  type CompareTable,
  chooseMethods,
  compare,
  defaultEarlyStopping,
  describeParameters,
  impliesGeneralized,
  methodGroups,
  paperDatasets,
  tableCells,
} from '../../evaluation/index.js';
import { defineCommand } from '../command.js';
import { evaluationOptions, evaluationSetting } from '../evaluation-options.js';
import { methodNamed } from '../shared-options.js';
import { tableLines } from '../table.js';

export default defineCommand({
  name: 'compare',
  summary: 'Fit and score many methods on one problem.',
  description:
    'Chooses the parameters of each method on validation categories, fits it to the problem, and writes table.csv, table.md ' +
    'and table.json with accuracies, intervals and tests. What is done is not done again when the same command runs again.',
  arguments: [{ name: 'PROBLEM', description: 'a .npz problem file or a folder of .npy files' }],
  options: {
    methods: {
      type: 'list',
      placeholder: 'NAMES',
      default: ['all'],
      description: `Methods by name, all, or a table of the paper: ${Object.keys(methodGroups).join(', ')} (all).`,
    },
    tune: {
      type: 'integer',
      minimum: 0,
      default: 0,
      placeholder: 'N',
      description: 'Trials per method (0: defaults).',
    },
    seeds: { type: 'integer', minimum: 1, default: 1, placeholder: 'K', description: 'Final fits per method.' },
    generalized: {
      type: 'flag',
      description: 'Generalized setting: a fifth of the auxiliary pictures join the test set.',
    },
    'early-stopping': { type: 'flag', description: 'Give up two thirds of the trials after a first look.' },
    paper: { type: 'choice', choices: paperDatasets, description: "Print the paper's figures of this dataset beside." },
    ...evaluationOptions,
  },
  examples: [
    {
      command: 'bowerbird compare birds.npz --methods paper,lr,eszsl --out table',
      explanation: 'Three methods with their defaults.',
    },
    {
      command: 'bowerbird compare birds.npz --methods table1 --tune 20 --seeds 3 --out table',
      explanation: "All methods of the paper's first table, 20 trials each.",
    },
    {
      command: 'bowerbird compare birds.npz --methods table2 --generalized --tune 20 --out generalized',
      explanation: 'The generalized setting.',
    },
  ],
  async run({ args, options, print, printJson, progress, signal }) {
    const generalized = options.generalized || impliesGeneralized(options.methods);
    for (const name of options.methods)
      if (name !== 'all' && !Object.hasOwn(methodGroups, name)) methodNamed(name, (text) => progress.note(text));
    const methods = chooseMethods(options.methods, generalized);
    const setting = await evaluationSetting('compare', args[0], options, { signal, progress });
    if (methods.length === 0) throw new UsageError('--methods names no method', 'See "bowerbird methods".');
    const { out: _, queue: __, ...configuration } = options;
    const table = await compare({
      ...setting,
      methods,
      trials: options.tune,
      seeds: options.seeds,
      generalized,
      paper: options.paper,
      earlyStopping: options['early-stopping'] ? defaultEarlyStopping : undefined,
      configuration: { problem: args[0], ...configuration, generalized },
    });
    printJson({ out: setting.folder, ...table });
    printTable(table, print);
    print(`\nresults in ${setting.folder}`);
    if (table.failed.length > 0)
      throw new PartialFailureError(
        `${table.failed.length} of the final fits failed`,
        table.failed.map(({ job, message }) => `${job}: ${message}`),
        'Run the same command again to try them once more.',
      );
    return 0;
  },
});

/** The table, what was skipped, and what was chosen. */
export function printTable(table: CompareTable, print: (line: string) => void): void {
  const { titles, rows } = tableCells(table);
  const columns = titles.map((title, j) => ({ title, align: j === 0 ? ('left' as const) : ('right' as const) }));
  for (const line of tableLines(columns, rows)) print(line);
  if (table.paper)
    print(`\nfigures of the paper for ${table.paper.dataset.toUpperCase()} (known by: ${table.paper.recognisedBy})`);
  const chosen = table.rows.filter((row) => row.chosenBy === 'search');
  if (chosen.length > 0) {
    print('\nparameters chosen on validation categories:');
    for (const row of chosen) print(`  ${row.method}: ${describeParameters(row.parameters)}`);
  }
  for (const row of table.rows) if (row.note) print(`note: ${row.method}: ${row.note}`);
  for (const { method, reason } of table.skipped) print(`skipped: ${method}: ${reason}`);
}
