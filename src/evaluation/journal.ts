/**
 * What has been done so far, a line of JSON for each job as it ends. A run that was killed reads it and goes on; half a line
 * at the end, left by the kill, is dropped and that job is done again. Predictions go to files of their own first.
 */
import { appendFile, mkdir, readFile, truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FormatError } from '../errors.js';
import { readNpy, writeNpy } from '../formats/index.js';
import type { FitJob, JournalLine } from './results.js';

export class Journal {
  readonly path: string;
  /** Where the predictions are, if the jobs ask for them. */
  readonly predictions: string;
  readonly #lines = new Map<string, JournalLine>();

  private constructor(path: string) {
    this.path = path;
    this.predictions = join(dirname(path), 'predictions');
  }

  /** Reads what is there; nothing, if the file is not. */
  static async open(path: string): Promise<Journal> {
    const journal = new Journal(path);
    await mkdir(dirname(path), { recursive: true });
    const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return Buffer.alloc(0);
      throw error;
    });
    const whole = bytes.lastIndexOf(10) + 1;
    if (whole < bytes.length) await truncate(path, whole);
    for (const [index, text] of bytes.toString('utf8', 0, whole).split('\n').slice(0, -1).entries()) {
      const line = parseLine(path, index + 1, text);
      journal.#lines.set(line.job.id, line);
    }
    return journal;
  }

  /** The outcome of exactly this job, if it ended well before; failed jobs are tried again. */
  async finished(job: FitJob): Promise<JournalLine | undefined> {
    const line = this.#lines.get(job.id);
    if (!line || !('outcome' in line) || JSON.stringify(line.job) !== JSON.stringify(job)) return undefined;
    if (!job.wants?.includes('predictions')) return line;
    const stored = await readNpy(this.predictionFile(job)).catch(() => undefined);
    if (!stored) return undefined;
    return { job, outcome: { ...line.outcome, predictions: Array.from(stored.data as Int32Array) } };
  }

  async append(line: JournalLine): Promise<void> {
    let kept = line;
    if ('outcome' in line && line.outcome.predictions) {
      const { predictions, ...outcome } = line.outcome;
      await mkdir(this.predictions, { recursive: true });
      const data = Int32Array.from(predictions);
      await writeNpy(this.predictionFile(line.job), { shape: [data.length], dtype: 'int32', data });
      kept = { job: line.job, outcome };
    }
    this.#lines.set(line.job.id, kept);
    await appendFile(this.path, `${JSON.stringify(kept)}\n`);
  }

  /** `predictions/METHOD-SEED.npy` */
  predictionFile(job: FitJob): string {
    return join(this.predictions, `${job.id.replace('/seed-', '-').replaceAll('/', '-')}.npy`);
  }
}

function parseLine(path: string, number: number, text: string): JournalLine {
  try {
    const line = JSON.parse(text) as JournalLine;
    if (typeof line.job.id === 'string') return line;
  } catch {
    // No JSON, or none with a job: said below.
  }
  throw new FormatError(path, undefined, `line ${number} is not the record of a job`, 'Start again in a new folder.');
}
