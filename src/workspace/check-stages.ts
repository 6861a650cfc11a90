/**
 * Looks for mistakes before the first stage begins: a missing file or key that the last stage would stumble over is
 * named in the first second, not after an hour of work.
 */
import { ArgumentError, UsageError } from '../errors.js';
import { ConfigurationError } from './read-configuration.js';
import type { Stage, StageInputs } from './stage.js';
import { changedInput } from './staleness.js';
import type { StageRecord, StageStates } from './state.js';
import type { Workspace } from './workspace.js';

/**
 * @param onOther told of every mistake after the first
 * @throws the first mistake of a stage that has to run
 */
export async function checkStages(
  workspace: Workspace,
  stages: readonly Stage[],
  states: StageStates,
  onOther: (message: string) => void,
): Promise<void> {
  const mistakes = new Map<string, unknown>();
  for (const stage of stages) {
    const mistake = await mistakeOf(stage, workspace, states.get(stage.name));
    if (mistake) mistakes.set((mistake as Error).message, mistake);
  }
  const [first, ...others] = mistakes.values();
  for (const { message } of others as Error[]) onOther(message);
  if (first) throw first;
}

/** What keeps a stage from running, as far as can be known without running it; nothing where its result stands. */
export async function mistakeOf(
  stage: Stage,
  workspace: Workspace,
  record: StageRecord | undefined,
): Promise<unknown | undefined> {
  if (!stage.check || stage.omitted?.(workspace) !== undefined) return undefined;
  try {
    // A crawl that is done needs no key any more.
    if (record?.state === 'done' && !changedInput(ownInputs(record.inputs), await stage.inputs(workspace)))
      return undefined;
    await stage.check(workspace);
    return undefined;
  } catch (error) {
    return error instanceof ArgumentError
      ? new ConfigurationError(error.message, error.hint)
      : asConfigurationError(error);
  }
}

/** Without the results of other stages. */
export function ownInputs(inputs: StageInputs): StageInputs {
  return Object.fromEntries(Object.entries(inputs).filter(([key]) => !key.startsWith('the result of ')));
}

/** What a stage was told wrongly stands in the configuration, not on the command line. */
export function asConfigurationError(cause: unknown): unknown {
  return cause instanceof UsageError ? new ConfigurationError(cause.message, cause.hint) : cause;
}
