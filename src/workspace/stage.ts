/**
 * A stage: a named step with what it depends on and what it leaves behind. It is done when it once ran to its end with
 * the same inputs and its outputs are still what they were.
 */
import type { DownloadDispatcher } from '../crawl/index.js';
import type { Progress } from '../progress.js';
import type { FeatureModel, ShardDispatcher } from '../vision/index.js';
import type { Workspace } from './workspace.js';

export const stageNames = [
  'crawl',
  'dedupe',
  'features-auxiliary',
  'features-test',
  'features-web',
  'words',
  'text',
  'problem',
  'tune',
  'fit',
  'compare',
  'report',
] as const;
export type StageName = (typeof stageNames)[number];

/** What a stage depends on: each value is an option as JSON or the hash of a file, and its name is for people. */
export type StageInputs = Readonly<Record<string, string>>;

export interface ElsewhereWork {
  model: FeatureModel;
  /** What the paths of the pictures are relative to. */
  folder: string;
  /** Where the features go. */
  out: string;
  batch?: number;
  signal: AbortSignal;
}

export interface StageContext {
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
  /** Where features are extracted, if not here. */
  extractElsewhere?(work: ElsewhereWork): ShardDispatcher;
  /** Where pictures of the web are fetched, if not here. */
  downloadElsewhere?: DownloadDispatcher;
  onProgress(progress: Progress): void;
  /** Something a user should know; shown at once and kept with the result. */
  note(message: string): void;
}

export interface StageResult {
  /** A few words for the summary. */
  summary: string;
  /** Items that failed though the stage ended; they make the exit code 3. */
  failed?: readonly string[];
}

export interface Stage {
  readonly name: StageName;
  readonly needs: readonly StageName[];
  /** Uses all processors: such stages run one after the other. */
  readonly heavy?: boolean;
  /** Why the stage is left out of this workspace. */
  omitted?(workspace: Workspace): string | undefined;
  /** Quick: throws where it can be known beforehand that the stage would fail. */
  check?(workspace: Workspace): Promise<void>;
  /** Besides the outputs of the stages it needs. */
  inputs(workspace: Workspace): Promise<StageInputs>;
  /** Files, relative to the workspace, that hold the result; the same inputs give the same content. */
  outputs(workspace: Workspace): Promise<readonly string[]>;
  /** Goes on where an earlier run was killed. */
  run(context: StageContext): Promise<StageResult>;
}

/** The input of a stage that is the result of another. */
export const resultOf = (stage: StageName) => `the result of ${stage}`;

/** What the user's own modules hold; a changed method or source gives other results. */
export async function pluginInputs({ configuration, fingerprints, path }: Workspace): Promise<Record<string, string>> {
  const inputs: Record<string, string> = {};
  for (const plugin of configuration.plugins)
    inputs[`the plugin ${plugin}`] = (await fingerprints.ofFile(path(plugin))) ?? 'missing';
  return inputs;
}

/** Options as inputs, one for each key, so that a change can be named. */
export function optionInputs(prefix: string, options: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(options)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [`${prefix}.${key}`, JSON.stringify(value)]),
  );
}
