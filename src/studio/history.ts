/**
 * Finished fits, so that two of them can be laid side by side: a fit replaces the one before it, so whatever is needed
 * to look back is copied into `.bowerbird/fits/`, with the names of the pictures that its rows were.
 */
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FitMetrics } from '../evaluation/run-folder.js';
import { readCsv, readNpy, writeFileAtomic } from '../formats/index.js';
import type { ProblemRows } from '../workspace/assemble.js';
import { readDecisions } from '../workspace/decisions.js';
import { layout, type Workspace } from '../workspace/index.js';
import { StageStates } from '../workspace/state.js';
import type { RunView } from './api.js';

const folder = '.bowerbird/fits';
const copied = ['run.json', 'metrics.json', 'predictions.csv', 'theta.npy', 'trace.csv'];
const mostKept = 20;

/** Copies the fit that stands, unless it is there already or no longer belongs to the problem file. */
export async function keepFit(workspace: Workspace): Promise<void> {
  const states = await StageStates.open(workspace);
  const [fit, problem] = [states.get('fit'), states.get('problem')];
  if (fit?.state !== 'done' || problem?.state !== 'done' || !fit.finished) return;
  if (fit.inputs['the result of problem'] !== problem.output) return;
  const id = fit.finished.replaceAll(/[^0-9TZ]/g, '-');
  const into = workspace.path(folder, id);
  if (existsSync(into)) return;
  await mkdir(workspace.path(folder), { recursive: true });
  const partial = await mkdtemp(workspace.path(folder, '.new-'));
  try {
    for (const name of copied)
      if (existsSync(workspace.path(layout.run, name)))
        await copyFile(workspace.path(layout.run, name), join(partial, name));
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
  const views = await Promise.all(
    ids.map((id) => describeFit(workspace, id, now?.state === 'done' ? now.finished : '')),
  );
  return views;
}

async function describeFit(workspace: Workspace, id: string, current: string | undefined): Promise<RunView> {
  const about = await readJson<{ finished: string; method: string; dropped: number }>(workspace, id, 'about.json');
  const metrics = await readJson<FitMetrics>(workspace, id, 'metrics.json');
  const { seconds } = await readJson<{ seconds?: number }>(workspace, id, 'run.json');
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
  predictions: ReadonlyMap<string, { name: string; runnerUp: string; margin: number }>;
  /** By the id of the web picture; empty for a method without weights. */
  weights: ReadonlyMap<string, number>;
  trace: Record<string, number[]> | undefined;
}

export async function openFit(workspace: Workspace, id: string): Promise<KeptFit> {
  const path = (name: string) => workspace.path(folder, id, name);
  const rows = await readJson<ProblemRows>(workspace, id, 'pictures.json');
  const { header = [], rows: lines } = await readCsv(path('predictions.csv'));
  const [row, name, runnerUp, margin] = ['row', 'name', 'runner_up', 'margin'].map((column) => header.indexOf(column));
  const predictions = new Map(
    lines.map((cells) => [
      rows.test[Number(cells[row])],
      { name: cells[name], runnerUp: cells[runnerUp], margin: Number(cells[margin]) },
    ]),
  );
  const theta = existsSync(path('theta.npy')) ? ((await readNpy(path('theta.npy'))).data as Float64Array) : [];
  const weights = new Map(theta.length === rows.web.length ? rows.web.map((one, i) => [one, Number(theta[i])]) : []);
  return {
    ...{ id, rows, predictions, weights },
    metrics: await readJson<FitMetrics>(workspace, id, 'metrics.json'),
    trace: existsSync(path('trace.csv')) ? await readColumns(path('trace.csv')) : undefined,
  };
}

async function readColumns(file: string): Promise<Record<string, number[]>> {
  const { header = [], rows } = await readCsv(file);
  return Object.fromEntries(header.map((name, c) => [name, rows.map((row) => Number(row[c]))]));
}

async function readJson<T>(workspace: Workspace, id: string, name: string): Promise<T> {
  return JSON.parse(await readFile(workspace.path(folder, id, name), 'utf8')) as T;
}
