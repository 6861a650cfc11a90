/** Puts a table into a page of docs, results.md unless told, between the markers `<!-- NAME -->` and `<!-- /NAME -->`. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

export function writeResults(name: string, text: string, page = 'results.md'): void {
  const file = new URL(`../../docs/${page}`, import.meta.url);
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const content = readFileSync(file, 'utf8');
  const [from, to] = [content.indexOf(begin), content.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/${page} lacks the markers ${begin} and ${end}`);
  const beside = new URL(`${page}.new`, file);
  writeFileSync(beside, `${content.slice(0, from + begin.length)}\n\n${text}\n\n${content.slice(to)}`);
  renameSync(beside, file);
}
