/** What the host asks its threads to do, and what they answer. All of it survives being sent to another thread. */

/** Where a thread's own data lies in the shared memory. */
export interface ThreadPlace {
  /** Room for one chunk of tokens or records. */
  readonly chunk: number;
  readonly sentence: number;
  readonly scratch: number;
  /** Two doubles: summed loss and number of terms. */
  readonly totals: number;
  /** One double: tokens or records this thread has worked through. */
  readonly done: number;
}

/** How far a thread is in its part [from, to) of the data, and the state of its random numbers. */
export interface ThreadState {
  readonly from: number;
  readonly to: number;
  readonly position: number;
  readonly epoch: number;
  readonly seed: readonly [high: number, low: number];
}

export interface Word2vecJob {
  readonly kind: 'word2vec';
  readonly kernel: 'skipGram' | 'continuousBag';
  readonly tokensPath: string;
  readonly state: ThreadState;
  readonly place: ThreadPlace;
  readonly epochs: number;
  readonly rate: number;
  /** Tokens of all threads and epochs together. */
  readonly total: number;
  /** Addresses of all threads' `done`. */
  readonly allDone: readonly number[];
  /** Arguments of `configureWord2vec` up to `sigmoid`, and of `configureSampler`. */
  readonly model: readonly number[];
  readonly sampler: readonly [table: number, count: number];
  /** Address of the 32-bit flag that asks for a pause. */
  readonly pause: number;
}

export interface GloveJob {
  readonly kind: 'glove';
  readonly recordsPath: string;
  readonly state: ThreadState;
  readonly place: ThreadPlace;
  readonly epochs: number;
  readonly rate: number;
  /** Arguments of `configureGlove` up to `biases`. */
  readonly model: readonly number[];
  readonly pause: number;
}

/** Counts pairs from `position` on until the table is full or the part ends, then writes the table out. */
export interface CountJob {
  readonly kind: 'count';
  readonly tokensPath: string;
  readonly position: number;
  readonly to: number;
  readonly window: number;
  readonly table: TablePlace;
  readonly spillPath: string;
  readonly pause: number;
}

export interface TablePlace {
  readonly slots: number;
  readonly slotBits: number;
  /** Room for three quarters as many records as there are slots. */
  readonly records: number;
  readonly starts: number;
  readonly chunk: number;
  readonly done: number;
}

export interface Spill {
  readonly path: string;
  /** Where each partition begins, in records; one more than there are partitions. */
  readonly starts: readonly number[];
}

/** Adds up one partition of all spills and deals its records out to the buckets. */
export interface MergeJob {
  readonly kind: 'merge';
  readonly spills: readonly Spill[];
  readonly partition: number;
  readonly table: TablePlace;
  readonly bucketPaths: readonly string[];
  readonly seed: number;
  readonly xMax: number;
  readonly alpha: number;
}

/** Puts the records of one bucket in random order and writes them to their place in the final file. */
export interface ShuffleJob {
  readonly kind: 'shuffle';
  readonly bucketPaths: readonly string[];
  readonly bucket: number;
  readonly seed: number;
  readonly outPath: string;
  readonly outPosition: number;
}

export type Job = Word2vecJob | GloveJob | CountJob | MergeJob | ShuffleJob;

/** The training jobs' answer: where they stopped. */
export interface TrainResult {
  readonly state: ThreadState;
  readonly finished: boolean;
}
export interface CountResult {
  readonly position: number;
  readonly spill: Spill;
}
export interface MergeResult {
  /** Distinct pairs i ≤ j. */
  readonly pairs: number;
}

export const partitionBits = 6;
/** Tokens in one chunk: the learning rate is set anew for each, as often as in the original program. */
export const chunkTokens = 10_000;
export const chunkRecords = 8192;
