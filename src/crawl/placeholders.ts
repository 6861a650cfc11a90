/**
 * Pictures that stand in for a missing one. They give themselves away by their address, by a hash known from earlier,
 * or by turning up under several categories that have nothing else in common.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Catalog } from '../catalog/index.js';
import { FormatError } from '../errors.js';

/** Further known placeholders of a workspace: one SHA-256 a line. */
const hashesFile = 'placeholders.txt';

/** Where well-known hosts send a request for a picture that is gone. */
const addresses = [
  /\/photo_unavailable[^/]*\.(gif|png|jpe?g)$/i,
  /(^|\.)imgur\.com\/removed\.png$/i,
  /\/image-?not-?(found|available)[^/]*$/i,
];

export function isPlaceholderAddress(url: URL): boolean {
  return addresses.some((pattern) => pattern.test(`${url.hostname}${url.pathname}`));
}

export interface PlaceholderOptions {
  /** The same file in at least this many categories is a placeholder. @default 3 */
  categories?: number;
}

/** Hashes of the workspace's file and of what earlier passes found. */
export async function knownPlaceholders(catalog: Catalog): Promise<Set<string>> {
  const hashes = new Set<string>();
  const file = join(catalog.folder, hashesFile);
  if (existsSync(file))
    for (const [index, line] of readFileSync(file, 'utf8').split(/\r?\n/).entries()) {
      const text = line.replace(/#.*/, '').trim().toLowerCase();
      if (text === '') continue;
      if (!/^[0-9a-f]{64}$/.test(text))
        throw new FormatError(file, undefined, `line ${index + 1} is not a SHA-256 of 64 hexadecimal digits`);
      hashes.add(text);
    }
  const sql =
    "SELECT DISTINCT sha256 FROM picture WHERE state = 'dropped' AND reason = 'placeholder' AND sha256 IS NOT NULL";
  for await (const { sha256 } of catalog.query(sql)) hashes.add(sha256 as string);
  return hashes;
}

/** Drops kept pictures whose very bytes are kept under many categories. Returns the paths of their files. */
export async function dropPlaceholders(catalog: Catalog, options: PlaceholderOptions = {}): Promise<string[]> {
  const least = Math.max(2, options.categories ?? 3);
  const frequent = `SELECT sha256, count(DISTINCT category) AS categories FROM picture WHERE state = 'kept' GROUP BY sha256 HAVING categories >= ${least}`;
  const sql = `SELECT id, path, categories FROM picture JOIN (${frequent}) USING (sha256) WHERE state = 'kept' ORDER BY id`;
  const paths: string[] = [];
  for await (const { id, path, categories } of catalog.query(sql)) {
    const detail = `the same file was found for ${categories} categories`;
    catalog.move({ id: id as string, from: 'kept', to: 'dropped', reason: 'placeholder', detail, path: '' });
    paths.push(path as string);
  }
  return paths;
}
