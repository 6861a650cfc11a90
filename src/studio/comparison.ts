/** Methods against each other, parameters against accuracy, and two fits side by side. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ChosenParameters,
  type CompareTable,
  type ExperimentResult,
  type JournalLine,
  mcnemarP,
} from '../evaluation/index.js';
import { accuracyIntervals } from '../fit/index.js';
import { layout, undoDecision, type Workspace } from '../workspace/index.js';
import type { CompareView, CurveView, RunsCompared } from './api.js';
import { decidedBefore, type KeptFit, listFits, openFit } from './history.js';
import type { Library } from './library.js';

const mostChanged = 60;
const mostWeights = 4000;
const [mostMoves, leastMove] = [12, 0.005];

export async function comparison(library: Library): Promise<CompareView> {
  const workspace = await library.workspace();
  const fit = await library.fit();
  return {
    ...(await tableOf(workspace)),
    ...(await trialsOf(workspace)),
    ...(fit?.trace && { trace: fit.trace }),
    experiments: await experimentsIn(workspace),
    runs: await listFits(workspace),
  };
}

async function tableOf(workspace: Workspace): Promise<Pick<CompareView, 'table'>> {
  const table = await readJson<CompareTable>(workspace.path(layout.compare, 'table.json'));
  if (table?.schema !== 'bowerbird-compare-1') return {};
  const rows = table.rows.map((row) => {
    const { method, title, uses, accuracy, meanCategoryAccuracy, thetaArea, seconds, chosenBy } = row;
    const against = row.againstReference;
    return {
      ...{ method, title, uses: [...uses], accuracy, meanCategoryAccuracy, thetaArea, seconds, chosenBy },
      ...(against && {
        against: {
          ...{ method: against.method, difference: against.difference, low: against.low, high: against.high },
          p: against.mcnemar,
        },
      }),
    };
  });
  rows.sort((a, b) => b.accuracy.mean - a.accuracy.mean);
  return { table: { reference: table.reference, best: table.best, rows, skipped: [...table.skipped] } };
}

/** Every trial of the search with its parameters: how sensitive the method is to each. */
async function trialsOf(workspace: Workspace): Promise<Pick<CompareView, 'trials'>> {
  const chosen = await readJson<ChosenParameters>(workspace.path(layout.chosen));
  const file = workspace.path(layout.tune, 'trials.jsonl');
  if (!chosen || !existsSync(file)) return {};
  const points: NonNullable<CompareView['trials']>['points'] = [];
  for (const line of (await readFile(file, 'utf8')).split('\n')) {
    const trial = parse<JournalLine>(line);
    if (!trial || !('outcome' in trial) || trial.job.change || trial.job.split !== 'validation') continue;
    const accuracy = trial.outcome.meanCategoryAccuracy ?? trial.outcome.accuracy;
    if (accuracy === undefined) continue;
    const values = Object.entries(trial.job.parameters).map(([name, value]) => [
      name,
      typeof value === 'number' ? value : String(value),
    ]);
    points.push({ values: Object.fromEntries(values) as Record<string, number | string>, accuracy });
  }
  const names = [...new Set(points.flatMap(({ values }) => Object.keys(values)))];
  const parameters = names.filter((name) => new Set(points.map(({ values }) => values[name])).size > 1);
  return points.length > 0 ? { trials: { method: chosen.method, parameters, points } } : {};
}

/** Results of `bowerbird experiment` that lie in the workspace: `experiment.json` in a folder, or one below. */
async function experimentsIn(workspace: Workspace): Promise<CurveView[]> {
  const folders: string[] = [];
  const look = async (folder: string, depth: number) => {
    if (existsSync(join(folder, 'experiment.json'))) folders.push(folder);
    if (depth === 0) return;
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => []))
      if (entry.isDirectory() && !entry.name.startsWith('.') && !apart.has(entry.name))
        await look(join(folder, entry.name), depth - 1);
  };
  await look(workspace.folder, 2);
  const curves: CurveView[] = [];
  for (const folder of folders.sort()) {
    const result = await readJson<ExperimentResult>(join(folder, 'experiment.json'));
    if (result?.schema !== 'bowerbird-experiment-1') continue;
    for (const { title, x, y, series } of result.plots)
      curves.push({
        ...{ title: `${result.title}: ${title}`, x: { label: x.label, log: x.scale === 'log' }, y: { label: y.label } },
        series: series.map(({ name, points }) => ({
          name,
          points: [...points],
        })),
      });
  }
  return curves;
}

/** Folders of pictures, too large to be looked through. */
const apart = new Set(['pictures', 'features', 'node_modules', 'auxiliary', 'test', 'web']);

export async function compareRuns(
  library: Library,
  firstId: string,
  secondId: string,
): Promise<RunsCompared | undefined> {
  const workspace = await library.workspace();
  const views = await listFits(workspace);
  const [first, second] = [firstId, secondId].map((id) => views.find((view) => view.id === id));
  if (!first || !second) return undefined;
  const [a, b] = await Promise.all([openFit(workspace, first.id), openFit(workspace, second.id)]);
  const pictures = await library.own('test');
  const shared = [...a.predictions.keys()].filter((id) => b.predictions.has(id));
  const answers = shared.map((id) => ({
    id,
    first: a.predictions.get(id)!.name,
    second: b.predictions.get(id)!.name,
    truth: pictures.get(id)?.category || undefined,
  }));
  const judged = answers.filter(({ truth }) => truth !== undefined);
  const onlyFirst = judged.filter((one) => one.first === one.truth && one.second !== one.truth).length;
  const onlySecond = judged.filter((one) => one.first !== one.truth && one.second === one.truth).length;
  const names = workspace.configuration.categories.map(({ name }) => name);
  const both = [...a.weights.keys()].filter((id) => b.weights.has(id));
  const step = Math.max(1, Math.ceil(both.length / mostWeights));
  return {
    ...{ first, second, testPictures: shared.length },
    agreeing: answers.filter((one) => one.first === one.second).length,
    ...(judged.length > 0 && {
      ...{ onlyFirstRight: onlyFirst, onlySecondRight: onlySecond },
      p: mcnemarP(onlyFirst, onlySecond),
    }),
    categories: names.map((name) => ({ name, ...shares(a, 'first', name), ...shares(b, 'second', name) })),
    changes: answers.filter((one) => one.first !== one.second).length,
    changed: answers
      .filter((one) => one.first !== one.second)
      .slice(0, mostChanged)
      .map((one) => ({
        ...{ set: 'test' as const, id: one.id, label: one.id.split('/').at(-1)!, category: one.truth ?? one.second },
        ...{ first: one.first, second: one.second, truth: one.truth },
      })),
    weights: both
      .filter((_, i) => i % step === 0)
      .map((id) => ({ id, first: a.weights.get(id)!, second: b.weights.get(id)! })),
    moves: await largestMoves(library, a, b),
    decisionsSince: (await actsSince(library, first.id)).length,
  };
}

/** What the last fit changed; undefined where there is but one. */
export async function lastChange(library: Library): Promise<RunsCompared | undefined> {
  // What has just ended is kept when it is first looked at.
  await library.fit();
  const [second, first] = await listFits(await library.workspace());
  return first && compareRuns(library, first.id, second.id);
}

function shares({ metrics }: KeptFit, which: 'first' | 'second', name: string) {
  const share = metrics.categories?.[name];
  if (share === undefined) return {};
  return { [which]: { share, interval: accuracyIntervals(metrics).categories[name] } };
}

/** The web pictures whose weight changed most between two fits. */
async function largestMoves(library: Library, a: KeptFit, b: KeptFit): Promise<RunsCompared['moves']> {
  const listed = await library.listed();
  return [...a.weights]
    .flatMap(([id, first]) => {
      const [second, picture] = [b.weights.get(id), listed.get(id)];
      return second === undefined || !picture || Math.abs(second - first) < leastMove
        ? []
        : [{ set: 'web' as const, id, label: picture.title, category: picture.category, first, second }];
    })
    .sort((x, y) => Math.abs(y.second - y.first) - Math.abs(x.second - x.first))
    .slice(0, mostMoves);
}

/** Decisions that stand and were made after those of a fit. */
async function actsSince(library: Library, fit: string) {
  const before = await decidedBefore(await library.workspace(), fit);
  const { standing } = await library.decisions();
  return before === undefined ? [] : standing.filter(({ at }) => at > before);
}

/** Takes back the decisions that were made after those of a fit, the last first. */
export async function takeBackSince(library: Library, fit: string): Promise<number> {
  const acts = await actsSince(library, fit);
  for (const _ of acts) await undoDecision(await library.workspace());
  return acts.length;
}

async function readJson<T>(file: string): Promise<T | undefined> {
  return parse<T>(await readFile(file, 'utf8').catch(() => ''));
}

function parse<T>(text: string): T | undefined {
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}
