/**
 * COCO: a JSON file with `images`, `annotations` and `categories`. A picture whose annotations name several categories has no
 * one label and is passed over.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FormatError } from '../errors.js';
import { type DataSet, dataSet, notAPicture, type ReadOptions } from './data-set.js';
import { PictureRoot } from './inside.js';
import type { DataPicture } from './picture.js';

interface CocoFile {
  images: Record<string, unknown>[];
  annotations: Record<string, unknown>[];
  categories: Record<string, unknown>[];
  licenses?: Record<string, unknown>[];
}

export function isCoco(content: unknown): content is CocoFile {
  const fields = content as Partial<CocoFile> | null;
  return ['images', 'annotations', 'categories'].every((name) => Array.isArray(fields?.[name as keyof CocoFile]));
}

export async function readCoco(file: string, content: CocoFile, options: ReadOptions): Promise<DataSet> {
  const categories = byId(file, 'categories', content.categories);
  const licences = byId(file, 'licenses', Array.isArray(content.licenses) ? content.licenses : []);
  const images = byId(file, 'images', content.images);
  const shown = new Map<unknown, Map<unknown, number | undefined>>();
  for (const [i, { image_id, category_id, score }] of content.annotations.entries()) {
    const where = `annotations[${i}]`;
    if (!images.has(image_id))
      throw new FormatError(file, undefined, `${where} is of image ${image_id}, which is not there`);
    if (!categories.has(category_id))
      throw new FormatError(file, undefined, `${where} is of category ${category_id}, which is not there`);
    const found = shown.get(image_id) ?? new Map();
    found.set(category_id, typeof score === 'number' && score >= 0 && score <= 1 ? score : undefined);
    shown.set(image_id, found);
  }
  const root = new PictureRoot(options.root ?? pictureFolder(file, content), file);
  const pictures: DataPicture[] = [];
  const notes: string[] = [];
  let mixed = 0;
  for (const [i, image] of content.images.entries()) {
    options.signal?.throwIfAborted();
    const path = text(image.file_name);
    if (path === undefined) throw new FormatError(file, undefined, `images[${i}] has no file_name`);
    const labels = [...(shown.get(image.id) ?? [])];
    if (labels.length > 1) {
      mixed++;
      continue;
    }
    const found = await root.find(path, `images[${i}]`);
    const other = found === undefined ? undefined : await notAPicture(found);
    if (found === undefined || other) {
      notes.push(`${path} ${other ? `is no picture but ${other}` : 'is not there'}`);
      continue;
    }
    const [[id, weight] = []] = labels;
    const category = id === undefined ? undefined : text(categories.get(id)!.name);
    const licence = licences.get(image.license);
    const known = {
      ...{ category, weight, title: text(image.title), author: text(image.author), page: text(image.page_url) },
      ...{ address: text(image.coco_url), licence: text(licence?.name), licenceUrl: text(licence?.url) },
    };
    const present = Object.entries(known).filter(([, value]) => value !== undefined);
    pictures.push({ id: path, file: found, ...Object.fromEntries(present), content: () => readFile(found) });
  }
  if (mixed > 0) notes.push(`${mixed} pictures show several categories and were passed over`);
  return dataSet('COCO annotations', { pictures, notes });
}

/** Beside the file, in `images` beside it, or, for `annotations/instances_train2017.json`, in `train2017` or `images`. */
function pictureFolder(file: string, { images }: CocoFile): string {
  const here = dirname(file);
  const part = /_([A-Za-z]+\d*)\.json$/.exec(file)?.[1] ?? '.';
  const first = text(images[0]?.file_name) ?? '';
  const places = [
    here,
    join(here, 'images'),
    join(here, '..', part),
    join(here, '..', 'images', part),
    join(here, '..', 'images'),
  ];
  return places.find((place) => existsSync(join(place, first))) ?? here;
}

function byId(
  file: string,
  name: string,
  entries: readonly Record<string, unknown>[],
): Map<unknown, Record<string, unknown>> {
  const found = new Map<unknown, Record<string, unknown>>();
  for (const [i, entry] of entries.entries()) {
    const id = (entry as { id?: unknown } | null)?.id;
    if (typeof id !== 'number' && typeof id !== 'string')
      throw new FormatError(file, undefined, `${name}[${i}] has no id`);
    if (found.has(id)) throw new FormatError(file, undefined, `${name} has the id ${id} twice`);
    found.set(id, entry);
  }
  return found;
}

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
