/**
 * Feature vectors and whose they are: a `.npy` file (rows known by their number, or by a list of ids), or a folder that
 * `bowerbird features` wrote. Several sets can be put one below the other, in any order of rows.
 */
import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BowerbirdError, FormatError } from '../../errors.js';
import { type ArrayRows, csvRecords, openNpyRows } from '../../formats/index.js';

export interface FeatureSet {
  rows: ArrayRows;
  /** Ids of pictures, or paths, or row numbers. */
  names: string[];
}

export async function openFeatureSet(path: string, idsFile?: string): Promise<FeatureSet> {
  if (!existsSync(path)) throw new BowerbirdError('BOWERBIRD_FEATURES', `the features ${path} do not exist`);
  if (statSync(path).isDirectory()) return openFolder(path);
  const rows = await openNpyRows(path);
  if (rows.shape.length !== 2) {
    await rows.close();
    throw new FormatError(
      path,
      undefined,
      `expected a matrix with a picture per row, found shape (${rows.shape.join(', ')})`,
    );
  }
  if (idsFile === undefined)
    return { rows, names: Array.from({ length: rows.shape[0] }, (_, i) => `${path}, row ${i}`) };
  const names = (await readFile(idsFile, 'utf8')).split(/\r?\n/).filter((line) => line !== '');
  if (names.length !== rows.shape[0])
    throw new FormatError(idsFile, undefined, `${names.length} ids for the ${rows.shape[0]} rows of ${path}`);
  return { rows, names };
}

async function openFolder(folder: string): Promise<FeatureSet> {
  const index = join(folder, 'index.csv');
  if (!existsSync(index))
    throw new BowerbirdError('BOWERBIRD_FEATURES', `${folder} holds no complete features`, {
      hint: 'Run "bowerbird features" first.',
    });
  const names: string[] = [];
  const places: { shard: number; row: number }[] = [];
  let columns: string[] | undefined;
  for await (const { fields, offset } of csvRecords(index)) {
    if (!columns) {
      columns = fields;
      continue;
    }
    const [id, shard, row] = ['id', 'shard', 'row'].map((name) => fields[columns!.indexOf(name)]);
    if (!id || !/^\d+$/.test(shard) || !/^\d+$/.test(row))
      throw new FormatError(index, offset, 'expected id, shard and row');
    names.push(id);
    places.push({ shard: Number(shard), row: Number(row) });
  }
  const shards = new Map<number, ArrayRows>();
  for (const { shard } of places)
    if (!shards.has(shard))
      shards.set(shard, await openNpyRows(join(folder, `shard-${String(shard).padStart(5, '0')}.npy`)));
  return { names, rows: pickedRows(places.map(({ shard, row }) => ({ rows: shards.get(shard)!, row }))) };
}

/** Rows of one or several arrays in a new order. */
export function pickedRows(places: readonly { rows: ArrayRows; row: number }[]): ArrayRows {
  const rowLength = places[0]?.rows.rowLength ?? 0;
  const odd = places.find(({ rows }) => rows.rowLength !== rowLength);
  if (odd)
    throw new FormatError(
      'features',
      undefined,
      `vectors of ${rowLength} and of ${odd.rows.rowLength} dimensions cannot be compared`,
    );
  return {
    shape: [places.length, rowLength],
    dtype: places[0]?.rows.dtype ?? 'float32',
    rowLength,
    async readRows(start, end, into = new Float32Array((end - start) * rowLength)) {
      for (let i = start; i < end; ) {
        // Neighbours in the same array are read together.
        let next = i + 1;
        while (next < end && places[next].rows === places[i].rows && places[next].row === places[next - 1].row + 1)
          next++;
        const { rows, row } = places[i];
        await rows.readRows(row, row + next - i, into.subarray((i - start) * rowLength, (next - start) * rowLength));
        i = next;
      }
      return into;
    },
    async close() {
      for (const rows of new Set(places.map((place) => place.rows))) await rows.close();
    },
  };
}
