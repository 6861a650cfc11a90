/**
 * WebDataset: tar files in which members with the same name before the first dot are one sample. What it shows stands in `.json`
 * (`category`, `label`, `class`), in `.cls` as a place in `classes.txt` or a number, or in `.txt`.
 */
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { FormatError } from '../errors.js';
import { openFile, type RandomAccessFile } from '../formats/index.js';
import {
  type DataSet,
  dataSet,
  describeUnlessPicture,
  pictureSuffix,
  type ReadOptions,
  withSuffix,
} from './data-set.js';
import type { DataPicture } from './picture.js';
import { readText } from './records.js';
import { type TarMember, tarMembers } from './tar-index.js';

export async function tarFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  return names
    .filter((name) => name.endsWith('.tar'))
    .sort()
    .map((name) => join(folder, name));
}

export async function readWebDataset(files: readonly string[], options: ReadOptions): Promise<DataSet> {
  const archives: RandomAccessFile[] = [];
  const pictures: DataPicture[] = [];
  const notes: string[] = [];
  const close = async () => {
    for (const archive of archives) await archive.close();
  };
  try {
    const list = await readText(join(dirname(files[0]), 'classes.txt')).catch(() => undefined);
    const classes = list?.split(/\r?\n/).filter(Boolean);
    for (const file of files) {
      const archive = await openFile(file);
      archives.push(archive);
      await addSamples(archive, classes, { pictures, notes, signal: options.signal });
    }
  } catch (error) {
    await close();
    throw error;
  }
  return dataSet(`WebDataset, ${files.length} tar ${files.length === 1 ? 'file' : 'files'}`, {
    pictures,
    notes,
    close,
  });
}

async function addSamples(
  archive: RandomAccessFile,
  classes: readonly string[] | undefined,
  { pictures, notes, signal }: { pictures: DataPicture[]; notes: string[]; signal?: AbortSignal },
): Promise<void> {
  const samples = new Map<string, Map<string, TarMember>>();
  for await (const member of tarMembers(archive)) {
    signal?.throwIfAborted();
    const [, key, suffix] = /^((?:.*\/)?[^/.]+)(\.[^/]*)$/.exec(member.path) ?? [];
    if (key === undefined) continue;
    const sample = samples.get(key) ?? new Map();
    if (sample.has(suffix.toLowerCase()))
      throw new FormatError(archive.name, member.start, `the member ${member.path} is there twice`);
    samples.set(key, sample.set(suffix.toLowerCase(), member));
  }
  const split = /(?:^|[-_])(train|val|valid|validation|test)(?=[-_.\d])/i
    .exec(basename(archive.name))?.[1]
    .toLowerCase();
  for (const [key, sample] of samples) {
    const member = [...sample].find(([suffix]) => pictureSuffix.test(suffix))?.[1];
    if (!member) {
      notes.push(`${key} has no picture`);
      continue;
    }
    const content = () => archive.read(member.start, member.size, member.path);
    const head = await archive.read(member.start, Math.min(256, member.size), member.path);
    const other = describeUnlessPicture(head);
    if (other) {
      notes.push(`${member.path} is no picture but ${other}`);
      continue;
    }
    const known = await labelOf(archive, sample, classes);
    const id = withSuffix(known.id ?? member.path, head);
    pictures.push({ ...known, id, ...(split && { split }), content });
  }
}

type Known = Partial<Omit<DataPicture, 'content' | 'file'>>;

async function labelOf(
  archive: RandomAccessFile,
  sample: ReadonlyMap<string, TarMember>,
  classes?: readonly string[],
): Promise<Known> {
  const text = async (suffix: string) => {
    const member = sample.get(suffix);
    return (
      member &&
      Buffer.from(await archive.read(member.start, member.size, member.path))
        .toString()
        .trim()
    );
  };
  const json = await text('.json');
  const fields = json === undefined ? {} : objectOf(archive, sample.get('.json')!, json);
  const string = (name: string) =>
    typeof fields[name] === 'string' && fields[name] !== '' ? (fields[name] as string) : undefined;
  const number = await text('.cls');
  const counted = number !== undefined && /^\d+$/.test(number) ? (classes ? classes[Number(number)] : number) : number;
  if (number !== undefined && counted === undefined)
    throw new FormatError(
      archive.name,
      sample.get('.cls')!.start,
      `the class ${number} is none of the ${classes!.length} in classes.txt`,
    );
  const category =
    string('category') ?? string('label') ?? string('class') ?? string('name') ?? counted ?? (await text('.txt'));
  const weight = typeof fields.weight === 'number' ? fields.weight : undefined;
  const provenance = {
    title: string('title'),
    author: string('author'),
    page: string('page'),
    address: string('address'),
  };
  const rights = { licence: string('licence') ?? string('license'), licenceUrl: string('licenceUrl') };
  const all = { id: string('id'), category, weight, ...provenance, ...rights };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Known;
}

function objectOf(archive: RandomAccessFile, member: TarMember, text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Said below.
  }
  throw new FormatError(archive.name, member.start, `the member ${member.path} holds no JSON object`);
}
