/** The kinds of jobs that `bowerbird worker` knows, by the name that a coordinator puts in the queue. */
import { artefact } from '../artefact.js';
import type { RegisteredHandler } from '../distribute/index.js';
import { ArgumentError, ProblemError } from '../errors.js';
import {
  type EvaluationContext,
  type ProblemSource,
  type Split,
  shareSplits,
  withValidation,
} from '../evaluation/index.js';
import { type LoadOptions, loadProblem, problemHash } from '../problem/index.js';
import type { DownloadContext } from './download-messages.js';
import type { ShardContext } from './shard-worker.js';

/** What the coordinator sends: a context of evaluation whose file is named apart, and the splits its jobs ask for. */
export interface QueuedEvaluation extends Omit<EvaluationContext, 'source'> {
  source: Exclude<ProblemSource, { kind: 'shared' }>;
  splits: readonly Split[];
}

/** What a worker decides for itself, whatever coordinators say. */
export interface WorkerSettings {
  /** Its queue. */
  url: string;
  /** Where this machine computes. */
  device?: EvaluationContext['device'];
  /** Modules of this machine; those of the coordinator are not asked for. */
  plugins?: readonly string[];
  /** Address ranges that may be reached for a crawl although they are not public. */
  allowedAddresses?: readonly string[];
}

/** Pictures that a worker fetches at the same time, as many as a crawl on one machine. */
const downloadsAtOnce = 16;

export function jobHandlers({
  url,
  device,
  plugins = [],
  allowedAddresses = [],
}: WorkerSettings): Record<string, RegisteredHandler> {
  return {
    evaluation: {
      module: artefact('evaluation/job-handler.js'),
      async prepare(context, files, signal): Promise<EvaluationContext> {
        const { splits, ...sent } = context as QueuedEvaluation;
        const given = { ...sent, plugins };
        const chosen = device ? { ...given, device } : given;
        if (given.source.kind === 'generated') return chosen;
        if (!files.problem) throw new ArgumentError('the run names no problem file');
        return { ...chosen, source: await shareFile(files.problem, given, splits, signal) };
      },
    },
    features: {
      module: artefact('cli/shard-worker.js'),
      offered: true,
      async prepare(context, files, _, places): Promise<ShardContext> {
        const { network, limits, batch } = context as ShardContext;
        if (!files.model) throw new ArgumentError('the run names no network');
        return { network: { ...network, model: files.model }, limits, batch, places };
      },
    },
    downloads: {
      module: artefact('cli/download-worker.js'),
      atOnce: downloadsAtOnce,
      reachesOut: true,
      async prepare(context): Promise<DownloadContext> {
        const { run, network } = context as DownloadContext;
        return { run, network: { ...network, allowedAddresses }, url };
      },
    },
  };
}

/** Loads the problem once for all threads of this worker. */
async function shareFile(
  path: string,
  { source, seed }: Omit<QueuedEvaluation, 'splits'>,
  splits: readonly Split[],
  signal: AbortSignal,
): Promise<ProblemSource> {
  if (source.kind !== 'file') throw new ArgumentError(`a source of kind "${source.kind}" has no file`);
  const loaded = await loadProblem(path, { ...withoutPaths(source.load), web: 'optional', signal });
  const hash = problemHash(loaded);
  if (hash !== source.hash)
    throw new ProblemError(
      path,
      undefined,
      `its contents have the hash ${hash.slice(0, 12)}…, the coordinator's ${source.hash.slice(0, 12)}…`,
      'Do both machines run the same version of bowerbird?',
    );
  return shareSplits(withValidation(loaded, source.validation), splits, seed);
}

/** What comes over the network must not name files of this machine. */
export function withoutPaths(load: LoadOptions): LoadOptions {
  const { webFile, validationFile, splits, signal, ...rest } = load;
  return rest;
}
