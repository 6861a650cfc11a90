/** The experiment `paper` as one page of Markdown: tables as they are, plots as tables of their points. */
import type { CompareTable, ExperimentPlot, ExperimentResult, ExperimentTable } from '../results.js';
import { describeParameters } from '../table-files.js';

export function paperPage(result: ExperimentResult, comparisons: readonly CompareTable[]): string {
  const { problem, title, seed, tables, plots, skipped, failed } = result;
  const [{ trials, paper }] = comparisons;
  const lines = [
    `# ${title}`,
    '',
    `${problem.path ?? 'A problem in memory'}${problem.semantics ? `, semantic vectors "${problem.semantics}"` : ''}: ` +
      `${problem.testCategories} test categories (${problem.testPictures} pictures), ${problem.auxiliaryCategories} auxiliary ` +
      `categories (${problem.auxiliaryPictures}), ${problem.webPictures} web pictures. Parameters: ` +
      `${trials > 0 ? `the best of ${trials} trials on validation categories` : 'defaults'}; seed ${seed}. ` +
      `${paper ? `The paper's figures are those of ${paper.dataset} (${paper.recognisedBy}); its features, web pictures and split are others.` : ''}`,
    '',
    ...tables.flatMap(tableLines),
    ...plots.flatMap(plotLines),
    ...parameterLines(comparisons),
    ...(skipped.length > 0
      ? ['Skipped:', '', ...skipped.map(({ method, reason }) => `- ${method}: ${reason}`), '']
      : []),
    ...(failed.length > 0 ? ['Failed:', '', ...failed.map(({ job, message }) => `- ${job}: ${message}`), ''] : []),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

function tableLines({ title, columns, rows }: ExperimentTable): string[] {
  const right = columns.map((_, c) => rows.every((row) => row[c] === null || typeof row[c] === 'number'));
  return [
    `## ${title}`,
    '',
    line(columns),
    line(right.map((numeric) => (numeric ? '---:' : '---'))),
    ...rows.map((row) => line(row.map((cell) => (cell === null ? '' : String(cell).slice(0, 80))))),
    '',
  ];
}

/** Curves of more than thirty points are to be looked at, and left out here. */
function plotLines({ title, x, y, series }: ExperimentPlot): string[] {
  const all = [...new Set(series.flatMap(({ points }) => points.map((point) => point.x)))].sort((a, b) => a - b);
  if (all.length > 30) return [];
  const rows = all.map((value) => [
    value,
    ...series.map(({ points }) => {
      const point = points.find((each) => each.x === value);
      return point ? Number(point.y.toFixed(2)) : null;
    }),
  ]);
  const names = series.map(({ name, mark }) => (mark === undefined ? name : `${name} (chosen ${mark})`));
  return tableLines({ title: `${title}: ${y.label}`, columns: [x.label, ...names], rows });
}

function parameterLines(comparisons: readonly CompareTable[]): string[] {
  const rows = comparisons.flatMap(({ setting, rows: each }) =>
    each.map((row) => [setting, row.method, row.chosenBy, describeParameters(row.parameters)]),
  );
  return [
    '<details><summary>Parameters</summary>',
    '',
    line(['setting', 'method', 'chosen by', 'parameters']),
    line(['---', '---', '---', '---']),
    ...rows.map(line),
    '',
    '</details>',
    '',
  ];
}

function line(cells: readonly (string | number)[]): string {
  return `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
}
