/** A labelled picture of a data set, whatever it was read from and whatever it is written as. */
import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileError, writeFileAtomic } from '../formats/index.js';

/** Where a picture came from and whose it is. */
export interface Provenance {
  readonly title?: string;
  readonly author?: string;
  /** The page that shows it. */
  readonly page?: string;
  /** The picture itself on the web. */
  readonly address?: string;
  /** A code such as `cc-by`, or what the source says. */
  readonly licence?: string;
  readonly licenceUrl?: string;
}

export interface DataPicture extends Provenance {
  /** Unique in its set and the same every time. */
  readonly id: string;
  /** Absent where nobody said what it shows. */
  readonly category?: string;
  /** `train`, `val`, `test` or whatever the set calls them. */
  readonly split?: string;
  /** How far the category is believed, 0…1. */
  readonly weight?: number;
  /** Where it lies as a file of its own; else `content` has it. */
  readonly file?: string;
  /** The encoded picture. */
  content(): Promise<Uint8Array>;
}

/** Columns of what is known beside category and weight, in tables. */
export const provenanceColumns = ['title', 'author', 'page', 'address', 'licence', 'licence_url'] as const;

export function provenanceCells(picture: Provenance): string[] {
  const { title, author, page, address, licence, licenceUrl } = picture;
  return [title, author, page, address, licence, licenceUrl].map((value) => value ?? '');
}

/** Categories of a set, by name; their places are the labels of formats that count. */
export function categoriesOf(pictures: readonly DataPicture[]): string[] {
  return [...new Set(pictures.flatMap(({ category }) => category ?? []))].sort((a, b) => (a < b ? -1 : 1));
}

/** Writes a picture where it is wanted; on disks that can, its bytes are not stored twice. */
export async function placePicture(picture: DataPicture, target: string): Promise<void> {
  const { file } = picture;
  if (file === undefined) return writeFileAtomic(target, await picture.content());
  await copyFile(file, target, constants.COPYFILE_FICLONE).catch((error: NodeJS.ErrnoException) => {
    throw fileError(error.code === 'ENOENT' ? file : target, error, error.code === 'ENOENT' ? 'read' : 'written');
  });
}

const unsafe = /[^A-Za-z0-9._-]+/g;

/** A name for the file of a picture: letters, digits, dots, hyphens, underscores, and the suffix of its format. */
export function fileNameOf({ id, file }: Pick<DataPicture, 'id' | 'file'>): string {
  const own = extname(id);
  const stem = id.slice(0, id.length - own.length).replace(unsafe, '-');
  return `${stem.replace(/^[.-]+/, '') || 'picture'}${extname(file ?? id).toLowerCase()}`;
}

/** Each name once: those that come again get a number. */
export function uniqueNames(names: readonly string[]): string[] {
  const used = new Set<string>();
  return names.map((name) => {
    const suffix = extname(name);
    let unique = name;
    // Some disks take upper and lower case for the same.
    for (let n = 2; used.has(unique.toLowerCase()); n++)
      unique = `${name.slice(0, name.length - suffix.length)}-${n}${suffix}`;
    used.add(unique.toLowerCase());
    return unique;
  });
}
