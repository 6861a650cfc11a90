/**
 * Writes labelled pictures in the formats of other tools, each into a folder of its own that appears whole or not at all.
 * The folder must not be there yet: nobody's files are replaced.
 */
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../errors.js';
import { removeAbandoned, renameOver } from '../formats/index.js';
import type { Progress } from '../progress.js';
import type { DataFormat } from './names.js';
import type { DataPicture } from './picture.js';
import { writeCoco } from './write-coco.js';
import { writeFiftyOne } from './write-fiftyone.js';
import { writeImageFolder, writeTable } from './write-folder.js';
import { writeLabelStudio } from './write-label-studio.js';
import { writeParquet } from './write-parquet.js';
import { writeWebDataset } from './write-webdataset.js';

export interface WriteContext {
  /** Of the data set. */
  readonly name: string;
  /** Where the files go in the end; they are written elsewhere first. */
  readonly target: string;
  readonly signal?: AbortSignal;
  /** After each picture. */
  onPicture(): void;
}

/** Writes into a folder that is there and empty. */
export type DataWriter = (folder: string, pictures: readonly DataPicture[], context: WriteContext) => Promise<void>;

const writers: Record<DataFormat, DataWriter> = {
  folder: writeImageFolder,
  csv: writeTable,
  coco: writeCoco,
  webdataset: writeWebDataset,
  parquet: writeParquet,
  fiftyone: writeFiftyOne,
  'label-studio': writeLabelStudio,
};

export interface WriteOptions {
  name: string;
  signal?: AbortSignal;
  onProgress?(progress: Progress): void;
}

/** @returns the folders, one a format, named for it */
export async function writeData(
  out: string,
  formats: readonly DataFormat[],
  pictures: readonly DataPicture[],
  { name, signal, onProgress }: WriteOptions,
): Promise<string[]> {
  if (pictures.length === 0) throw new UsageError('there is no picture to write');
  const targets = formats.map((format) => ({ format, target: join(out, format) }));
  for (const { target } of targets)
    if (existsSync(target)) throw new UsageError(`${target} is there already`, 'Remove it, or name another --out.');
  await mkdir(out, { recursive: true });
  const total = formats.length * pictures.length;
  let done = 0;
  for (const { format, target } of targets) {
    await removeAbandoned(target);
    const part = `${target}.${process.pid}.part`;
    await mkdir(part, { recursive: true });
    try {
      await writers[format](part, pictures, {
        name,
        target,
        signal,
        onPicture: () => {
          signal?.throwIfAborted();
          onProgress?.({ done: ++done, total, detail: format });
        },
      });
      await renameOver(part, target);
    } catch (error) {
      await rm(part, { recursive: true, force: true });
      throw error;
    }
  }
  return targets.map(({ target }) => target);
}
