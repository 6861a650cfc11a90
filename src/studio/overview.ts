/** The first page: stages, fits, and what deserves attention, in plain words. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import {
  layout,
  type StageRecord,
  StageStates,
  stages,
  type Workspace,
  workIsOn,
  workspaceStatus,
} from '../workspace/index.js';
import type { Overview, RunView, StageView } from './api.js';
import { listFits } from './history.js';
import type { Library } from './library.js';

export async function overview(library: Library): Promise<Overview> {
  const workspace = await library.workspace();
  await library.fit();
  const views = (await workIsOn(workspace)) ? await recorded(workspace) : await checked(workspace);
  const { of, undoable } = await library.decisions();
  const drop = [...of.values()].filter((decision) => decision === 'drop').length;
  const runs = await listFits(workspace);
  return {
    name: workspace.configuration.name,
    folder: workspace.folder,
    categories: workspace.configuration.categories.length,
    stages: views,
    runs,
    warnings: await warnings(workspace, views, runs),
    decisions: { keep: of.size - drop, drop, undoable },
    report: existsSync(workspace.path(layout.report)),
  };
}

function needsOf(name: string): string[] {
  return [...(stages.find((stage) => stage.name === name)?.needs ?? [])];
}

/** Compares inputs and outputs with the files; for when nothing is being changed. */
async function checked(workspace: Workspace): Promise<StageView[]> {
  const status = await workspaceStatus(workspace);
  return status.map(({ notes, failed, ...rest }) => ({
    ...rest,
    notes: [...notes, ...failureNote(failed)],
    needs: needsOf(rest.stage),
  }));
}

/** What the run itself wrote down. */
async function recorded(workspace: Workspace): Promise<StageView[]> {
  const states = await StageStates.open(workspace);
  return stages.map((stage): StageView => {
    const base = { stage: stage.name, needs: needsOf(stage.name), notes: [] as string[] };
    const omitted = stage.omitted?.(workspace);
    if (omitted !== undefined) return { ...base, state: 'omitted', reason: omitted };
    const record = states.get(stage.name);
    return record ? { ...base, ...ofRecord(record) } : { ...base, state: 'waiting' };
  });
}

function ofRecord({ state, summary, notes = [], failed = [], error, seconds, finished }: StageRecord) {
  const { message: reason, hint } = error ?? {};
  return { state, summary, notes: [...notes, ...failureNote(failed)], reason, hint, seconds, finished };
}

/** A crawl may have failed for hundreds of pictures; "bowerbird status --json" lists them. */
function failureNote(failed: readonly string[]): string[] {
  if (failed.length < 2) return [...failed];
  return [`${failed.length} pictures or questions failed, the first of them: ${failed[0]}`];
}

async function warnings(
  workspace: Workspace,
  views: readonly StageView[],
  runs: readonly RunView[],
): Promise<string[]> {
  const found: string[] = [];
  for (const { stage, state, reason, notes } of views) {
    if (state === 'failed') found.push(`The stage “${stage}” failed: ${reason ?? 'no reason was given'}`);
    for (const note of notes) found.push(`${stage}: ${note}`);
  }
  const file = workspace.path(layout.run, 'run.json');
  if (existsSync(file)) {
    const { warnings: ofFit = [], converged } = JSON.parse(await readFile(file, 'utf8')) as {
      warnings?: readonly string[];
      converged?: boolean;
    };
    found.push(...ofFit);
    if (converged === false) found.push('The fit stopped before it had converged: its weights may still change.');
  }
  const stale = views.find(({ stage }) => stage === 'fit')?.state === 'stale';
  if (stale && runs.length > 0) found.push('Something changed after the last fit: run again to see its effect.');
  return found;
}
