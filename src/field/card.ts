/** A model card as blocks that a page can show without reading Markdown: headings, paragraphs, lists, tables. */
import type { CardBlock } from './site.js';

export function cardBlocks(markdown: string): CardBlock[] {
  return markdown
    .split(/\n{2,}/)
    .map((part) => part.trim())
    .filter(Boolean)
    .map((part): CardBlock => {
      const heading = /^#+\s+(.*)$/.exec(part)?.[1];
      if (heading !== undefined) return { heading: plain(heading) };
      const lines = part.split('\n');
      if (lines.every((line) => line.startsWith('- '))) return { list: lines.map((line) => plain(line.slice(2))) };
      if (lines.every((line) => line.startsWith('|')))
        return { table: lines.filter((line) => !/^[|\s:-]+$/.test(line)).map(cells) };
      return { text: plain(lines.join(' ')) };
    });
}

function cells(line: string): string[] {
  return line
    .slice(1, -1)
    .split('|')
    .map((cell) => plain(cell.trim()));
}

/** Without the marks of emphasis and code, and without the places of folders, which are nobody else's business. */
function plain(text: string): string {
  return text.replace(/[`*]/g, '').replace(/\bfolder:[^,]+(?= \(\d+\))/g, 'own folder');
}
