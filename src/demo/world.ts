/** The aviary on disk: labelled pictures of auxiliary species, pictures to classify, the corpus; and the photos of the site. */
import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { Random } from '../linalg/index.js';
import type { Progress } from '../progress.js';
import { writeCorpus } from './corpus.js';
import { type OffTopicSubject, offTopicScene, offTopicSubjects } from './off-topic.js';
import { develop, photograph } from './photograph.js';
import { type Photo, planPhotos } from './photos.js';
import { aviary, type Species } from './species.js';

export interface WorldOptions {
  readonly seed: number;
  /** @default 12, 24 */
  readonly testSpecies?: number;
  readonly auxiliarySpecies?: number;
  /** Pictures of each species; test species have as many on average. @default 20, 25, 32 */
  readonly testPictures?: number;
  readonly auxiliaryPictures?: number;
  readonly webPhotos?: number;
  readonly signal?: AbortSignal;
  onProgress?(progress: Progress): void;
}

export interface World {
  readonly test: readonly Species[];
  readonly auxiliary: readonly Species[];
  /** Among the test pictures, and on no list. */
  readonly strangers: readonly Species[];
  /** What the site holds, with the truth about each. */
  readonly photos: readonly Photo[];
}

/** Files and folders it makes, relative to the folder given. */
export const worldLayout = {
  auxiliary: 'auxiliary',
  test: 'test',
  strangers: 'test/unlisted',
  corpus: 'corpus.txt',
} as const;

const streams = { auxiliary: 4, test: 5, strangers: 6 } as const;
const shareStream = 7;
/** The most frequent test species has so many times the pictures of the rarest. */
const mostOverLeast = 10;
const offTopicFolder = 'something else';

/** Draws into `folder`. Pictures that are there already are left: they belong to the same seed, or the folder to another. */
export async function writeWorld(folder: string, options: WorldOptions): Promise<World> {
  const { seed, testPictures = 20, auxiliaryPictures = 25, webPhotos = 32, signal } = options;
  const { test, auxiliary, strangers } = aviary(options.testSpecies, options.auxiliarySpecies);
  const all = [...test, ...auxiliary];
  await mkdir(folder, { recursive: true });
  await writeAtOnce(join(folder, worldLayout.corpus), writeCorpus(all, seed));
  const jobs = [
    ...pictureJobs(folder, 'auxiliary', auxiliary, () => auxiliaryPictures),
    ...pictureJobs(folder, 'test', test, unequalCounts(test.length, testPictures, seed)),
    ...pictureJobs(folder, 'strangers', strangers, () => Math.ceil(0.75 * testPictures)),
    ...offTopicJobs(folder, Math.ceil(testPictures / 2), strangers.length),
  ];
  for (const folderOfSpecies of new Set(jobs.map(({ path }) => dirname(path))))
    await mkdir(folderOfSpecies, { recursive: true });
  let next = 0;
  let done = 0;
  const work = async () => {
    while (next < jobs.length) {
      signal?.throwIfAborted();
      const { path, shown, set, number } = jobs[next++];
      const random = new Random(seed).fork(streams[set]).fork(number);
      if (!existsSync(path)) await writeAtOnce(path, await draw(shown, random));
      options.onProgress?.({ done: ++done, total: jobs.length, unit: 'pictures' });
    }
  };
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, work));
  return { test, auxiliary, strangers, photos: planPhotos(all, { seed, perSpecies: webPhotos }) };
}

/** Numbers of pictures of test species, as unequal as in a folder of one's own; which is frequent depends on the seed. */
export function unequalCounts(species: number, mean: number, seed: number): (category: number) => number {
  const order = new Random(seed).fork(shareStream).permutation(species);
  const shares = Array.from(order, (place) => mostOverLeast ** (-place / Math.max(1, species - 1)));
  const total = shares.reduce((sum, share) => sum + share, 0);
  return (category) => Math.max(1, Math.round((mean * species * shares[category]) / total));
}

function draw(shown: Species | OffTopicSubject, random: Random): Promise<Buffer> {
  return typeof shown === 'string' ? develop(offTopicScene(shown, random), random) : photograph(shown, random);
}

interface PictureJob {
  readonly path: string;
  readonly shown: Species | OffTopicSubject;
  readonly set: keyof typeof streams;
  readonly number: number;
}

function pictureJobs(
  folder: string,
  set: PictureJob['set'],
  species: readonly Species[],
  count: (category: number) => number,
): PictureJob[] {
  return species.flatMap((one, category) =>
    Array.from({ length: count(category) }, (_, i) => ({
      path: join(folder, worldLayout[set], one.name, fileName(i)),
      ...{ shown: one, set, number: category * 10_000 + i },
    })),
  );
}

function offTopicJobs(folder: string, count: number, category: number): PictureJob[] {
  return Array.from({ length: count }, (_, i) => ({
    path: join(folder, worldLayout.strangers, offTopicFolder, fileName(i)),
    shown: offTopicSubjects[i % offTopicSubjects.length],
    ...{ set: 'strangers' as const, number: category * 10_000 + i },
  }));
}

function fileName(i: number): string {
  return `${String(i + 1).padStart(3, '0')}.jpg`;
}

async function writeAtOnce(path: string, content: string | Buffer): Promise<void> {
  await writeFile(`${path}.part`, content);
  await rename(`${path}.part`, path);
}
