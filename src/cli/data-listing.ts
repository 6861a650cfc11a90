/** What a set of pictures holds, for `bowerbird inspect`. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { mayBeData, readData, summarizeData } from '../datasets/index.js';
import { amount } from './table.js';

/** Notes shown; the rest is counted. */
const notesShown = 5;

/** Whether a path is a set of pictures rather than of arrays. */
export async function looksLikeData(path: string, isFolder: boolean): Promise<boolean> {
  if (!isFolder) return mayBeData(path);
  const names = await readdir(path);
  return (
    names.length > 0 &&
    !existsSync(join(path, 'bowerbird.yaml')) &&
    !names.some((name) => /\.(npy|npz|mat)$/.test(name))
  );
}

export async function inspectData(
  path: string,
  { print, printJson, signal }: { print(line: string): void; printJson(value: unknown): void; signal: AbortSignal },
): Promise<number> {
  const set = await readData(path, { signal });
  await set.close();
  const summary = summarizeData(set);
  printJson({ file: path, ...summary, kind: 'pictures', format: summary.kind });
  const { pictures, addresses, unlabelled, categories, splits, licences, notes } = summary;
  print(`${basename(resolve(path))}: ${summary.kind}\n`);
  if (pictures > 0) print(`  pictures    ${pictures}`);
  if (addresses > 0) print(`  addresses   ${addresses}, to be fetched by a crawl`);
  const most = categories.at(0)?.pictures;
  const fewest = categories.at(-1)?.pictures;
  const each = most === fewest ? `${most}` : `${fewest} to ${most}`;
  if (categories.length > 0) print(`  categories  ${categories.length}, ${each} pictures each: ${sample(categories)}`);
  if (unlabelled > 0) print(`  unlabelled  ${unlabelled}`);
  for (const [name, counts] of [['parts', splits] as const, ['licences', licences] as const])
    if (Object.keys(counts).length > 0)
      print(
        `  ${name.padEnd(10)}  ${Object.entries(counts)
          .map(([key, count]) => `${count} ${key}`)
          .join(', ')}`,
      );
  if (notes.length > 0) print(`\nPassed over: ${amount(notes.length, 'item')}`);
  for (const note of notes.slice(0, notesShown)) print(`  ${note}`);
  if (notes.length > notesShown) print(`  and ${notes.length - notesShown} more`);
  print(`\nTo use it: bowerbird data import ${path} --out FOLDER`);
  return 0;
}

function sample(categories: readonly { name: string }[]): string {
  const names = categories.slice(0, 3).map(({ name }) => name);
  return `${names.join(', ')}${categories.length > 3 ? ', …' : ''}`;
}
