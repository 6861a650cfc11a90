/** The vision network of a workspace, fetched where it is not there yet. */
import { existsSync } from 'node:fs';
import { inMegabytes, type Progress } from '../progress.js';
import { chooseFeature, type FeatureModel, findModel, getModel, readPreprocessing } from '../vision/index.js';
import type { ModelSettings } from './configuration.js';
import type { Workspace } from './workspace.js';

interface FetchContext {
  signal?: AbortSignal;
  onProgress?(progress: Progress): void;
  note?(message: string): void;
}

export async function openFeatureModel(
  settings: ModelSettings,
  workspace: Workspace,
  context: FetchContext = {},
): Promise<FeatureModel> {
  const own = workspace.path(settings.name);
  const entry = await findModel(settings.name.endsWith('.onnx') ? own : settings.name);
  const file = await getModel(entry, {
    signal: context.signal,
    onNote: context.note,
    onProgress: (progress) => context.onProgress?.({ ...inMegabytes(progress), stage: `fetch ${entry.name}` }),
  });
  const { preprocessing } = settings;
  const written =
    preprocessing && existsSync(workspace.path(preprocessing)) ? workspace.path(preprocessing) : preprocessing;
  return chooseFeature(file, {
    layer: settings.layer,
    reduction: settings.reduce,
    preprocessing: written ? await readPreprocessing(written) : undefined,
  });
}
