/** The three files of a comparison's table: JSON with everything, CSV for other programs, Markdown for people. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeCsv, writeFileAtomic } from '../formats/index.js';
import { percent } from '../percent.js';
import type { CompareRow, CompareTable, Parameters, Score } from './results.js';

export async function writeTable(folder: string, table: CompareTable): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFileAtomic(join(folder, 'table.json'), `${JSON.stringify(table, null, 2)}\n`);
  const columns = csvColumns(table);
  await writeCsv(
    join(folder, 'table.csv'),
    table.rows.map((row) => columns.map(([, value]) => value(row) ?? '')),
    { header: columns.map(([name]) => name) },
  );
  await writeFileAtomic(join(folder, 'table.md'), tableMarkdown(table));
}

type CsvColumn = [name: string, value: (row: CompareRow) => string | number | undefined];

function csvColumns({ setting, rows }: CompareTable): CsvColumn[] {
  const score = (name: string, of: (row: CompareRow) => Score | undefined): CsvColumn[] => [
    [name, (row) => of(row)?.mean],
    [`${name}_deviation`, (row) => of(row)?.deviation],
    [`${name}_low`, (row) => of(row)?.low],
    [`${name}_high`, (row) => of(row)?.high],
  ];
  return [
    ['method', (row) => row.method],
    ['uses', (row) => row.uses.join(' ')],
    ...score('accuracy', (row) => row.accuracy),
    ...score('mean_category_accuracy', (row) => row.meanCategoryAccuracy),
    ...(setting === 'generalized'
      ? [
          ...score('seen', (row) => row.seen),
          ...score('unseen', (row) => row.unseen),
          ...score('harmonic', (row) => row.harmonic),
          ['ausuc', (row: CompareRow) => row.ausuc] satisfies CsvColumn,
        ]
      : []),
    ['theta_area', (row) => row.thetaArea],
    ...(rows.some(({ strangers }) => strangers)
      ? ([
          ['strangers_recognized', (row) => row.strangers?.recognized],
          ['listed_mistaken_for_strangers', (row) => row.strangers?.mistaken],
          ['stranger_area', (row) => row.strangers?.area],
        ] satisfies CsvColumn[])
      : []),
    ['seeds', (row) => row.seeds.length],
    ['seconds', (row) => row.seconds],
    ['search_seconds', (row) => row.searchSeconds],
    ['chosen_by', (row) => row.chosenBy],
    ['validation_accuracy', (row) => row.validationAccuracy],
    ['trials', (row) => row.trials],
    ['failed_trials', (row) => row.failedTrials],
    ['parameters', (row) => JSON.stringify(row.parameters)],
    ['paper_accuracy_percent', (row) => row.paperAccuracy],
    ['difference_to_reference', (row) => row.againstReference?.difference],
    ['mcnemar_reference', (row) => row.againstReference?.mcnemar],
    ['difference_to_best', (row) => row.againstBest?.difference],
    ['mcnemar_best', (row) => row.againstBest?.mcnemar],
  ];
}

/** The columns people look at, as strings; also what the command prints. */
export function tableCells(table: CompareTable): { titles: string[]; rows: string[][] } {
  const generalized = table.setting === 'generalized';
  const several = table.seeds.length > 1;
  const ausuc = table.rows.some((row) => row.ausuc !== undefined);
  const columns: [string, (row: CompareRow) => string][] = [
    ['method', (row) => row.method],
    ['accuracy %', (row) => percent(row.accuracy.mean, 2)],
    ['95 % interval', (row) => `${percent(row.accuracy.low, 2)}–${percent(row.accuracy.high, 2)}`],
    ...(several
      ? ([['± seeds', (row) => percent(row.accuracy.deviation, 2)]] as [string, (row: CompareRow) => string][])
      : []),
    ['per category %', (row) => percent(row.meanCategoryAccuracy.mean, 2)],
  ];
  if (generalized)
    columns.push(
      ['seen', (row) => percent(row.seen?.mean, 2)],
      ['unseen', (row) => percent(row.unseen?.mean, 2)],
      ['harmonic', (row) => percent(row.harmonic?.mean, 2)],
    );
  if (table.rows.some(({ strangers }) => strangers))
    columns.push([
      'strangers recognized %',
      ({ strangers }) => (strangers?.recognized === undefined ? '–' : percent(strangers.recognized)),
    ]);
  if (ausuc) columns.push(['AUSUC', (row) => row.ausuc?.toFixed(3) ?? '']);
  if (table.paper) columns.push([`paper (${table.paper.dataset})`, (row) => row.paperAccuracy?.toFixed(2) ?? '']);
  columns.push([`against ${table.reference}`, (row) => against(row)], ['seconds', (row) => row.seconds.toFixed(2)]);
  if (table.trials > 0)
    columns.push(
      ['search s', (row) => row.searchSeconds.toFixed(1)],
      ['validation %', (row) => percent(row.validationAccuracy, 2)],
    );
  return {
    titles: columns.map(([title]) => title),
    rows: table.rows.map((row) => columns.map(([, value]) => value(row))),
  };
}

function against({ againstReference: paired }: CompareRow): string {
  if (!paired) return '';
  const sign = paired.difference < 0 ? '−' : '+';
  return `${sign}${percent(Math.abs(paired.difference), 2)} (p ${pValue(paired.mcnemar)})`;
}

export function pValue(p: number): string {
  return p < 0.001 ? '< 0.001' : p.toFixed(3);
}

function tableMarkdown(table: CompareTable): string {
  const { titles, rows } = tableCells(table);
  const { problem } = table;
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const ruler = titles.map((_, j) => (j === 0 ? '---' : '---:'));
  const parts = [
    `# ${table.title}`,
    `${problem.testPictures} test pictures of ${problem.testCategories} categories, ${problem.webPictures} web pictures, ` +
      `${problem.auxiliaryPictures} pictures of ${problem.auxiliaryCategories} auxiliary categories; ${table.setting} setting; ` +
      `${table.trials > 0 ? `parameters by ${table.trials} trials on validation categories` : 'default parameters'}; ` +
      `${table.seeds.length === 1 ? 'one seed' : `${table.seeds.length} seeds`}. Intervals: 1000 bootstrap resamples of ` +
      `the test pictures; p: McNemar's test against ${table.reference}.`,
    [line(titles), line(ruler), ...rows.map(line)].join('\n'),
  ];
  const notes = [
    ...(table.paper
      ? [`Figures of the paper: ${table.paper.citation}. Dataset known by: ${table.paper.recognisedBy}.`]
      : []),
    ...table.rows.flatMap((row) => (row.note ? [`${row.method}: ${row.note}`] : [])),
    ...table.skipped.map(({ method, reason }) => `${method} was skipped: ${reason}`),
    ...table.failed.map(({ job, message }) => `${job} failed: ${message}`),
  ];
  if (notes.length > 0) parts.push(notes.map((note) => `- ${note}`).join('\n'));
  const chosen = table.rows.filter((row) => Object.keys(row.parameters).length > 0);
  if (chosen.length > 0)
    parts.push(
      '## Parameters',
      [
        line(['method', 'chosen by', 'parameters']),
        line(['---', '---', '---']),
        ...chosen.map((row) => line([row.method, row.chosenBy, describeParameters(row.parameters)])),
      ].join('\n'),
    );
  return `${parts.join('\n\n')}\n`;
}

export function describeParameters(parameters: Parameters): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}
