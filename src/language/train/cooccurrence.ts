/**
 * The co-occurrence counts of a corpus as training records on disk, with memory bounded by a table of fixed size:
 *   X_ij = Σ 1/distance over all pairs of words i, j at most `window` words apart within a paragraph.
 * Full tables are spilled in partitions by hash, partitions are added up one at a time, and the records are put in random
 * order by dealing them out to buckets and shuffling each. A killed run continues after its last spill.
 */
import { existsSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ArgumentError, InterruptedError } from '../../errors.js';
import { renameOver, writeFileAtomic } from '../../formats/index.js';
import type { Progress } from '../../progress.js';
import type { EncodedCorpus } from './encode.js';
import { type CountResult, chunkTokens, type MergeResult, partitionBits, type Spill, type TablePlace } from './jobs.js';
import { MemoryPlan } from './kernels.js';
import { Team } from './team.js';

export interface CooccurrenceOptions {
  window: number;
  /** Counts of this size and more weigh 1; smaller ones (x / xMax)^alpha. */
  xMax: number;
  alpha: number;
  threads: number;
  seed: number;
  /** Bytes for all threads' tables together. @default 1 GiB */
  tableBytes?: number;
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

/** Records of 16 bytes in random order: word, context word, log X, f(X). Every pair is there in both orders. */
export interface CooccurrenceRecords {
  readonly path: string;
  readonly count: number;
  /** Different pairs i ≤ j. */
  readonly pairs: number;
}

const bucketBytes = 2 ** 26;
/** A slot, and its share of the room for the records of a full table. */
const bytesPerSlot = 28;

export async function countCooccurrences(
  corpus: EncodedCorpus,
  folder: string,
  options: CooccurrenceOptions,
): Promise<CooccurrenceRecords> {
  const { window, xMax, alpha, threads, seed } = options;
  if (!Number.isInteger(window) || window < 1 || window >= chunkTokens / 2)
    throw new ArgumentError(`countCooccurrences: window is ${window}, expected 1 to ${chunkTokens / 2 - 1}`);
  await mkdir(folder, { recursive: true });
  const identity = JSON.stringify({ window, xMax, alpha, threads, seed, corpus: corpus.identity });
  const path = join(folder, 'records');
  const finished = await readState<{ identity: string; count: number; pairs: number }>(folder, 'records.json');
  if (finished?.identity === identity && existsSync(path) && statSync(path).size === finished.count * 16)
    return { path, count: finished.count, pairs: finished.pairs };

  const plan = new MemoryPlan();
  const pause = plan.reserve(4);
  // Never more than all pairs of a thread's part could fill.
  const slotBits = Math.min(
    Math.max(10, Math.floor(Math.log2((options.tableBytes ?? 2 ** 30) / threads / bytesPerSlot))),
    Math.max(10, Math.ceil(Math.log2((corpus.length / threads) * window * 2))),
  );
  const tables = Array.from(
    { length: threads },
    (): TablePlace => ({
      slots: plan.reserve(2 ** slotBits * 16),
      slotBits,
      records: plan.reserve(2 ** slotBits * 12),
      starts: plan.reserve(((1 << partitionBits) + 1) * 4),
      chunk: plan.reserve(chunkTokens * 4),
      done: plan.reserve(8),
    }),
  );
  const memory = plan.allocate('the tables for counting co-occurrences', 'Less memory for tables (--table-memory).');
  const team = Team.start(memory, threads);
  const stage = { corpus, folder, options, identity, memory, team, tables, pause };
  try {
    const spills = await count(stage);
    const { buckets, pairs } = await merge(stage, spills);
    const records = await shuffle(stage, buckets, `${path}.part`);
    await renameOver(`${path}.part`, path);
    await writeFileAtomic(join(folder, 'records.json'), JSON.stringify({ identity, count: records, pairs }));
    await Promise.all(
      [...spills.map((spill) => spill.path), ...buckets.flat()].map((used) => rm(used, { force: true })),
    );
    await rm(join(folder, 'spills.json'), { force: true });
    return { path, count: records, pairs };
  } finally {
    await team.stop();
  }
}

interface Stage {
  readonly corpus: EncodedCorpus;
  readonly folder: string;
  readonly options: CooccurrenceOptions;
  readonly identity: string;
  readonly memory: WebAssembly.Memory;
  readonly team: Team;
  readonly tables: readonly TablePlace[];
  readonly pause: number;
}

interface CountState {
  identity: string;
  spills: Spill[];
  /** How far each thread's part has been counted and spilled. */
  positions: number[];
}

/** Every thread counts its part of the corpus; after each spill the state on disk moves on. */
async function count(stage: Stage): Promise<readonly Spill[]> {
  const { corpus, folder, options, identity, memory, team, tables, pause } = stage;
  const threads = tables.length;
  const starts = Array.from({ length: threads + 1 }, (_, i) => Math.floor((corpus.length * i) / threads));
  const stored = await readState<CountState>(folder, 'spills.json');
  const usable = stored?.identity === identity && stored.spills.every((spill) => existsSync(spill.path));
  const state: CountState = usable ? stored : { identity, spills: [], positions: starts.slice(0, threads) };
  const flag = new Int32Array(memory.buffer, pause, 1);
  const stop = () => Atomics.store(flag, 0, 1);
  if (options.signal?.aborted) stop();
  options.signal?.addEventListener('abort', stop);
  const done = tables.map(({ done: at }, thread) => {
    const counter = new Float64Array(memory.buffer, at, 1);
    counter[0] = state.positions[thread] - starts[thread];
    return counter;
  });
  const report = () =>
    options.onProgress?.({
      stage: 'count',
      done: done.reduce((sum, one) => sum + one[0], 0),
      total: corpus.length,
      unit: 'words',
    });
  const reporting = setInterval(report, 250);
  try {
    for (;;) {
      const active = starts.slice(0, threads).flatMap((_, i) => (state.positions[i] < starts[i + 1] ? [i] : []));
      if (active.length === 0) break;
      const results = await team.run<CountResult>(active.length, (k) => ({
        kind: 'count',
        tokensPath: corpus.tokensPath,
        position: state.positions[active[k]],
        to: starts[active[k] + 1],
        window: options.window,
        table: tables[active[k]],
        spillPath: join(folder, `spill-${state.spills.length + k}`),
        pause,
      }));
      results.forEach(({ spill, position }, k) => {
        state.spills.push(spill);
        state.positions[active[k]] = position;
      });
      await writeFileAtomic(join(folder, 'spills.json'), JSON.stringify(state));
    }
    report();
  } finally {
    clearInterval(reporting);
    options.signal?.removeEventListener('abort', stop);
  }
  return state.spills;
}

/** Adds up the partitions; bucket files are named by bucket and thread. */
async function merge(stage: Stage, spills: readonly Spill[]): Promise<{ buckets: string[][]; pairs: number }> {
  const { folder, options, team, tables } = stage;
  const most = spills.reduce((sum, { starts }) => sum + starts[starts.length - 1], 0);
  const bucketCount = Math.min(512, Math.max(1, Math.ceil((most * 2 * 16) / bucketBytes)));
  const buckets = Array.from({ length: bucketCount }, (_, bucket) =>
    tables.map((__, thread) => join(folder, `bucket-${bucket}-${thread}`)),
  );
  await Promise.all(buckets.flat().map((left) => rm(left, { force: true })));
  let merged = 0;
  const partitions = 1 << partitionBits;
  const results = await team.run<MergeResult>(partitions, (partition, thread) => {
    if (options.signal?.aborted) throw new InterruptedError('adding up co-occurrences was interrupted');
    options.onProgress?.({ stage: 'merge', done: merged++, total: partitions, unit: 'parts' });
    return {
      kind: 'merge',
      ...{ spills, partition },
      table: tables[thread],
      bucketPaths: buckets.map((paths) => paths[thread]),
      seed: options.seed,
      ...{ xMax: options.xMax, alpha: options.alpha },
    };
  });
  return { buckets, pairs: results.reduce((sum, result) => sum + result.pairs, 0) };
}

async function shuffle(stage: Stage, buckets: readonly string[][], outPath: string): Promise<number> {
  const { options, team } = stage;
  const sizes = buckets.map((paths) =>
    paths.reduce((sum, path) => sum + (existsSync(path) ? statSync(path).size : 0) / 16, 0),
  );
  const starts = sizes.map((_, bucket) => sizes.slice(0, bucket).reduce((sum, size) => sum + size, 0));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  writeFileSync(outPath, '');
  truncateSync(outPath, total * 16);
  let shuffled = 0;
  await team.run(buckets.length, (bucket) => {
    if (options.signal?.aborted) throw new InterruptedError('shuffling co-occurrences was interrupted');
    options.onProgress?.({ stage: 'shuffle', done: shuffled++, total: buckets.length, unit: 'parts' });
    return {
      kind: 'shuffle',
      bucketPaths: buckets[bucket],
      ...{ bucket, seed: options.seed, outPath },
      outPosition: starts[bucket],
    };
  });
  return total;
}

async function readState<T>(folder: string, name: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, name), 'utf8')) as T;
  } catch {
    return undefined;
  }
}
