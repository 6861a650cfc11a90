/** A description of the catalog in the Croissant format 1.0 (JSON-LD): the Parquet table, the pictures, every column. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename, dirname, relative, resolve, sep } from 'node:path';
import { writeFileAtomic } from '../formats/index.js';
import type { Catalog } from './catalog.js';
import { inUse } from './schema.js';

export interface CroissantOptions {
  /** The table written by `exportParquet`. */
  parquet: string;
  name: string;
  /** The specification wants both for a published data set. */
  url?: string;
  creator?: string;
}

const terms = (prefix: string, names: string) =>
  Object.fromEntries(names.split(' ').map((name) => [name, `${prefix}:${name}`]));

/** The context that the specification prescribes. */
const context = {
  '@language': 'en',
  '@vocab': 'https://schema.org/',
  sc: 'https://schema.org/',
  cr: 'http://mlcommons.org/croissant/',
  rai: 'http://mlcommons.org/croissant/RAI/',
  dct: 'http://purl.org/dc/terms/',
  conformsTo: 'dct:conformsTo',
  data: { '@id': 'cr:data', '@type': '@json' },
  dataType: { '@id': 'cr:dataType', '@type': '@vocab' },
  examples: { '@id': 'cr:examples', '@type': '@json' },
  ...terms(
    'cr',
    'citeAs column extract field fileProperty fileObject fileSet format includes isLiveDataset jsonPath key md5 parentField path recordSet references regex repeated replace separator source subField transform',
  ),
};

const descriptions: Record<string, string> = {
  id: 'Name of the picture in this data set, and of its file.',
  category: 'Category for which it was found; not verified by anyone.',
  source: 'Where it was found.',
  source_id: "The source's own name for it.",
  rank: "Position in the source's answers for the category, from 1.",
  image_url: 'Address it was downloaded from.',
  page_url: 'Page it belongs to.',
  author: 'Author as the source states it.',
  author_url: 'Page of the author.',
  licence: 'Licence code: cc0, pdm, cc-by, …',
  licence_url: 'Text of the licence.',
  title: 'Title as the source states it.',
  tags: 'Tags as the source states them.',
  description: 'Description as the source states it.',
  published_at: 'When it was published.',
  taken_at: 'When it was taken.',
  state: 'kept for pictures of the data set; found, fetched, checked, dropped and failed for the others.',
  reason: 'Why it was dropped, or how it failed.',
  detail: 'The same in a sentence.',
  duplicate_of: 'The picture it is a duplicate of.',
  duplicate_by: 'What the two have in common: exact, perceptual or features.',
  duplicate_detail: 'The same in a sentence.',
  attempts: 'Requests made for it.',
  path: 'File, relative to the data set.',
  bytes: 'Size of the file as downloaded.',
  sha256: 'SHA-256 of the file as downloaded.',
  file_sha256: 'SHA-256 of the file, where it is the first frame of what was downloaded.',
  perceptual_hash: '63-bit perceptual hash in hexadecimal.',
  crop_hashes: 'The same of five slightly cropped windows.',
  media_type: 'Type found in its content.',
  width: 'Width in pixels.',
  height: 'Height in pixels.',
  frames: 'Frames of the original; the first is kept.',
  comments: 'Comments as a JSON array.',
  found_at: 'When it was found.',
  changed_at: 'When its state last changed.',
};

const dataTypes: Record<string, string> = { INTEGER: 'sc:Integer', BIGINT: 'sc:Integer', TIMESTAMP: 'sc:DateTime' };

/** Returns the number of kept pictures it describes. */
export async function writeCroissant(catalog: Catalog, file: string, options: CroissantOptions): Promise<number> {
  const table = resolve(options.parquet);
  const fields = [];
  for await (const { column_name, data_type } of catalog.query(
    "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'picture' ORDER BY ordinal_position",
  )) {
    const column = column_name as string;
    const type = data_type as string;
    fields.push({
      '@type': 'cr:Field',
      '@id': `pictures/${column}`,
      name: column,
      description: descriptions[column],
      dataType: dataTypes[type] ?? 'sc:Text',
      ...(type.endsWith('[]') ? { repeated: true } : {}),
      source: { fileObject: { '@id': 'table' }, extract: { column } },
    });
  }
  let kept = 0;
  const licences: string[] = [];
  for await (const row of catalog.query(
    `SELECT coalesce(licence_url, licence) AS licence, count(*) AS n FROM picture WHERE ${inUse} GROUP BY 1 ORDER BY n DESC, 1`,
  )) {
    kept += row.n as number;
    licences.push(row.licence as string);
  }
  const document = {
    '@context': context,
    '@type': 'sc:Dataset',
    conformsTo: 'http://mlcommons.org/croissant/1.0',
    name: options.name,
    description: `${kept} pictures collected by bowerbird from the web, with titles, tags, authors and licences. Categories come from search and are not verified.`,
    license: licences.length === 1 ? licences[0] : licences,
    ...(options.url ? { url: options.url } : {}),
    ...(options.creator ? { creator: { '@type': 'sc:Organization', name: options.creator } } : {}),
    datePublished: new Date().toISOString().slice(0, 10),
    distribution: [
      {
        '@type': 'cr:FileObject',
        '@id': 'table',
        name: basename(table),
        description: 'One row for every picture found, kept or not.',
        contentUrl: relative(dirname(resolve(file)), table)
          .split(sep)
          .join('/'),
        encodingFormat: 'application/x-parquet',
        sha256: await sha256(table),
      },
      {
        '@type': 'cr:FileSet',
        '@id': 'files',
        name: 'files',
        description: 'The pictures; column path of the table names them.',
        encodingFormat: 'image/*',
        includes: 'pictures/*/*',
      },
    ],
    recordSet: [
      { '@type': 'cr:RecordSet', '@id': 'pictures', name: 'pictures', key: { '@id': 'pictures/id' }, field: fields },
    ],
  };
  await writeFileAtomic(file, `${JSON.stringify(document, null, 2)}\n`);
  return kept;
}

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
