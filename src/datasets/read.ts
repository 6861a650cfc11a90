/** Opens a set of labelled pictures by what it is, which its files tell. */
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { FormatError, UsageError } from '../errors.js';
import { fileError } from '../formats/index.js';
import type { DataSet, ReadOptions } from './data-set.js';
import { isCoco, readCoco } from './read-coco.js';
import { readDarwinCore } from './read-darwin-core.js';
import { readFiftyOne } from './read-fiftyone.js';
import { readFolder } from './read-folder.js';
import { parquetFiles, readParquet } from './read-parquet.js';
import { readTable } from './read-table.js';
import { readWebDataset, tarFiles } from './read-webdataset.js';
import { readJson } from './records.js';

const tables = ['.csv', '.tsv', '.jsonl', '.ndjson'];
const others = ['.json', '.parquet', '.tar', '.zip'];

/** Whether a file may be a data set, by its name. */
export function mayBeData(file: string): boolean {
  return [...tables, ...others].includes(extname(file).toLowerCase());
}

/**
 * @example
 * const set = await readData('annotations.json');
 * console.log(set.kind, set.pictures.length);
 * await set.close();
 * @throws FormatError where the files are not what they say, or name files that are none of theirs
 */
export async function readData(path: string, options: ReadOptions = {}): Promise<DataSet> {
  const found = await stat(path).catch((error) => {
    throw fileError(path, error, 'opened');
  });
  const set = found.isDirectory() ? await openFolder(path, options) : await openFile(path, options);
  if (set.pictures.length === 0 && set.addresses.length === 0) {
    await set.close();
    throw new FormatError(
      path,
      undefined,
      `is ${set.kind} without a picture${set.notes.length > 0 ? `: ${set.notes[0]}` : ''}`,
    );
  }
  return set;
}

async function openFile(path: string, options: ReadOptions): Promise<DataSet> {
  const suffix = extname(path).toLowerCase();
  if (tables.includes(suffix)) return readTable(path, options);
  if (suffix === '.parquet') return readParquet([path], options);
  if (suffix === '.tar') return readWebDataset([path], options);
  if (suffix === '.zip') return readDarwinCore(path, options);
  if (suffix === '.json') {
    const content = await readJson(path);
    if (isCoco(content)) return readCoco(path, content, options);
    throw new FormatError(
      path,
      undefined,
      'is JSON, but not COCO: "images", "annotations" and "categories" were expected',
    );
  }
  throw new UsageError(
    `${path} is no data set that is known`,
    `Give a folder, or a file that ends in ${[...tables, ...others].join(', ')}.`,
  );
}

async function openFolder(path: string, options: ReadOptions): Promise<DataSet> {
  const has = (name: string) => existsSync(join(path, name));
  if (has('meta.xml')) return readDarwinCore(path, options);
  if (has('labels.json') && has('data')) return readFiftyOne(path, options);
  if (has('annotations.json')) return openFile(join(path, 'annotations.json'), options);
  const tar = await tarFiles(path);
  if (tar.length > 0) return readWebDataset(tar, options);
  const parquet = await parquetFiles(path);
  if (parquet.length > 0 && !has('metadata.parquet')) return readParquet(parquet, options);
  const names = await readdir(path);
  const csv = names.filter((name) => name.endsWith('.csv'));
  // A folder with nothing but one table is that table.
  if (csv.length === 1 && names.length === 1) return readTable(join(path, csv[0]), options);
  return readFolder(path, options);
}
