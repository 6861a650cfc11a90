/** The finished classifier of a workspace: its model, and the network its features come from. */
import { BowerbirdError } from '../errors.js';
import { type Model, readModel } from '../fit/index.js';
import { type FeatureMeta, readFeatureMeta } from '../vision/index.js';
import { featureFolder } from './stages/features.js';
import { StageStates } from './state.js';
import { layout, type Workspace } from './workspace.js';

export interface Classifier {
  readonly model: Model;
  /** How the features it was fitted with were made. */
  readonly features: FeatureMeta;
}

/** A classifier was asked of a workspace that has none. */
export class UnfinishedError extends BowerbirdError {
  constructor(message: string, hint: string) {
    super('BOWERBIRD_WORKSPACE_UNFINISHED', message, { hint });
  }
}

export async function openClassifier(workspace: Workspace): Promise<Classifier> {
  const states = await StageStates.open(workspace);
  const features = await readFeatureMeta(workspace.path(featureFolder('test')));
  const model = await readModel(workspace.path(layout.run));
  if (states.get('fit')?.state !== 'done' || !features || !model)
    throw new UnfinishedError(
      `${workspace.folder} has no classifier yet`,
      `Run "bowerbird run ${workspace.folder}" first; "bowerbird status" says what is missing.`,
    );
  if (model.features !== features.fingerprint)
    throw new UnfinishedError(
      'the features were extracted anew after the classifier was fitted',
      `Run "bowerbird run ${workspace.folder}" to fit it again.`,
    );
  return { model, features };
}
