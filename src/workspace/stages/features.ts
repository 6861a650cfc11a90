/** Feature vectors of the auxiliary, the test and the web pictures, each in a folder of its own. */
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { writeFileAtomic } from '../../formats/index.js';
import {
  extractFeatures,
  FeatureMismatchError,
  type FeatureModel,
  openFolderPictures,
  type PictureSource,
} from '../../vision/index.js';
import { checkFeatureModel, openFeatureModel } from '../feature-model.js';
import { hashOf } from '../fingerprint.js';
import { auxiliaryCategories, listSource, openTestPictures, webPictures } from '../pictures.js';
import { optionInputs, type Stage, type StageContext, type StageName } from '../stage.js';
import { layout, type Workspace } from '../workspace.js';

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
      await checkFeatureModel(workspace.configuration.model, workspace);
      if (set === 'auxiliary') await auxiliaryCategories(workspace);
      if (set === 'test') await openTestPictures(workspace);
    },

    async inputs(workspace) {
      const { configuration, fingerprints, path } = workspace;
      const { batch: _, workers: __, ...meaning } = configuration.model;
      const inputs: Record<string, string> = optionInputs('model', meaning);
      for (const key of ['name', 'preprocessing'] as const) {
        const file = configuration.model[key];
        const hash = file === undefined ? undefined : await fingerprints.ofFile(path(file));
        if (hash !== undefined) inputs[`the file ${file}`] = hash;
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
        const model = await openFeatureModel(workspace.configuration.model, workspace, context);
        const { pictures: count, failures, meta } = await extract(pictures, model, folder, context);
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

async function extract({ source, hashes }: Pictures, model: FeatureModel, folder: string, context: StageContext) {
  const { workspace, signal, onProgress, note } = context;
  const { batch, workers, device } = workspace.configuration.model;
  const known = workspace.path('.bowerbird', `${folder.replaceAll('/', '-')}.json`);
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
