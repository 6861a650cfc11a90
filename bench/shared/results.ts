/** Puts a table into docs/results.md, between the markers `<!-- NAME -->` and `<!-- /NAME -->`. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

const file = new URL('../../docs/results.md', import.meta.url);

export function writeResults(name: string, text: string): void {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const page = readFileSync(file, 'utf8');
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/results.md lacks the markers ${begin} and ${end}`);
  const beside = new URL('results.md.new', file);
  writeFileSync(beside, `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`);
  renameSync(beside, file);
}
