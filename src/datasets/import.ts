/**
 * Brings a set of labelled pictures into the one form that workspaces read: a sub-folder a category. Pictures that are only
 * addresses become a list for the source `urls:`.
 */
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FormatError, UsageError } from '../errors.js';
import { removeAbandoned, renameOver, writeCsv } from '../formats/index.js';
import type { Progress } from '../progress.js';
import type { AddressedPicture, DataSet } from './data-set.js';
import type { DataPicture } from './picture.js';
import { folderName, writeImageFolder } from './write-folder.js';

export interface ImportOptions {
  /** Only pictures of this part. @default all */
  split?: string;
  signal?: AbortSignal;
  onProgress?(progress: Progress): void;
}

export interface ImportSummary {
  pictures: number;
  addresses: number;
  categories: number;
  /** Pictures of no known category, which lie beside the folders. */
  unlabelled: number;
}

/** @param out a folder that is not there yet */
export async function importData(set: DataSet, out: string, options: ImportOptions = {}): Promise<ImportSummary> {
  const { split, signal, onProgress } = options;
  if (existsSync(out)) throw new UsageError(`${out} is there already`, 'Remove it, or name another folder with --out.');
  const pictures = ofSplit(set, split);
  requireDistinctFolders([...pictures, ...set.addresses]);
  await mkdir(dirname(out), { recursive: true });
  await removeAbandoned(out);
  const part = `${out}.${process.pid}.part`;
  await mkdir(part, { recursive: true });
  try {
    let done = 0;
    const onPicture = () => {
      signal?.throwIfAborted();
      onProgress?.({ done: ++done, total: pictures.length });
    };
    if (pictures.length > 0) await writeImageFolder(part, pictures, { name: '', target: out, signal, onPicture });
    if (set.addresses.length > 0) await writeAddresses(join(part, 'addresses.csv'), set.addresses);
    await renameOver(part, out);
  } catch (error) {
    await rm(part, { recursive: true, force: true });
    throw error;
  }
  const categories = new Set([...pictures, ...set.addresses].flatMap(({ category }) => category ?? []));
  return {
    pictures: pictures.length,
    addresses: set.addresses.length,
    categories: categories.size,
    unlabelled: pictures.filter(({ category }) => category === undefined).length,
  };
}

function ofSplit({ pictures }: DataSet, split: string | undefined): readonly DataPicture[] {
  if (split === undefined) return pictures;
  const some = pictures.filter((picture) => picture.split === split);
  const splits = [...new Set(pictures.flatMap((picture) => picture.split ?? []))];
  if (some.length === 0)
    throw new UsageError(
      `no picture is of the part "${split}"`,
      splits.length > 0 ? `Its parts are: ${splits.join(', ')}.` : 'The set has no parts.',
    );
  return some;
}

/** Two categories in one folder would become one. */
function requireDistinctFolders(pictures: readonly { category?: string }[]): void {
  const owner = new Map<string, string>();
  for (const { category } of pictures) {
    if (category === undefined) continue;
    const folder = folderName(category).toLowerCase();
    const other = owner.get(folder);
    if (other !== undefined && other !== category)
      throw new FormatError(
        'the data set',
        undefined,
        `the categories ${JSON.stringify(other)} and ${JSON.stringify(category)} would lie in one folder, "${folder}"`,
        'Rename one of them.',
      );
    owner.set(folder, category);
  }
}

async function writeAddresses(file: string, addresses: readonly AddressedPicture[]): Promise<void> {
  await writeCsv(
    file,
    addresses.map(({ address, category, id, title, author, licence, licenceUrl, page }) => [
      ...[address, category, id, title, author, licenceUrl ?? licence, page],
    ]),
    { header: ['url', 'category', 'id', 'title', 'author', 'licence', 'page'] },
  );
}
