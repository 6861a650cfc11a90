/**
 * What a person decided about web pictures, in `.bowerbird/decisions.jsonl`: a line for each action, and a line for each
 * action taken back. Nothing is ever rewritten, so a kill loses at most the last line and everything can be undone.
 */
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ArgumentError } from '../errors.js';
import { hashOf } from './fingerprint.js';
import { layout, type Workspace } from './workspace.js';

/**
 * `drop` leaves a picture out of the problem; `keep` says that it shows what its label says, and takes it back where it
 * was left out as the duplicate of another web picture; `none` forgets.
 */
export type Decision = 'keep' | 'drop' | 'none';

type Action = { at: string } & ({ decision: Decision; ids: readonly string[] } | { undo: true });

export interface Decisions {
  /** By the catalog's id; pictures without a decision are not in it. */
  readonly of: ReadonlyMap<string, 'keep' | 'drop'>;
  /** Actions that can be taken back. */
  readonly undoable: number;
}

export async function readDecisions(workspace: Workspace): Promise<Decisions> {
  const text = await readFile(workspace.path(layout.decisions), 'utf8').catch(() => '');
  const standing: { decision: Decision; ids: readonly string[] }[] = [];
  for (const line of text.split('\n')) {
    const action = parseAction(line);
    if (!action) continue;
    if ('undo' in action) standing.pop();
    else standing.push(action);
  }
  const of = new Map<string, 'keep' | 'drop'>();
  for (const { decision, ids } of standing)
    for (const id of ids) {
      if (decision === 'none') of.delete(id);
      else of.set(id, decision);
    }
  return { of, undoable: standing.length };
}

/** Decisions about pictures that are none of those the crawl ended with; another source, or the same elsewhere, has others. */
export async function orphanedDecisions(workspace: Workspace): Promise<number> {
  const { of } = await readDecisions(workspace);
  if (of.size === 0) return 0;
  const text = await readFile(workspace.path(layout.crawled), 'utf8').catch(() => '');
  const found = new Set(text.split('\n').flatMap((line) => (line ? [(JSON.parse(line) as { id: string }).id] : [])));
  return [...of.keys()].filter((id) => !found.has(id)).length;
}

export async function recordDecision(workspace: Workspace, decision: Decision, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) throw new ArgumentError('a decision needs at least one picture');
  await append(workspace, { at: new Date().toISOString(), decision, ids });
}

/** Takes the last standing action back; does nothing where there is none. */
export async function undoDecision(workspace: Workspace): Promise<void> {
  if ((await readDecisions(workspace)).undoable > 0)
    await append(workspace, { at: new Date().toISOString(), undo: true });
}

/** For the inputs of a stage: the same decisions give the same text, in whatever order they were made. */
export async function decisionInputs(workspace: Workspace): Promise<Record<string, string>> {
  const { of } = await readDecisions(workspace);
  const decided = (which: 'keep' | 'drop') => [...of].flatMap(([id, it]) => (it === which ? [id] : [])).sort();
  const [dropped, kept] = [decided('drop'), decided('keep')];
  return {
    ...(dropped.length > 0 && { 'the pictures dropped by hand': hashOf(dropped) }),
    ...(kept.length > 0 && { 'the pictures kept by hand': hashOf(kept) }),
  };
}

export async function keptDuplicatesInput(workspace: Workspace): Promise<Record<string, string>> {
  const ids = await keptDuplicates(workspace);
  return ids.length > 0 ? { 'the duplicates kept by hand': hashOf(ids) } : {};
}

/** Those of the web pictures removed as duplicates that somebody wants to keep. */
export async function keptDuplicates(workspace: Workspace): Promise<string[]> {
  const { of } = await readDecisions(workspace);
  if (of.size === 0) return [];
  const duplicates = await webDuplicates(workspace);
  return [...of].flatMap(([id, decision]) => (decision === 'keep' && duplicates.has(id) ? [id] : [])).sort();
}

/** Pictures removed for another web picture; one that is in the test set or the auxiliary pictures is not among them. */
export async function webDuplicates(workspace: Workspace): Promise<ReadonlySet<string>> {
  const text = await readFile(workspace.path(layout.merges), 'utf8').catch(() => '');
  const removed = new Set<string>();
  for (const line of text.split('\n').filter(Boolean)) {
    const merge = JSON.parse(line) as { removed: string; stays: string };
    // Other than the catalog's ids, the user's own pictures are known by their paths.
    if (/^[0-9a-f]{24}$/.test(merge.stays)) removed.add(merge.removed);
  }
  return removed;
}

async function append(workspace: Workspace, action: Action): Promise<void> {
  const file = workspace.path(layout.decisions);
  await mkdir(dirname(file), { recursive: true });
  // The leading line end closes a line that a kill left torn.
  await appendFile(file, `\n${JSON.stringify(action)}\n`);
}

function parseAction(line: string): Action | undefined {
  if (line.trim() === '') return undefined;
  try {
    return JSON.parse(line) as Action;
  } catch {
    return undefined;
  }
}
