/** Vectors from the words of the names: looked up in word vectors, which are fetched or trained first where need be. */
import { rm } from 'node:fs/promises';
import {
  type CategoryName,
  describeMissing,
  fetchReadyVectors,
  MissingVectorsError,
  type NameReport,
  type NameVectors,
  nameVectors,
  openVectors,
  readyVectors,
  trainWords,
  type VectorSource,
  writeVectors,
} from '../../language/index.js';
import { inMegabytes } from '../../progress.js';
import type { TrainingSettings } from '../configuration.js';
import { ConfigurationError } from '../read-configuration.js';
import type { StageContext } from '../stage.js';

/** A row of zeros for a name without a vector. */
export async function wordVectors(names: readonly CategoryName[], context: StageContext): Promise<NameVectors> {
  const { configuration, path } = context.workspace;
  const sources: VectorSource[] = [];
  try {
    for (const file of await vectorFiles(context)) sources.push(await openVectors(file));
    const found = await lookUp(names, sources, configuration.words);
    // Encoded corpus and checkpoints are for a run that was killed; this one was not.
    await rm(path('words', 'training'), { recursive: true, force: true });
    noteMissing(found.reports, context);
    return found;
  } finally {
    await Promise.all(sources.map((source) => source.close()));
  }
}

/** At once and in one line each: which names words say nothing of, and which are known in part. */
function noteMissing(reports: readonly NameReport[], { note }: StageContext): void {
  const absent = reports.filter((report) => report.absent);
  const partly = reports.filter((report) => !report.absent && report.missing.flat().length > 0);
  const listed = (some: readonly string[]) => `${some.slice(0, 10).join(', ')}${some.length > 10 ? ', …' : ''}`;
  if (absent.length > 0)
    note(
      `${absent.length} of ${reports.length} names have no word vector, so that words say nothing of them: ${listed(absent.map(({ name }) => name))}; an alias that has one helps`,
    );
  if (partly.length > 0) note(`words without a vector were left out: ${listed(partly.map(describeMissing))}`);
}

/** A name without a vector is said nothing of by words, unless somebody wants to know beforehand. */
async function lookUp(...[names, sources, options]: Required<Parameters<typeof nameVectors>>): Promise<NameVectors> {
  const { missing = 'skip' } = options;
  try {
    return await nameVectors(names, sources, { ...options, missing: missing === 'skip' ? 'zero' : missing });
  } catch (error) {
    if (!(error instanceof MissingVectorsError)) throw error;
    throw new ConfigurationError(
      `${error.message.replace(/^\d+ names? lacks? /, `${error.reports.length} of the names lack word `)}`,
      'Give such a category another name to look up, { name: Geococcyx, aliases: [roadrunner] } under categories or auxiliary.aliases, or set words.missing to skip: words then say nothing of it.',
    );
  }
}

export function isReady(name: string): boolean {
  return readyVectors.some((ready) => ready.name === name);
}

async function vectorFiles(context: StageContext): Promise<string[]> {
  const { workspace, signal, onProgress } = context;
  const { vectors } = workspace.configuration;
  if ('train' in vectors) return trainedFiles(vectors, context);
  const files: string[] = [];
  for (const name of vectors)
    files.push(
      isReady(name)
        ? await fetchReadyVectors(name, {
            signal,
            onProgress: (progress) => onProgress(inMegabytes(progress)),
          })
        : workspace.path(name),
    );
  return files;
}

async function trainedFiles(settings: TrainingSettings, { workspace, signal, onProgress }: StageContext) {
  const { path, configuration } = workspace;
  const { train, minimumCount, models = ['word2vec'], ...rest } = settings;
  const files: string[] = [];
  await trainWords(
    train.map((file) => path(file)),
    path('words', 'training'),
    {
      ...rest,
      models,
      minCount: minimumCount,
      seed: configuration.seed,
      signal,
      onProgress,
      onVectors: async (model, vectors, description) => {
        const file = path('words', `${model}.vectors`);
        await writeVectors(file, vectors, { settings: description });
        files.push(file);
      },
    },
  );
  return files;
}
