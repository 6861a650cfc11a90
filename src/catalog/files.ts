/** Where the catalog of a workspace lies in its folder. */
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';

export const catalogFile = 'catalog.duckdb';
export const journalFolder = 'catalog-journal';

/** Whether there is a catalog in a folder. */
export function hasCatalog(folder: string): boolean {
  return existsSync(join(folder, catalogFile));
}

/** Puts the catalog of a folder, which must not be open, into another folder. */
export function moveCatalog(folder: string, into: string): void {
  for (const name of [journalFolder, catalogFile, `${catalogFile}.wal`])
    if (existsSync(join(folder, name))) renameSync(join(folder, name), join(into, name));
}
