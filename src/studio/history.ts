/**
 * Finished fits, so that two of them can be laid side by side: a fit replaces the one before it, so whatever is needed
 * to look back is copied into `.bowerbird/fits/`, with the names of the pictures that its rows were.
 */
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Answer,
  copyFit,
  type FitMetrics,
  readAnswers,
  readFitMetrics,
  readFitRecord,
  readTrace,
  readWeightValues,
} from '../fit/index.js';
import { writeFileAtomic } from '../formats/index.js';
import type { ProblemRows } from '../workspace/index.js';
import { layout, readDecisions, resultOf, StageStates, type Workspace } from '../workspace/index.js';
import type { RunView } from './api.js';

const folder = '.bowerbird/fits';
const mostKept = 20;

/** Copies the fit that stands, unless it is there already or no longer belongs to the problem file. */
export async function keepFit(workspace: Workspace): Promise<void> {
  const states = await StageStates.open(workspace);
  const [fit, problem] = [states.get('fit'), states.get('problem')];
  if (fit?.state !== 'done' || problem?.state !== 'done' || !fit.finished) return;
  if (fit.inputs[resultOf('problem')] !== problem.output) return;
  const id = fit.finished.replaceAll(/[^0-9TZ]/g, '-');
  const into = workspace.path(folder, id);
  if (existsSync(into)) return;
  await mkdir(workspace.path(folder), { recursive: true });
  const partial = await mkdtemp(workspace.path(folder, '.new-'));
  try {
    // Throws for a fit of another version, which cannot be laid beside others.
    await readFitRecord(workspace.path(layout.run));
    await copyFit(workspace.path(layout.run), partial);
    await copyFile(workspace.path(layout.rows), join(partial, 'pictures.json'));
    const dropped = [...(await readDecisions(workspace)).of.values()].filter((decision) => decision === 'drop').length;
    const about = { finished: fit.finished, method: workspace.configuration.learner.method, dropped };
    await writeFileAtomic(join(partial, 'about.json'), `${JSON.stringify(about)}\n`);
    await rename(partial, into);
  } catch {
    // A run that begins at this moment takes the files away; the next look finds what it leaves.
    await rm(partial, { recursive: true, force: true });
    return;
  }
  for (const old of (await fitIds(workspace)).slice(mostKept))
    await rm(workspace.path(folder, old), { recursive: true, force: true });
}

/** Newest first. */
export async function fitIds(workspace: Workspace): Promise<string[]> {
  const entries = await readdir(workspace.path(folder)).catch(() => []);
  return entries
    .filter((name) => /^[0-9TZ-]+$/.test(name))
    .sort()
    .reverse();
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
  const about = await readJson<{ finished: string; method: string; dropped: number }>(workspace, id, 'about.json');
  const { seconds } = await readFitRecord(workspace.path(folder, id));
  const metrics = await readFitMetrics(workspace.path(folder, id));
  const { web } = await readJson<ProblemRows>(workspace, id, 'pictures.json');
  const { accuracy, meanCategoryAccuracy, thetaArea } = metrics;
  return {
    ...{ id, finished: about.finished, method: about.method, accuracy, meanCategoryAccuracy, thetaArea, seconds },
    webPictures: web.length,
    droppedByHand: about.dropped,
    current: about.finished === current,
  };
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
}

export async function openFit(workspace: Workspace, id: string): Promise<KeptFit> {
  const path = workspace.path(folder, id);
  const rows = await readJson<ProblemRows>(workspace, id, 'pictures.json');
  const answers = await readAnswers(path);
  const values = (await readWeightValues(path)) ?? [];
  return {
    ...{ id, rows, metrics: await readFitMetrics(path), trace: await readTrace(path) },
    predictions: new Map(answers.map((answer) => [rows.test[answer.row], answer])),
    weights: new Map(values.length === rows.web.length ? rows.web.map((one, i) => [one, values[i]]) : []),
  };
}

async function readJson<T>(workspace: Workspace, id: string, name: string): Promise<T> {
  return JSON.parse(await readFile(workspace.path(folder, id, name), 'utf8')) as T;
}
