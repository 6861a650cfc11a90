/** HTML from templates: every value put into one is escaped, unless it is HTML that was made the same way. */
import { escapeHtml } from '../formats/index.js';

export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

export type HtmlValue = Html | string | number | undefined | null | false | readonly HtmlValue[];

function render(value: HtmlValue): string {
  if (value instanceof Html) return value.text;
  if (value === undefined || value === null || value === false) return '';
  if (typeof value === 'object') return value.map(render).join('');
  return escapeHtml(String(value));
}

/** @example html`<b>${title}</b>` */
export function html(parts: TemplateStringsArray, ...values: HtmlValue[]): Html {
  return new Html(parts.reduce((text, part, i) => text + render(values[i - 1]) + part));
}

/** A link where the address is one a browser may safely follow, else the words alone. */
export function link(words: string, address: string | undefined): Html {
  return address && /^https?:\/\//i.test(address)
    ? html`<a href="${address}" rel="nofollow noreferrer">${words}</a>`
    : html`${words}`;
}

export interface Column<Row> {
  head: string;
  /** Explains the head where it is short. */
  hint?: string;
  cell(row: Row, index: number): HtmlValue;
  /** Numbers stand to the right, in figures of equal width. */
  numeric?: boolean;
}

/** A table that scrolls within itself when it is wider than the page. */
export function table<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  options: { caption?: string; label?: string; emphasize?: (row: Row) => boolean } = {},
): Html {
  const kind = (column: Column<Row>) => (column.numeric ? html` class="number"` : undefined);
  const hint = (column: Column<Row>) => (column.hint ? html` title="${column.hint}"` : undefined);
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${options.label ?? options.caption ?? 'table'}"><table>${
    options.caption && html`<caption>${options.caption}</caption>`
  }<thead><tr>${columns.map((column) => html`<th scope="col"${kind(column)}${hint(column)}>${column.head}</th>`)}</tr></thead><tbody>${rows.map(
    (row, i) =>
      html`<tr${options.emphasize?.(row) ? html` class="emphasized"` : undefined}>${columns.map((column, c) =>
        c === 0
          ? html`<th scope="row"${kind(column)}>${column.cell(row, i)}</th>`
          : html`<td${kind(column)}>${column.cell(row, i)}</td>`,
      )}</tr>`,
  )}</tbody></table></div>`;
}

/** Names and values: short ones side by side (`facts`), long ones a line each (`record`). */
export function facts(entries: readonly (readonly [string, HtmlValue])[], kind: 'facts' | 'record' = 'facts'): Html {
  return html`<dl class="${kind}">${entries.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** The few figures that matter most, large. */
export function tiles(entries: readonly { label: string; value: string; note?: string }[]): Html {
  return html`<div class="tiles">${entries.map(
    ({ label, value, note }) =>
      html`<div class="tile"><div class="label">${label}</div><div class="value">${value}</div>${note && html`<div class="note">${note}</div>`}</div>`,
  )}</div>`;
}

/** Names, each with a sentence. */
export function list(entries: readonly (readonly [string, string])[]): Html {
  return html`<ul>${entries.map(([name, text]) => html`<li><code>${name}</code>: ${text}</li>`)}</ul>`;
}

export function details(summary: string, content: HtmlValue): Html {
  return html`<details><summary>${summary}</summary>${content}</details>`;
}
