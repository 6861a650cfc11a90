/**
 * Darwin Core archives, such as downloads of GBIF and iNaturalist: `meta.xml` says which table holds occurrences and which
 * their multimedia, and what each column means. The pictures are addresses on the web.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SaxesParser } from 'saxes';
import { FormatError } from '../errors.js';
import { csvRecords, openFile, openMember, type RandomAccessFile, readZipDirectory } from '../formats/index.js';
import { type AddressedPicture, type DataSet, dataSet, type ReadOptions } from './data-set.js';

/** A member of the archive by its exact name; undefined where there is none. */
type Opener = (name: string) => Promise<RandomAccessFile | undefined>;

interface TableDescription {
  rowType: string;
  location: string;
  delimiter: string;
  quotes: boolean;
  headerLines: number;
  /** Place of the id of the occurrence. */
  id: number;
  /** Places by the last word of their terms: `species`, `identifier`. */
  columns: Map<string, number>;
}

const largestMeta = 2 ** 20;

/** @param path of the archive, or of a folder into which it was unpacked */
export async function readDarwinCore(path: string, options: ReadOptions): Promise<DataSet> {
  if (existsSync(join(path, 'meta.xml')))
    return read(
      path,
      async (name) => (/^[^/\\]+$/.test(name) && existsSync(join(path, name)) ? openFile(join(path, name)) : undefined),
      options,
    );
  const archive = await openFile(path);
  try {
    const members = new Map((await readZipDirectory(archive)).map((member) => [member.name, member]));
    const opener: Opener = async (name) => {
      const member = members.get(name);
      return member && openMember(archive, member);
    };
    return await read(path, opener, options);
  } finally {
    await archive.close();
  }
}

async function read(path: string, opener: Opener, { label, signal }: ReadOptions): Promise<DataSet> {
  const tables = await describe(path, opener);
  const core = tables.find(({ rowType }) => /Occurrence$/i.test(rowType)) ?? tables[0];
  const media = tables.find((table) => table !== core && /(Multimedia|Image)$/i.test(table.rowType));
  if (!media)
    throw new FormatError(
      path,
      undefined,
      'has no table of multimedia',
      'Ask GBIF for a Darwin Core archive of occurrences with images.',
    );
  if (!media.columns.has('identifier'))
    throw new FormatError(path, undefined, `${media.location} has no column "identifier"`);
  const wanted = label ? [label] : ['species', 'scientificName', 'vernacularName'];
  if (label && !core.columns.has(label))
    throw new FormatError(
      path,
      undefined,
      `${core.location} has no term "${label}"`,
      `It has: ${[...core.columns.keys()].slice(0, 30).join(', ')}.`,
    );
  const categories = new Map<string, { category?: string; licence?: string }>();
  for await (const cells of rowsOf(path, core, opener, signal)) {
    const found = wanted.map((term) => cell(cells, core, term)).find(Boolean);
    categories.set(cells[core.id], { category: found, licence: cell(cells, core, 'license') });
  }
  const addresses: AddressedPicture[] = [];
  let [others, homeless] = [0, 0];
  for await (const cells of rowsOf(path, media, opener, signal)) {
    const address = cell(cells, media, 'identifier');
    const type = cell(cells, media, 'type') ?? cell(cells, media, 'format') ?? 'image';
    const occurrence = categories.get(cells[media.id]);
    if (!occurrence) homeless++;
    else if (!address || !/^https?:\/\//i.test(address) || !/image/i.test(type)) others++;
    else {
      const known = {
        category: occurrence.category,
        title: cell(cells, media, 'title'),
        author: cell(cells, media, 'rightsHolder') ?? cell(cells, media, 'creator'),
        page: cell(cells, media, 'references'),
        licence: cell(cells, media, 'license') ?? occurrence.licence,
      };
      const present = Object.entries(known).filter(([, value]) => value !== undefined);
      addresses.push({ id: address, address, ...Object.fromEntries(present) });
    }
  }
  const notes = [
    ...(others > 0 ? [`${others} records of multimedia are no pictures on the web`] : []),
    ...(homeless > 0 ? [`${homeless} records of multimedia belong to no occurrence`] : []),
  ];
  return dataSet(`a Darwin Core archive, ${categories.size} occurrences`, { addresses, notes });
}

const cell = (cells: readonly string[], { columns }: TableDescription, term: string) =>
  cells[columns.get(term) ?? -1]?.trim() || undefined;

async function* rowsOf(
  path: string,
  table: TableDescription,
  opener: Opener,
  signal?: AbortSignal,
): AsyncGenerator<string[]> {
  const file = await opener(table.location);
  if (!file)
    throw new FormatError(
      path,
      undefined,
      `meta.xml names ${JSON.stringify(table.location)}, which is not in the archive`,
    );
  try {
    let line = 0;
    for await (const { fields } of csvRecords(file, { delimiter: table.delimiter, quotes: table.quotes })) {
      signal?.throwIfAborted();
      if (line++ >= table.headerLines) yield fields;
    }
  } finally {
    await file.close();
  }
}

async function describe(path: string, opener: Opener): Promise<TableDescription[]> {
  const file = await opener('meta.xml');
  if (!file) throw new FormatError(path, undefined, 'has no meta.xml', 'A Darwin Core archive begins with one.');
  if (file.size > largestMeta) throw new FormatError(path, undefined, `meta.xml has ${file.size} bytes`);
  const text = Buffer.from(await file.read(0, file.size, 'meta.xml')).toString();
  await file.close();
  const tables: TableDescription[] = [];
  let inLocation = false;
  const parser = new SaxesParser();
  parser.on('opentag', ({ name, attributes }) => {
    const given = attributes as Record<string, string>;
    const place = (key: string) => (/^\d{1,4}$/.test(given[key] ?? '') ? Number(given[key]) : undefined);
    const table = tables.at(-1);
    if (name === 'core' || name === 'extension')
      tables.push({
        rowType: given.rowType ?? '',
        location: '',
        delimiter: given.fieldsTerminatedBy === '\\t' ? '\t' : given.fieldsTerminatedBy || ',',
        quotes: Boolean(given.fieldsEnclosedBy),
        headerLines: place('ignoreHeaderLines') ?? 0,
        id: 0,
        columns: new Map(),
      });
    else if (name === 'location') inLocation = true;
    else if (table && (name === 'id' || name === 'coreid')) table.id = place('index') ?? 0;
    else if (table && name === 'field' && place('index') !== undefined)
      table.columns.set((given.term ?? '').replace(/^.*[/#]/, ''), place('index')!);
  });
  parser.on('text', (words) => {
    if (inLocation) tables.at(-1)!.location += words.trim();
  });
  parser.on('closetag', ({ name }) => {
    if (name === 'location') inLocation = false;
  });
  try {
    parser.write(text).close();
  } catch (error) {
    throw new FormatError(path, undefined, `meta.xml is not well-formed: ${(error as Error).message}`);
  }
  if (tables.length === 0) throw new FormatError(path, undefined, 'meta.xml describes no table');
  return tables;
}
