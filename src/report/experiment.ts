/** An experiment: its plots, tables, and the comparison where it is one of the paper's tables. */
import type { ExperimentResult, ExperimentTable } from '../evaluation/index.js';
import { comparison } from './comparison.js';
import { significant } from './format.js';
import { type Html, html, table } from './html.js';
import { linePlot } from './lines.js';

export function experiment(result: ExperimentResult): Html {
  return html`${result.plots.map((plot) => html`<h3>${plot.title}</h3>${linePlot(plot)}`)}
${result.tables.map((entry) => html`<h3>${entry.title}</h3>${plainTable(entry)}`)}
${result.compare && comparison(result.compare)}`;
}

function plainTable({ title, columns, rows }: ExperimentTable): Html {
  return table(
    columns.map((head, c) => ({
      head,
      numeric: rows.every((row) => row[c] === null || typeof row[c] === 'number'),
      cell: (row: readonly (string | number | null)[]) => {
        const value = row[c];
        return typeof value === 'number' ? significant(value) : (value ?? '–');
      },
    })),
    rows,
    { caption: title },
  );
}
