/** The finished classifier of a workspace: its scorer, its calibration and the network its features come from. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { BowerbirdError } from '../errors.js';
import { type FeatureMeta, readFeatureMeta } from '../vision/index.js';
import type { Calibration } from './calibration.js';
import { type LinearScorer, loadScorer } from './scorer.js';
import { featureFolder } from './stages/features.js';
import { StageStates } from './state.js';
import { layout, type Workspace } from './workspace.js';

export interface Classifier {
  readonly scorer: LinearScorer;
  readonly method: string;
  /** How the scorer came about, in words. */
  readonly kind: string;
  /** Absent where there were no validation categories to learn it from. */
  readonly calibration?: Calibration;
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
  if (states.get('fit')?.state !== 'done' || !features)
    throw new UnfinishedError(
      `${workspace.folder} has no classifier yet`,
      `Run "bowerbird run ${workspace.folder}" first; "bowerbird status" says what is missing.`,
    );
  const { scorer, metadata } = await loadScorer(workspace.path(layout.scorer));
  if (metadata.features !== features.fingerprint)
    throw new UnfinishedError(
      'the features were extracted anew after the classifier was fitted',
      `Run "bowerbird run ${workspace.folder}" to fit it again.`,
    );
  const file = workspace.path(layout.calibration);
  const calibration = existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as Calibration) : undefined;
  return { scorer, method: metadata.method, kind: metadata.kind, features, ...(calibration && { calibration }) };
}
