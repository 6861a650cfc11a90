/** Answers about pictures for other tools: a table, JSON lines, and pre-annotations for Label Studio. */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../errors.js';
import { writeBeside, writeCsv } from '../formats/index.js';
import type { Progress } from '../progress.js';
import type { AnswerFormat } from './names.js';
import type { DataPicture } from './picture.js';
import { writeTasks } from './write-label-studio.js';

/** What is said of a picture; `category` of the picture is the answer, `weight` how sure it is. */
export interface AnsweredPicture extends DataPicture {
  /** The best of the categories, also where the answer is that it shows none. */
  readonly best: string;
  readonly confidence?: number;
  readonly unlisted?: number;
  readonly runnerUp?: string;
  readonly runnerUpConfidence?: number;
  /** The right answer, where it is known. */
  readonly truth?: string;
}

export interface WriteAnswersOptions {
  /** What can be answered. */
  choices: readonly string[];
  signal?: AbortSignal;
  onProgress?(progress: Progress): void;
}

const columns = {
  picture: ({ id }) => id,
  answer: ({ category }) => category,
  category: ({ best }) => best,
  confidence: ({ confidence }) => confidence,
  unlisted: ({ unlisted }) => unlisted,
  runner_up: ({ runnerUp }) => runnerUp,
  runner_up_confidence: ({ runnerUpConfidence }) => runnerUpConfidence,
  truth: ({ truth }) => truth,
} satisfies Record<string, (picture: AnsweredPicture) => string | number | undefined>;

/** @returns what was written: `answers.csv`, `answers.jsonl`, and the folder `label-studio` */
export async function writeAnswerFiles(
  out: string,
  formats: readonly AnswerFormat[],
  pictures: readonly AnsweredPicture[],
  { choices, signal, onProgress }: WriteAnswersOptions,
): Promise<string[]> {
  const targets = formats.map((format) => join(out, format === 'label-studio' ? format : `answers.${format}`));
  for (const target of targets)
    if (existsSync(target)) throw new UsageError(`${target} is there already`, 'Remove it, or name another --out.');
  await mkdir(out, { recursive: true });
  const rows = pictures.map((picture) => Object.values(columns).map((cell) => cell(picture)));
  const header = Object.keys(columns);
  for (const [i, format] of formats.entries()) {
    if (format === 'csv') await writeCsv(targets[i], rows, { header });
    else if (format === 'jsonl') await writeLines(targets[i], header, rows);
    else {
      let done = 0;
      await writeTasks(targets[i], pictures, choices, () => {
        signal?.throwIfAborted();
        onProgress?.({ done: ++done, total: pictures.length, detail: format });
      });
    }
  }
  return targets;
}

/** A line a picture; what is not known is left out. */
async function writeLines(
  file: string,
  names: readonly string[],
  rows: readonly (readonly (string | number | undefined)[])[],
): Promise<void> {
  await writeBeside(file, async (pending) => {
    for (const row of rows) {
      const record = Object.fromEntries(names.map((name, c) => [name, row[c]]));
      await pending.append(Buffer.from(`${JSON.stringify(record)}\n`));
    }
  });
}
