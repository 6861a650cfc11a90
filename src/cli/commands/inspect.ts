/** `bowerbird inspect`: what is in a file, and what looks wrong about it. */
import { stat } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { basename } from 'node:path';
import { type BowerbirdError, FileError, FormatError, MemoryError } from '../../errors.js';
import { elementCount, fileError } from '../../formats/index.js';
import {
  brokenRules,
  diagnose,
  type Finding,
  isXlsa17,
  type Problem,
  type ProblemSummary,
  readProblem,
  semanticsOf,
  summarize,
} from '../../problem/index.js';
import { defineCommand } from '../command.js';
import { inspectData, looksLikeData } from '../data-listing.js';
import { type ArrayListing, listArrays } from '../file-listing.js';
import { amount, fileSize, shortNumber, tableLines } from '../table.js';

type Print = (line: string) => void;

/** Names that only problem files use; one of them is enough to try reading the file as a problem. */
const telling = ['aux_features', 'web_features', 'test_features', 'aux_semantics', 'test_semantics'];

export default defineCommand({
  name: 'inspect',
  summary: 'Show what is in a file and what looks wrong.',
  description:
    'For a problem: sets, categories, counts, ranges, broken rules and anything that looks wrong. For any other .npy, ' +
    '.npz, .mat or .safetensors file: its arrays with shape, type and range. For a set of pictures, in any format that ' +
    '"data import" reads: what it is, how many pictures, categories, parts and licences, and what is wrong with it.',
  arguments: [
    {
      name: 'FILE',
      description: 'a .npz, .npy, .mat or .safetensors file, a folder of .npy files, or a set of pictures',
    },
  ],
  options: {
    semantics: {
      type: 'string',
      default: 'semantics',
      placeholder: 'NAME',
      description: 'Semantic vectors to check: the arrays aux_NAME and test_NAME.',
    },
  },
  examples: [
    { command: 'bowerbird inspect problem.npz', explanation: 'Check a problem before fitting it.' },
    { command: 'bowerbird inspect features.npy --json', explanation: 'Shape, type and range of one array.' },
    { command: 'bowerbird inspect annotations.json', explanation: 'A set of pictures in the format COCO.' },
  ],
  async run({ args: [path], options, print, printJson, signal, progress }) {
    const status = await stat(path).catch((error) => {
      throw fileError(path, error, 'opened');
    });
    progress.update({ stage: 'read', done: 0 });
    if (await looksLikeData(path, status.isDirectory())) return inspectData(path, { print, printJson, signal });
    const pair = await isXlsa17(path);
    const arrays = pair ? [] : await listArrays(path, signal);
    const bytes = status.isFile() ? status.size : undefined;
    const problemLike = pair || arrays.some((array) => telling.includes(array.name));
    const read = problemLike ? await readAsProblem(path, arrays, options.semantics, signal) : undefined;
    if (read?.problem) {
      const report = inspectProblem(read.problem, arrays);
      printJson({ file: path, kind: 'problem', bytes, ...report, arrays });
      printProblem(path, bytes, report, print, !arrays.some(({ name }) => name === 'web_text'));
      if (arrays.length > 0) printArrays('\nArrays', arrays, print);
    } else {
      const problems = read?.error ? [{ message: read.error.message, hint: read.error.hint }] : [];
      printJson({ file: path, kind: 'arrays', bytes, errors: problems, arrays });
      printArrays(
        `${basename(path)}: ${amount(arrays.length, 'array')}${bytes === undefined ? '' : `, ${fileSize(bytes)}`}\n`,
        arrays,
        print,
      );
      explainWhyNotProblem(path, arrays, problems, print);
    }
    return 0;
  },
});

/** The problem, or why the file cannot be read as one. */
async function readAsProblem(
  path: string,
  arrays: readonly ArrayListing[],
  semantics: string,
  signal: AbortSignal,
): Promise<{ problem: Problem; error?: undefined } | { problem?: undefined; error: BowerbirdError }> {
  const bytes = arrays.reduce((total, { shape }) => total + 8 * elementCount(shape), 0);
  if (bytes > totalmem() / 2) return { error: new MemoryError(bytes, 'checking all rules of this problem') };
  try {
    return { problem: await readProblem(path, { semantics, web: 'optional', signal }) };
  } catch (error) {
    if (error instanceof FormatError || error instanceof FileError) return { error };
    throw error;
  }
}

interface ProblemReport {
  summary: ProblemSummary;
  semantics: string[];
  errors: { array: string; row?: number; message: string; hint?: string }[];
  findings: Finding[];
}

function inspectProblem(problem: Problem, arrays: readonly ArrayListing[]): ProblemReport {
  const errors = [...brokenRules(problem, { scaling: 'l2', web: 'optional' })];
  return {
    summary: summarize(problem),
    semantics: semanticsOf(arrays.map((array) => array.name)),
    errors: errors.map(({ array, row, message, hint }) => ({ array, row, message, hint })),
    // Broken rules explain themselves; looking further at such data would only repeat them.
    findings: errors.length > 0 ? [] : diagnose(problem),
  };
}

function printProblem(
  path: string,
  bytes: number | undefined,
  report: ProblemReport,
  print: Print,
  counted: boolean,
): void {
  const { summary } = report;
  const size = bytes === undefined ? '' : `, ${fileSize(bytes)}`;
  print(`${basename(path)}: a problem${summary.generalized ? ' in the generalized setting' : ''}${size}\n`);
  const columns = [
    { title: 'set' },
    { title: 'pictures', align: 'right' },
    { title: 'categories', align: 'right' },
    { title: 'per category', align: 'right' },
    { title: 'kinds' },
  ] as const;
  const rows = summary.sets.map((set) => [
    set.name,
    String(set.pictures),
    String(set.categories),
    set.fewest === undefined ? 'unknown' : set.fewest === set.most ? `${set.most}` : `${set.fewest} to ${set.most}`,
    set.kinds
      ? Object.entries(set.kinds)
          .map(([kind, n]) => `${n} ${kind}`)
          .join(', ')
      : '',
  ]);
  for (const line of tableLines(columns, rows)) print(line);
  print('');
  print(`  features          ${summary.features} per picture`);
  const others = report.semantics.length > 1 ? ` (the file has: ${report.semantics.join(', ')})` : '';
  print(`  semantic vectors  ${summary.semanticDimensions} elements${others}`);
  if (summary.textDimensions !== undefined)
    print(
      `  text              ${summary.textDimensions} words${summary.webTexts && counted ? ', counted in the titles' : ''}`,
    );
  if (summary.webVouched !== undefined) print(`  vouched for       ${amount(summary.webVouched, 'web picture')}`);
  print(`  auxiliary names   ${sample(summary.auxiliaryNames)}`);
  print(`  test names        ${sample(summary.testNames)}`);
  if (report.errors.length > 0) {
    print('\nBroken rules: this problem cannot be fitted');
    for (const error of report.errors) printTrouble(error, print);
  } else if (report.findings.length > 0) {
    print('\nLooks wrong');
    for (const { array, message } of report.findings) print(`  ${array}: ${message}`);
  } else print('\nNothing looks wrong.');
}

function printArrays(title: string, arrays: readonly ArrayListing[], print: Print): void {
  print(title);
  if (arrays.length === 0) return;
  const columns = [{ title: 'name' }, { title: 'shape' }, { title: 'type' }, { title: 'range' }];
  const rows = arrays.map((array) => [array.name, array.shape.join(' × ') || 'scalar', array.dtype, rangeText(array)]);
  for (const line of tableLines(columns, rows)) print(line);
}

function rangeText({ minimum, maximum, notFinite, texts }: ArrayListing): string {
  if (texts) return sample(texts.map((text) => (text.length > 30 ? `${text.slice(0, 29)}…` : text)));
  const range = minimum === undefined ? '' : `${shortNumber(minimum)} to ${shortNumber(maximum!)}`;
  return notFinite ? `${range ? `${range}, ` : ''}${notFinite} NaN or infinite` : range;
}

function explainWhyNotProblem(
  path: string,
  arrays: readonly ArrayListing[],
  errors: readonly { message: string; hint?: string }[],
  print: Print,
): void {
  if (errors.length > 0) {
    print('\nAs a problem');
    for (const error of errors) printTrouble(error, print);
  } else if (arrays.length === 0)
    print('No array is here. Of a folder the .npy files are read, and an xlsa17 pair of .mat files.');
  else if (!path.endsWith('.npy') && !path.endsWith('.safetensors'))
    print('\nNot a problem file: that has aux_features, web_features and test_features (docs/problem.md).');
}

function printTrouble({ message, hint }: { message: string; hint?: string }, print: Print): void {
  print(`  ${message}`);
  if (hint) print(`      ${hint}`);
}

function sample(names: readonly string[]): string {
  return `${names.slice(0, 3).join(', ')}${names.length > 3 ? ', …' : ''}`;
}
