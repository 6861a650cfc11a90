/** Files may be read only where the workspace and its own folders of pictures are, whatever names and links say. */
import { realpath } from 'node:fs/promises';
import { relative, resolve, sep } from 'node:path';
import type { Workspace } from '../workspace/index.js';

/** The real path of a file; undefined where it is absent or lies outside of all `roots`. */
export async function confined(file: string, roots: readonly string[]): Promise<string | undefined> {
  const real = await realpath(file).catch(() => undefined);
  if (real === undefined) return undefined;
  for (const root of roots) {
    const base = await realpath(root).catch(() => undefined);
    if (base !== undefined && isInside(real, base)) return real;
  }
  return undefined;
}

export function isInside(path: string, folder: string): boolean {
  const way = relative(resolve(folder), resolve(path));
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && resolve(folder, way) === resolve(path);
}

/** The workspace itself, and the folders of pictures that its configuration names. */
export function readableRoots({ folder, path, configuration }: Workspace): string[] {
  return [folder, path(configuration.auxiliary.folder), path(configuration.test)];
}
