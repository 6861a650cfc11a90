/** A picture that was classified wrongly joins the test pictures, with the right answer: the next run learns from it. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, extname } from 'node:path';
import { ArgumentError } from '../errors.js';
import { recordActs, unlistedFolder } from '../workspace/index.js';
import type { Correction } from './api.js';
import { requirePicture } from './classify.js';
import type { Library } from './library.js';

const suffixes = new Set(['.jpg', '.jpeg', '.png', '.gif', '.webp', '.tif', '.tiff', '.avif', '.heic', '.bmp']);

/**
 * @param name of the file, as the browser gave it
 * @param label what it shows; null: none of the categories
 */
export async function correctUpload(
  library: Library,
  picture: Uint8Array,
  { name, label }: { name: string; label: string | null },
): Promise<Correction> {
  const workspace = await library.workspace();
  const { categories, test } = workspace.configuration;
  if (label !== null && !categories.some((category) => category.name === label))
    throw new ArgumentError(`${JSON.stringify(label)} is none of the categories`);
  await requirePicture(picture);
  const own = await library.own('test');
  const file = fileName(name);
  const same = [...own.values()].filter(({ path }) => basename(path) === file);
  for (const { id, path } of same) {
    const content = await readFile(workspace.path(test, path)).catch(() => undefined);
    if (!content?.equals(picture)) continue;
    await recordActs(workspace, [{ ids: [id], label }]);
    return { id, added: false };
  }
  const labelled = [...own.values()].some(({ category }) => category !== '');
  const id = await write(
    (path) => workspace.path(test, path),
    labelled ? `${label ?? unlistedFolder}/${file}` : file,
    picture,
  );
  await recordActs(workspace, [{ ids: [id], label }]);
  return { id, added: true };
}

/** A name that is a file's and nothing more. */
function fileName(name: string): string {
  const plain = basename(name.replaceAll('\\', '/'))
    .replaceAll(/[\p{Cc}<>:"|?*/]/gu, '')
    .replace(/^\.+/, '')
    .slice(-100);
  const suffix = extname(plain).toLowerCase();
  return suffixes.has(suffix) && plain.length > suffix.length ? plain : `${plain || 'picture'}.png`;
}

/** Never over another file. @returns where it lies in the folder */
async function write(at: (path: string) => string, wanted: string, content: Uint8Array): Promise<string> {
  const suffix = extname(wanted);
  await mkdir(dirname(at(wanted)), { recursive: true });
  for (let k = 1; ; k++) {
    const path = k === 1 ? wanted : `${wanted.slice(0, -suffix.length)}-${k}${suffix}`;
    try {
      await writeFile(at(path), content, { flag: 'wx' });
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
