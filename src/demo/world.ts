/** The aviary on disk: labelled pictures of auxiliary species, pictures to classify, the corpus; and the photos of the site. */
import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { Random } from '../linalg/index.js';
import type { Progress } from '../progress.js';
import { writeCorpus } from './corpus.js';
import { photograph } from './photograph.js';
import { type Photo, planPhotos } from './photos.js';
import { aviary, type Species } from './species.js';

export interface WorldOptions {
  readonly seed: number;
  /** @default 12, 24 */
  readonly testSpecies?: number;
  readonly auxiliarySpecies?: number;
  /** Pictures of each species. @default 20, 25, 32 */
  readonly testPictures?: number;
  readonly auxiliaryPictures?: number;
  readonly webPhotos?: number;
  readonly signal?: AbortSignal;
  onProgress?(progress: Progress): void;
}

export interface World {
  readonly test: readonly Species[];
  readonly auxiliary: readonly Species[];
  /** What the site holds, with the truth about each. */
  readonly photos: readonly Photo[];
}

/** Files and folders it makes, relative to the folder given. */
export const worldLayout = { auxiliary: 'auxiliary', test: 'test', corpus: 'corpus.txt' } as const;

const streams = { auxiliary: 4, test: 5 } as const;

/** Draws into `folder`. Pictures that are there already are left: they belong to the same seed, or the folder to another. */
export async function writeWorld(folder: string, options: WorldOptions): Promise<World> {
  const { seed, testPictures = 20, auxiliaryPictures = 25, webPhotos = 32, signal } = options;
  const { test, auxiliary } = aviary(options.testSpecies, options.auxiliarySpecies);
  const all = [...test, ...auxiliary];
  await mkdir(folder, { recursive: true });
  await writeAtOnce(join(folder, worldLayout.corpus), writeCorpus(all, seed));
  const jobs = [
    ...pictureJobs(folder, 'auxiliary', auxiliary, auxiliaryPictures),
    ...pictureJobs(folder, 'test', test, testPictures),
  ];
  for (const folderOfSpecies of new Set(jobs.map(({ path }) => dirname(path))))
    await mkdir(folderOfSpecies, { recursive: true });
  let next = 0;
  let done = 0;
  const draw = async () => {
    while (next < jobs.length) {
      signal?.throwIfAborted();
      const { path, species, set, number } = jobs[next++];
      const random = new Random(seed).fork(streams[set]).fork(number);
      if (!existsSync(path)) await writeAtOnce(path, await photograph(species, random));
      options.onProgress?.({ done: ++done, total: jobs.length });
    }
  };
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, draw));
  return { test, auxiliary, photos: planPhotos(all, { seed, perSpecies: webPhotos }) };
}

interface PictureJob {
  readonly path: string;
  readonly species: Species;
  readonly set: keyof typeof streams;
  readonly number: number;
}

function pictureJobs(folder: string, set: PictureJob['set'], species: readonly Species[], count: number): PictureJob[] {
  return species.flatMap((one, category) =>
    Array.from({ length: count }, (_, i) => ({
      path: join(folder, worldLayout[set], one.name, `${String(i + 1).padStart(3, '0')}.jpg`),
      species: one,
      set,
      number: category * 10_000 + i,
    })),
  );
}

async function writeAtOnce(path: string, content: string | Buffer): Promise<void> {
  await writeFile(`${path}.part`, content);
  await rename(`${path}.part`, path);
}
