/** The table of pictures as one Parquet file, written beside and renamed. */
import { renameSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { BowerbirdError } from '../errors.js';
import type { Catalog } from './catalog.js';
import { quote } from './schema.js';

/** Returns the number of pictures written, kept or not. */
export async function exportParquet(catalog: Catalog, file: string): Promise<number> {
  const path = resolve(file);
  const partial = `${path}.part`;
  try {
    await catalog.run(
      `COPY (SELECT * FROM picture ORDER BY category, source, rank) TO ${quote(partial)} (FORMAT parquet, COMPRESSION zstd)`,
    );
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    throw new BowerbirdError(
      'BOWERBIRD_EXPORT',
      `${file} cannot be written: ${(error as Error).message.split('\n')[0]}`,
    );
  }
  return catalog.count();
}
