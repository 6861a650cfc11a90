/** The page of the whole paper: its tables with a column for each problem, what of its claims holds, its figures as tables. */
import { describeParameters, type ExperimentPlot } from '../../src/evaluation/index.js';
import { markdownTable } from '../shared/document.js';
import { disagreements } from './disagreements.js';
import { claimRows, claimTitle, columnOf, type PaperOfProblem, tableOf } from './of-problem.js';

export function wholePage(found: readonly PaperOfProblem[], command: string): string {
  const minutes = found.reduce((sum, { seconds }) => sum + seconds, 0) / 60;
  const sections = [
    `Command: \`${command}\`. ${found.map((each) => `\`${columnOf(each)}\`: ${each.result.problem.webPictures} web, ${each.result.problem.testPictures} test pictures`).join('; ')}.`,
    `The seconds of all fits sum up to ${Math.round(minutes)} minutes of one core, ${Math.round(minutes / 2)} of two.`,
    ...accuracyTables(found),
    claims(found),
    disagreements(found),
    runningTimes(found),
    ...figures(found),
    ...weights(found),
    parameters(found),
    failures(found),
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

function accuracyTables(found: readonly PaperOfProblem[]): string[] {
  const titles = [...new Set(found.flatMap(({ result }) => result.tables.map(({ title }) => title)))];
  return titles
    .filter((title) => /^Table [IV]+:/.test(title))
    .map((title) => {
      const tables = found.map(({ result }) => tableOf(result, title));
      const methods = [...new Set(tables.flatMap((table) => table?.rows.map(([method]) => String(method)) ?? []))];
      const rows = methods.map((method) => {
        const own = tables.map((table) => table?.rows.find((row) => row[0] === method));
        const paper = own.find((row) => row)?.[3];
        return [`\`${method}\``, text(paper), ...own.map((row) => (row ? `${text(row[1])} (${String(row[2])})` : '–'))];
      });
      return `#### ${title}\n\nAccuracy in percent (95 % interval).\n\n${markdownTable(['method', 'paper', ...found.map(columnOf)], rows)}`;
    });
}

function claims(found: readonly PaperOfProblem[]): string {
  const names = [...new Set(found.flatMap((each) => claimRows(each).map((row) => `${row[0]}|${row[1]}`)))];
  const rows = names.map((name) => {
    const own = found.map((each) => claimRows(each).find((row) => `${row[0]}|${row[1]}` === name));
    const [setting, claim, because, paper] = own.find((row) => row)!;
    return [
      `${claim}${setting === 'generalized' ? ', generalized' : ''}: ${because}`,
      text(paper),
      ...own.map((row) => (row ? `${signed(Number(row[4]))} ${row[5]}` : '–')),
    ];
  });
  const head = ['claim', 'paper, points', ...found.map(columnOf)];
  return `#### ${claimTitle}\n\nDifference of accuracy in points; "unclear" where the lower accuracy lies within the interval of the higher.\n\n${markdownTable(head, rows)}`;
}

function runningTimes(found: readonly PaperOfProblem[]): string {
  const title = 'Seconds of one fit on one thread';
  const tables = found.map(({ result }) => tableOf(result, title));
  const methods = [...new Set(tables.flatMap((table) => table?.rows.map(([method]) => String(method)) ?? []))];
  const rows = methods.map((method) => {
    const own = tables.map((table) => table?.rows.find((row) => row[0] === method));
    return [`\`${method}\``, text(own[0]?.[4]), ...own.map((row) => text(row?.[1]))];
  });
  return `#### ${title}\n\n${markdownTable(['method', 'paper', ...found.map(columnOf)], rows)}`;
}

/** Sensitivity: a table for each parameter, problems beside each other. Web pictures: a table for each problem. */
function figures(found: readonly PaperOfProblem[]): string[] {
  const shown = (each: PaperOfProblem) => each.result.plots.filter(({ series }) => series[0]?.points.length <= 30);
  const titles = [...new Set(found.flatMap((each) => shown(each).map(({ title }) => title)))];
  return titles.flatMap((title) => {
    const plots = found.map((each) => shown(each).find((plot) => plot.title === title));
    if (plots.every((plot) => !plot || plot.series.length === 1)) {
      const series = plots.map((plot) => plot?.series[0]);
      const xs = distinct(plots);
      const rows = xs.map((x) => [String(x), ...series.map((each) => text(each?.points.find((p) => p.x === x)?.y))]);
      const heads = found.map(
        (each, k) => `${columnOf(each)}${series[k]?.mark === undefined ? '' : ` (chosen ${series[k].mark})`}`,
      );
      return [
        `#### ${title}\n\nAccuracy of \`${series.find((each) => each)?.name}\` in percent.\n\n${markdownTable(['value', ...heads], rows)}`,
      ];
    }
    return found.map((each, k) => {
      const series = plots[k]?.series ?? [];
      const rows = distinct([plots[k]]).map((x) => [
        String(x),
        ...series.map((one) => text(one.points.find((p) => p.x === x)?.y)),
      ]);
      return `#### ${title}: ${columnOf(each)}\n\nAccuracy in percent.\n\n${markdownTable([plots[k]?.x.label ?? 'value', ...series.map(({ name }) => `\`${name}\``)], rows)}`;
    });
  });
}

function weights(found: readonly PaperOfProblem[]): string[] {
  return found.flatMap((each) =>
    each.result.tables
      .filter(
        ({ title }) => title === 'Mean weight by kind of web picture' || title === 'Highest and lowest weights: paper',
      )
      .map(({ title, columns, rows }) => {
        const body = rows.map((row) => row.map((cell) => text(cell).slice(0, 60)));
        return `#### ${title}: ${columnOf(each)}\n\n${markdownTable([...columns], body)}`;
      }),
  );
}

/** A row for each method, or one for each problem where they differ. */
function parameters(found: readonly PaperOfProblem[]): string {
  const methods = [...new Set(found.flatMap(({ result }) => Object.keys(result.parameters)))];
  const rows = methods.flatMap((method) => {
    const told = new Map<string, string[]>();
    for (const each of found) {
      const values = each.result.parameters[method];
      if (!values) continue;
      const text = describeParameters(values);
      told.set(text, [...(told.get(text) ?? []), columnOf(each)]);
    }
    return [...told].map(
      ([text, where]) => `| \`${method}\` | ${told.size === 1 ? 'all' : where.join('; ')} | ${text} |`,
    );
  });
  return `<details><summary>Parameters of the standard setting</summary>\n\n| method | problems | parameters |\n| --- | --- | --- |\n${rows.join('\n')}\n\n</details>`;
}

function failures(found: readonly PaperOfProblem[]): string {
  const told = new Map<string, Set<string>>();
  for (const each of found) {
    const lines = [
      ...each.result.skipped.map(({ method, reason }) => `\`${method}\`: ${reason}`),
      ...each.result.failed.map(({ job, message }) => `${job} failed: ${message}`),
    ];
    for (const line of lines) told.set(line, new Set([...(told.get(line) ?? []), columnOf(each)]));
  }
  const lines = [...told].map(([line, where]) => `- ${line} (${[...where].join('; ')})`);
  return lines.length === 0 ? '' : `Left out:\n\n${lines.join('\n')}`;
}

function distinct(plots: readonly (ExperimentPlot | undefined)[]): number[] {
  const all = plots.flatMap((plot) => plot?.series.flatMap(({ points }) => points.map(({ x }) => x)) ?? []);
  return [...new Set(all)].sort((a, b) => a - b);
}

function text(cell: string | number | null | undefined): string {
  if (cell === null || cell === undefined) return '–';
  return typeof cell === 'number' ? String(Math.round(100 * cell) / 100) : cell.replaceAll('|', '\\|');
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(1)}`;
}
