/** The part of `bowerbird fit` that serves any method of the registry. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FormatError, UsageError } from '../errors.js';
import { type FitMetrics, writeMethodRun } from '../evaluation/run-folder.js';
import { fileError } from '../formats/file.js';
import type { Backend } from '../linalg/backend.js';
import { createMethod, type MethodSpec } from '../methods/index.js';
import { type ParameterValue, resolveParameters } from '../parameters.js';
import { candidateNames, type Problem } from '../problem/index.js';
import { saveScorer, scorerOf } from '../workspace/scorer.js';
import type { Progress } from './progress.js';

export interface FitSetting {
  out: string;
  problem: Problem;
  backend: Backend;
  signal: AbortSignal;
  progress: Progress;
  /** How the features were scaled; pictures to be classified later need the same. */
  scaling: string;
  configuration: Record<string, unknown>;
  /** What run.json holds of every fit. */
  record(problem: Problem, seconds: number): Record<string, unknown>;
}

/** Fits a method, writes its folder and says what came out. */
export async function fitMethod(
  spec: MethodSpec,
  parameters: Readonly<Record<string, ParameterValue>>,
  seed: number,
  setting: FitSetting,
): Promise<{ record: Record<string, unknown>; metrics: FitMetrics; lines: string[] }> {
  const { out, problem, backend, signal, progress, scaling, configuration } = setting;
  const begun = performance.now();
  const method = await createMethod(spec, parameters, seed).fit(problem, {
    backend,
    signal,
    onProgress: ({ done, total, detail }) => progress.update({ stage: 'fit', done, total, detail }),
  });
  const seconds = (performance.now() - begun) / 1000;
  const record = { ...setting.record(problem, seconds), configuration: { ...configuration, parameters } };
  const metrics = await writeMethodRun(out, method, problem, record);
  const normalise = scaling === 'l2' ? 'unit' : 'none';
  const scorer =
    scaling === 'zscore' ? undefined : scorerOf(method, problem.testFeatures.cols, candidateNames(problem), normalise);
  if (scorer) await saveScorer(join(out, 'scorer.safetensors'), scorer, { method: spec.name });
  return { record, metrics, lines: [`${spec.name} fitted in ${seconds.toFixed(1)} s (${backend.description})`] };
}

/** Parameters from a file, overruled by NAME=VALUE of the command line. */
export async function givenParameters(
  spec: MethodSpec,
  file: string | undefined,
  settings: readonly string[] = [],
): Promise<Record<string, ParameterValue>> {
  const parameters: Record<string, ParameterValue> = file ? await parametersOf(file, spec.name) : {};
  for (const setting of settings) {
    const [name, ...rest] = setting.split('=');
    const text = rest.join('=');
    if (rest.length === 0 || text === '') throw new UsageError(`--set ${setting}: NAME=VALUE was expected`);
    parameters[name] = Number.isFinite(Number(text)) ? Number(text) : text;
  }
  resolveParameters(spec.name, spec.parameters, parameters, UsageError);
  return parameters;
}

/** What `--params` names. */
export async function readParameterFile(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error) => {
    throw fileError(path, error, 'opened');
  });
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new FormatError(
      path,
      undefined,
      `is not JSON: ${(error as Error).message}`,
      'Give chosen.json of "bowerbird tune".',
    );
  }
}

async function parametersOf(path: string, method: string): Promise<Record<string, ParameterValue>> {
  const parsed = await readParameterFile(path);
  const record = (parsed as { parameters?: unknown } | null)?.parameters ?? parsed;
  if (typeof record !== 'object' || record === null || Array.isArray(record)) {
    const found = Array.isArray(record) ? 'a list' : record === null ? 'nothing' : `a ${typeof record}`;
    throw new UsageError(`--params ${path} holds ${found}; an object such as {"lambda1": 0.01} was expected`);
  }
  const made = String((parsed as { method?: unknown }).method ?? method);
  if (made !== method)
    throw new UsageError(
      `--params ${path} holds parameters of ${made}, and this is a fit of ${method}`,
      `Add --method ${made}.`,
    );
  return { ...record } as Record<string, ParameterValue>;
}
