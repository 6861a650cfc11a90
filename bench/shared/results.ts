/** Tables in a page of docs, results.md unless told, between the markers `<!-- NAME -->` and `<!-- /NAME -->`. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

export interface ResultTable {
  columns: string[];
  rows: { name: string; figures: number[] }[];
}

export function writeResults(name: string, text: string, page = 'results.md'): void {
  const { file, before, after } = around(name, page);
  const beside = new URL(`${page}.new`, file);
  writeFileSync(beside, `${before}\n\n${text}\n\n${after}`);
  renameSync(beside, file);
}

/** The first table between the markers; what is not a number is NaN. */
export function readResults(name: string, page = 'results.md'): ResultTable {
  const cells = around(name, page)
    .within.split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const [[, ...columns], , ...rows] = cells;
  return { columns, rows: rows.map(([name, ...figures]) => ({ name, figures: figures.map(Number) })) };
}

function around(name: string, page: string): { file: URL; before: string; within: string; after: string } {
  const file = new URL(`../../docs/${page}`, import.meta.url);
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const content = readFileSync(file, 'utf8');
  const [from, to] = [content.indexOf(begin) + begin.length, content.indexOf(end)];
  if (from < begin.length || to < from) throw new Error(`docs/${page} lacks the markers ${begin} and ${end}`);
  return { file, before: content.slice(0, from), within: content.slice(from, to), after: content.slice(to) };
}
