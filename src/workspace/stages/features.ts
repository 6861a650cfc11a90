/** Feature vectors of the auxiliary, the test and the web pictures, each in a folder of its own. */
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { writeFileAtomic } from '../../formats/index.js';
import {
  clearFeatures,
  type ExtractResult,
  extractFeatures,
  type FeatureMeta,
  FeatureMismatchError,
  type FeatureModel,
  featureFiles,
  openFolderPictures,
  type PictureSource,
  readFeatureMeta,
} from '../../vision/index.js';
import { readExtraction, writeCombined } from '../combined-features.js';
import type { ModelSettings } from '../configuration.js';
import { checkFeatureModel } from '../feature-model.js';
import { hashOf } from '../fingerprint.js';
import { looksOf, openLooks } from '../looks.js';
import { auxiliaryCategories, listSource, openTestPictures, webPictures } from '../pictures.js';
import { optionInputs, type Stage, type StageContext, type StageName } from '../stage.js';
import { layout, type Workspace } from '../workspace.js';

/** Where the single looks of several lie. */
const lookFolder = 'looks';

export type PictureSet = 'auxiliary' | 'test' | 'web';

export function featureFolder(set: PictureSet): string {
  return `${layout.features}/${set}`;
}

export const featureStages: readonly Stage[] = [
  featureStage('auxiliary', async (workspace) => {
    await auxiliaryCategories(workspace);
    const folder = workspace.path(workspace.configuration.auxiliary.folder);
    return { source: await openFolderPictures(folder), hashes: await workspace.fingerprints.ofFolder(folder) };
  }),
  featureStage('test', async (workspace) => {
    const folder = workspace.path(workspace.configuration.test);
    return { source: await openTestPictures(workspace), hashes: await workspace.fingerprints.ofFolder(folder) };
  }),
  featureStage('web', async (workspace) => {
    const pictures = await webPictures(workspace);
    const hashes = new Map(pictures.map(({ id, sha256 }) => [id, sha256]));
    return { source: listSource(workspace.folder, pictures), hashes };
  }),
];

interface Pictures {
  source: PictureSource;
  /** Content of every picture by its id. */
  hashes: ReadonlyMap<string, string>;
}

function featureStage(set: PictureSet, open: (workspace: Workspace) => Promise<Pictures>): Stage {
  const folder = featureFolder(set);
  return {
    name: `features-${set}` satisfies StageName,
    needs: set === 'web' ? ['dedupe'] : [],
    heavy: true,

    async check(workspace) {
      for (const network of workspace.configuration.networks) await checkFeatureModel(network, workspace);
      if (set === 'auxiliary') await auxiliaryCategories(workspace);
      if (set === 'test') await openTestPictures(workspace);
    },

    async inputs(workspace) {
      const { configuration, fingerprints, path } = workspace;
      const inputs: Record<string, string> = {};
      for (const [k, network] of configuration.networks.entries()) {
        const { batch: _, workers: __, ...meaning } = network;
        Object.assign(inputs, optionInputs(k === 0 ? 'model' : `model.${k + 1}`, meaning));
        for (const key of ['name', 'preprocessing'] as const) {
          const file = network[key];
          const hash = file === undefined ? undefined : await fingerprints.ofFile(path(file));
          if (hash !== undefined) inputs[`the file ${file}`] = hash;
        }
      }
      if (set === 'auxiliary')
        inputs['the auxiliary pictures'] = hashOf(await fingerprints.ofFolder(path(configuration.auxiliary.folder)));
      if (set === 'test') inputs['the test pictures'] = hashOf(await fingerprints.ofFolder(path(configuration.test)));
      return inputs;
    },

    outputs: async (workspace) => {
      const files = await workspace.fingerprints.ofFolder(workspace.path(folder));
      const names = [...files.keys()].filter((name) => /^(index\.csv|meta\.json|.*\.npy)$/.test(name));
      return [...new Set([`${folder}/index.csv`, `${folder}/meta.json`, ...names.map((name) => `${folder}/${name}`)])];
    },

    async run(context) {
      const { workspace } = context;
      const pictures = await open(workspace);
      try {
        const { pictures: count, failures, meta } = await extractLooks(pictures, folder, context);
        return {
          summary: `${count} pictures, ${meta.dimension} numbers each (${meta.model.name})`,
          failed: failures > 0 ? [`${failures} ${set} pictures have no features: ${folder}/failures.csv`] : [],
        };
      } finally {
        await pictures.source.close();
      }
    },
  };
}

type Extracted = Pick<ExtractResult, 'pictures' | 'failures' | 'meta'>;

/** One look into the folder itself; each of several into one of its own, and what they say together into the folder. */
async function extractLooks(pictures: Pictures, folder: string, context: StageContext): Promise<Extracted> {
  const { workspace } = context;
  const { path } = workspace;
  const looks = looksOf(workspace);
  const models = await openLooks(workspace, context);
  const places = models.map(
    ({ name, layer }, k) => `${folder}/${lookFolder}/${`${name}-${layer}-${looks[k].view}`.replace(/[^\w.-]+/g, '_')}`,
  );
  if (looks.length === 1) {
    // What was one of several looks need not be extracted again when it is the only one.
    if (existsSync(path(places[0], 'meta.json'))) await moveFeatures(workspace, places[0], folder);
    await rm(path(folder, lookFolder), { recursive: true, force: true });
    return extract(pictures, models[0], looks[0].settings, folder, context);
  }
  // Nor when others come beside it.
  const single = await readFeatureMeta(path(folder));
  const same = models.findIndex((model) => single && !single.parts && isOf(single, model));
  if (same >= 0 && !existsSync(path(places[same]))) await moveFeatures(workspace, folder, places[same]);
  for (const [k, model] of models.entries()) {
    const onProgress: StageContext['onProgress'] = (progress) =>
      context.onProgress({ ...progress, detail: [`look ${k + 1} of ${looks.length}`, progress.detail].join(', ') });
    await extract(pictures, model, looks[k].settings, places[k], { ...context, onProgress });
  }
  const parts = await Promise.all(places.map((place) => readExtraction(path(place))));
  return writeCombined(path(folder), looks, parts);
}

function isOf(meta: FeatureMeta, { sha256, layer, network }: FeatureModel): boolean {
  return (
    meta.model.sha256 === sha256 &&
    meta.layer === layer &&
    JSON.stringify(meta.preprocessing) === JSON.stringify(network.preprocessing)
  );
}

/** With what is known of the pictures they are of. */
async function moveFeatures(workspace: Workspace, from: string, to: string): Promise<void> {
  const { path } = workspace;
  await mkdir(path(to), { recursive: true });
  await clearFeatures(path(to));
  for (const name of await featureFiles(path(from))) await rename(path(from, name), path(to, name));
  await copyFile(knownFile(workspace, from), knownFile(workspace, to)).catch(() => {});
}

/** Which content of each picture the features in a folder are of. */
function knownFile({ path }: Workspace, folder: string): string {
  return path('.bowerbird', `${folder.replaceAll('/', '-')}.json`);
}

async function extract(
  { source, hashes }: Pictures,
  model: FeatureModel,
  { batch, workers, device }: ModelSettings,
  folder: string,
  context: StageContext,
): Promise<ExtractResult> {
  const { workspace, signal, onProgress, note } = context;
  const known = knownFile(workspace, folder);
  const options = {
    ...{ batch, workers, device, signal, onNote: note, onProgress },
    // Workers compute on their processors.
    elsewhere:
      device === 'cuda'
        ? undefined
        : context.extractElsewhere?.({ model, folder: source.folder, out: workspace.path(folder), batch, signal }),
  };
  // The extraction knows its pictures by id and size; a picture replaced by one of the same size begins it anew.
  const fresh = await picturesReplaced(known, hashes);
  const into = workspace.path(folder);
  await mkdir(dirname(into), { recursive: true });
  const remember = async () => writeFileAtomic(known, `${JSON.stringify(Object.fromEntries(hashes))}\n`);
  try {
    if (!fresh) await remember();
    const result = await extractFeatures(source, model, into, { ...options, fresh });
    if (fresh) await remember();
    return result;
  } catch (error) {
    if (!(error instanceof FeatureMismatchError)) throw error;
    return extractFeatures(source, model, into, { ...options, fresh: true });
  }
}

async function picturesReplaced(file: string, hashes: ReadonlyMap<string, string>): Promise<boolean> {
  let before: Record<string, string>;
  try {
    before = JSON.parse(await readFile(file, 'utf8')) as Record<string, string>;
  } catch {
    return false;
  }
  return [...hashes].some(([id, hash]) => before[id] !== undefined && before[id] !== hash);
}
