/** What is done in a workspace, what is stale or failed, and why; looks and changes nothing. */
import type { Progress } from '../progress.js';
import { mistakeOf, ownInputs } from './check-stages.js';
import { workIsOn } from './lock.js';
import { resultOf, type Stage, type StageInputs, type StageName } from './stage.js';
import { stages } from './stages/index.js';
import { changedInput, staleReason } from './staleness.js';
import { type StageRecord, StageStates } from './state.js';
import type { Workspace } from './workspace.js';

export interface StageStatus {
  stage: StageName;
  state: 'done' | 'running' | 'stale' | 'failed' | 'waiting' | 'omitted';
  /** Why it is not done. */
  reason?: string;
  hint?: string;
  summary?: string;
  notes: readonly string[];
  /** Pictures and questions that failed though the stage is done. */
  failed: readonly string[];
  seconds?: number;
  finished?: string;
}

/** @param onProgress told before a stage is looked at: after many changes its files are read from end to end */
export async function workspaceStatus(
  workspace: Workspace,
  onProgress?: (progress: Progress) => void,
): Promise<StageStatus[]> {
  const states = await StageStates.open(workspace);
  const working = await workIsOn(workspace);
  const result = new Map<StageName, StageStatus>();
  const outputs = new Map<StageName, string>();
  for (const [i, stage] of stages.entries()) {
    onProgress?.({ done: i, total: stages.length, unit: 'stages', detail: stage.name });
    const record = states.get(stage.name);
    const close = (status: Pick<StageStatus, 'state'> & Partial<StageStatus>) =>
      result.set(stage.name, { stage: stage.name, notes: [], failed: [], ...status });
    const omitted = stage.omitted?.(workspace);
    if (omitted !== undefined) {
      close({ state: 'omitted', reason: omitted });
      continue;
    }
    const behind = stage.needs.find((name) => !['done', 'omitted'].includes(result.get(name)!.state));
    if (record?.state === 'running' && working) {
      close({ state: 'running', reason: 'at work now' });
      continue;
    }
    const mistake = (await mistakeOf(stage, workspace, record)) as (Error & { hint?: string }) | undefined;
    if (mistake) {
      close({ state: 'failed', reason: mistake.message, hint: mistake.hint });
      continue;
    }
    if (record?.state === 'failed') {
      const corrected = await correction(stage, workspace, record);
      if (corrected) close({ state: 'stale', reason: `${corrected} since it failed; the next run tries it again` });
      else close({ state: 'failed', reason: record.error?.message, hint: record.error?.hint });
      continue;
    }
    if (behind) {
      close({ state: record ? 'stale' : 'waiting', reason: `${behind} comes first` });
      continue;
    }
    let inputs: StageInputs;
    try {
      inputs = { ...(await stage.inputs(workspace)) };
    } catch (error) {
      close({ state: 'failed', reason: (error as Error).message });
      continue;
    }
    const needed = Object.fromEntries(
      stage.needs.flatMap((name) => (outputs.has(name) ? [[resultOf(name), outputs.get(name)!]] : [])),
    );
    const reason = await staleReason(stage, workspace, { ...inputs, ...needed }, record);
    if (reason !== undefined) close({ state: record ? 'stale' : 'waiting', reason });
    else {
      outputs.set(stage.name, record!.output!);
      const { summary, notes = [], failed = [], seconds, finished } = record!;
      close({ state: 'done', summary, notes, failed, seconds, finished });
    }
  }
  // Where the disk is full or cannot be written, the next command hashes again.
  await workspace.fingerprints.save().catch(() => {});
  return [...result.values()];
}

/** What was changed about a stage after it failed. */
async function correction(stage: Stage, workspace: Workspace, record: StageRecord): Promise<string | undefined> {
  try {
    const now = await stage.inputs(workspace);
    // Not even its inputs could be found out then.
    if (Object.keys(record.inputs).length === 0) return 'something changed';
    return changedInput(ownInputs(record.inputs), now);
  } catch {
    return undefined;
  }
}
