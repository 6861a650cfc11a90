/**
 * A data set's official folder as a workspace with the paper's protocol: pictures of auxiliary and of test categories in
 * one sub-folder each, 100 web pictures for every test and validation category. Pictures are hard links where the disk
 * allows it, so that nothing is stored twice.
 */
import { existsSync } from 'node:fs';
import { copyFile, link, mkdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../../errors.js';
import type { Progress } from '../../progress.js';
import { configurationFile } from '../read-configuration.js';
import { createWorkspace } from '../template.js';
import { DatasetError, type DatasetName, type DatasetPicture, layouts } from './layouts.js';
import { readSplit } from './split.js';

export interface DatasetOptions {
  /** A split of one's own, in place of the one that comes with the package. */
  split?: string;
  signal?: AbortSignal;
  onProgress?(progress: Progress): void;
}

export interface DatasetSummary {
  configuration: string;
  auxiliary: { categories: number; pictures: number };
  test: { categories: number; pictures: number };
  /** What differs from the paper's protocol. */
  notes: string[];
}

export async function datasetWorkspace(
  name: DatasetName,
  folder: string,
  workspace: string,
  options: DatasetOptions = {},
): Promise<DatasetSummary> {
  const layout = layouts[name];
  if (existsSync(join(workspace, configurationFile)))
    throw new UsageError(`${workspace} is a workspace already`, 'Name another folder with --out.');
  if (!(await stat(folder).catch(() => undefined))?.isDirectory()) throw new UsageError(`there is no folder ${folder}`);
  const split = options.split ?? packagedSplit(name);
  const pictures = await layout.pictures(folder);
  const categories = [...new Set(pictures.map(({ category }) => category))].sort((a, b) => (a < b ? -1 : 1));
  const { test, auxiliary } = await readSplit(split, categories);
  const counts = await linkPictures(pictures, workspace, { test, auxiliary }, options);
  const configuration = await createWorkspace(workspace, {
    name: layout.title,
    categories: test,
    auxiliary: 'auxiliary',
    test: 'test',
    sources: ['flickr'],
    crawl: { perCategory: 100, validation: true },
    model: 'resnet50',
    vectors: 'glove-100',
    tune: { trials: 40 },
    compare: { methods: ['table1'], tune: 20 },
  });
  const { protocol } = layout;
  const notes =
    test.length === protocol.test && auxiliary.length === protocol.auxiliary
      ? []
      : [
          `the paper has ${protocol.auxiliary} auxiliary and ${protocol.test} test categories, this split has ${auxiliary.length} and ${test.length}`,
        ];
  return {
    configuration,
    auxiliary: { categories: auxiliary.length, pictures: counts.auxiliary },
    test: { categories: test.length, pictures: counts.test },
    notes,
  };
}

function packagedSplit(name: DatasetName): string {
  const { split, unknown, title } = layouts[name];
  if (split !== undefined) return fileURLToPath(new URL(`../../../splits/${split}`, import.meta.url));
  throw new UsageError(
    `${title} needs --split FILE: ${unknown}`,
    'The file lists category names under [test] and, where some categories are left out, under [auxiliary].',
  );
}

async function linkPictures(
  pictures: readonly DatasetPicture[],
  workspace: string,
  split: Record<'auxiliary' | 'test', readonly string[]>,
  options: DatasetOptions,
): Promise<Record<'auxiliary' | 'test', number>> {
  const counts = { auxiliary: 0, test: 0 };
  const sets = new Map(
    (['auxiliary', 'test'] as const).flatMap((set) => split[set].map((category) => [category, set] as const)),
  );
  for (const category of sets.keys()) await mkdir(join(workspace, sets.get(category)!, category), { recursive: true });
  for (const [i, { file, category }] of pictures.entries()) {
    options.signal?.throwIfAborted();
    const set = sets.get(category);
    if (set === undefined) continue;
    await place(file, join(workspace, set, category, basename(file)));
    counts[set]++;
    options.onProgress?.({ done: i + 1, total: pictures.length, unit: 'pictures' });
  }
  return counts;
}

async function place(file: string, target: string): Promise<void> {
  try {
    await link(file, target);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new DatasetError(`the picture ${file} is listed but not there`);
    // There already: an earlier call was interrupted.
    if (code === 'EEXIST') return;
    // Another disk, or one without links.
    await copyFile(file, target);
  }
}
