/**
 * Parquet with pictures inside, as Hugging Face keeps them: a column of structs with `bytes` and `path`, or of bytes alone. Labels
 * that count are named by the features in the file's metadata, or by the card beside it. The name of a file says its part.
 */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { parse } from 'yaml';
import { FormatError } from '../errors.js';
import { type DataSet, dataSet, describeUnlessPicture, type ReadOptions, withSuffix } from './data-set.js';
import { ParquetFile, quoted } from './parquet.js';
import type { DataPicture } from './picture.js';
import { readTable } from './read-table.js';
import { readText } from './records.js';

const labelNames = ['label', 'labels', 'category', 'class', 'fine_label', 'target', 'species', 'name'];

/** The Parquet files of a folder, or of the folder `data` in it. */
export async function parquetFiles(folder: string): Promise<string[]> {
  for (const place of [folder, join(folder, 'data')]) {
    const names = await readdir(place).catch((): string[] => []);
    const files = names.filter((name) => name.endsWith('.parquet')).sort();
    if (files.length > 0) return files.map((name) => join(place, name));
  }
  return [];
}

export async function readParquet(files: readonly string[], options: ReadOptions): Promise<DataSet> {
  const opened: ParquetFile[] = [];
  const pictures: DataPicture[] = [];
  const notes: string[] = [];
  const close = async () => {
    for (const parquet of opened) await parquet.close();
  };
  try {
    for (const file of files) {
      options.signal?.throwIfAborted();
      const parquet = await ParquetFile.open(file);
      opened.push(parquet);
      const image = imageColumn(parquet, options.image);
      if (!image) {
        await close();
        if (files.length === 1) return readTable(file, options, 'a table of pictures (Parquet)');
        throw new FormatError(file, undefined, 'no column holds pictures', 'Give one file of paths at a time.');
      }
      await addPictures(parquet, image, options, { several: files.length > 1, pictures, notes });
    }
  } catch (error) {
    await close();
    throw error;
  }
  return dataSet('Parquet with pictures inside, as of Hugging Face', { pictures, notes, close });
}

interface ImageColumn {
  /** SQL that gives the bytes. */
  bytes: string;
  name: string;
}

function imageColumn({ file, columns }: ParquetFile, wanted: string | undefined): ImageColumn | undefined {
  if (wanted !== undefined && !columns.some(({ name }) => name === wanted))
    throw new FormatError(
      file,
      undefined,
      `there is no column "${wanted}"`,
      `Its columns are: ${columns.map(({ name }) => name).join(', ')}.`,
    );
  for (const { name, type } of columns) {
    if (wanted !== undefined && name !== wanted) continue;
    if (/^STRUCT\(.*\bbytes"? BLOB/.test(type)) return { name, bytes: `${quoted(name)}.bytes` };
    if (type === 'BLOB') return { name, bytes: quoted(name) };
  }
  return undefined;
}

async function addPictures(
  parquet: ParquetFile,
  image: ImageColumn,
  { label, signal }: ReadOptions,
  { several, pictures, notes }: { several: boolean; pictures: DataPicture[]; notes: string[] },
): Promise<void> {
  const { file, columns } = parquet;
  const plain = columns.filter(({ type }) => !/^(BLOB|STRUCT|MAP)|\[\]$/.test(type)).map(({ name }) => name);
  const column = label ?? labelNames.find((name) => plain.includes(name));
  if (label !== undefined && !plain.includes(label))
    throw new FormatError(file, undefined, `there is no column "${label}"`, `Its columns are: ${plain.join(', ')}.`);
  const names = column === undefined ? undefined : await classNames(parquet, column);
  const others = ['weight', 'title', 'author', 'page', 'address', 'licence', 'licence_url', 'picture'];
  const read = [...(column === undefined ? [] : [column]), ...others.filter((name) => plain.includes(name))];
  const rows = await parquet.texts([...new Set(read)]);
  const split = /(?:^|[/\\-])(train|validation|valid|val|test)(?=[-.\d])/i.exec(basename(file))?.[1].toLowerCase();
  for (const [row, cells] of rows.entries()) {
    signal?.throwIfAborted();
    const text = (name: string) => cells[read.indexOf(name)] || undefined;
    const value = column === undefined ? undefined : text(column);
    const category = named(file, row, value, names);
    const content = () => parquet.bytes(image.bytes, row);
    const bytes = await content();
    const other = describeUnlessPicture(bytes);
    if (other) {
      notes.push(`${basename(file)}, row ${row + 1}: is no picture but ${other}`);
      continue;
    }
    const id = text('picture') ?? `${several ? `${basename(file, '.parquet')}-` : ''}${String(row).padStart(6, '0')}`;
    const weight = text('weight') === undefined ? undefined : Number(text('weight'));
    const known = { category, split, weight, title: text('title'), author: text('author'), page: text('page') };
    const rights = { address: text('address'), licence: text('licence'), licenceUrl: text('licence_url') };
    const present = Object.entries({ ...known, ...rights }).filter(([, one]) => one !== undefined);
    pictures.push({ id: withSuffix(id, bytes), ...Object.fromEntries(present), content });
  }
}

function named(file: string, row: number, value: string | undefined, names: readonly string[] | undefined) {
  if (value === undefined || !names) return value;
  const name = /^\d+$/.test(value) ? names[Number(value)] : value === '-1' ? undefined : value;
  if (name === undefined && value !== '-1')
    throw new FormatError(file, undefined, `row ${row + 1}: the label ${value} is none of the ${names.length} names`);
  return name;
}

/** Names of the labels of a column, from the metadata or the card. */
async function classNames(parquet: ParquetFile, column: string): Promise<readonly string[] | undefined> {
  const written = await parquet.metadata('huggingface').catch(() => undefined);
  if (written) {
    try {
      const names = JSON.parse(written)?.info?.features?.[column]?.names;
      if (Array.isArray(names)) return names.map(String);
    } catch {
      // Damaged metadata is as good as none; the numbers then stay numbers.
    }
  }
  for (const place of [dirname(parquet.file), dirname(dirname(parquet.file))]) {
    const card = join(place, 'README.md');
    if (!existsSync(card)) continue;
    const front = /^---\r?\n([\s\S]*?)\r?\n---/.exec(await readText(card))?.[1];
    const infos = [front && parse(front)?.dataset_info].flat().filter(Boolean);
    for (const { features = [] } of infos)
      for (const { name, dtype } of features)
        if (name === column && dtype?.class_label?.names) return Object.values(dtype.class_label.names).map(String);
  }
  return undefined;
}
