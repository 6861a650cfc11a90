/**
 * Parquet with pictures inside, as the data sets library of Hugging Face reads and writes it: a column `image` of bytes
 * and path, a column `label` that counts the names in the metadata, and what else is known.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBAppender, DuckDBConnection } from '@duckdb/node-api';
import { stringify } from 'yaml';
import { openMemoryDatabase, writeFileAtomic } from '../formats/index.js';
import { categoriesOf, type DataPicture, fileNameOf, provenanceCells, provenanceColumns } from './picture.js';
import type { DataWriter } from './write.js';

/** A file begins anew beyond this many bytes of pictures. */
const shardBytes = 2 ** 27;

const texts = ['category', 'picture', ...provenanceColumns] as const;

export const writeParquet: DataWriter = async (folder, pictures, { name, onPicture }) => {
  const categories = categoriesOf(pictures);
  const shards = await shardsOf(pictures);
  await mkdir(join(folder, 'data'));
  const database = await openMemoryDatabase();
  const { connection } = database;
  try {
    const columns = texts.map((column) => `"${column}" VARCHAR`).join(', ');
    for (const [s, shard] of shards.entries()) {
      await connection.run(
        `CREATE OR REPLACE TABLE shard (bytes BLOB, path VARCHAR, label BIGINT, weight DOUBLE, ${columns})`,
      );
      const appender = await connection.createAppender('shard');
      for (const picture of shard) {
        await appendPicture(appender, picture, categories);
        onPicture();
      }
      appender.closeSync();
      await copyShard(connection, join(folder, 'data', shardName(s, shards.length)), categories);
    }
  } finally {
    database.close();
  }
  await writeFileAtomic(join(folder, 'README.md'), card(name, categories, pictures.length));
};

const shardName = (i: number, of: number) =>
  `train-${String(i).padStart(5, '0')}-of-${String(of).padStart(5, '0')}.parquet`;

async function shardsOf(pictures: readonly DataPicture[]): Promise<DataPicture[][]> {
  const shards: DataPicture[][] = [[]];
  let bytes = 0;
  for (const picture of pictures) {
    if (bytes > shardBytes) {
      shards.push([]);
      bytes = 0;
    }
    shards.at(-1)!.push(picture);
    bytes += (await picture.content()).length;
  }
  return shards;
}

async function appendPicture(appender: DuckDBAppender, picture: DataPicture, categories: readonly string[]) {
  const { category, weight, id } = picture;
  appender.appendBlob(await picture.content());
  appender.appendVarchar(fileNameOf(picture));
  if (category === undefined) appender.appendNull();
  else appender.appendBigInt(BigInt(categories.indexOf(category)));
  if (weight === undefined) appender.appendNull();
  else appender.appendDouble(weight);
  for (const text of [category ?? '', id, ...provenanceCells(picture)])
    if (text === '') appender.appendNull();
    else appender.appendVarchar(text);
  appender.endRow();
}

async function copyShard(connection: DuckDBConnection, file: string, categories: readonly string[]): Promise<void> {
  const value = (dtype: string) => ({ dtype, _type: 'Value' });
  const features = {
    image: { _type: 'Image' },
    label: { names: categories, _type: 'ClassLabel' },
    weight: value('float64'),
    ...Object.fromEntries(texts.map((text) => [text, value('string')])),
  };
  const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
  const metadata = quoted(JSON.stringify({ info: { features } }));
  const selected = ['{ bytes: bytes, path: path } AS image', 'label', 'weight', ...texts.map((text) => `"${text}"`)];
  await connection.run(
    `COPY (SELECT ${selected.join(', ')} FROM shard) TO ${quoted(file)} (FORMAT parquet, COMPRESSION snappy, KV_METADATA { huggingface: ${metadata} })`,
  );
}

/** The card of the set, which begins with what the library reads. */
function card(name: string, categories: readonly string[], count: number): string {
  const info = {
    dataset_info: {
      features: [
        { name: 'image', dtype: 'image' },
        {
          name: 'label',
          dtype: { class_label: { names: Object.fromEntries(categories.map((one, i) => [String(i), one])) } },
        },
        { name: 'weight', dtype: 'float64' },
        ...texts.map((text) => ({ name: text, dtype: 'string' })),
      ],
      splits: [{ name: 'train', num_examples: count }],
    },
    configs: [{ config_name: 'default', data_files: [{ split: 'train', path: 'data/train-*' }] }],
  };
  return `---\n${stringify(info)}---\n\n# ${name}\n\n${count} pictures of ${categories.length} categories. \`weight\` says how far the label is believed.\n`;
}
