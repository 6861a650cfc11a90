/** Reads the results folders that a report is made of, and tells which kind each is by what lies in it. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FormatError, UsageError } from '../errors.js';
import type { ChosenParameters, CompareTable, ExperimentResult, JournalLine, RunRecord } from '../evaluation/index.js';
import type { FitMetrics } from '../evaluation/run-folder.js';
import { readCsv, readNpy, toMatrix } from '../formats/index.js';
import type { Matrix } from '../linalg/matrix.js';
import { type CategoryVectors, readCategoryVectors } from './category-vectors.js';

/** What `run.json` of a fit holds, as far as it is shown. */
export interface FitRecord {
  configuration: Record<string, unknown>;
  versions: Record<string, string>;
  inputs: { problem: string };
  backend?: { device: string; description: string; threads: number };
  iterations?: number;
  converged?: boolean;
  warnings?: readonly string[];
  seconds?: number;
  peakMemoryBytes?: number;
}

export interface FitPrediction {
  row: number;
  name: string;
  margin: number;
  /** The right category, where it is known. */
  truth?: string;
}

export interface WeightedPicture {
  row: number;
  category: string;
  weight: number;
  text: string;
}

export interface FitFolder {
  kind: 'fit';
  path: string;
  run: FitRecord;
  metrics: FitMetrics;
  predictions: readonly FitPrediction[];
  weights: readonly WeightedPicture[];
  /** Columns of trace.csv by name. */
  trace: Readonly<Record<string, readonly number[]>>;
  /** Learnt semantic vectors of the test pictures. */
  semantics?: Matrix;
  /** Decision values of the test pictures, where the method learns no semantic vectors. */
  scores?: Matrix;
  categoryVectors?: CategoryVectors;
}
export interface CompareFolder {
  kind: 'compare';
  path: string;
  run: RunRecord;
  table: CompareTable;
}
export interface TuneFolder {
  kind: 'tune';
  path: string;
  run: RunRecord;
  trials: readonly JournalLine[];
  chosen: ChosenParameters;
}
export interface ExperimentFolder {
  kind: 'experiment';
  path: string;
  run: RunRecord;
  result: ExperimentResult;
}
export type ResultFolder = FitFolder | CompareFolder | TuneFolder | ExperimentFolder;

/** @throws UsageError when the folder holds no results, FormatError when a file of it cannot be read */
export async function readFolder(path: string): Promise<ResultFolder> {
  const has = (name: string) => existsSync(join(path, name));
  if (has('experiment.json'))
    return {
      kind: 'experiment',
      path,
      run: await readJson(path, 'run.json'),
      result: await readSchema(path, 'experiment.json', 'bowerbird-experiment-1'),
    };
  if (has('table.json'))
    return {
      kind: 'compare',
      path,
      run: await readJson(path, 'run.json'),
      table: await readSchema(path, 'table.json', 'bowerbird-compare-1'),
    };
  if (has('chosen.json'))
    return {
      kind: 'tune',
      path,
      run: await readJson(path, 'run.json'),
      chosen: await readSchema(path, 'chosen.json', 'bowerbird-parameters-1'),
      trials: await readLines(path, 'trials.jsonl'),
    };
  if (has('predictions.csv') && has('run.json')) return readFit(path);
  throw new UsageError(
    `${path} holds no finished results`,
    ['run.json', 'outcomes.jsonl', 'trials.jsonl', 'checkpoint.npz'].some(has)
      ? 'It was begun but not finished: run the same command again, it goes on where it stopped.'
      : 'Give folders written by fit, tune, compare or experiment (their --out).',
  );
}

async function readFit(path: string): Promise<FitFolder> {
  const file = (name: string) => join(path, name);
  const { header = [], rows } = await readCsv(file('predictions.csv'));
  const column = (name: string) => header.indexOf(name);
  const [row, name, margin, truth] = ['row', 'name', 'margin', 'truth'].map(column);
  const weights = existsSync(file('weights.csv')) ? (await readCsv(file('weights.csv'))).rows : [];
  return {
    kind: 'fit',
    path,
    run: await readJson(path, 'run.json'),
    metrics: existsSync(file('metrics.json')) ? await readJson(path, 'metrics.json') : {},
    predictions: rows.map((cells) => ({
      row: Number(cells[row]),
      name: cells[name],
      margin: Number(cells[margin]),
      ...(truth >= 0 && cells[truth] !== '' && { truth: cells[truth] }),
    })),
    weights: weights.map(([index, category, weight, text]) => ({
      row: Number(index),
      category,
      weight: Number(weight),
      text: text ?? '',
    })),
    trace: existsSync(file('trace.csv')) ? await readColumns(file('trace.csv')) : {},
    semantics: await readMatrix(path, 'semantics'),
    scores: await readMatrix(path, 'scores'),
    ...(existsSync(file('model.safetensors')) && {
      categoryVectors: await readCategoryVectors(file('model.safetensors')),
    }),
  };
}

async function readMatrix(folder: string, name: string): Promise<Matrix | undefined> {
  const file = join(folder, `${name}.npy`);
  return existsSync(file) ? toMatrix(await readNpy(file), 'float64', { name, file }) : undefined;
}

async function readColumns(path: string): Promise<Record<string, number[]>> {
  const { header = [], rows } = await readCsv(path);
  return Object.fromEntries(header.map((name, c) => [name, rows.map((row) => Number(row[c]))]));
}

async function readJson<T>(folder: string, name: string): Promise<T> {
  const path = join(folder, name);
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T;
  } catch (error) {
    throw new FormatError(path, undefined, `cannot be read: ${(error as Error).message}`);
  }
}

async function readSchema<T extends { schema: string }>(folder: string, name: string, schema: T['schema']): Promise<T> {
  const value = await readJson<T>(folder, name);
  if (value.schema !== schema)
    throw new FormatError(
      join(folder, name),
      undefined,
      `has the schema "${value.schema}"; "${schema}" was expected`,
      'It was written by another version of bowerbird: make it again with this one.',
    );
  return value;
}

async function readLines<T>(folder: string, name: string): Promise<T[]> {
  const path = join(folder, name);
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line.trim() !== '');
  return lines.map((line, i) => {
    try {
      return JSON.parse(line) as T;
    } catch {
      throw new FormatError(path, undefined, `line ${i + 1} is not JSON`);
    }
  });
}
