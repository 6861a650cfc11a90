/**
 * Features on disk, in `folder`: `shard-00000.npy` (rows × dimension, float32) with `shard-00000.csv` beside it that says
 * whose rows they are and which pictures failed, `index.csv` and `failures.csv` over all shards, `meta.json`.
 *
 * A shard counts once its `.csv` is there; that file is renamed into place last, so a killed run loses at most the shard
 * it was working on. `index.csv` is written when an extraction is complete and lists the pictures its source has now; a
 * picture that was extracted again, because its file changed, counts where it comes last.
 */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FormatError, UsageError } from '../errors.js';
import { csvRecords, writeCsv, writeNpy } from '../formats/index.js';
import type { Matrix } from '../linalg/index.js';
import type { Picture } from './source.js';

/** What became of one picture: a row of its shard's array, or a failure. */
export interface ShardEntry extends Picture {
  /** Size of the picture file, by which a changed picture is noticed. */
  readonly bytes: number;
  readonly row?: number;
  readonly fault?: string;
  readonly message?: string;
}

const columns = ['id', 'path', 'category', 'bytes', 'row', 'fault', 'message'] as const;
const indexColumns = ['id', 'path', 'category', 'shard', 'row'] as const;
const failureColumns = ['id', 'path', 'category', 'fault', 'message'] as const;

export function shardName(number: number): string {
  return `shard-${String(number).padStart(5, '0')}`;
}

/** Numbers of the shards that are complete, in order; leftovers of one that is not are removed. */
export async function completeShards(folder: string): Promise<number[]> {
  await mkdir(folder, { recursive: true }).catch((error: Error) => {
    throw new UsageError(`${folder} cannot be made: ${error.message}`, 'Choose another folder with --out.');
  });
  const names = new Set(await readdir(folder));
  const complete: number[] = [];
  for (const name of names) {
    const match = /^shard-(\d{5,})\.(npy|csv)(\..+\.part)?$/.exec(name);
    if (!match) continue;
    const [, digits, , part] = match;
    const done = names.has(`shard-${digits}.csv`);
    if (part || !done) await rm(join(folder, name), { force: true });
    else if (match[2] === 'csv') complete.push(Number(digits));
  }
  return complete.sort((a, b) => a - b);
}

export async function writeShard(
  folder: string,
  number: number,
  features: Matrix<Float32Array>,
  entries: readonly ShardEntry[],
): Promise<void> {
  const name = shardName(number);
  // A shard of failures alone has an array without rows, so that every shard looks the same.
  await writeNpy(join(folder, `${name}.npy`), features);
  const rows = entries.map((entry) => columns.map((column) => entry[column]));
  await writeCsv(join(folder, `${name}.csv`), rows, { header: columns });
}

export async function* readShard(folder: string, number: number): AsyncGenerator<ShardEntry> {
  const file = join(folder, `${shardName(number)}.csv`);
  let header = true;
  for await (const { fields, offset } of csvRecords(file)) {
    if (header) {
      if (fields.join() !== columns.join())
        throw new FormatError(file, offset, `expected columns ${columns.join(', ')}`);
      header = false;
      continue;
    }
    const [id, path, category, bytes, row, fault, message] = fields;
    yield {
      id,
      path,
      bytes: Number(bytes),
      ...(category === '' ? {} : { category }),
      ...(row === '' ? { fault, message } : { row: Number(row) }),
    };
  }
}

/** Writes `index.csv` and `failures.csv` from the entries that count: those for which `current` gives their own shard. */
export async function writeIndex(
  folder: string,
  shards: readonly number[],
  current: (id: string) => number | undefined,
): Promise<{ pictures: number; failures: number }> {
  let pictures = 0;
  let failures = 0;
  async function* rows(failed: boolean) {
    for (const shard of shards)
      for await (const entry of readShard(folder, shard)) {
        if ((entry.row === undefined) !== failed || current(entry.id) !== shard) continue;
        if (failed) failures++;
        else pictures++;
        const { id, path, category = '' } = entry;
        yield failed ? [id, path, category, entry.fault, entry.message] : [id, path, category, shard, entry.row];
      }
  }
  await writeCsv(join(folder, 'failures.csv'), rows(true), { header: failureColumns });
  await writeCsv(join(folder, 'index.csv'), rows(false), { header: indexColumns });
  return { pictures, failures };
}

/** Pictures of a complete extraction that have no features. */
export async function readFailures(folder: string): Promise<ShardEntry[]> {
  const failed: ShardEntry[] = [];
  let header = true;
  for await (const { fields } of csvRecords(join(folder, 'failures.csv'))) {
    const [id, path, category, fault, message] = fields;
    if (!header) failed.push({ id, path, bytes: 0, fault, message, ...(category !== '' && { category }) });
    header = false;
  }
  return failed;
}

/** Removes all features of a folder, the index first. */
export async function clearFeatures(folder: string): Promise<void> {
  for (const name of await featureFiles(folder)) await rm(join(folder, name), { force: true });
}

/** The names of what an extraction left in a folder, the index first. */
export async function featureFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [] as string[]);
  return names.filter((name) => /^(index\.csv|failures\.csv|meta\.json|shard-\d{5,}\.(npy|csv).*)$/.test(name)).sort();
}
