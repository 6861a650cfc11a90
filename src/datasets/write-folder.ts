/** The plainest forms: one sub-folder a category with a table beside, and a table alone that says where pictures lie. */
import { mkdir } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { UsageError } from '../errors.js';
import { writeCsv } from '../formats/index.js';
import {
  type DataPicture,
  fileNameOf,
  placePicture,
  provenanceCells,
  provenanceColumns,
  uniqueNames,
} from './picture.js';
import type { DataWriter } from './write.js';

const header = ['path', 'category', 'split', 'weight', ...provenanceColumns];

const cells = (path: string, picture: DataPicture) => [
  ...[path, picture.category, picture.split, picture.weight],
  // A spreadsheet would run a title that starts like a formula.
  ...provenanceCells(picture).map((text) => text.replace(/^[=+\-@]/, "'$&")),
];

/** `category/picture.jpg`, and `pictures.csv`. Pictures of no known category lie beside the folders. */
export const writeImageFolder: DataWriter = async (folder, pictures, { onPicture }) => {
  const paths = uniqueNames(
    pictures.map((picture) => {
      const name = fileNameOf(picture);
      return picture.category === undefined ? name : `${folderName(picture.category)}/${name}`;
    }),
  );
  for (const [i, picture] of pictures.entries()) {
    await mkdir(dirname(join(folder, paths[i])), { recursive: true });
    await placePicture(picture, join(folder, paths[i]));
    onPicture();
  }
  await writeCsv(
    join(folder, 'pictures.csv'),
    pictures.map((picture, i) => cells(paths[i], picture)),
    { header },
  );
};

/** Names of categories are kept as they are, as far as every disk can hold them. */
export function folderName(category: string): string {
  const name = category
    .replace(/[\\/:*?"<>|\p{Cc}]+/gu, '-')
    .replace(/[. ]+$/, '')
    .trim();
  return name.replace(/^\.+/, '') || 'category';
}

/** `pictures.csv` alone: paths lead from it to the pictures where they are. */
export const writeTable: DataWriter = async (folder, pictures, { target, onPicture }) => {
  const rows = pictures.map((picture) => {
    if (picture.file === undefined)
      throw new UsageError(
        `the picture ${picture.id} is no file of its own`,
        'Write the format folder instead of csv.',
      );
    onPicture();
    return cells(relative(resolve(target), resolve(picture.file)).split(sep).join('/'), picture);
  });
  await writeCsv(join(folder, 'pictures.csv'), rows, { header });
};
