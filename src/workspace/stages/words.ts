/** Semantic vectors of all category names: looked up in word vectors, which are fetched or trained first where need be. */
import { mkdir, rm } from 'node:fs/promises';
import { writeFileAtomic, writeNpz } from '../../formats/index.js';
import {
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
import { auxiliaryCategories } from '../pictures.js';
import { ConfigurationError } from '../read-configuration.js';
import { optionInputs, type Stage, type StageContext } from '../stage.js';
import { layout } from '../workspace.js';

export const wordsStage: Stage = {
  name: 'words',
  needs: [],

  async inputs(workspace) {
    const { configuration, fingerprints, path } = workspace;
    const { vectors, words, seed, categories, auxiliary } = configuration;
    const inputs: Record<string, string> = {
      ...optionInputs('words', words),
      vectors: JSON.stringify(vectors),
      'names and aliases': JSON.stringify([
        categories.map(({ name, aliases }) => [name, aliases]),
        (await auxiliaryCategories(workspace)).names,
        auxiliary.aliases,
      ]),
      ...('train' in vectors && { seed: String(seed) }),
    };
    for (const file of 'train' in vectors ? vectors.train : vectors)
      if (!isReady(file)) inputs[`the file ${file}`] = (await fingerprints.ofFile(path(file))) ?? 'missing';
    return inputs;
  },

  outputs: async () => [layout.words, layout.wordReport],

  async run(context) {
    const { workspace } = context;
    const { configuration, path } = workspace;
    await mkdir(path('words'), { recursive: true });
    const auxiliary = (await auxiliaryCategories(workspace)).names.map((name) => ({
      name,
      aliases: configuration.auxiliary.aliases[name] ?? [],
    }));
    const names = [...auxiliary, ...configuration.categories.map(({ name, aliases }) => ({ name, aliases }))];
    const sources: VectorSource[] = [];
    try {
      for (const file of await vectorFiles(context)) sources.push(await openVectors(file));
      const { missing, normalize } = configuration.words;
      const found = await lookUp(names, sources, { missing, normalize });
      const semantics = (from: number, to: number) => found.vectors.view(from, to).copy();
      const list = (some: readonly { name: string }[]) => ({
        shape: [some.length],
        dtype: 'string' as const,
        data: some.map(({ name }) => name),
      });
      await writeNpz(path(layout.words), [
        ['aux_semantics', semantics(0, auxiliary.length)],
        ['aux_names', list(auxiliary)],
        ['test_semantics', semantics(auxiliary.length, names.length)],
        ['test_names', list(configuration.categories)],
      ]);
      // Encoded corpus and checkpoints are for a run that was killed; this one was not.
      await rm(path('words', 'training'), { recursive: true, force: true });
      await writeFileAtomic(path(layout.wordReport), `${JSON.stringify(found.reports, null, 2)}\n`);
      noteMissing(found.reports, context);
      return { summary: `${names.length} names, ${found.vectors.cols} dimensions` };
    } finally {
      await Promise.all(sources.map((source) => source.close()));
    }
  },
};

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

function isReady(name: string): boolean {
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
