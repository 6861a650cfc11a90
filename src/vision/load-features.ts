/** Reads extracted features back: the index, and the rows it points to. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FormatError } from '../errors.js';
import { csvRecords, openNpyRows } from '../formats/index.js';
import { Matrix } from '../linalg/index.js';
import { ModelError } from './errors.js';
import { type FeatureMeta, readFeatureMeta, requireSameFeatures } from './feature-meta.js';
import { shardName } from './feature-store.js';

export interface IndexedFeatures {
  readonly meta: FeatureMeta;
  readonly ids: readonly string[];
  readonly paths: readonly string[];
  /** Empty where a picture has none. */
  readonly categories: readonly string[];
  /** Row i belongs to `ids[i]`. */
  readonly features: Matrix<Float32Array>;
}

/**
 * All features of a folder that `bowerbird features` wrote, in the order of its index.
 * @example const { features, categories } = await loadFeatures('birds/features/resnet50');
 */
export async function loadFeatures(folder: string): Promise<IndexedFeatures> {
  const meta = await readFeatureMeta(folder);
  const index = join(folder, 'index.csv');
  if (!meta || !existsSync(index))
    throw new ModelError(
      `${folder} holds no complete features`,
      meta ? 'Run "bowerbird features" again; it goes on where it stopped.' : 'Run "bowerbird features" first.',
    );
  const ids: string[] = [];
  const paths: string[] = [];
  const categories: string[] = [];
  const places: { shard: number; row: number }[] = [];
  let header = true;
  for await (const { fields, offset } of csvRecords(index)) {
    if (header) {
      header = false;
      continue;
    }
    const [id, path, category, shard, row] = fields;
    if (fields.length !== 5 || !/^\d+$/.test(shard) || !/^\d+$/.test(row))
      throw new FormatError(index, offset, 'expected id, path, category, shard and row');
    ids.push(id);
    paths.push(path);
    categories.push(category);
    places.push({ shard: Number(shard), row: Number(row) });
  }
  return { meta, ids, paths, categories, features: await readPlaces(folder, meta, places) };
}

/** Features of several folders one below the other. @throws FeatureMismatchError where they were made differently */
export async function loadFeaturesOf(folders: readonly string[]): Promise<IndexedFeatures> {
  const parts: IndexedFeatures[] = [];
  for (const folder of folders) {
    const part = await loadFeatures(folder);
    if (parts.length > 0) requireSameFeatures(parts[0].meta, part.meta, folders[0], folder);
    parts.push(part);
  }
  const rows = parts.reduce((sum, part) => sum + part.ids.length, 0);
  const features = Matrix.zeros(rows, parts[0].meta.dimension, 'float32');
  let at = 0;
  for (const part of parts) {
    features.view(at, at + part.ids.length).copyFrom(part.features);
    at += part.ids.length;
  }
  return {
    meta: parts[0].meta,
    ids: parts.flatMap((part) => part.ids),
    paths: parts.flatMap((part) => part.paths),
    categories: parts.flatMap((part) => part.categories),
    features,
  };
}

async function readPlaces(
  folder: string,
  meta: FeatureMeta,
  places: readonly { shard: number; row: number }[],
): Promise<Matrix<Float32Array>> {
  const features = Matrix.zeros(places.length, meta.dimension, 'float32');
  for (let at = 0; at < places.length; ) {
    const { shard } = places[at];
    const file = join(folder, `${shardName(shard)}.npy`);
    const rows = await openNpyRows(file);
    try {
      if (rows.rowLength !== meta.dimension)
        throw new FormatError(file, undefined, `has ${rows.rowLength} columns, meta.json says ${meta.dimension}`);
      const data = await rows.readRows(0, rows.shape[0]);
      for (; at < places.length && places[at].shard === shard; at++) {
        const start = places[at].row * meta.dimension;
        if (start + meta.dimension > data.length)
          throw new FormatError(
            file,
            undefined,
            `has ${rows.shape[0]} rows, index.csv points to row ${places[at].row}`,
          );
        features.row(at).set(data.subarray(start, start + meta.dimension));
      }
    } finally {
      await rows.close();
    }
  }
  return features;
}
