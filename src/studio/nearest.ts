/** The pictures whose features are most like those of another one, by the cosine; shards are read one at a time. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openNpyRows } from '../formats/array-rows.js';
import { csvRecords } from '../formats/csv-records.js';
import { shardName } from '../vision/feature-store.js';
import { cosine } from './categories.js';

export interface Neighbour {
  id: string;
  category: string;
  likeness: number;
}

/** @param folder features of pictures, as an extraction leaves them */
export async function nearestPictures(
  folder: string,
  features: ArrayLike<number>,
  count: number,
  wanted: (id: string) => boolean = () => true,
): Promise<Neighbour[]> {
  const index = join(folder, 'index.csv');
  if (!existsSync(index)) return [];
  let best: Neighbour[] = [];
  let open: { shard: string; rows: Awaited<ReturnType<typeof readShard>> } | undefined;
  let header = true;
  for await (const { fields } of csvRecords(index)) {
    if (header) {
      header = false;
      continue;
    }
    const [id, , category, shard, row] = fields;
    if (open?.shard !== shard) open = { shard, rows: await readShard(folder, Number(shard)) };
    if (!wanted(id)) continue;
    const likeness = cosine(features, open.rows.row(Number(row)));
    if (best.length === count && likeness <= best[count - 1].likeness) continue;
    best = [...best, { id, category, likeness }].sort((a, b) => b.likeness - a.likeness).slice(0, count);
  }
  return best;
}

async function readShard(folder: string, shard: number) {
  const rows = await openNpyRows(join(folder, `${shardName(shard)}.npy`));
  try {
    const data = await rows.readRows(0, rows.shape[0]);
    const { rowLength } = rows;
    return { row: (i: number) => data.subarray(i * rowLength, (i + 1) * rowLength) as ArrayLike<number> };
  } finally {
    await rows.close();
  }
}
