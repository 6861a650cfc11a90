/**
 * What a person decided about web pictures, in `.bowerbird/decisions.jsonl`: a line for each action, and a line for each
 * action taken back. Nothing is ever rewritten, so a kill loses at most the last line and everything can be undone.
 */
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ArgumentError } from '../errors.js';
import { hashOf } from './fingerprint.js';
import { layout, type Workspace } from './workspace.js';

/** `drop` leaves a picture out of the problem, `keep` holds on to it whatever else speaks against it, `none` forgets. */
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
export async function decisionInputs(workspace: Workspace, kind: 'keep' | 'drop'): Promise<Record<string, string>> {
  const { of } = await readDecisions(workspace);
  const ids = [...of].flatMap(([id, decision]) => (decision === kind ? [id] : [])).sort();
  const name = kind === 'drop' ? 'the pictures dropped by hand' : 'the pictures kept by hand';
  return ids.length > 0 ? { [name]: hashOf(ids) } : {};
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
