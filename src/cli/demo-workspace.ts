/** The workspace of the demonstration: the aviary on disk, its photo site, and the bowerbird.yaml that leads to both. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  openPhotoSite,
  type PhotoSite,
  type World,
  type WorldOptions,
  worldLayout,
  writeWorld,
} from '../demo/index.js';
import { UsageError } from '../errors.js';
import { writeFileAtomic } from '../formats/index.js';
import { validationCategoryCount } from '../problem/index.js';
import { configurationFile, configurationText, type WrittenConfiguration } from '../workspace/index.js';

/** The method that the demonstration is about. */
export const demoMethod = 'bowerbird';

/** What the table of the demonstration shows, and what each method learns from, in words. */
export const comparedMethods: Readonly<Record<string, string>> = {
  [demoMethod]: 'everything',
  paper: 'everything, as in the paper',
  'paper-pi': 'everything and the text, as in the paper',
  'paper-zsl': 'names only, as in the paper',
  'paper-wsl': 'web only, as in the paper',
  eszsl: 'names only (ESZSL)',
  lr: 'web only (ridge regression)',
};

export interface DemoSize {
  readonly world: Omit<WorldOptions, 'seed'>;
  readonly webPictures: number;
  /** Of the search for the parameters of the other methods. */
  readonly trials: number;
}

export const fullSize: DemoSize = { world: {}, webPictures: 30, trials: 12 };
export const smallSize: DemoSize = {
  world: { testSpecies: 4, auxiliarySpecies: 8, testPictures: 5, auxiliaryPictures: 5, webPhotos: 10 },
  webPictures: 10,
  trials: 2,
};

export interface DemoWorkspace {
  readonly world: World;
  readonly site: PhotoSite;
}

interface DemoRecord {
  seed: number;
  size: DemoSize;
  /** Of the photo site, once it was open. */
  port?: number;
}

const recordFile = 'aviary.json';
const keyFile = 'keys.txt';
const truthFile = 'truth.csv';

/**
 * Draws the aviary into `folder` and opens its photo site. A folder that holds the same aviary already is taken up again,
 * with the site at its old address, so that nothing has to be crawled twice.
 */
export async function openDemoWorkspace(
  folder: string,
  seed: number,
  size: DemoSize,
  options: Pick<WorldOptions, 'signal' | 'onProgress'>,
): Promise<DemoWorkspace> {
  const before = await readRecord(folder, seed, size);
  await mkdir(folder, { recursive: true });
  // Before the first picture, so that a run that was killed while drawing is recognized.
  await writeRecord(folder, { seed, size, ...before });
  const world = await writeWorld(folder, { ...size.world, seed, ...options });
  const site = await openAgain(world, seed, before?.port);
  try {
    await writeRecord(folder, { seed, size, port: Number(new URL(site.endpoint).port) });
    await writeFileAtomic(join(folder, keyFile), `FLICKR_API_KEY=${site.apiKey}\n`);
    await writeFileAtomic(join(folder, truthFile), truthTable(world, site));
    await writeFileAtomic(join(folder, configurationFile), configurationText(configuration(world, site, seed, size)));
    return { world, site };
  } catch (error) {
    await site.close();
    throw error;
  }
}

async function writeRecord(folder: string, record: DemoRecord): Promise<void> {
  await writeFileAtomic(join(folder, recordFile), `${JSON.stringify(record, null, 2)}\n`);
}

async function readRecord(folder: string, seed: number, size: DemoSize): Promise<DemoRecord | undefined> {
  const found = await readdir(folder).catch(() => []);
  if (found.length === 0) return undefined;
  const file = join(folder, recordFile);
  if (!existsSync(file))
    throw new UsageError(
      `${folder} is not empty and holds no demonstration`,
      'Name a folder that does not exist yet, or one that an earlier "bowerbird demo --out" made.',
    );
  const record = JSON.parse(await readFile(file, 'utf8')) as DemoRecord;
  if (record.seed !== seed || JSON.stringify(record.size) !== JSON.stringify(size))
    throw new UsageError(
      `${folder} holds another demonstration (seed ${record.seed}, ${record.size.webPictures} web pictures a species)`,
      'Name another folder, or give the options it was made with.',
    );
  return record;
}

/** At the port it had, unless somebody else is there now. */
async function openAgain(world: World, seed: number, port: number | undefined): Promise<PhotoSite> {
  if (port !== undefined)
    try {
      return await openPhotoSite(world.photos, { seed, port });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  return openPhotoSite(world.photos, { seed });
}

function truthTable({ photos }: World, site: PhotoSite): string {
  return `address,kind\n${photos.map((photo) => `${site.address(photo)},${photo.kind}\n`).join('')}`;
}

function configuration(world: World, site: PhotoSite, seed: number, size: DemoSize): WrittenConfiguration {
  const validation = validationCategoryCount(world.auxiliary.length, world.test.length);
  return {
    name: 'aviary',
    seed,
    categories: world.test.map(({ name }) => name),
    auxiliary: {
      folder: worldLayout.auxiliary,
      // The first by name would all be barred or collared, and then nobody else would be.
      validation: world.auxiliary.slice(0, validation).map(({ name }) => name),
    },
    test: worldLayout.test,
    sources: [{ source: 'flickr', endpoint: site.endpoint, rate: 1000 }],
    crawl: {
      perCategory: size.webPictures,
      keys: keyFile,
      allowAddresses: ['127.0.0.0/8'],
    },
    // Drawings resemble one another more than photographs do: one bird, a blurred background.
    dedupe: { radius: 6, likeness: 0.95 },
    model: 'mobilenet-v2-0.35',
    // One thread, so that the vectors repeat to the bit.
    vectors: { train: [worldLayout.corpus], dim: 50, epochs: 100, minimumCount: 2, threads: 1 },
    learner: { method: demoMethod },
    compare: { methods: Object.keys(comparedMethods), tune: size.trials },
    truth: { file: truthFile },
  };
}
