/**
 * A corpus as a stream of paragraphs: plain text (one a line) or a Wikipedia `pages-articles` dump, either of them bare
 * or compressed with gzip or bzip2. One pass, constant memory.
 */
import { FormatError } from '../../errors.js';
import { type ReadBytesOptions, readBytes } from './bytes.js';
import { plainParagraphs } from './markup.js';
import { decodeUtf8, type TextPiece } from './utf8.js';
import { readArticles } from './wikipedia.js';

export type CorpusFormat = 'text' | 'wikipedia';

export interface ReadCorpusOptions extends ReadBytesOptions {
  /** @default recognized: a file that begins with `<mediawiki` (or an XML declaration) is a dump */
  format?: CorpusFormat;
}

/** A line this long is cut: no text has one, and a file without line ends must not fill the memory. */
const longestLine = 1 << 20;

/** The paragraphs of a corpus file, in order. */
export async function* readCorpus(path: string, options: ReadCorpusOptions = {}): AsyncGenerator<string> {
  const pieces = decodeUtf8(readBytes(path, options), path);
  try {
    const first = await pieces.next();
    if (first.done) throw new FormatError(path, 0, 'the corpus is empty');
    const beginning = first.value.text.trimStart();
    const format = options.format ?? (/^<(?:mediawiki|\?xml)/.test(beginning) ? 'wikipedia' : 'text');
    const all = rejoined(first.value, pieces);
    if (format === 'text') yield* readLines(all);
    else
      for await (const { markup, hiddenNamespaces } of readArticles(all, path))
        yield* plainParagraphs(markup, hiddenNamespaces);
  } finally {
    await pieces.return(undefined);
  }
}

async function* rejoined(first: TextPiece, rest: AsyncIterable<TextPiece>): AsyncGenerator<TextPiece> {
  yield first;
  yield* rest;
}

async function* readLines(pieces: AsyncIterable<TextPiece>): AsyncGenerator<string> {
  let carried = '';
  for await (const { text } of pieces) {
    const lines = (carried + text).split(/\r?\n/);
    carried = lines.pop()!;
    for (const line of lines) if (line) yield line;
    while (carried.length > longestLine) {
      const space = carried.lastIndexOf(' ', longestLine);
      const end = space > 0 ? space : longestLine;
      yield carried.slice(0, end);
      carried = carried.slice(end);
    }
  }
  if (carried) yield carried;
}
