/**
 * Zero-shot methods on CUB with GoogLeNet features and attributes, parameters chosen on held-out auxiliary categories.
 *
 * For both splits of the data, each method is tried with random settings from its search ranges on a quarter of the
 * auxiliary categories, which it did not learn from, then learns from all of them with the best and is measured on the
 * test categories. Options: `--data FILE`, `--trials N`, `--seed N`, `--split ss,ps`, `--methods A,B`, `--threads N`,
 * `--write` (into docs/results.md).
 */
import { parseArgs } from 'node:util';
import { createBackend } from '../src/linalg/index.js';
import { zeroShotMethods } from '../src/methods/zero-shot/index.js';
import { markdownTable } from './shared/document.js';
import { writeResults } from './shared/results.js';
import { type CubSplit, loadCub } from './zero-shot/cub.js';
import { meets, type TableRow, tableRows } from './zero-shot/rows.js';
import { chooseParameters, type Parameters, score } from './zero-shot/search.js';

interface Measured {
  percent: number;
  heldOut: number;
  parameters: Parameters;
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      data: { type: 'string', default: '../shared/data/cub-googlenet.npz' },
      trials: { type: 'string', default: '10' },
      seed: { type: 'string', default: '1' },
      split: { type: 'string', default: 'ss,ps' },
      methods: { type: 'string' },
      threads: { type: 'string' },
      write: { type: 'boolean', default: false },
    },
  });
  const [trials, seed] = [Number(values.trials), Number(values.seed)];
  const splits = values.split.split(',') as CubSplit[];
  const wanted = values.methods?.split(',');
  const rows = tableRows.filter((row) => !wanted || wanted.includes(row.method));
  const backend = await createBackend({ threads: values.threads ? Number(values.threads) : undefined });
  const measured = new Map<TableRow, Measured[]>(rows.map((row) => [row, []]));
  for (const split of splits) {
    const problem = await loadCub(values.data, split);
    for (const row of rows) {
      const spec = zeroShotMethods.find(({ name }) => name === row.method)!;
      const choice = await chooseParameters(spec, problem, { backend, trials, seed, fixed: row.fixed });
      const percent = 100 * (await score(spec, choice.parameters, problem, backend));
      measured.get(row)!.push({ ...choice, percent });
      console.error(`${split} ${row.title}: ${percent.toFixed(1)} (${describe(choice.parameters, row)})`);
    }
  }
  backend.dispose();
  const text = [
    `Mean per-category accuracy in percent on the 50 test categories; ${trials} random settings tried on held-out auxiliary`,
    `categories, seed ${seed}. Published figures: ResNet-101, split ps (Xian et al., TPAMI 2018).`,
    `Command: \`npm run bench -- zero-shot --trials ${trials} --seed ${seed}\`.`,
    '',
    markdownTable(
      ['method', 'published', ...splits, 'asked for', 'met', ...splits.map((split) => `chosen on ${split}`)],
      rows.map((row) => tableLine(row, measured.get(row)!)),
    ),
  ].join('\n');
  console.log(text);
  if (values.write) writeResults('zero-shot', text);
}

function tableLine(row: TableRow, results: Measured[]): string[] {
  const { published, required } = row;
  let asked = '–';
  if (required) asked = 'atLeast' in required ? `≥ ${required.atLeast}` : `± ${required.within}`;
  const met = results.every(({ percent }) => meets(row, percent)) ? 'yes' : 'no';
  return [
    row.title,
    published?.toFixed(1) ?? '–',
    ...results.map(({ percent }) => percent.toFixed(1)),
    asked,
    required ? met : '–',
    ...results.map(({ parameters }) => describe(parameters, row)),
  ];
}

function describe(parameters: Parameters, { fixed = {} }: TableRow): string {
  const searched = Object.entries(parameters).filter(([name]) => !(name in fixed));
  return searched
    .map(([name, value]) => `${name} ${typeof value === 'number' ? Number(value.toPrecision(3)) : value}`)
    .join(', ');
}
