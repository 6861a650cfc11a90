/** Where `compare`, `tune` and `experiment` send their jobs when `--queue` is given. */
import { createHash } from 'node:crypto';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createQueueExecutor, type Executor, type QueueStatus } from '../distribute/index.js';
import { ArgumentError, UsageError } from '../errors.js';
import type {
  EvaluationContext,
  EvaluationSetting,
  ProblemSource,
  Split,
  ValidationChoice,
} from '../evaluation/index.js';
import { type LoadOptions, type Problem, problemHash, readProblem, saveProblem } from '../problem/index.js';
import { type QueuedEvaluation, withoutPaths } from './job-handlers.js';
import type { ProgressLine } from './progress.js';
import { amount } from './table.js';

interface QueueOptions {
  /** `redis://host:port` */
  queue: string;
  /** The results folder: the same command with the same folder resumes the same run in the queue. */
  out: string;
  progress: ProgressLine;
  signal: AbortSignal;
}

/** @throws UsageError before anything is read or written for a queue that cannot be one */
export function requireQueueAddress(queue: string): void {
  const protocol = URL.canParse(queue) ? new URL(queue).protocol : undefined;
  if (protocol !== 'redis:' && protocol !== 'rediss:')
    throw new UsageError(
      `--queue is "${protocol ? withoutPassword(queue) : queue}"; it must be the address of a Redis or Valkey server`,
      'It looks like redis://host:6379 or, over TLS, rediss://user:password@host:6379/0.',
    );
}

/** The `remote` of an evaluation whose problem was loaded from a file. */
export function queuedExecution(
  options: QueueOptions & { path: string; load: LoadOptions; problem: Problem; validation: ValidationChoice },
): NonNullable<EvaluationSetting['remote']> {
  const { path, load, problem, validation } = options;
  return {
    source: { kind: 'file', path, load, hash: problemHash(problem), validation },
    execute: (context, splits) => openExecutor({ ...options, context, splits }),
  };
}

/** An executor whose jobs are taken by `bowerbird worker` on any machine; the source is a file or a generated problem. */
async function openExecutor(
  options: QueueOptions & { context: EvaluationContext; splits: readonly Split[] },
): Promise<Executor> {
  const { queue, context, splits, out, progress, signal } = options;
  const { source } = context;
  if (source.kind === 'shared') throw new ArgumentError('a problem in memory cannot be sent through a queue');
  const packed = source.kind === 'file' ? await onePath(source) : undefined;
  const sent: QueuedEvaluation = { ...context, splits, source: packed?.source ?? source };
  const runId = createHash('sha256')
    .update(JSON.stringify([hostname(), resolve(out), sent]))
    .digest('hex')
    .slice(0, 16);
  const forget = () => packed?.forget();
  try {
    const executor = await createQueueExecutor({
      url: queue,
      runId,
      handler: 'evaluation',
      context: sent,
      files: packed ? { problem: packed.path } : {},
      onStatus: describeStatus(queue, progress),
      signal,
    });
    const close = () => executor.close().finally(forget);
    return {
      get width() {
        return executor.width;
      },
      run: (jobs, execution) => executor.run(jobs, execution),
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await forget();
    throw error;
  }
}

type FileSource = Extract<ProblemSource, { kind: 'file' }>;

/** The problem as one .npz that workers can fetch: the file itself, or a copy of what lies in several files. */
async function onePath(source: FileSource): Promise<{ path: string; source: FileSource; forget(): Promise<void> }> {
  const { path, load } = source;
  // The path means nothing on another machine; the file goes by its hash.
  const sent: FileSource = { ...source, path: '', load: withoutPaths(load) };
  const alone = load.webFile === undefined && load.validationFile === undefined;
  if (alone && path.endsWith('.npz') && (await stat(path)).isFile())
    return { path, source: sent, forget: async () => {} };
  const folder = await mkdtemp(join(tmpdir(), 'bowerbird-problem-'));
  const copy = join(folder, 'problem.npz');
  await saveProblem(copy, await readProblem(path, { ...load, web: 'optional' }));
  return {
    path: copy,
    source: { ...sent, load: { ...sent.load, semantics: undefined } },
    forget: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Notes when the number of workers changes, and each trouble once. */
export function describeStatus(queue: string, progress: Pick<ProgressLine, 'note'>): (status: QueueStatus) => void {
  let known = -1;
  const told = new Set<string>();
  return ({ workers, places, troubles }) => {
    for (const trouble of troubles.filter((each) => !told.has(each))) {
      told.add(trouble);
      progress.note(`a worker cannot help: ${trouble}`);
    }
    if (places === known) return;
    known = places;
    if (workers === 0)
      progress.note(`no workers yet; start them on any machine: bowerbird worker --queue ${withoutPassword(queue)}`);
    else progress.note(`${amount(workers, 'worker')}, ${amount(places, 'place')}`);
  };
}

function withoutPassword(queue: string): string {
  const url = new URL(queue);
  if (url.password) url.password = '…';
  return decodeURI(url.href);
}
