/**
 * Tables of pictures: CSV, TSV, JSON lines or Parquet with a column for the picture and one for what it shows. Pictures are
 * paths, or addresses on the web as in an export of iNaturalist observations.
 */
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FormatError } from '../errors.js';
import { type AddressedPicture, type DataSet, dataSet, notAPicture, type ReadOptions } from './data-set.js';
import { PictureRoot } from './inside.js';
import type { DataPicture, Provenance } from './picture.js';
import { readRecords, type TableRecords } from './records.js';

/** Usual names of columns, the surest first. */
const usual = {
  image: ['path', 'file_name', 'filename', 'file', 'filepath', 'image_path', 'img_path', 'image', 'img'],
  address: ['address', 'image_url', 'imageurl', 'photo_url', 'identifier', 'url', 'link', 'src'],
  label: [
    ...['category', 'label', 'class', 'class_name', 'label_name', 'target', 'species', 'scientific_name'],
    ...['scientificname', 'common_name', 'taxon_name', 'name'],
  ],
  id: ['id', 'image_id', 'photo_id', 'uuid'],
  split: ['split', 'subset', 'partition', 'set', 'fold'],
  weight: ['weight', 'score', 'confidence'],
  title: ['title', 'caption', 'text', 'description'],
  author: ['author', 'creator', 'owner', 'user_name', 'user_login', 'rightsholder', 'rights_holder'],
  page: ['page', 'page_url', 'references', 'source_url', 'landing_url'],
  licence: ['licence', 'license', 'rights'],
  licenceUrl: ['licence_url', 'license_url'],
} as const;
type Field = keyof typeof usual;

export async function readTable(file: string, options: ReadOptions, kind = 'a table of pictures'): Promise<DataSet> {
  const table = await readRecords(file, options.signal);
  const columns = columnsOf(file, table, options);
  if (columns.image === undefined) return addressedTable(file, table, columns);
  const root = new PictureRoot(options.root ?? dirname(file), file);
  const pictures: DataPicture[] = [];
  const notes: string[] = [];
  for (const { cells, where } of table.records) {
    options.signal?.throwIfAborted();
    const path = cells[columns.image];
    if (!path) {
      notes.push(`${where} names no picture`);
      continue;
    }
    const found = await root.find(path, where);
    const trouble = found === undefined ? 'is not there' : await problemOf(found);
    if (found === undefined || trouble) notes.push(`${where}: ${path} ${trouble}`);
    else pictures.push({ ...known(cells, columns), id: path, file: found, content: () => readFile(found) });
  }
  return dataSet(kind, { pictures, notes });
}

async function problemOf(file: string): Promise<string | undefined> {
  const other = await notAPicture(file);
  return other && `is no picture but ${other}`;
}

function addressedTable(
  file: string,
  { records, header }: TableRecords,
  columns: Partial<Record<Field, string>>,
): DataSet {
  const addresses: AddressedPicture[] = [];
  const notes: string[] = [];
  const observations = ['observed_on', 'taxon_id', 'quality_grade'].filter((name) => header.includes(name)).length > 1;
  // In an export of iNaturalist "url" is the page of the observation.
  const page = columns.page ?? (header.includes('url') && columns.address !== 'url' ? 'url' : undefined);
  for (const { cells, where } of records) {
    const address = cells[columns.address!];
    if (!/^https?:\/\//i.test(address ?? '')) {
      notes.push(`${where}: ${JSON.stringify((address ?? '').slice(0, 100))} is no address on the web`);
      continue;
    }
    const id = (columns.id && cells[columns.id]) || address;
    addresses.push({ ...known(cells, { ...columns, page }), id, address });
  }
  if (addresses.length === 0)
    throw new FormatError(file, undefined, `no row has an address of a picture in column "${columns.address}"`);
  return dataSet(observations ? 'an export of iNaturalist observations' : 'a table of addresses', { addresses, notes });
}

function columnsOf(file: string, { header }: TableRecords, options: ReadOptions): Partial<Record<Field, string>> {
  const lower = new Map(header.map((name) => [name.toLowerCase(), name]));
  const given: Partial<Record<Field, string | undefined>> = { image: options.image, label: options.label };
  const columns: Partial<Record<Field, string>> = {};
  for (const field of Object.keys(usual) as Field[]) {
    const wanted = given[field];
    if (wanted !== undefined && !header.includes(wanted))
      throw new FormatError(
        file,
        undefined,
        `there is no column "${wanted}"`,
        `Its columns are: ${header.join(', ')}.`,
      );
    columns[field] = wanted ?? usual[field].flatMap((name) => lower.get(name) ?? [])[0];
  }
  if (columns.image === undefined && columns.address === undefined)
    throw new FormatError(
      file,
      undefined,
      `no column says where pictures are; it has ${header.slice(0, 20).join(', ')}`,
      `Name the column with --image, or call it one of ${usual.image.slice(0, 4).join(', ')}, ${usual.address[0]}.`,
    );
  return columns;
}

function known(cells: Readonly<Record<string, string>>, columns: Partial<Record<Field, string>>) {
  const text = (field: Field) => (columns[field] === undefined ? undefined : cells[columns[field]!] || undefined);
  const weight = Number(text('weight'));
  const fields: Provenance & { category?: string; split?: string; weight?: number } = {
    category: text('label'),
    split: text('split'),
    title: text('title'),
    author: text('author'),
    page: text('page'),
    licence: text('licence'),
    licenceUrl: text('licenceUrl'),
    ...(text('address') && { address: text('address') }),
    ...(text('weight') !== undefined && weight >= 0 && weight <= 1 && { weight }),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as typeof fields;
}
