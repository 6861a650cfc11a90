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

/** Whether the network and its preprocessing are there or can be fetched. */
export async function checkFeatureModel(settings: ModelSettings, workspace: Workspace): Promise<void> {
  await entryOf(settings, workspace);
  await preprocessingOf(settings, workspace);
}

export async function openFeatureModel(
  settings: ModelSettings,
  workspace: Workspace,
  context: FetchContext = {},
): Promise<FeatureModel> {
  const entry = await entryOf(settings, workspace);
  const file = await getModel(entry, {
    signal: context.signal,
    onNote: context.note,
    onProgress: (progress) => context.onProgress?.({ ...inMegabytes(progress), stage: `fetch ${entry.name}` }),
  });
  return chooseFeature(file, {
    layer: settings.layer,
    reduction: settings.reduce,
    preprocessing: await preprocessingOf(settings, workspace),
  });
}

function entryOf({ name }: ModelSettings, workspace: Workspace) {
  return findModel(name.endsWith('.onnx') ? workspace.path(name) : name);
}

async function preprocessingOf({ preprocessing }: ModelSettings, workspace: Workspace) {
  if (!preprocessing) return undefined;
  const own = workspace.path(preprocessing);
  return readPreprocessing(existsSync(own) ? own : preprocessing);
}
