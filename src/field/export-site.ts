/** Turns a finished workspace into a folder that any web host can serve: the classifier as a page that works offline. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultLicences } from '../crawl/index.js';
import { readProblem } from '../problem/index.js';
import type { Progress } from '../progress.js';
import { loadFeatures, pictureFeatures } from '../vision/index.js';
import { featureFolder, layout, modelCard, openClassifier, type Workspace } from '../workspace/index.js';
import { categoryAttributes } from './attributes.js';
import { cardBlocks } from './card.js';
import { type Chosen, chooseNetwork } from './choose-network.js';
import { finishSite, SiteFolder, writeApp, writeEngine } from './files.js';
import { chooseExhibits, type Exhibit, type OwnPictures, quantizedRows, thumbnails } from './gallery.js';
import type { GalleryPicture, Loss, Precision } from './site.js';

export interface SiteOptions {
  /** @default 'float16', or the best that fits a budget */
  precision?: Precision;
  /** Bytes of the site without the engine, at most. @default as many as it takes */
  budget?: number;
  /** Licences under which pictures are shown. @default those that allow use, change and passing on */
  licences?: readonly string[];
  /** Who made the pictures of the user's own folders. @default nobody knows, and they are not shown */
  own?: OwnPictures;
  signal?: AbortSignal;
  onProgress?(progress: Progress): void;
  onNote?(message: string): void;
}

export interface SiteSummary {
  version: string;
  /** Of everything but the engine. */
  bytes: number;
  /** Of onnxruntime's own files; a browser fetches one variant. */
  engineBytes: number;
  modelBytes: number;
  files: number;
  network: string;
  precision: Precision;
  /** Whether the network is a smaller one that learnt from the workspace's. */
  distilled: boolean;
  loss?: Loss;
  pictures: number;
  withheld: number;
}

/** @param folder where the site is written; empty, absent, or an earlier site */
export async function exportSite(
  workspace: Workspace,
  folder: string,
  options: SiteOptions = {},
): Promise<SiteSummary> {
  const { signal, onProgress, onNote, licences = defaultLicences, own } = options;
  const classifier = await openClassifier(workspace);
  const site = await SiteFolder.open(folder);
  const scratch = await mkdtemp(join(tmpdir(), 'bowerbird-site-'));
  try {
    const { page, worker } = await writeApp(site);
    const engine = await writeEngine(site);
    const { exhibits, withheld } = await chooseExhibits(workspace, { licences, own });
    if (withheld > 0)
      onNote?.(`${withheld} web pictures are not shown: their licence does not allow it, or is not known`);
    const gallery: GalleryPicture[] = [];
    const shown: Exhibit[] = [];
    for await (const { exhibit, file: name, bytes } of thumbnails(exhibits, { signal, onProgress })) {
      await site.write(name, bytes);
      const { path: _, id: __, ...rest } = exhibit;
      gallery.push({ ...rest, file: name });
      shown.push(exhibit);
    }
    const problem = await readProblem(workspace.path(layout.problem), { dtype: 'float32', web: 'optional' });
    const card = cardBlocks(await modelCard(workspace, classifier, problem));
    const total = (keep: (path: string) => boolean) =>
      site.files.filter(({ path }) => keep(path)).reduce((sum, { bytes }) => sum + bytes, 0);
    const outside = (path: string) => !path.startsWith('engine/');
    const lists = 2 * JSON.stringify({ gallery, card, names: classifier.model.scorer.names }).length;
    const chosen = await chooseNetwork(workspace, classifier.model, scratch, {
      ...{ precision: options.precision, signal, onProgress, onNote },
      ...(options.budget && {
        budget: { bytes: options.budget, others: total(outside) + lists, gallery: gallery.length },
      }),
    });
    const { network, model, graph } = chosen;
    const attributes = await categoryAttributes(workspace, model.scorer.names);
    const file = await site.writeHashed('model/network.onnx', graph);
    const rows = await exhibitFeatures(workspace, shown, chosen, options);
    const features =
      rows.length > 0
        ? await site.writeHashed('model/gallery.bin', new Uint8Array(quantizedRows(rows).buffer))
        : undefined;
    const version = await finishSite(
      site,
      {
        schema: 'bowerbird-field-1',
        name: workspace.configuration.name,
        categories: [...model.scorer.names],
        preprocessing: network.network.preprocessing,
        network: {
          ...{ name: network.name, licence: network.licence, precision: chosen.precision, distilled: chosen.distilled },
          ...(chosen.loss && { loss: chosen.loss }),
        },
        confidence: model.sharpness !== undefined,
        strangers: model.strangers !== undefined,
        model: file,
        gallery,
        ...(features && { galleryFeatures: { ...features, columns: rows[0].length } }),
        ...(attributes && { attributes }),
        card,
        engine,
      },
      { page, worker },
    );
    return {
      ...{ version, files: site.files.length, modelBytes: file.bytes, pictures: gallery.length, withheld },
      bytes: total(outside),
      engineBytes: total((path) => !outside(path)),
      ...{ network: network.name, precision: chosen.precision, distilled: chosen.distilled },
      ...(chosen.loss && { loss: chosen.loss }),
    };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Features of the exhibits: those of the workspace, or, of a network of its own, computed. */
async function exhibitFeatures(
  workspace: Workspace,
  exhibits: readonly Exhibit[],
  { network, distilled }: Chosen,
  { signal, onProgress }: SiteOptions,
): Promise<ArrayLike<number>[]> {
  const key = ({ set, id }: Exhibit) => `${set} ${id}`;
  const found = new Map<string, ArrayLike<number>>();
  if (distilled) {
    const pictures = exhibits.map((exhibit) => ({ id: key(exhibit), path: exhibit.path }));
    const { ids, features } = await pictureFeatures(pictures, network, {
      signal,
      onProgress: (progress) => onProgress?.({ ...progress, stage: 'features of the gallery' }),
    });
    for (const [i, id] of ids.entries()) found.set(id, features.row(i));
  } else
    for (const set of ['web', 'auxiliary'] as const) {
      const { ids, features } = await loadFeatures(workspace.path(featureFolder(set)));
      for (const [i, id] of ids.entries()) found.set(`${set} ${id}`, features.row(i));
    }
  const columns = [...found.values()].at(0)?.length ?? 0;
  return exhibits.map((exhibit) => found.get(key(exhibit)) ?? new Float32Array(columns));
}
