/** Files may be read only where the workspace and its own folders of pictures are, whatever names and links say. */
import { realpath } from 'node:fs/promises';
import nodePath from 'node:path';
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

/** @param on how paths are written, for tests of another system's */
export function isInside(path: string, folder: string, on: nodePath.PlatformPath = nodePath): boolean {
  const way = on.relative(on.resolve(folder), on.resolve(path));
  // Between two drives of Windows there is no relative way: it is the path itself then.
  if (way === '' || way === '..' || way.startsWith(`..${on.sep}`) || on.isAbsolute(way)) return false;
  return on.resolve(folder, way) === on.resolve(path);
}

/** The workspace itself, and the folders of pictures that its configuration names. */
export function readableRoots({ folder, path, configuration }: Workspace): string[] {
  return [folder, path(configuration.auxiliary.folder), path(configuration.test)];
}
