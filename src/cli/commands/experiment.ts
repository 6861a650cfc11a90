/** `bowerbird experiment`: the paper's tables and figures, on a given problem or on a generated one. */
import { FormatError, PartialFailureError, UsageError } from '../../errors.js';
import {
  builtInProblem,
  defaultEarlyStopping,
  type ExperimentName,
  type ExperimentPlot,
  type ExperimentTable,
  experimentNames,
  experiments,
  type Parameters,
  paperDatasets,
  runExperiment,
} from '../../evaluation/index.js';
import { currentName } from '../../methods/index.js';
import { resolveParameters } from '../../parameters.js';
import { defineCommand } from '../command.js';
import { evaluationOptions, evaluationSetting, requireOut, settingOf } from '../evaluation-options.js';
import { readParameterFile } from '../given-parameters.js';
import { nearest } from '../parse.js';
import { methodNamed } from '../shared-options.js';
import { shortNumber, tableLines } from '../table.js';
import { printTable } from './compare.js';

export default defineCommand({
  name: 'experiment',
  summary: "Repeat one of the paper's tables or figures on a problem.",
  description: `Without a name, lists the experiments: ${experimentNames.join(', ')}. Without a problem, a generated one with known truth is used. Results go to experiment.json, tables also to table.csv and table.md; "bowerbird report DIR" draws them.`,
  arguments: [
    { name: 'NAME', description: 'which experiment', optional: true },
    { name: 'PROBLEM', description: 'a .npz problem file or a folder of .npy files', optional: true },
  ],
  options: {
    tune: {
      type: 'integer',
      minimum: 0,
      default: 20,
      placeholder: 'N',
      description: 'Trials per method (0: defaults).',
    },
    seeds: { type: 'integer', minimum: 1, default: 1, placeholder: 'K', description: 'Fits of each kind.' },
    'early-stopping': { type: 'flag', description: 'Give up two thirds of the trials after a first look.' },
    params: {
      type: 'list',
      placeholder: 'FILES',
      description: 'chosen.json of "bowerbird tune"; the methods they name are not searched for.',
    },
    'random-subsets': {
      type: 'flag',
      description: 'Where fewer web pictures are taken, any of them, not the top-ranked ones.',
    },
    paper: { type: 'choice', choices: paperDatasets, description: "Print the paper's figures of this dataset beside." },
    ...evaluationOptions,
  },
  examples: [
    { command: 'bowerbird experiment', explanation: 'List the experiments.' },
    { command: 'bowerbird experiment sensitivity --out figure', explanation: 'On the generated problem.' },
    {
      command: 'bowerbird experiment web-count birds.npz --params tuned/chosen.json --out figure',
      explanation: 'With parameters chosen before.',
    },
  ],
  async run({ args, options, print, printJson, progress, signal }) {
    const [name, path] = args;
    if (name === undefined) {
      printJson(experiments);
      const columns = [{ title: 'experiment' }, { title: 'what it shows' }];
      const rows = experimentNames.map((each) => [
        each,
        `${experiments[each].title}. ${experiments[each].description}`,
      ]);
      for (const line of tableLines(columns, rows)) print(line);
      return 0;
    }
    requireExperiment(name);
    const tools = { signal, progress };
    const folder = requireOut(`experiment ${name}`, path ?? '', options.out);
    if (path === undefined && options.queue !== undefined)
      throw new UsageError('--queue needs a problem file', `Try: bowerbird experiment ${name} problem.npz --queue URL`);
    const setting =
      path === undefined
        ? { ...settingOf(folder, options, tools, name), problem: builtInProblem(options.seed) }
        : await evaluationSetting(`experiment ${name}`, path, options, tools);
    const { out: _, queue: __, ...configuration } = options;
    const result = await runExperiment({
      ...setting,
      name,
      trials: options.tune,
      seeds: options.seeds,
      paper: options.paper,
      webChoice: options['random-subsets'] ? 'random' : undefined,
      given: await givenParameters(options.params ?? []),
      earlyStopping: options['early-stopping'] ? defaultEarlyStopping : undefined,
      configuration: { experiment: name, problem: path ?? 'built-in', ...configuration },
    });
    printJson({ out: folder, ...result });
    print(`${result.title}\n`);
    if (result.compare) printTable(result.compare, print);
    for (const plot of result.plots) printPlot(plot, print);
    for (const table of result.tables) printPlain(table, print);
    if (!result.compare) for (const { method, reason } of result.skipped) print(`skipped: ${method}: ${reason}`);
    print(`\nresults in ${folder}`);
    if (result.failed.length > 0)
      throw new PartialFailureError(
        `${result.failed.length} fits failed`,
        result.failed.map(({ job, message }) => `${job}: ${message}`),
        'Run the same command again to try them once more.',
      );
    return 0;
  },
});

function requireExperiment(name: string): asserts name is ExperimentName {
  if ((experimentNames as string[]).includes(name)) return;
  const near = nearest(name, experimentNames);
  throw new UsageError(
    `there is no experiment "${name}"`,
    near ? `Did you mean "${near}"?` : `Experiments: ${experimentNames.join(', ')}.`,
  );
}

async function givenParameters(paths: readonly string[]): Promise<Record<string, Parameters>> {
  const given: Record<string, Parameters> = {};
  for (const path of paths) {
    const chosen = (await readParameterFile(path)) as { method?: unknown; parameters?: unknown };
    if (typeof chosen?.method !== 'string' || typeof chosen.parameters !== 'object' || chosen.parameters === null)
      throw new FormatError(path, undefined, 'has no "method" and "parameters"', 'Make it with "bowerbird tune".');
    resolveParameters(
      chosen.method,
      methodNamed(chosen.method).parameters,
      chosen.parameters as Parameters,
      UsageError,
    );
    given[currentName(chosen.method)] = chosen.parameters as Parameters;
  }
  return given;
}

/** A series per column, a value of x per line; curves of many points are for the report. */
function printPlot({ title, series }: ExperimentPlot, print: (line: string) => void): void {
  const xs = [...new Set(series.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b);
  if (xs.length > 30) return;
  print(title);
  const columns = [{ title: 'x', align: 'right' as const }];
  for (const { name, mark } of series)
    columns.push({ title: mark === undefined ? name : `${name} (chosen ${shortNumber(mark)})`, align: 'right' });
  const rows = xs.map((x) => [
    shortNumber(x),
    ...series.map(({ points }) => {
      const point = points.find((each) => each.x === x);
      if (!point) return '';
      const interval = point.low === undefined ? '' : ` (${point.low.toFixed(1)}–${point.high!.toFixed(1)})`;
      return `${point.y.toFixed(2)}${interval}`;
    }),
  ]);
  for (const line of tableLines(columns, rows)) print(line);
  print('');
}

function printPlain({ title, columns, rows }: ExperimentTable, print: (line: string) => void): void {
  print(title);
  const cells = rows.map((row) => row.map((cell) => (cell === null ? '' : String(cell).slice(0, 60))));
  const titles = columns.map((column, j) => ({
    title: column,
    align: rows.every((row) => typeof row[j] !== 'string') ? ('right' as const) : ('left' as const),
  }));
  for (const line of tableLines(titles, cells)) print(line);
  print('');
}
