/** Whether a stage has to run, and why: its inputs now against those it last ran with, its outputs against the files. */
import { hashOf } from './fingerprint.js';
import type { Stage, StageInputs } from './stage.js';
import type { StageRecord } from './state.js';
import type { Workspace } from './workspace.js';

/** Hash over the output files of a stage; undefined when one is missing. */
export async function outputHash(stage: Stage, workspace: Workspace): Promise<string | undefined> {
  const hashes: [string, string][] = [];
  for (const path of await stage.outputs(workspace)) {
    const hash = await workspace.fingerprints.ofFile(workspace.path(path));
    if (hash === undefined) return undefined;
    hashes.push([path, hash]);
  }
  return hashOf(hashes);
}

/** Why the stage must run; undefined when its result stands. */
export async function staleReason(
  stage: Stage,
  workspace: Workspace,
  inputs: StageInputs,
  record: StageRecord | undefined,
): Promise<string | undefined> {
  if (!record) return 'never run';
  if (record.state === 'running') return 'interrupted';
  if (record.state === 'failed') return `failed: ${record.error?.message ?? 'unknown'}`;
  const changed = changedInput(record.inputs, inputs);
  if (changed) return changed;
  const output = await outputHash(stage, workspace);
  if (output === undefined) return 'its result is missing';
  return output === record.output ? undefined : 'its result was changed by something else';
}

/** The first input that differs, in words. */
export function changedInput(before: StageInputs, now: StageInputs): string | undefined {
  for (const key of new Set([...Object.keys(before), ...Object.keys(now)])) {
    if (before[key] === now[key]) continue;
    if (isHash(before[key]) || isHash(now[key])) return `${key} changed`;
    return `${key} is ${now[key] ?? 'gone'}, was ${before[key] ?? 'not set'}`.slice(0, 160);
  }
  return undefined;
}

function isHash(value: string | undefined): boolean {
  return value !== undefined && /^[0-9a-f]{32,64}$/.test(value);
}
