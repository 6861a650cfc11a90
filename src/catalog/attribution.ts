/**
 * Title, author, source and licence of every kept picture, as most licences ask of whoever passes a picture on. Titles
 * and names come from the web: in HTML they are escaped, in text they stay on their line.
 */
import { extname } from 'node:path';
import { escapeHtml, writeBeside } from '../formats/index.js';
import type { Catalog } from './catalog.js';
import type { PictureRow } from './picture.js';
import { inUse } from './schema.js';

interface Layout {
  head: string;
  line(picture: PictureRow): string;
  foot: string;
}

const names: Record<string, string> = {
  cc0: 'CC0',
  pdm: 'Public Domain Mark',
  'all-rights-reserved': 'All rights reserved',
  unknown: 'licence unknown',
};

/** As people write it: CC BY-SA 4.0. */
export function licenceName(picture: Pick<PictureRow, 'licence' | 'licenceUrl'>): string {
  const version = /\/(\d+\.\d+)(?:\/|$)/.exec(picture.licenceUrl ?? '')?.[1];
  const name = names[picture.licence] ?? picture.licence.toUpperCase().replace('-', ' ');
  return version ? `${name} ${version}` : name;
}

const oneLine = (text: string) => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();

const inLine = (text: string) => escapeHtml(oneLine(text));

/** A link only where the address is one a browser may safely follow. */
function link(text: string, address: string | undefined): string {
  const words = inLine(text);
  return address && /^https?:\/\//i.test(address) ? `<a href="${inLine(address)}" rel="nofollow">${words}</a>` : words;
}

const cell = (value: string | undefined) => {
  const text = oneLine(value ?? '');
  // A spreadsheet would run a cell that starts like a formula.
  return `"${(/^[=+\-@]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
};

const layouts: Record<string, Layout> = {
  '.html': {
    head: '<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8"><title>Attribution</title>\n<h1>Attribution</h1>\n<ul>\n',
    line: (picture) =>
      `<li>${inLine(picture.path ?? picture.id)}: ${link(picture.title ?? 'Untitled', picture.pageUrl ?? picture.imageUrl)} by ${link(picture.author ?? 'unknown author', picture.authorUrl)}, ${link(licenceName(picture), picture.licenceUrl)}</li>\n`,
    foot: '</ul>\n</html>\n',
  },
  '.csv': {
    head: 'path,category,title,author,author_url,page,licence,licence_url\n',
    line: (picture) =>
      `${[picture.path, picture.category, picture.title, picture.author, picture.authorUrl, picture.pageUrl ?? picture.imageUrl, licenceName(picture), picture.licenceUrl].map(cell).join(',')}\n`,
    foot: '',
  },
  '.txt': {
    head: '',
    line: (picture) =>
      `${oneLine(`${picture.path}: "${picture.title ?? 'Untitled'}" by ${picture.author ?? 'unknown author'}, ${picture.pageUrl ?? picture.imageUrl}, ${licenceName(picture)}${picture.licenceUrl ? ` (${picture.licenceUrl})` : ''}`)}\n`,
    foot: '',
  },
};

/** The ending of the file name decides: .html, .csv, anything else plain text. Returns the number of pictures. */
export async function writeAttribution(catalog: Catalog, file: string): Promise<number> {
  const layout = layouts[extname(file).toLowerCase()] ?? layouts['.txt'];
  let count = 0;
  await writeBeside(file, async (pending) => {
    await pending.append(Buffer.from(layout.head));
    for await (const picture of catalog.pictures({ where: inUse, order: 'category, rank, source, id' })) {
      await pending.append(Buffer.from(layout.line(picture)));
      count++;
    }
    await pending.append(Buffer.from(layout.foot));
  });
  return count;
}
