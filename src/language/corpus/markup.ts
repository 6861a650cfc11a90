/**
 * Wiki markup to plain paragraphs. Templates, tables, references, files, categories and formulas go; the visible text
 * of links stays. Every pass is linear in the length of the page, and unbalanced brackets lose only the brackets.
 */
import { decodeEntities } from '../../text/index.js';

/** Elements whose content is not running text. */
const dropped =
  'ref|gallery|math|chem|ce|score|timeline|source|syntaxhighlight|imagemap|hiero|graph|templatedata|mapframe|maplink|code|pre|table|style|script|includeonly|categorytree|inputbox|section';
const elementStart = new RegExp(`<(${dropped})\\b([^<>]*)>`, 'gi');

/** Namespaces whose links show a picture or nothing; a dump names them in its own language besides. */
const alwaysHidden = ['file', 'image', 'media', 'category'];

/**
 * The paragraphs of a page: lines of text without markup; empty ones are left out.
 * @param hiddenNamespaces lower-case names of the file and category namespaces in the dump's language
 */
export function plainParagraphs(markup: string, hiddenNamespaces: Iterable<string> = []): string[] {
  const hidden = new Set([...alwaysHidden, ...hiddenNamespaces]);
  let text = withoutSpans(markup, '<!--', '-->');
  text = text.replace(/<nowiki\s*\/>/gi, '').replace(/<nowiki>([^<]*)<\/nowiki>/gi, '$1');
  text = withoutElements(text);
  text = withoutNested(text, '{{', '}}');
  text = withoutNested(text, '{|', '|}');
  text = replaceLinks(text, hidden);
  text = text
    .replace(/\[(?:https?:|ftp:|mailto:|\/\/)[^\s[\]]*(?:[ \t]+([^[\]\n]*))?\]/gi, (_, label?: string) => label ?? '')
    .replace(/\b(?:https?|ftp):\/\/[^\s<>[\]|]*/gi, ' ')
    .replace(/<br\s*\/?>/gi, '\n')
    .replace(/<\/?[a-z][^<>\n]*>/gi, ' ')
    .replace(/'{2,}/g, '')
    .replace(/__[A-Z]+__/g, '')
    .replace(/~~~+/g, '');
  // Twice: what was escaped twice (&amp;lt;) stands for itself, not for markup.
  text = decodeEntities(text).replace(/<\/?[a-z][^<>\n]*>/gi, ' ');
  return text.split('\n').map(cleanLine).filter(Boolean);
}

function cleanLine(line: string): string {
  // Rows of tables whose begin was inside a template.
  if (/^\s*(?:[|!]|\{\|)/.test(line)) return '';
  return line
    .replace(/[[\]{}|<>]|={2,}|-{4,}/g, ' ')
    .replace(/^[\s*#:;=]+/, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?\([ ;,:.]*\)/g, '')
    .replace(/ ([,.;:)])/g, '$1')
    .replace(/\( /g, '(')
    .trim();
}

/** Cuts every `open … close`, which do not nest; one that is never closed reaches to the end. */
function withoutSpans(text: string, open: string, close: string): string {
  let result = '';
  let from = 0;
  for (;;) {
    const start = text.indexOf(open, from);
    if (start < 0) return result + text.slice(from);
    result += text.slice(from, start);
    const end = text.indexOf(close, start + open.length);
    if (end < 0) return result;
    from = end + close.length;
  }
}

/** Cuts `<ref …>…</ref>` and its like, and `<ref … />`. */
function withoutElements(text: string): string {
  let result = '';
  let from = 0;
  const lower = text.toLowerCase();
  /** Where an element has no end tag any more, looking for one again would make the pass quadratic. */
  const unclosed = new Set<string>();
  elementStart.lastIndex = 0;
  for (let match = elementStart.exec(text); match; match = elementStart.exec(text)) {
    const name = match[1].toLowerCase();
    result += `${text.slice(from, match.index)} `;
    from = match.index + match[0].length;
    if (!match[2].endsWith('/') && !unclosed.has(name)) {
      const end = lower.indexOf(`</${name}`, from);
      if (end < 0) unclosed.add(name);
      else {
        const close = text.indexOf('>', end);
        from = close < 0 ? text.length : close + 1;
      }
    }
    elementStart.lastIndex = from;
  }
  return result + text.slice(from);
}

/** Cuts balanced nested `open … close`; of unbalanced ones only the bracket itself. */
function withoutNested(text: string, open: string, close: string): string {
  const bracket = new RegExp(`${escaped(open)}|${escaped(close)}`, 'g');
  const kept: string[] = [];
  /** For each bracket still open, how many pieces had been kept before it. */
  const before: number[] = [];
  let from = 0;
  for (let match = bracket.exec(text); match; match = bracket.exec(text)) {
    kept.push(text.slice(from, match.index));
    from = match.index + match[0].length;
    if (match[0] === open) before.push(kept.length);
    else if (before.length > 0) kept.length = before.pop()!;
  }
  kept.push(text.slice(from));
  return kept.join('');
}

function escaped(text: string): string {
  return text.replace(/[{|}]/g, '\\$&');
}

/** Links to files and categories go with all they contain; others leave their label, or their target. */
function replaceLinks(text: string, hidden: ReadonlySet<string>): string {
  /** One entry for each open `[[`: the text collected inside it so far. */
  const open: string[] = [''];
  let from = 0;
  const bracket = /\[\[|\]\]/g;
  for (let match = bracket.exec(text); match; match = bracket.exec(text)) {
    open[open.length - 1] += text.slice(from, match.index);
    from = match.index + 2;
    if (match[0] === '[[') open.push('');
    else if (open.length > 1) {
      const inside = open.pop()!;
      open[open.length - 1] += linkText(inside, hidden);
    }
  }
  return open.join('') + text.slice(from);
}

function linkText(inside: string, hidden: ReadonlySet<string>): string {
  const bar = inside.indexOf('|');
  const target = (bar < 0 ? inside : inside.slice(0, bar)).trim();
  const label = inside.slice(inside.lastIndexOf('|') + 1);
  if (target.startsWith(':')) return bar < 0 ? target.slice(1) : label;
  const namespace = /^([^:]{1,40}):/.exec(target)?.[1].trim().toLowerCase();
  if (namespace !== undefined && hidden.has(namespace)) return '';
  // An unlabelled link to another namespace or language ("de:Vogel"); in titles a space follows the colon.
  if (bar < 0 && /^\p{L}[\p{L}_ -]{0,30}:\S/u.test(target)) return '';
  return bar < 0 ? target : label;
}
