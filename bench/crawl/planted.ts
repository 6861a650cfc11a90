/** A workspace with planted copies: originals, and one edited copy of some of them for every kind of edit. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCatalog } from '../../src/catalog/index.js';
import { crawl, createSource, Keys } from '../../src/crawl/index.js';
import { edits } from '../../test/crawl/web/edits.js';
import { texture } from '../../test/crawl/web/pictures.js';

export interface Planted {
  workspace: string;
  originals: number;
  /** Ids of the copies with the id of their original and the kind of edit. */
  copies: Map<string, { of: string; edit: string }>;
}

/** Real photographs where there are any below `photographs`, else made-up ones. */
export async function plant(folder: string, photographs: string | undefined, copiesPerEdit: number): Promise<Planted> {
  const files = photographs
    ? readdirSync(photographs, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.(jpe?g|png)$/i.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name))
        .sort()
    : [];
  const originals = files.length > 0 ? files.length : 800;
  const source = join(folder, 'source');
  const write = (category: string, name: string, bytes: Buffer) => {
    mkdirSync(join(source, category), { recursive: true });
    writeFileSync(join(source, category, name), bytes);
  };
  const original = async (i: number) =>
    files.length > 0 ? readFileSync(files[i]) : texture(i, 320, 240).jpeg({ quality: 92 }).toBuffer();
  for (let i = 0; i < originals; i++) write('originals', `${String(i).padStart(6, '0')}.jpg`, await original(i));
  for (const [e, [edit, apply]] of Object.entries(edits).entries())
    for (let c = 0; c < copiesPerEdit; c++) {
      const i = (c * Object.keys(edits).length + e) % originals;
      // Copies are ranked after all originals, so that they are the ones to go.
      write('copies', `${String(i).padStart(6, '0')}-${edit}.jpg`, await apply(await original(i)));
    }
  const workspace = join(folder, 'workspace');
  await crawl({
    workspace,
    categories: [{ name: 'originals' }, { name: 'copies' }],
    sources: [createSource(`folder:${source}`)],
    keys: new Keys({}),
    network: { userAgent: 'bowerbird/bench' },
    perCategory: 1e6,
    // The same photograph may well be there for a third reason; here every picture stays.
    placeholders: { categories: 1000 },
  });
  const catalog = await openCatalog(workspace);
  const ids = new Map<string, string>();
  const copies: Planted['copies'] = new Map();
  for await (const picture of catalog.pictures({ where: "state = 'kept'", order: 'category DESC, rank' })) {
    const [number, ...edit] = picture.title!.split('-');
    if (picture.category === 'originals') ids.set(number, picture.id);
    else copies.set(picture.id, { of: ids.get(number)!, edit: edit.join('-') });
  }
  await catalog.close();
  return { workspace, originals, copies };
}
