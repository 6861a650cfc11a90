/**
 * What people decided about pictures, in `.bowerbird/decisions.jsonl`: a line for each action with who and when, and a line
 * for each action taken back. Nothing is ever rewritten, so a kill loses at most the last line and everything can be undone.
 */
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ArgumentError } from '../errors.js';
import type { Drawn } from '../fit/index.js';
import { hashOf } from './fingerprint.js';
import { layout, type Workspace } from './workspace.js';

/**
 * About web pictures. `drop` leaves a picture out of the problem; `keep` says that it shows what its label says, and takes
 * it back where it was left out as the duplicate of another web picture; `none` forgets.
 */
export type Decision = 'keep' | 'drop' | 'none';

/** How a question came to be asked. */
export interface Asked {
  /**
   * `check`: drawn at random to see how right the folder is; `repeat`: somebody else had answered it; `list`: nobody asked,
   * it was picked from the list of answers.
   */
  readonly why: 'gain' | 'check' | 'repeat' | 'group' | 'import' | 'list';
  /** What the fit said of the picture then; null for none of the categories. */
  readonly predicted?: string | null;
  /** Of a `check`: how it was drawn. */
  readonly drawn?: Drawn;
}

/** What was done: something to web pictures, or something said of test pictures. */
export type Act = { readonly ids: readonly string[] } & (
  | { readonly decision: Decision }
  /** The web pictures show this category. */
  | { readonly move: string }
  /** The test pictures show this category; null: none of the categories. */
  | { readonly label: string | null; readonly asked?: Asked }
  /** Somebody looked at the test pictures and could not tell. */
  | { readonly unsure: true }
);

export type StandingAct = Act & { readonly at: string; readonly by?: string };
type Line = StandingAct | { readonly at: string; readonly by?: string; readonly undo: true };

/** What one person said last of a test picture. */
export interface PersonAnswer {
  /** Empty where no name was given. */
  readonly by: string;
  readonly at: string;
  readonly label: string | null;
  readonly asked?: Asked;
}

export interface Decisions {
  /** Web pictures by the catalog's id; pictures without a decision are not in it. A moved one is kept. */
  readonly of: ReadonlyMap<string, 'keep' | 'drop'>;
  /** The category that web pictures were moved to. */
  readonly moved: ReadonlyMap<string, string>;
  /** By test picture, an answer of each person, in the order in which they were given. */
  readonly answers: ReadonlyMap<string, readonly PersonAnswer[]>;
  /** Test pictures of which somebody could not tell what they show. */
  readonly unsure: ReadonlySet<string>;
  /** Actions that can be taken back, oldest first. */
  readonly standing: readonly StandingAct[];
  readonly undoable: number;
}

export async function readDecisions(workspace: Pick<Workspace, 'path'>): Promise<Decisions> {
  const text = await readFile(workspace.path(layout.decisions), 'utf8').catch(() => '');
  const standing: StandingAct[] = [];
  for (const line of text.split('\n')) {
    const action = parseLine(line);
    if (!action) continue;
    if (!('undo' in action)) standing.push(action);
    else {
      const last = standing.findLastIndex(({ by }) => action.by === undefined || by === action.by);
      if (last >= 0) standing.splice(last, 1);
    }
  }
  return { ...summary(standing), standing, undoable: standing.length };
}

function summary(standing: readonly StandingAct[]): Omit<Decisions, 'standing' | 'undoable'> {
  const of = new Map<string, 'keep' | 'drop'>();
  const moved = new Map<string, string>();
  const answers = new Map<string, PersonAnswer[]>();
  const unsure = new Set<string>();
  for (const act of standing)
    for (const id of act.ids) {
      if ('decision' in act) {
        moved.delete(id);
        if (act.decision === 'none') of.delete(id);
        else of.set(id, act.decision);
      } else if ('move' in act) {
        of.set(id, 'keep');
        moved.set(id, act.move);
      } else if ('unsure' in act) unsure.add(id);
      else {
        const { at, by = '', label, asked } = act;
        const others = (answers.get(id) ?? []).filter((one) => one.by !== by);
        answers.set(id, [...others, { by, at, label, ...(asked && { asked }) }]);
      }
    }
  return { of, moved, answers, unsure };
}

/** What most people said a picture shows; where as many said one thing as another, the last word counts. */
export function agreedLabel(answers: readonly PersonAnswer[]): string | null {
  const votes = new Map<string | null, number>();
  for (const { label } of answers) votes.set(label, (votes.get(label) ?? 0) + 1);
  const most = Math.max(...votes.values());
  return answers.findLast(({ label }) => votes.get(label) === most)!.label;
}

/** Decisions about pictures that are none of those the crawl ended with; another source, or the same elsewhere, has others. */
export async function orphanedDecisions(workspace: Workspace): Promise<number> {
  const { of } = await readDecisions(workspace);
  if (of.size === 0) return 0;
  const text = await readFile(workspace.path(layout.crawled), 'utf8').catch(() => '');
  const found = new Set(text.split('\n').flatMap((line) => (line ? [(JSON.parse(line) as { id: string }).id] : [])));
  return [...of.keys()].filter((id) => !found.has(id)).length;
}

export async function recordDecision(
  workspace: Workspace,
  decision: Decision,
  ids: readonly string[],
  by?: string,
): Promise<void> {
  await recordActs(workspace, [{ decision, ids }], by);
}

/** Several at once, each of which can be taken back by itself. */
export async function recordActs(workspace: Workspace, acts: readonly Act[], by?: string): Promise<void> {
  if (acts.some(({ ids }) => ids.length === 0)) throw new ArgumentError('a decision needs at least one picture');
  const at = new Date().toISOString();
  await append(
    workspace,
    acts.map((act) => ({ at, ...(by && { by }), ...act })),
  );
}

/** Takes the last standing action back, the last of one person where `by` is given; does nothing where there is none. */
export async function undoDecision(workspace: Workspace, by?: string): Promise<StandingAct | undefined> {
  const { standing } = await readDecisions(workspace);
  const last = standing.findLast((act) => by === undefined || act.by === by);
  if (last) await append(workspace, [{ at: new Date().toISOString(), ...(by && { by }), undo: true }]);
  return last;
}

/** For the inputs of a stage: the same decisions give the same text, in whatever order they were made. */
export async function decisionInputs(workspace: Workspace): Promise<Record<string, string>> {
  const { of, moved, answers } = await readDecisions(workspace);
  const decided = (which: 'keep' | 'drop') => [...of].flatMap(([id, it]) => (it === which ? [id] : [])).sort();
  const [dropped, kept] = [decided('drop'), decided('keep')];
  const labels = [...answers].map(([id, said]) => [id, agreedLabel(said)]).sort(byFirst);
  return {
    ...(dropped.length > 0 && { 'the pictures dropped by hand': hashOf(dropped) }),
    ...(kept.length > 0 && { 'the pictures kept by hand': hashOf(kept) }),
    ...(moved.size > 0 && { 'the pictures moved by hand': hashOf([...moved].sort(byFirst)) }),
    ...(labels.length > 0 && { 'the answers about test pictures': hashOf(labels) }),
  };
}

function byFirst([a]: readonly unknown[], [b]: readonly unknown[]): number {
  return String(a) < String(b) ? -1 : 1;
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

async function append(workspace: Workspace, lines: readonly Line[]): Promise<void> {
  const file = workspace.path(layout.decisions);
  await mkdir(dirname(file), { recursive: true });
  // The leading line end closes a line that a kill left torn.
  await appendFile(file, `\n${lines.map((line) => `${JSON.stringify(line)}\n`).join('')}`);
}

function parseLine(line: string): Line | undefined {
  if (line.trim() === '') return undefined;
  try {
    return JSON.parse(line) as Line;
  } catch {
    return undefined;
  }
}
