/**
 * How methods fare with more and less noise, fewer web pictures, and other categories.
 *
 * The problem's known truth about web pictures builds problems with 20 web pictures a category of which 0, 20, 40 or 60
 * percent are wrong; smaller choices of its web pictures give 5, 10, 20 or 40 a category. Other categories are those of its
 * validation split, and the 50 test categories of the standard (ss) and the proposed split (ps) of the photographs in
 * `--photographs FILE`, with planted noise. Methods use the parameters that a comparison chose
 * (`--table DIR` of `bowerbird compare`), or their defaults. Options: `--data FILE`, `--semantics NAME`, `--table DIR`,
 * `--methods A,B`, `--part noise|count|split`, `--write` (into docs/results.md and docs/figures), `--redraw` (the figures
 * alone, from the tables in docs/results.md).
 */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { BowerbirdError } from '../src/errors.js';
import { accuracy } from '../src/fit/index.js';
import { type Backend, createBackend } from '../src/linalg/index.js';
import { createMethod, findMethod, methods, type ParameterValue } from '../src/methods/index.js';
import { loadProblem, type Problem, topWeb, validationSplit, withWrongShare } from '../src/problem/index.js';
import { draw } from './robustness/figure.js';
import { plantedProblem } from './robustness/planted.js';
import { markdownTable } from './shared/document.js';
import { readResults, writeResults } from './shared/results.js';

interface Part {
  title: string;
  axis: string;
  /** What the table needs said about it. */
  note?: string;
  /** Name of the column and the problem it stands for. */
  columns(problem: Problem, photographs: string): Promise<[name: string, problem: Problem][]>;
}

const perCategory = 20;

const parts: Record<string, Part> = {
  noise: {
    title: `Share of wrong web pictures, ${perCategory} web pictures a category`,
    axis: 'wrong web pictures, %',
    columns: async (problem) =>
      [0, 0.2, 0.4, 0.6].map((share) => [String(100 * share), withWrongShare(problem, share, perCategory, 1)]),
  },
  count: {
    title: 'Web pictures a category, noise as it is',
    axis: 'web pictures a category',
    columns: async (problem) => [5, 10, 20, 40].map((count) => [String(count), topWeb(problem, count)]),
  },
  split: {
    title: 'Other categories',
    axis: 'split',
    note:
      'ss and ps are the standard and the proposed split of CUB; ss has the same 50 test categories as `cub-web`, with other web pictures, and ps shares 18 of them: the training half of the photographs of the test categories' +
      ' stands for web pictures, 38 % of them exchanged for photographs of similar and of any other categories; no text, so' +
      ' that methods which learn from it have no figure.',
    columns: async (problem, photographs) => [
      ['test categories', problem],
      ['validation categories', validationSplit(problem)],
      ['the same test categories, planted noise (ss)', await plantedProblem(photographs, 'ss')],
      ['50 others, 18 of them the same, planted noise (ps)', await plantedProblem(photographs, 'ps')],
    ],
  },
};

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      data: { type: 'string', default: '../shared/data/cub-web.npz' },
      photographs: { type: 'string', default: '../shared/data/cub-googlenet.npz' },
      semantics: { type: 'string', default: 'attributes' },
      table: { type: 'string' },
      methods: { type: 'string' },
      part: { type: 'string', default: Object.keys(parts).join(',') },
      write: { type: 'boolean', default: false },
      redraw: { type: 'boolean', default: false },
    },
  });
  if (values.redraw) {
    for (const name of ['noise', 'count']) draw(name, parts[name].axis, readResults(`robustness-${name}`));
    return;
  }
  const problem = await loadProblem(values.data, { semantics: values.semantics });
  const chosen = values.table ? chosenParameters(values.table) : new Map<string, Record<string, ParameterValue>>();
  const standard = methods.filter(({ setting, name }) => setting !== 'generalized' && name !== 'clip');
  const names = values.methods?.split(',') ?? standard.map(({ name }) => name);
  const backend = await createBackend();
  for (const name of values.part.split(',')) {
    const { title, axis, note, columns } = parts[name];
    const given = await columns(problem, values.photographs);
    const rows: { method: string; figures: number[] }[] = [];
    for (const method of names) {
      const figures: number[] = [];
      for (const [, each] of given) {
        figures.push(await percentage(method, chosen.get(method) ?? {}, each, backend));
      }
      rows.push({ method, figures });
      console.error(`${name}, ${method}: ${figures.map(written).join(' ')}`);
    }
    rows.sort((a, b) => mean(b.figures) - mean(a.figures));
    const table = markdownTable(
      ['method', ...given.map(([column]) => column)],
      rows.map(({ method, figures }) => [method, ...figures.map(written)]),
    );
    const source = chosen.size > 0 ? 'parameters of the comparison above' : 'default parameters';
    const command = `npm run bench -- robustness --part ${name}${values.table ? ` --table ${basename(values.table)}` : ''}`;
    const figure = name === 'split' ? '' : `\n\n![${title}](figures/${name}.svg)`;
    const about = `${title}; accuracy in percent, ${values.semantics}, ${source}. Command: \`${command}\`.`;
    const text = `${note ? `${about} ${note}` : about}\n\n${table}${figure}`;
    console.log(text);
    if (!values.write) continue;
    writeResults(`robustness-${name}`, text);
    if (figure) draw(name, axis, readResults(`robustness-${name}`));
  }
  backend.dispose();
}

/** Accuracy in percent; not a number where the problem lacks what the method works with, such as texts. */
async function percentage(
  method: string,
  parameters: Record<string, ParameterValue>,
  problem: Problem,
  backend: Backend,
): Promise<number> {
  try {
    const fitted = createMethod(findMethod(method), parameters, 1);
    await fitted.fit(problem, { backend });
    return 100 * accuracy(fitted.predict(problem.testFeatures), problem.testLabels!);
  } catch (error) {
    if (!(error instanceof BowerbirdError)) throw error;
    console.error(`${method}: ${error.message}`);
    return Number.NaN;
  }
}

const written = (figure: number) => (Number.isNaN(figure) ? '–' : figure.toFixed(1));

/** Of those that are numbers. */
function mean(figures: readonly number[]): number {
  const known = figures.filter((figure) => !Number.isNaN(figure));
  return known.reduce((total, value) => total + value, 0) / known.length;
}

/** Parameters by method, from table.json. */
function chosenParameters(folder: string): Map<string, Record<string, ParameterValue>> {
  const { rows } = JSON.parse(readFileSync(join(folder, 'table.json'), 'utf8')) as {
    rows: { method: string; parameters: Record<string, ParameterValue> }[];
  };
  return new Map(rows.map(({ method, parameters }) => [method, parameters]));
}
