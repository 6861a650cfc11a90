/**
 * Articles of a Wikipedia `pages-articles` dump: streamed XML, one page in memory at a time. Redirects, talk pages and
 * every other namespace than the articles' (0) are skipped.
 */
import { SaxesParser } from 'saxes';
import { FormatError } from '../../errors.js';
import type { TextPiece } from './utf8.js';

export interface Article {
  readonly title: string;
  /** Wiki markup, as stored. */
  readonly markup: string;
  /** What the dump calls files and categories, lower-case. */
  readonly hiddenNamespaces: ReadonlySet<string>;
}

/** MediaWiki refuses pages over 2 MiB; more than this without a tag means that the file is not a dump. */
const longestText = 64 * 2 ** 20;

export async function* readArticles(pieces: AsyncIterable<TextPiece>, file: string): AsyncGenerator<Article> {
  const parser = new SaxesParser({ xmlns: false, position: true });
  const articles: Article[] = [];
  let page: { title: string; namespace: string; redirect: boolean; markup: string } | undefined;
  let element = '';
  let problem: Error | undefined;
  /** Characters of the stream before the error, and before the piece being parsed. */
  let problemAt = 0;
  let charactersBefore = 0;
  let sinceEvent = 0;
  const hiddenNamespaces = new Set<string>();
  const add = (text: string) => {
    sinceEvent = 0;
    if (element === 'hidden namespace') hiddenNamespaces.add(text.trim().toLowerCase());
    else if (!page) return;
    else if (element === 'text') page.markup += text;
    else if (element === 'title') page.title += text;
    else if (element === 'ns') page.namespace += text;
  };
  parser.on('error', (error) => {
    if (problem) return;
    problem = error;
    problemAt = parser.position;
  });
  parser.on('opentag', ({ name, attributes }) => {
    sinceEvent = 0;
    const hidden = name === 'namespace' && (attributes.key === '6' || attributes.key === '14');
    element = hidden ? 'hidden namespace' : name;
    if (name === 'page') page = { title: '', namespace: '', redirect: false, markup: '' };
    else if (name === 'redirect' && page) page.redirect = true;
    // A page of a history dump has many revisions; the last one counts.
    else if (name === 'revision' && page) page.markup = '';
  });
  parser.on('closetag', ({ name }) => {
    sinceEvent = 0;
    element = '';
    if (name !== 'page' || !page) return;
    const { title, namespace, redirect, markup } = page;
    page = undefined;
    if (namespace.trim() === '0' && !redirect && !/^\s*#redirect/i.test(markup))
      articles.push({ title, markup, hiddenNamespaces });
  });
  parser.on('text', add);
  parser.on('cdata', add);

  let end = 0;
  for await (const { text, offset } of pieces) {
    parser.write(text);
    sinceEvent += text.length;
    if (problem) {
      const within = Math.min(Math.max(problemAt - charactersBefore, 0), text.length);
      throw broken(file, offset + Buffer.byteLength(text.slice(0, within)), problem);
    }
    if (sinceEvent > longestText)
      throw new FormatError(file, offset, `no tag within ${longestText} characters`, 'Is this a pages-articles dump?');
    charactersBefore += text.length;
    end = offset + Buffer.byteLength(text);
    yield* articles;
    articles.length = 0;
  }
  parser.close();
  if (problem) throw broken(file, end, problem);
  yield* articles;
}

function broken(file: string, offset: number, problem: Error): FormatError {
  // The parser prefixes its own line and column, which count characters.
  const message = problem.message.replace(/^\S*\d+:\d+: /, '').replace(/\.$/, '');
  return new FormatError(file, offset, `broken XML: ${message}`, 'The dump is damaged or truncated; fetch it again.');
}
