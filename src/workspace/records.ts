/** Tells of a fit wherever `records:` of bowerbird.yaml says. A record that cannot be kept is a note: the fit stands. */
import type { FitResult } from '../fit/index.js';
import { logRun, type RunRecord, writeEvents } from '../records/index.js';
import type { Workspace } from './workspace.js';

export async function keepRecords(
  workspace: Workspace,
  result: FitResult,
  { started, note, signal }: { started: number; note(message: string): void; signal?: AbortSignal },
): Promise<void> {
  const { tensorboard, mlflow } = workspace.configuration.records;
  if (tensorboard === undefined && mlflow === undefined) return;
  const record = recordOf(workspace, result, started);
  const tries = [
    ...(tensorboard === undefined ? [] : [() => writeEvents(workspace.path(tensorboard), record)]),
    ...(mlflow === undefined ? [] : [() => logRun(mlflow, record, signal)]),
  ];
  for (const keep of tries)
    try {
      await keep();
    } catch (error) {
      signal?.throwIfAborted();
      note(`no record was kept: ${(error as Error).message}`);
    }
}

function recordOf({ configuration }: Workspace, result: FitResult, started: number): RunRecord {
  const { record, metrics, trace } = result;
  const numbers = Object.entries(metrics).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  const ended = Date.now();
  return {
    experiment: configuration.name,
    name: `${record.method} ${new Date(ended).toISOString().slice(0, 19)}`,
    parameters: {
      ...Object.fromEntries(Object.entries(record.parameters).map(([name, value]) => [name, String(value)])),
      method: record.method,
      seed: String(record.seed),
    },
    metrics: { ...Object.fromEntries(numbers), seconds: (ended - started) / 1000 },
    curves: Object.fromEntries(Object.entries(trace ?? {}).map(([name, values]) => [`trace/${name}`, values])),
    tags: {
      problem: record.inputs.problem,
      backend: record.backend.description,
      parameters_from: record.parametersFrom ?? 'given',
    },
    started,
    ended,
  };
}
