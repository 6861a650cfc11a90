/**
 * Runs the training jobs of all threads to their end, pausing them between chunks to write a checkpoint now and then or
 * when the work is interrupted.
 */
import { InterruptedError } from '../../errors.js';
import { Random } from '../../linalg/index.js';
import type { Progress } from '../../progress.js';
import { loadCheckpoint, saveCheckpoint, type TrainingState } from './checkpoint.js';
import type { Job, ThreadPlace, ThreadState, TrainResult } from './jobs.js';
import { instantiateKernels, type Kernels } from './kernels.js';
import type { Team } from './team.js';

export interface TrainControl {
  signal?: AbortSignal;
  /**
   * Percent of all epochs, with two figures: `rate`, words (or pairs) a second since training began or was resumed, and
   * `loss`, the mean of a step since the last report.
   */
  onProgress?: (progress: Progress) => void;
  /** Where checkpoints go, and the seconds between two. Without it none are written. */
  checkpoint?: { path: string; seconds?: number };
}

export interface Training {
  readonly memory: WebAssembly.Memory;
  readonly team: Team;
  readonly identity: string;
  /** The part of the memory that is the model. */
  readonly model: Uint8Array;
  readonly places: readonly ThreadPlace[];
  readonly pause: number;
  /** Items of all epochs together, and of one. */
  readonly total: number;
  readonly epochs: number;
  /** What is counted in the reported rate, and how many of them one item counts for. */
  readonly unit: 'words' | 'pairs';
  readonly unitsPerItem: number;
  readonly makeJob: (state: ThreadState, thread: number) => Job;
}

const reportEvery = 250;

export async function runTraining(training: Training, state: TrainingState, control: TrainControl): Promise<void> {
  const { memory, team, places } = training;
  const flag = new Int32Array(memory.buffer, training.pause, 1);
  const done = places.map((place) => new Float64Array(memory.buffer, place.done, 1));
  state.done.forEach((items, thread) => {
    done[thread][0] = items;
  });
  const pause = () => Atomics.store(flag, 0, 1);
  const report = reporter(training, done, control);
  const reporting = setInterval(report, reportEvery);
  control.signal?.addEventListener('abort', pause);
  let { threads } = state;
  try {
    for (;;) {
      Atomics.store(flag, 0, control.signal?.aborted ? 1 : 0);
      const seconds = control.checkpoint?.seconds ?? 600;
      const timer = control.checkpoint ? setTimeout(pause, seconds * 1000) : undefined;
      let results: TrainResult[];
      try {
        results = await team.run<TrainResult>(threads.length, (i) => training.makeJob(threads[i], i));
      } catch (error) {
        // The other threads must not go on writing into a memory that is given up.
        pause();
        throw error;
      } finally {
        clearTimeout(timer);
      }
      threads = results.map((result) => result.state);
      const { path } = control.checkpoint ?? {};
      // Also at the end: a run that is killed while its result is being written need not train again.
      if (path)
        await saveCheckpoint(path, training.identity, { threads, done: done.map((one) => one[0]) }, training.model);
      if (results.every((result) => result.finished)) break;
      if (control.signal?.aborted)
        throw new InterruptedError(
          'training was interrupted',
          path ? 'Run the same command again to continue from the checkpoint.' : undefined,
        );
    }
    report();
  } finally {
    clearInterval(reporting);
    control.signal?.removeEventListener('abort', pause);
  }
}

function reporter(training: Training, done: readonly Float64Array[], control: TrainControl): () => void {
  const totals = training.places.map((place) => new Float64Array(training.memory.buffer, place.totals, 2));
  const sum = (arrays: readonly Float64Array[], k: number) => arrays.reduce((total, array) => total + array[k], 0);
  const begun = performance.now();
  const doneBefore = sum(done, 0);
  let [lossBefore, stepsBefore] = [sum(totals, 0), sum(totals, 1)];
  let loss = Number.NaN;
  return () => {
    const items = sum(done, 0);
    const [lossNow, stepsNow] = [sum(totals, 0), sum(totals, 1)];
    if (stepsNow > stepsBefore) loss = (lossNow - lossBefore) / (stepsNow - stepsBefore);
    [lossBefore, stepsBefore] = [lossNow, stepsNow];
    const fraction = training.total > 0 ? items / training.total : 1;
    const { epochs, unit } = training;
    const epoch = Math.min(epochs, Math.floor(fraction * epochs) + 1);
    const rate = ((items - doneBefore) * training.unitsPerItem) / Math.max(1e-3, (performance.now() - begun) / 1000);
    const known = Number.isNaN(loss) ? undefined : { loss };
    control.onProgress?.({
      done: Math.round(fraction * 1000) / 10,
      total: 100,
      unit: '%',
      detail: `epoch ${epoch}/${epochs}, ${Math.round(rate)} ${unit}/s${known ? `, loss ${loss.toFixed(4)}` : ''}`,
      figures: { rate, ...known },
    });
  };
}

interface Beginning {
  readonly memory: WebAssembly.Memory;
  readonly model: Uint8Array;
  readonly identity: string;
  readonly seed: number;
  readonly checkpoint?: TrainControl['checkpoint'];
}

/** The state of the checkpoint, which also fills the model; where there is none, `begin` draws the numbers of the model. */
export async function continuedOrBegun(
  { memory, model, identity, seed, checkpoint }: Beginning,
  begin: (kernels: Kernels, random: Random) => TrainingState,
): Promise<TrainingState> {
  const state = checkpoint && (await loadCheckpoint(checkpoint.path, identity, model));
  if (state) return state;
  const random = new Random(seed);
  const kernels = instantiateKernels(memory);
  kernels.setSeed(random.uint32(), random.uint32());
  return begin(kernels, random);
}

/** Parts of equal length for the threads, each with its own stream of random numbers. */
export function dividedAmong(
  threads: number,
  length: number,
  seeds: readonly (readonly [high: number, low: number])[],
): TrainingState {
  return {
    threads: Array.from({ length: threads }, (_, thread) => {
      const from = Math.floor((length * thread) / threads);
      const to = Math.floor((length * (thread + 1)) / threads);
      return { from, to, position: from, epoch: 0, seed: seeds[thread] };
    }),
    done: new Array(threads).fill(0),
  };
}

/** The options that were given: `undefined` must not hide a default. */
export function defined<T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
