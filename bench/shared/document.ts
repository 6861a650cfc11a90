/** Puts the result of a benchmark into docs/benchmarks.md, between the markers that carry the benchmark's name. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

const file = new URL('../../docs/benchmarks.md', import.meta.url);

export function writeSection(name: string, markdown: string): void {
  const [begin, end] = [`<!-- begin ${name} -->`, `<!-- end ${name} -->`];
  const text = readFileSync(file, 'utf8');
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/benchmarks.md lacks the markers ${begin} and ${end}`);
  const beside = new URL('benchmarks.md.new', file);
  writeFileSync(beside, `${text.slice(0, from + begin.length)}\n\n${markdown.trim()}\n\n${text.slice(to)}`);
  renameSync(beside, file);
}

/** A markdown table; every column but the first is aligned to the right. */
export function markdownTable(header: string[], rows: string[][]): string {
  const rule = header.map((_, i) => (i === 0 ? '---' : '---:'));
  return [header, rule, ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
