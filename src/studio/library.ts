/** What the studio knows of its workspace: read when it is first asked for, and again when the files have changed. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { csvRecords } from '../formats/index.js';
import {
  configurationFile,
  featureFolder,
  layout,
  openWorkspace,
  type PictureSet,
  readDecisions,
  type Workspace,
  workIsOn,
} from '../workspace/index.js';
import { confined, readableRoots } from './confinement.js';
import { FileCache } from './file-cache.js';
import { fitIds, type KeptFit, keepFit, openFit, openStandingFit } from './history.js';
import { type ListedPicture, listLeftOut, listPictures } from './web-pictures.js';

type Listed = ReadonlyMap<string, ListedPicture>;

export class Library {
  readonly folder: string;
  readonly #workspace: FileCache<Workspace>;
  readonly #listed: FileCache<Listed>;
  readonly #own: Record<'auxiliary' | 'test', FileCache<ReadonlyMap<string, OwnPicture>>>;
  readonly #fit: FileCache<KeptFit | undefined>;
  readonly #decisions: FileCache<Awaited<ReturnType<typeof readDecisions>>>;
  #listing: Promise<ListedPicture[]> | undefined;
  /** The catalog's other pictures, and those that they are other than. */
  #leftOut: { listed: Listed; pictures: Listed } | undefined;

  constructor(folder: string) {
    this.folder = folder;
    const file = (path: string) => join(folder, path);
    this.#workspace = new FileCache(
      () => [file(configurationFile)],
      () => openWorkspace(folder),
    );
    this.#listed = new FileCache(
      () => [file(layout.pictures)],
      async () => byId(await listPictures(await this.workspace())),
    );
    const own = (set: PictureSet) =>
      new FileCache(
        () => [file(`${featureFolder(set)}/index.csv`)],
        () => ownPictures(file(`${featureFolder(set)}/index.csv`)),
      );
    this.#own = { auxiliary: own('auxiliary'), test: own('test') };
    this.#fit = new FileCache(
      () => [file(layout.state)],
      async () => {
        const workspace = await this.workspace();
        if (!(await keepFit(workspace))) {
          const standing = await openStandingFit(workspace);
          if (standing) return standing;
        }
        const [newest] = await fitIds(workspace);
        return newest === undefined ? undefined : openFit(workspace, newest);
      },
    );
    this.#decisions = new FileCache(
      () => [file(layout.decisions)],
      async () => readDecisions(await this.workspace()),
    );
  }

  workspace(): Promise<Workspace> {
    return this.#workspace.get();
  }

  /** The newest fit that ended, with its pictures; it stays the last one while another is at work. */
  fit(): Promise<KeptFit | undefined> {
    return this.#fit.get();
  }

  decisions() {
    return this.#decisions.get();
  }

  listed(): Promise<Listed> {
    return this.#listed.get();
  }

  /** The catalog's other pictures; those last seen while something else has the catalog. */
  async leftOut(): Promise<{ pictures: Listed; notice?: string }> {
    const workspace = await this.workspace();
    const missing = 'pictures that the crawl left out are shown when the run has ended';
    if (await workIsOn(workspace)) return { pictures: this.#leftOut?.pictures ?? new Map(), notice: missing };
    const listed = await this.listed();
    if (this.#leftOut?.listed !== listed)
      try {
        // A process opens a catalog once; whoever asks meanwhile gets the same answer.
        this.#listing ??= listLeftOut(workspace);
        const pictures = (await this.#listing).filter(({ id }) => !listed.has(id));
        this.#leftOut = { listed, pictures: byId(pictures) };
      } catch (error) {
        return { pictures: new Map(), notice: `pictures that were left out: ${(error as Error).message}` };
      } finally {
        this.#listing = undefined;
      }
    return { pictures: this.#leftOut.pictures };
  }

  async own(set: 'auxiliary' | 'test'): Promise<ReadonlyMap<string, OwnPicture>> {
    return this.#own[set].get();
  }

  /** The file of a picture, if it lies where pictures may be read. */
  async pictureFile(set: PictureSet, id: string): Promise<string | undefined> {
    const workspace = await this.workspace();
    const { configuration, path } = workspace;
    let file: string | undefined;
    if (set === 'web') {
      const known = (await this.listed()).get(id) ?? (await this.leftOut()).pictures.get(id);
      file = known?.path && path(known.path);
    } else {
      const known = (await this.own(set)).get(id);
      file = known && path(set === 'test' ? configuration.test : configuration.auxiliary.folder, known.path);
    }
    return file && confined(file, readableRoots(workspace));
  }
}

export interface OwnPicture {
  id: string;
  path: string;
  /** Empty where it is not known. */
  category: string;
}

async function ownPictures(index: string): Promise<ReadonlyMap<string, OwnPicture>> {
  const pictures = new Map<string, OwnPicture>();
  if (!existsSync(index)) return pictures;
  let header = true;
  for await (const { fields } of csvRecords(index)) {
    const [id, path, category] = fields;
    if (!header) pictures.set(id, { id, path, category });
    header = false;
  }
  return pictures;
}

function byId(pictures: readonly ListedPicture[]): Listed {
  return new Map(pictures.map((picture) => [picture.id, picture]));
}
