/**
 * The pictures a site shows: for each category those web pictures that the fit trusts most, and some of each auxiliary
 * category, small, each with author and licence. A picture whose licence does not allow passing it on is left out.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { licenceName } from '../catalog/index.js';
import { decode } from '../decoding/index.js';
import { readWeightValues } from '../fit/index.js';
import type { Progress } from '../progress.js';
import { loadFeatures } from '../vision/index.js';
import {
  featureFolder,
  layout,
  type ProblemRows,
  readDecisions,
  type WebPicture,
  type Workspace,
  webPictures,
} from '../workspace/index.js';
import type { GalleryPicture } from './site.js';

/** Of each category; some are shown however little they are trusted, for want of better ones. */
const [webShown, webShownAnyway, auxiliaryShown] = [10, 3, 3];
const side = 160;

/** Who made the pictures of the user's own folders, and what others may do with them. */
export interface OwnPictures {
  licence: string;
  author: string;
}

export interface GalleryOptions {
  licences: readonly string[];
  own?: OwnPictures;
  signal?: AbortSignal;
  onProgress?(progress: Progress): void;
}

/** A picture of the gallery before it has a place in the site. */
export interface Exhibit extends Omit<GalleryPicture, 'file'> {
  /** Absolute path of the original. */
  path: string;
  /** In the features of its set. */
  id: string;
}

export interface Gallery {
  exhibits: Exhibit[];
  /** Web pictures that would have been shown but for their licence. */
  withheld: number;
}

export async function chooseExhibits(workspace: Workspace, options: GalleryOptions): Promise<Gallery> {
  const web = await trustedPictures(workspace);
  const allowed = (licence: string) => options.licences.includes(licence);
  const attributed = web.map((picture) => ownIfFolder(picture, options.own));
  const exhibits = attributed
    .filter(({ licence }) => allowed(licence))
    .map(
      (picture): Exhibit => ({
        ...{ set: 'web', category: picture.category, id: picture.id, path: workspace.path(picture.path) },
        ...(picture.title && { title: picture.title }),
        ...{ author: picture.author ?? '', licence: licenceName(picture) },
        ...(safe(picture.licenceUrl) && { licenceUrl: picture.licenceUrl }),
        ...(safe(picture.pageUrl) && { page: picture.pageUrl }),
      }),
    );
  const withheld = attributed.length - exhibits.length;
  return {
    exhibits: [...firstOf(exhibits, webShown), ...(await auxiliaryExhibits(workspace, options, allowed))],
    withheld,
  };
}

/** Web pictures of the categories, the most trusted first. */
async function trustedPictures(workspace: Workspace): Promise<WebPicture[]> {
  const { web } = JSON.parse(await readFile(workspace.path(layout.rows), 'utf8')) as ProblemRows;
  const values = await readWeightValues(workspace.path(layout.run));
  const weights = new Map(web.map((id, i) => [id, values?.[i] ?? 1]));
  const mean = [...weights.values()].reduce((sum, weight) => sum + weight, 0) / weights.size;
  const { of: decisions } = await readDecisions(workspace);
  const vouched = (id: string) => decisions.get(id) === 'keep';
  const trust = ({ id }: WebPicture) => (vouched(id) ? Number.POSITIVE_INFINITY : weights.get(id)!);
  const ranked = (await webPictures(workspace))
    .filter(({ id }) => weights.has(id) && decisions.get(id) !== 'drop')
    .sort((a, b) => trust(b) - trust(a));
  const anyway = new Set(firstOf(ranked, webShownAnyway));
  return ranked.filter((picture) => trust(picture) >= mean || anyway.has(picture));
}

/** A folder states no licences; its owner can. */
function ownIfFolder(picture: WebPicture, own: OwnPictures | undefined): WebPicture {
  return own && picture.source.startsWith('folder') && picture.licence === 'unknown' ? { ...picture, ...own } : picture;
}

async function auxiliaryExhibits(
  workspace: Workspace,
  { own }: GalleryOptions,
  allowed: (licence: string) => boolean,
): Promise<Exhibit[]> {
  if (!own || !allowed(own.licence)) return [];
  const { ids, paths, categories } = await loadFeatures(workspace.path(featureFolder('auxiliary')));
  const folder = workspace.path(workspace.configuration.auxiliary.folder);
  const all = ids.map(
    (id, i): Exhibit => ({
      ...{ set: 'auxiliary', category: categories[i], id, path: join(folder, paths[i]) },
      ...{ author: own.author, licence: licenceName(own) },
    }),
  );
  return firstOf(all, auxiliaryShown);
}

/** The first ones of each category. */
function firstOf<T extends { category: string }>(exhibits: readonly T[], most: number): T[] {
  const counts = new Map<string, number>();
  return exhibits.filter(({ category }) => {
    counts.set(category, (counts.get(category) ?? 0) + 1);
    return counts.get(category)! <= most;
  });
}

const safe = (address: string | undefined) => address !== undefined && /^https?:\/\//i.test(address);

/** The pictures small, under names made of their content; those that cannot be read any more are left out. */
export async function* thumbnails(
  exhibits: readonly Exhibit[],
  { signal, onProgress }: Pick<GalleryOptions, 'signal' | 'onProgress'>,
): AsyncGenerator<{ exhibit: Exhibit; file: string; bytes: Uint8Array }> {
  for (const [done, exhibit] of exhibits.entries()) {
    signal?.throwIfAborted();
    onProgress?.({ stage: 'thumbnails', done, total: exhibits.length });
    const task = { kind: 'thumbnail', side, fit: 'cover', format: 'webp', quality: 70 } as const;
    const made = await decode(exhibit.path, task, { signal, tolerant: true }).catch(() => undefined);
    signal?.throwIfAborted();
    if (!made) continue;
    const name = createHash('sha256').update(made.data).digest('hex').slice(0, 16);
    yield { exhibit, file: `pictures/${name}.webp`, bytes: made.data };
  }
}

/** One row of int8 for each exhibit, its largest value at 127: all that a cosine needs. */
export function quantizedRows(rows: readonly ArrayLike<number>[]): Int8Array {
  const columns = rows[0]?.length ?? 0;
  const result = new Int8Array(rows.length * columns);
  for (const [i, row] of rows.entries()) {
    let most = 0;
    for (let c = 0; c < columns; c++) most = Math.max(most, Math.abs(row[c]));
    for (let c = 0; c < columns; c++) result[i * columns + c] = Math.round((127 * row[c]) / (most || 1));
  }
  return result;
}
