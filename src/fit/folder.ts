/**
 * The folder of a fit, written and read here and nowhere else:
 *
 * - `run.json`: the record, written last; a folder without it holds no finished fit
 * - `predictions.csv`: an answer a test picture; cells that are not known stay empty
 * - `answers.csv`: the same by the names of the pictures, where these are known
 * - `groups.csv`: the groups of pictures that show none of the categories, from methods that make some
 * - `scores.npy` (n×C; left out where there are more than 2^27 of them), `metrics.json`
 * - `weights.csv`, `weights.npy`: the weights of the web pictures, from methods that have some
 * - `semantics.npy` (n×m), `category-semantics.npy` (C×m), `dictionary.npy` (d×m), `trace.csv`: from methods that learn them
 * - `model.safetensors`: classifies pictures that come later (model-file.ts)
 */
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FormatError, UsageError } from '../errors.js';
import { readCsv, readNpy, toMatrix, writeCsv, writeFileAtomic, writeNpy } from '../formats/index.js';
import type { Matrix } from '../linalg/index.js';
import { readAnswerFile, writeAnswers } from './answer-file.js';
import type { Answer } from './answers.js';
import type { FitMetrics } from './metrics.js';
import { loadModel, saveModel } from './model-file.js';
import { type FitRecord, type FitResult, fitSchema, type StrangerGroup, type WeightedPicture } from './result.js';
import type { Model } from './scorer.js';

/** The record goes first when a folder is cleared: without it nobody takes the rest for a finished fit. */
const files = {
  record: 'run.json',
  metrics: 'metrics.json',
  predictions: 'predictions.csv',
  answers: 'answers.csv',
  groups: 'groups.csv',
  scores: 'scores.npy',
  weights: 'weights.csv',
  weightValues: 'weights.npy',
  semantics: 'semantics.npy',
  categorySemantics: 'category-semantics.npy',
  dictionary: 'dictionary.npy',
  trace: 'trace.csv',
  model: 'model.safetensors',
} as const;

/** Writes the folder anew; nothing of an earlier fit stays that could be taken for this one's. */
export async function writeFit(
  folder: string,
  result: FitResult,
  { pictures }: { pictures?: readonly string[] } = {},
): Promise<void> {
  const { record, metrics, scores, labels, strangerGroups, web, trace, semantics, dictionary, model } = result;
  const file = (name: keyof typeof files) => join(folder, files[name]);
  await mkdir(folder, { recursive: true });
  for (const name of Object.values(files)) await rm(join(folder, name), { force: true });
  if (scores) await writeNpy(file('scores'), scores.copy('float32'));
  await writeAnswers(file('predictions'), result, { labels });
  if (pictures) await writeAnswers(file('answers'), result, { labels, pictures });
  if (strangerGroups)
    await writeCsv(
      file('groups'),
      strangerGroups.map(({ group, pictures: count, nearestListed, nearestAuxiliary }) => [
        ...[group, count, nearestListed, nearestAuxiliary],
      ]),
      { header: ['group', 'pictures', 'nearest_listed', 'nearest_auxiliary'] },
    );
  if (web) {
    const weights = Float64Array.from(web, ({ weight }) => weight);
    await writeNpy(file('weightValues'), { shape: [weights.length], dtype: 'float64', data: weights });
    await writeCsv(
      file('weights'),
      web.map(({ row, category, weight, text }) => [row, category, weight, text]),
      { header: ['row', 'category', 'weight', 'text'] },
    );
  }
  if (semantics) {
    await writeNpy(file('semantics'), semantics.pictures);
    await writeNpy(file('categorySemantics'), semantics.categories);
  }
  if (dictionary) await writeNpy(file('dictionary'), dictionary);
  if (trace) await writeTrace(file('trace'), trace);
  if (model) await saveModel(file('model'), model);
  await writeFileAtomic(file('metrics'), `${JSON.stringify(metrics, null, 2)}\n`);
  await writeFileAtomic(file('record'), `${JSON.stringify(record, null, 2)}\n`);
}

async function writeTrace(path: string, trace: NonNullable<FitResult['trace']>): Promise<void> {
  const header = Object.keys(trace);
  const length = Math.max(0, ...Object.values(trace).map((column) => column.length));
  await writeCsv(
    path,
    Array.from({ length }, (_, i) => header.map((name) => trace[name][i])),
    { header },
  );
}

/** @throws UsageError where there is no finished fit, FormatError where it was written by another version */
export async function readFit(folder: string): Promise<FitResult> {
  const record = await readFitRecord(folder);
  const names = record.categories;
  const places = new Map(names.map((name, category) => [name, category]));
  const answers = await readAnswers(folder);
  const column = (of: (answer: Answer) => number | undefined) =>
    answers.every((answer) => of(answer) === undefined)
      ? undefined
      : Float64Array.from(answers, (answer) => of(answer) ?? Number.NaN);
  const [confidence, runnerUpConfidence, unlisted] = [
    column((answer) => answer.confidence),
    column((answer) => answer.runnerUpConfidence),
    column((answer) => answer.unlisted),
  ];
  const scores = await readMatrix(folder, 'scores');
  const dictionary = await readMatrix(folder, 'dictionary');
  const semantics = await readSemantics(folder);
  const strangerGroups = await readStrangerGroups(folder);
  const web = await readWeights(folder);
  const trace = await readTrace(folder);
  const model = await readModel(folder);
  return {
    ...{ record, names, metrics: await readFitMetrics(folder) },
    ...(scores && { scores }),
    predictions: Int32Array.from(answers, ({ category }) => category),
    runnersUp: Int32Array.from(answers, ({ runnerUp }) => places.get(runnerUp) ?? -1),
    topScores: Float64Array.from(answers, ({ score }) => score),
    margins: Float64Array.from(answers, ({ margin }) => margin),
    ...(confidence && { confidence }),
    ...(runnerUpConfidence && { runnerUpConfidence }),
    ...(unlisted && { unlisted }),
    ...((strangerGroups || answers.some(({ group }) => group !== undefined)) && {
      groups: Int32Array.from(answers, ({ group }) => group ?? -1),
    }),
    ...(answers.some(({ truth }) => truth !== undefined) && {
      labels: Int32Array.from(answers, ({ truth }) => places.get(truth ?? '') ?? -1),
    }),
    ...(strangerGroups && { strangerGroups }),
    ...(web && { web }),
    ...(trace && { trace }),
    ...(semantics && { semantics }),
    ...(dictionary && { dictionary }),
    ...(model && { model }),
  };
}

/** Whether somebody might take the folder for one of a fit, of this version or an earlier one. */
export function looksLikeFit(folder: string): boolean {
  return [files.record, files.predictions].every((name) => existsSync(join(folder, name)));
}

/** What is known of any folder of results; undefined where it holds none. A `command` says that they are no fit. */
export async function recordIn(folder: string): Promise<(Partial<FitRecord> & { command?: string }) | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, files.record), 'utf8')) ?? undefined;
  } catch {
    return undefined;
  }
}

export async function readFitRecord(folder: string): Promise<FitRecord> {
  const record = await recordIn(folder);
  if (record?.schema === fitSchema) return record as FitRecord;
  if (!record || record.command !== undefined || !looksLikeFit(folder))
    throw new UsageError(
      `${folder} holds no finished fit`,
      'Give the folder of a fit: bowerbird fit PROBLEM --out DIR, or the folder run of a workspace.',
    );
  throw new FormatError(
    join(folder, files.record),
    undefined,
    `was written by another version of bowerbird ("${fitSchema}" was expected, "${record.schema ?? 'no schema'}" found)`,
    'Fit again: bowerbird fit PROBLEM --out DIR, or bowerbird run in a workspace.',
  );
}

export async function readFitMetrics(folder: string): Promise<FitMetrics> {
  const path = join(folder, files.metrics);
  try {
    return JSON.parse(await readFile(path, 'utf8')) as FitMetrics;
  } catch (error) {
    throw new FormatError(path, undefined, `cannot be read: ${(error as Error).message}`, 'Fit again.');
  }
}

/** The answers about the test pictures, in the order of their rows. */
export function readAnswers(folder: string): Promise<Answer[]> {
  return readAnswerFile(join(folder, files.predictions));
}

/** The groups of unlisted pictures; undefined for a method that makes none. */
export async function readStrangerGroups(folder: string): Promise<StrangerGroup[] | undefined> {
  const path = join(folder, files.groups);
  if (!existsSync(path)) return undefined;
  return (await readCsv(path)).rows.map(([group, pictures, nearestListed, nearestAuxiliary]) => ({
    group: Number(group),
    pictures: Number(pictures),
    nearestListed,
    nearestAuxiliary,
  }));
}

/** The web pictures of a fit; undefined where it weighed none. */
export async function readWeights(folder: string): Promise<WeightedPicture[] | undefined> {
  const path = join(folder, files.weights);
  if (!existsSync(path)) return undefined;
  return (await readCsv(path)).rows.map(([row, category, weight, text]) => ({
    row: Number(row),
    category,
    weight: Number(weight),
    text: text ?? '',
  }));
}

/** The weights alone, which is quicker. */
export async function readWeightValues(folder: string): Promise<Float64Array | undefined> {
  const path = join(folder, files.weightValues);
  return existsSync(path) ? Float64Array.from((await readNpy(path)).data as Float64Array) : undefined;
}

/** Columns by name. */
export async function readTrace(folder: string): Promise<Record<string, number[]> | undefined> {
  const path = join(folder, files.trace);
  if (!existsSync(path)) return undefined;
  const { header = [], rows } = await readCsv(path);
  return Object.fromEntries(header.map((name, c) => [name, rows.map((row) => Number(row[c]))]));
}

/** Undefined for a method that classifies only the pictures it was fitted with. */
export async function readModel(folder: string): Promise<Model | undefined> {
  const path = join(folder, files.model);
  return existsSync(path) ? loadModel(path) : undefined;
}

async function readMatrix(folder: string, name: keyof typeof files): Promise<Matrix | undefined> {
  const file = join(folder, files[name]);
  return existsSync(file) ? toMatrix(await readNpy(file), 'float64', { name: files[name], file }) : undefined;
}

/** Learnt semantic vectors, of methods that learn some. */
export async function readSemantics(folder: string): Promise<FitResult['semantics']> {
  const [pictures, categories] = [await readMatrix(folder, 'semantics'), await readMatrix(folder, 'categorySemantics')];
  return pictures && categories && { pictures, categories };
}

/** Files of a finished fit that are the same whenever the same is fitted. */
export function fitOutputs(folder: string): string[] {
  const perhaps = [files.answers, files.groups, files.weights, files.model];
  return [files.predictions, files.metrics, ...perhaps.filter((name) => existsSync(join(folder, name)))];
}

/** Copies what is needed to look back at a fit when another one has taken its place. */
export async function copyFit(from: string, into: string): Promise<void> {
  const names = [files.record, files.metrics, files.predictions, files.groups, files.weightValues, files.trace];
  for (const name of names) if (existsSync(join(from, name))) await copyFile(join(from, name), join(into, name));
}
