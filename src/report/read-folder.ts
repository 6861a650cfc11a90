/** Reads the results folders that a report is made of, and tells which kind each is by what lies in it. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FormatError, UsageError } from '../errors.js';
import type { ChosenParameters, CompareTable, ExperimentResult, JournalLine, RunRecord } from '../evaluation/index.js';
import { type FitRecord, type FitResult, looksLikeFit, readFit } from '../fit/index.js';

export interface FitFolder {
  kind: 'fit';
  path: string;
  run: FitRecord;
  fit: FitResult;
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
  if (looksLikeFit(path)) {
    const fit = await readFit(path);
    return { kind: 'fit', path, run: fit.record, fit };
  }
  throw new UsageError(
    `${path} holds no finished results`,
    ['run.json', 'outcomes.jsonl', 'trials.jsonl', 'checkpoint.npz'].some(has)
      ? 'It was begun but not finished: run the same command again, it goes on where it stopped.'
      : 'Give folders written by fit, tune, compare or experiment (their --out).',
  );
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
