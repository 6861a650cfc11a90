/** What a crawl has left behind, for comparing two of them. */
import { openCatalog } from '../../../src/catalog/index.js';
import { allPictures, pictureFiles } from './crawling.js';

/** Everything the catalog says, but for times and the number of tries, and the hash of every file. */
export async function contents(workspace: string) {
  const rows = (await allPictures(workspace)).map((row) => {
    const { attempts: _a, foundAt: _f, changedAt: _c, ...rest } = row as unknown as Record<string, unknown>;
    return rest;
  });
  const catalog = await openCatalog(workspace);
  const lanes = [];
  for await (const lane of catalog.query('SELECT * FROM lane ORDER BY category, source')) lanes.push(lane);
  await catalog.close();
  return { rows, lanes, files: pictureFiles(workspace) };
}
