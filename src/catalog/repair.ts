/** Makes a damaged catalog anew from its journal. The damaged file is kept beside it. */
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileError } from '../formats/index.js';
import { type Catalog, type CatalogOptions, openCatalog } from './catalog.js';
import { isDamage } from './damage.js';
import { catalogFile } from './files.js';

export interface CatalogRepair {
  /** Open, and to be closed. */
  catalog: Catalog;
  /** What was wrong with the file of the catalog, in words; absent where nothing was. */
  damage?: string;
  /** Where the damaged file is now. */
  kept?: string;
}

/** @throws where there is neither a catalog nor a journal, or another process has it open */
export async function repairCatalog(workspaceFolder: string, options: CatalogOptions = {}): Promise<CatalogRepair> {
  const settings = { ...options, mustExist: true };
  const damage = await damageOf(workspaceFolder, settings);
  const kept = damage === undefined ? undefined : moveAside(join(workspaceFolder, catalogFile));
  return { catalog: await openCatalog(workspaceFolder, settings), damage, kept };
}

/** Reads every row: the database notices blocks that are not what it wrote. */
async function damageOf(workspaceFolder: string, options: CatalogOptions): Promise<string | undefined> {
  let catalog: Catalog | undefined;
  try {
    catalog = await openCatalog(workspaceFolder, options);
    for (const table of ['picture', 'lane', 'meta']) for await (const _ of catalog.query(`SELECT * FROM ${table}`));
    await catalog.close();
    return undefined;
  } catch (error) {
    await catalog?.close().catch(() => {});
    if (!isDamage(error)) throw error;
    return error.message;
  }
}

function moveAside(file: string): string {
  let number = 1;
  while (existsSync(`${file}.damaged-${number}`)) number++;
  const target = `${file}.damaged-${number}`;
  try {
    for (const suffix of ['.wal', '']) if (existsSync(file + suffix)) renameSync(file + suffix, target + suffix);
  } catch (error) {
    throw fileError(file, error, 'written');
  }
  return target;
}
