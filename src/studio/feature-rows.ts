/** The features of many pictures, a shard in memory at a time: all of them together may be larger than the server may be. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { csvRecords, openNpyRows } from '../formats/index.js';
import { shardName } from '../vision/index.js';

export interface FeatureRow {
  id: string;
  /** Empty where it is not known. */
  category: string;
  features: ArrayLike<number>;
}

/** @param folder as an extraction leaves it; one that is absent has no rows */
export async function* featureRows(folder: string, wanted: (id: string) => boolean): AsyncGenerator<FeatureRow> {
  const index = join(folder, 'index.csv');
  if (!existsSync(index)) return;
  let open: { shard: string; rows: Awaited<ReturnType<typeof readShard>> } | undefined;
  let header = true;
  for await (const { fields } of csvRecords(index)) {
    const [id, , category, shard, row] = fields;
    if (!header && wanted(id)) {
      if (open?.shard !== shard) open = { shard, rows: await readShard(folder, Number(shard)) };
      yield { id, category, features: open.rows.row(Number(row)) };
    }
    header = false;
  }
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
