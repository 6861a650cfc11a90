/** An experiment: its plots, tables, and the comparison where it is one of the paper's tables. */
import type { ExperimentResult, ExperimentTable, Parameters } from '../evaluation/index.js';
import { comparison } from './comparison.js';
import { significant } from './format.js';
import { details, type Html, html, list, table } from './html.js';
import { linePlot } from './lines.js';
import { doubtedBelow, type GalleryOptions, galleryEnd } from './weights.js';

export async function experiment(result: ExperimentResult, folder: string, options: GalleryOptions): Promise<Html> {
  const tables: Html[] = [];
  for (const entry of result.tables) {
    const shown = entry.columns[0] === 'web picture' && options.pictures;
    tables.push(
      html`<h3>${entry.title}</h3>${shown && (await weightedEnds(entry, folder, options))}${plainTable(entry)}`,
    );
  }
  return html`${result.plots.map((plot) => html`<h3>${plot.title}</h3>${linePlot(plot)}`)}
${tables}
${result.compare ? comparison(result.compare) : asides(result)}`;
}

/** The pictures of a table of highest and lowest weights, the highest in its first half. */
async function weightedEnds(
  { columns, rows }: ExperimentTable,
  folder: string,
  options: GalleryOptions,
): Promise<Html> {
  const column = (name: string) => columns.indexOf(name);
  const pictures = rows.map((row) => ({
    row: Number(row[0]),
    category: String(row[column('category')]),
    weight: Number(row[column('weight')]),
    text: String(row[column('text')] ?? ''),
  }));
  const middle = Math.ceil(pictures.length / 2);
  const doubted = doubtedBelow(pictures);
  const end = (title: string, kind: 'high' | 'low', some: typeof pictures) =>
    galleryEnd({ title, kind, pictures: some, doubtedBelow: doubted }, folder, options);
  return html`${await end('highest', 'high', pictures.slice(0, middle))}${await end('lowest', 'low', pictures.slice(middle).reverse())}`;
}

/** What a comparison shows by itself. */
function asides({ parameters, skipped, failed }: ExperimentResult): Html {
  const settings = Object.entries(parameters).map(([method, values]) => [method, written(values)] as const);
  return html`${settings.length > 0 && details('Parameters', list(settings))}
${skipped.length > 0 && details('Methods skipped', list(skipped.map(({ method, reason }) => [method, reason])))}
${failed.length > 0 && html`<h3>Failed fits</h3>${list(failed.map(({ job, message }) => [job, message]))}`}`;
}

function written(parameters: Parameters): string {
  const entries = Object.entries(parameters);
  return entries.map(([name, value]) => `${name} ${typeof value === 'number' ? significant(value) : value}`).join(', ');
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
    { label: title },
  );
}
