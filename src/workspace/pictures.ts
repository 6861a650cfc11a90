/** The pictures of a workspace: the user's own folders, and what the crawl left, as lists. */
import { readFile, realpath, stat } from 'node:fs/promises';
import { UsageError } from '../errors.js';
import { validationCategoryCount } from '../problem/index.js';
import {
  hasPictures,
  openFolderPictures,
  type Picture,
  type PictureSource,
  pictureCategories,
} from '../vision/index.js';
import { ConfigurationError, configurationFile } from './read-configuration.js';
import { layout, type Workspace } from './workspace.js';

export interface AuxiliaryCategories {
  /** Those that play test categories first, then by name. */
  readonly names: readonly string[];
  /** The first of them. */
  readonly validation: readonly string[];
}

export async function auxiliaryCategories(workspace: Workspace): Promise<AuxiliaryCategories> {
  const { auxiliary, categories } = workspace.configuration;
  const folder = workspace.path(auxiliary.folder);
  await requireFolder(folder, 'auxiliary', auxiliary.folder);
  const found = await pictureCategories(folder);
  if (found.length < 2)
    throw new ConfigurationError(
      `${configurationFile}: auxiliary is ${auxiliary.folder}, which has ${found.length} sub-folders; one for each auxiliary category was expected, at least two`,
    );
  for (const name of found)
    if (!(await hasPictures(folder, name)))
      throw new ConfigurationError(
        `${configurationFile}: auxiliary is ${auxiliary.folder}, and there is no picture in its sub-folder "${name}"`,
        'Put clean pictures of the category there, or remove the folder.',
      );
  const test = new Set(categories.map(({ name }) => name));
  const both = found.find((name) => test.has(name));
  if (both !== undefined)
    throw new ConfigurationError(
      `"${both}" is one of the categories and an auxiliary category (${auxiliary.folder}/${both})`,
      'A category with clean labelled pictures needs no web pictures: remove it from one of the two.',
    );
  for (const name of [...(auxiliary.validation ?? []), ...Object.keys(auxiliary.aliases)])
    if (!found.includes(name))
      throw new ConfigurationError(
        `${configurationFile}: auxiliary names "${name}", but ${auxiliary.folder} has no such sub-folder`,
      );
  const first = auxiliary.validation ?? [];
  const names = [...first, ...found.filter((name) => !first.includes(name))];
  return { names, validation: names.slice(0, validationCategoryCount(names.length, categories.length)) };
}

/** The sub-folder of test pictures that are known to show none of the categories, unless one of these bears the name. */
export const unlistedFolder = 'unlisted';

/** Test pictures lie in one folder, or in one sub-folder for each category; not partly the one, partly the other. */
export async function openTestPictures(workspace: Workspace): Promise<PictureSource> {
  const { test, categories, answers } = workspace.configuration;
  await requireFolder(workspace.path(test), 'test', test);
  await requireOwnFolder(workspace);
  const source = await openFolderPictures(workspace.path(test)).catch((error) => {
    if (!(error instanceof UsageError)) throw error;
    throw new ConfigurationError(
      `${configurationFile}: test is ${test}, and there is no picture in it`,
      'Put the pictures to classify there, in sub-folders named like the categories where the answers are known.',
    );
  });
  // Some systems write ä as one character, others as two.
  const others = answers === 'all' ? (await auxiliaryCategories(workspace)).names : [];
  const known = new Set(
    [...categories.map(({ name }) => name), ...others, unlistedFolder].map((one) => one.normalize()),
  );
  let labelled = 0;
  for await (const { category, path } of source.pictures()) {
    if (category === undefined) continue;
    labelled++;
    if (!known.has(category.normalize()))
      throw new ConfigurationError(
        `the test picture ${path} lies in a sub-folder "${category}", which is none of the categories`,
        `Sub-folders of the test pictures are named like the categories, or "${unlistedFolder}" for what shows none of them; pictures of which nothing is known lie in the folder itself.`,
      );
  }
  if (labelled > 0 && labelled < source.count)
    throw new ConfigurationError(
      `${labelled} of ${source.count} test pictures lie in sub-folders of ${test}, the others beside them`,
      'Put all of them into sub-folders named like the categories, or none.',
    );
  return source;
}

/** Links may lead two names to one folder. */
async function requireOwnFolder({ configuration: { test, auxiliary }, path }: Workspace): Promise<void> {
  const [own, other] = await Promise.all([test, auxiliary.folder].map((one) => realpath(path(one)).catch(() => one)));
  if (own === other)
    throw new ConfigurationError(
      `${configurationFile}: test (${test}) and auxiliary (${auxiliary.folder}) lead to the same folder, ${own}`,
      'Pictures to classify must not be among those that are learnt from.',
    );
}

async function requireFolder(path: string, key: string, written: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isDirectory())
    throw new ConfigurationError(
      `${configurationFile}: ${key} is ${written}; ${found ? 'that is no folder' : `there is no folder ${path}`}`,
      'Paths are relative to the workspace; where it was moved alone, they need to be written anew.',
    );
}

/** A web picture as the later stages see it. */
export interface WebPicture extends Picture {
  readonly category: string;
  readonly source: string;
  readonly rank: number;
  /** Its address at the source. */
  readonly address: string;
  readonly sha256: string;
  readonly licence: string;
  readonly licenceUrl?: string;
  readonly title?: string;
  readonly tags?: readonly string[];
  readonly description?: string;
  /** Texts of comments. */
  readonly comments?: readonly string[];
  readonly author?: string;
  readonly pageUrl?: string;
}

/** What the removal of duplicates left, by category, source and rank. */
export async function webPictures(workspace: Workspace): Promise<WebPicture[]> {
  const lines = (await readFile(workspace.path(layout.pictures), 'utf8')).split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as WebPicture);
}

export function listSource(folder: string, pictures: readonly Picture[]): PictureSource {
  return {
    folder,
    count: pictures.length,
    async *pictures() {
      yield* pictures;
    },
    close: async () => {},
  };
}
