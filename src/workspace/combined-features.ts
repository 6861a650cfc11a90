/** Features of several looks, written as one set: a folder as any extraction leaves it, which all that follows reads. */
import { selectRows } from '../problem/index.js';
import {
  clearFeatures,
  completeShards,
  type FeatureMeta,
  type IndexedFeatures,
  loadFeatures,
  readFailures,
  type ShardEntry,
  writeFeatureMeta,
  writeIndex,
  writeShard,
} from '../vision/index.js';
import { combinedMeta, combineLooks, type Look } from './looks.js';

interface Extraction extends IndexedFeatures {
  readonly failed: readonly ShardEntry[];
}

export async function readExtraction(folder: string): Promise<Extraction> {
  return { ...(await loadFeatures(folder)), failed: await readFailures(folder) };
}

/** A picture that failed in one look has failed. */
export async function writeCombined(
  folder: string,
  looks: readonly Look[],
  parts: readonly Extraction[],
): Promise<{ meta: FeatureMeta; pictures: number; failures: number }> {
  const places = parts.map(({ ids }) => new Map(ids.map((id, row) => [id, row])));
  const [first] = parts;
  const kept = first.ids.filter((id) => places.every((place) => place.has(id)));
  const failed = new Map(parts.flatMap((part) => part.failed.map((entry) => [entry.id, entry])));
  const meta = combinedMeta(
    looks,
    parts.map((part) => part.meta),
  );
  await clearFeatures(folder);
  await completeShards(folder);
  const shards: number[] = [];
  for (let from = 0; from === 0 || from < kept.length; from += meta.shardSize) {
    const ids = kept.slice(from, from + meta.shardSize);
    const rows = parts.map(({ features }, k) =>
      selectRows(
        features,
        ids.map((id) => places[k].get(id)!),
      ),
    );
    const entries = ids.map((id, row): ShardEntry => {
      const at = places[0].get(id)!;
      const category = first.categories[at];
      return { id, path: first.paths[at], bytes: 0, row, ...(category !== '' && { category }) };
    });
    if (from === 0) entries.push(...[...failed.values()].map(({ row: _, ...entry }) => entry));
    await writeShard(folder, shards.length, combineLooks(looks, rows), entries);
    shards.push(shards.length);
  }
  await writeFeatureMeta(folder, meta);
  const shardOf = new Map(kept.map((id, i) => [id, Math.floor(i / meta.shardSize)]));
  const counts = await writeIndex(folder, shards, (id) => shardOf.get(id) ?? (failed.has(id) ? 0 : undefined));
  return { meta, ...counts };
}
