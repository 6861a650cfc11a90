/** The vision network of a workspace, fetched where it is not there yet. */
import { existsSync } from 'node:fs';
import { UsageError } from '../errors.js';
import { inMegabytes, type Progress } from '../progress.js';
import {
  chooseFeature,
  type FeatureModel,
  findModel,
  getModel,
  isHubAddress,
  readPreprocessing,
  type ViewName,
} from '../vision/index.js';
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
  view?: ViewName,
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
    ...(view && { view }),
  });
}

function entryOf({ name }: ModelSettings, workspace: Workspace) {
  return findModel(name.endsWith('.onnx') && !isHubAddress(name) ? workspace.path(name) : name);
}

async function preprocessingOf({ preprocessing }: ModelSettings, workspace: Workspace) {
  if (!preprocessing) return undefined;
  const own = workspace.path(preprocessing);
  return readPreprocessing(existsSync(own) ? own : preprocessing);
}

/**
 * The network of a workspace that has one, looked at in one way: what can be put into one file with the classifier.
 * @throws UsageError for several networks or views
 */
export function soleNetwork(workspace: Workspace): ModelSettings {
  if (!startsFromPixels(workspace))
    throw new UsageError(
      'the features of this workspace come from several networks or views, and a file that starts from pixels holds one network',
      'Export the classifier alone (--as onnx), whose input is the features, or set model: to one network.',
    );
  return workspace.configuration.model;
}

export function startsFromPixels({ configuration: { networks } }: Workspace): boolean {
  return networks.length === 1 && (networks[0].views ?? ['plain']).join() === 'plain';
}
