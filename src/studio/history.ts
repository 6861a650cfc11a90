/**
 * Finished fits, so that two of them can be laid side by side: a fit replaces the one before it, so whatever is needed
 * to look back is copied into `.bowerbird/fits/`, with the names of the pictures that its rows were.
 */
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type AccuracyIntervals,
  type Answer,
  accuracyIntervals,
  copyFit,
  type FitMetrics,
  readAnswers,
  readFitMetrics,
  readFitRecord,
  readStrangerGroups,
  readTrace,
  readWeightValues,
  type StrangerGroup,
} from '../fit/index.js';
import { writeFileAtomic } from '../formats/index.js';
import type { ProblemRows } from '../workspace/index.js';
import { layout, readDecisions, resultOf, StageStates, type Workspace } from '../workspace/index.js';
import type { RunView } from './api.js';

const folder = '.bowerbird/fits';
const mostKept = 20;

/**
 * Copies the fit that stands, unless it is there already or no longer belongs to the problem file.
 * @returns false where it could not be kept, as on a disk that cannot be written
 */
export async function keepFit(workspace: Workspace): Promise<boolean> {
  const fit = await standingFit(workspace);
  if (!fit) return true;
  const id = fit.finished.replaceAll(/[^0-9TZ]/g, '-');
  const into = workspace.path(folder, id);
  if (existsSync(into)) return true;
  let partial: string | undefined;
  try {
    await mkdir(workspace.path(folder), { recursive: true });
    partial = await mkdtemp(workspace.path(folder, '.new-'));
    // Throws for a fit of another version, which cannot be laid beside others.
    await readFitRecord(workspace.path(layout.run));
    await copyFit(workspace.path(layout.run), partial);
    await copyFile(workspace.path(layout.rows), join(partial, 'pictures.json'));
    const dropped = [...(await readDecisions(workspace)).of.values()].filter((decision) => decision === 'drop').length;
    const about: About = {
      ...{ finished: fit.finished, method: workspace.configuration.learner.method, dropped },
      decidedBefore: fit.decidedBefore,
      sequence: Math.max(0, ...(await numbered(workspace)).map(({ sequence }) => sequence)) + 1,
    };
    await writeFileAtomic(join(partial, 'about.json'), `${JSON.stringify(about)}\n`);
    await rename(partial, into);
    for (const old of (await fitIds(workspace)).slice(mostKept))
      await rm(workspace.path(folder, old), { recursive: true, force: true });
    return true;
  } catch {
    // A run that begins at this moment takes the files away; the next look finds what it leaves.
    if (partial !== undefined) await rm(partial, { recursive: true, force: true });
    return false;
  }
}

/** What is known of the fit in `run/`; undefined where there is none that belongs to the problem file. */
async function standingFit(workspace: Workspace): Promise<Pick<About, 'finished' | 'decidedBefore'> | undefined> {
  const states = await StageStates.open(workspace);
  const [fit, problem] = [states.get('fit'), states.get('problem')];
  if (fit?.state !== 'done' || problem?.state !== 'done' || !fit.finished) return undefined;
  if (fit.inputs[resultOf('problem')] !== problem.output) return undefined;
  const begun = Date.parse(problem.finished ?? '') - 1000 * (problem.seconds ?? 0);
  return {
    finished: fit.finished,
    ...(Number.isFinite(begun) && { decidedBefore: new Date(begun).toISOString() }),
  };
}

interface About {
  finished: string;
  method: string;
  dropped: number;
  /** Counts the fits: the clock may have been set back between two of them. */
  sequence: number;
  /** When its problem began to be put together. */
  decidedBefore?: string;
}

async function numbered(workspace: Workspace): Promise<{ id: string; sequence: number }[]> {
  const entries = await readdir(workspace.path(folder)).catch(() => []);
  return Promise.all(
    entries
      .filter((name) => /^[0-9TZ-]+$/.test(name))
      .map(async (id) => {
        const about = await readJson<Partial<About> | null>(workspace, id, 'about.json').catch(() => undefined);
        return { id, sequence: Number(about?.sequence) || 0 };
      }),
  );
}

/** Newest first. */
export async function fitIds(workspace: Workspace): Promise<string[]> {
  const fits = await numbered(workspace);
  return fits.sort((a, b) => b.sequence - a.sequence || (a.id < b.id ? 1 : -1)).map(({ id }) => id);
}

export async function listFits(workspace: Workspace): Promise<RunView[]> {
  const ids = await fitIds(workspace);
  const now = (await StageStates.open(workspace)).get('fit');
  const current = now?.state === 'done' ? now.finished : '';
  // Fits that another version kept are passed over.
  const views = await Promise.all(ids.map((id) => describeFit(workspace, id, current).catch(() => undefined)));
  return views.filter((view) => view !== undefined);
}

async function describeFit(workspace: Workspace, id: string, current: string | undefined): Promise<RunView> {
  const about = await readJson<About>(workspace, id, 'about.json');
  const { seconds } = await readFitRecord(workspace.path(folder, id));
  const metrics = await readFitMetrics(workspace.path(folder, id));
  const { web } = await readJson<ProblemRows>(workspace, id, 'pictures.json');
  const { accuracy, meanCategoryAccuracy, thetaArea } = metrics;
  return {
    ...{ id, finished: about.finished, method: about.method, accuracy, meanCategoryAccuracy, thetaArea, seconds },
    intervals: pick(accuracyIntervals(metrics)),
    webPictures: web.length,
    droppedByHand: about.dropped,
    current: about.finished === current,
  };
}

function pick({ accuracy, meanCategoryAccuracy }: AccuracyIntervals): RunView['intervals'] {
  return { ...(accuracy && { accuracy }), ...(meanCategoryAccuracy && { meanCategoryAccuracy }) };
}

/** Decisions up to then are part of a fit; undefined for one that was kept before this was noted. */
export async function decidedBefore(workspace: Workspace, id: string): Promise<string | undefined> {
  return (await readJson<Partial<About>>(workspace, id, 'about.json').catch(() => undefined))?.decidedBefore;
}

export interface KeptFit {
  id: string;
  rows: ProblemRows;
  metrics: FitMetrics;
  /** By the id of the test picture. */
  predictions: ReadonlyMap<string, Answer>;
  /** By the id of the web picture; empty for a method without weights. */
  weights: ReadonlyMap<string, number>;
  trace: Record<string, number[]> | undefined;
  strangerGroups: readonly StrangerGroup[];
}

export async function openFit(workspace: Workspace, id: string): Promise<KeptFit> {
  return readKept(id, workspace.path(folder, id), workspace.path(folder, id, 'pictures.json'));
}

/** The fit in `run/` itself, for a workspace in which nothing can be kept. */
export async function openStandingFit(workspace: Workspace): Promise<KeptFit | undefined> {
  const fit = await standingFit(workspace);
  if (!fit) return undefined;
  return readKept('standing', workspace.path(layout.run), workspace.path(layout.rows)).catch(() => undefined);
}

async function readKept(id: string, path: string, pictures: string): Promise<KeptFit> {
  const rows = JSON.parse(await readFile(pictures, 'utf8')) as ProblemRows;
  const answers = await readAnswers(path);
  const values = (await readWeightValues(path)) ?? [];
  return {
    ...{ id, rows, metrics: await readFitMetrics(path), trace: await readTrace(path) },
    strangerGroups: (await readStrangerGroups(path)) ?? [],
    predictions: new Map(answers.map((answer) => [rows.test[answer.row], answer])),
    weights: new Map(values.length === rows.web.length ? rows.web.map((one, i) => [one, values[i]]) : []),
  };
}

async function readJson<T>(workspace: Workspace, id: string, name: string): Promise<T> {
  return JSON.parse(await readFile(workspace.path(folder, id, name), 'utf8')) as T;
}
