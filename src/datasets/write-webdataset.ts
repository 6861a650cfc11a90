/**
 * WebDataset: tar files whose members belong together by the part of their name before the first dot. A picture is three:
 * itself, `.cls` with the place of its category in `classes.txt`, and `.json` with all that is known.
 */
import { join } from 'node:path';
import { Header } from 'tar';
import { PendingFile, writeFileAtomic } from '../formats/index.js';
import { categoriesOf, type DataPicture, fileNameOf } from './picture.js';
import type { DataWriter } from './write.js';

/** A file begins anew beyond this. */
const shardBytes = 2 ** 28;

export const writeWebDataset: DataWriter = async (folder, pictures, { onPicture }) => {
  const categories = categoriesOf(pictures);
  let shard: PendingFile | undefined;
  let shards = 0;
  try {
    for (const [i, picture] of pictures.entries()) {
      shard ??= await PendingFile.create(join(folder, `pictures-${String(shards++).padStart(6, '0')}.tar`));
      for (const [suffix, content] of await members(picture, categories)) {
        // A dot would end the key.
        const member = `${String(i).padStart(8, '0')}${suffix}`;
        await appendMember(shard, member, content);
      }
      onPicture();
      if (shard.position < shardBytes && i + 1 < pictures.length) continue;
      await shard.append(new Uint8Array(1024));
      await shard.commit();
      shard = undefined;
    }
  } catch (error) {
    await shard?.discard();
    throw error;
  }
  await writeFileAtomic(join(folder, 'classes.txt'), categories.map((category) => `${category}\n`).join(''));
};

async function members(picture: DataPicture, categories: readonly string[]): Promise<[string, Uint8Array][]> {
  const { content, file, ...known } = picture;
  const { category } = picture;
  return [
    [fileNameOf(picture).replace(/^.*(?=\.[^.]*$)/s, ''), await picture.content()],
    ...(category === undefined
      ? []
      : [['.cls', Buffer.from(String(categories.indexOf(category)))] as [string, Buffer]]),
    ['.json', Buffer.from(JSON.stringify(known))],
  ];
}

async function appendMember(shard: PendingFile, path: string, content: Uint8Array): Promise<void> {
  // The same pictures give the same bytes, so there is no time and no owner.
  const header = new Header({ path, size: content.length, mode: 0o644, mtime: new Date(0), type: 'File' });
  header.encode();
  await shard.append(header.block!);
  await shard.append(content);
  await shard.append(new Uint8Array((512 - (content.length % 512)) % 512));
}
