/** FiftyOne's image classification format: `labels.json`, and pictures in `data/` by the names it has without suffix. */
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { FormatError } from '../errors.js';
import { type DataSet, dataSet, notAPicture, type ReadOptions } from './data-set.js';
import type { DataPicture } from './picture.js';
import { readJson } from './records.js';

export async function readFiftyOne(folder: string, { signal }: ReadOptions): Promise<DataSet> {
  const file = join(folder, 'labels.json');
  const content = (await readJson(file)) as { classes?: unknown; labels?: unknown } | null;
  const { classes, labels } = content ?? {};
  if (typeof labels !== 'object' || labels === null || Array.isArray(labels))
    throw new FormatError(file, undefined, 'has no object "labels"');
  if (classes !== undefined && classes !== null && !Array.isArray(classes))
    throw new FormatError(file, undefined, '"classes" is no list');
  const names = Array.isArray(classes) ? classes.map(String) : undefined;
  const files = new Map<string, string>();
  for (const entry of await readdir(join(folder, 'data'), { withFileTypes: true }))
    if (entry.isFile()) files.set(entry.name.slice(0, entry.name.length - extname(entry.name).length), entry.name);
  const pictures: DataPicture[] = [];
  const notes: string[] = [];
  for (const [stem, target] of Object.entries(labels)) {
    signal?.throwIfAborted();
    const name = files.get(stem);
    const path = join(folder, 'data', name ?? stem);
    const other = name === undefined ? 'missing' : await notAPicture(path);
    if (name === undefined || other) {
      notes.push(`${stem} ${name === undefined ? 'is not in data/' : `is no picture but ${other}`}`);
      continue;
    }
    const { label, confidence } = (typeof target === 'object' ? target : { label: target }) ?? {};
    const category = typeof label === 'number' && names ? names[label] : label;
    if (label !== undefined && label !== null && category === undefined)
      throw new FormatError(
        file,
        undefined,
        `labels.${stem} is class ${label}, and there are ${names?.length} classes`,
      );
    pictures.push({
      ...{ id: name, file: path },
      ...(category !== undefined && category !== null && { category: String(category) }),
      ...(typeof confidence === 'number' && { weight: confidence }),
      content: () => readFile(path),
    });
  }
  return dataSet('a FiftyOne image classification data set', { pictures, notes });
}
