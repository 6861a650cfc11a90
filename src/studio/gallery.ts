/** The gallery of web pictures: columns for all of them at once, details of one, and decisions. */
import { ArgumentError } from '../errors.js';
import { type Decision, recordActs, undoDecision, webDuplicates } from '../workspace/index.js';
import type { DecisionAnswer, Gallery, PictureDetails } from './api.js';
import type { Library } from './library.js';
import { type ListedPicture, readListed } from './web-pictures.js';

/** Words as numbers, in the order in which they first appear. */
class Names {
  readonly #places = new Map<string, number>();

  constructor(known: readonly string[] = []) {
    for (const name of known) this.place(name);
  }

  place(name: string): number {
    const place = this.#places.get(name) ?? this.#places.size;
    this.#places.set(name, place);
    return place;
  }

  list(): string[] {
    return [...this.#places.keys()];
  }
}

export async function gallery(library: Library): Promise<Gallery> {
  const { configuration } = await library.workspace();
  const categories = new Names(configuration.categories.map(({ name }) => name));
  const [sources, reasons] = [new Names(), new Names()];
  const fit = await library.fit();
  const { of: decisions, moved } = await library.decisions();
  const { pictures: leftOut, notice } = await library.leftOut();
  const columns: Omit<Gallery, 'categories' | 'targets' | 'sources' | 'reasons' | 'notice'> = {
    ...{ id: [], title: [], category: [], foundFor: [], source: [], weight: [], reason: [], shown: [], decision: [] },
  };
  const add = (picture: ListedPicture) => {
    columns.id.push(picture.id);
    columns.title.push(picture.title);
    columns.category.push(categories.place(moved.get(picture.id) ?? picture.category));
    columns.foundFor.push(categories.place(picture.category));
    columns.source.push(sources.place(picture.source));
    columns.weight.push(rounded(fit?.weights.get(picture.id)));
    columns.reason.push(picture.reason === undefined ? -1 : reasons.place(picture.reason));
    columns.shown.push(picture.path ? 1 : 0);
    const decision = decisions.get(picture.id);
    columns.decision.push(moved.has(picture.id) ? 3 : decision === 'keep' ? 1 : decision === 'drop' ? 2 : 0);
  };
  for (const picture of (await library.listed()).values()) add(picture);
  for (const picture of leftOut.values()) add(picture);
  return {
    targets: configuration.categories.map(({ name }) => name).sort((a, b) => a.localeCompare(b, 'en')),
    ...{ categories: categories.list(), sources: sources.list(), reasons: reasons.list() },
    ...columns,
    ...(notice !== undefined && { notice }),
  };
}

function rounded(weight: number | undefined): number | null {
  return weight === undefined || !Number.isFinite(weight) ? null : Math.round(weight * 1e4) / 1e4;
}

export async function pictureDetails(library: Library, id: string): Promise<PictureDetails | undefined> {
  const weight = (await library.fit())?.weights.get(id);
  const moved = (await library.decisions()).moved.get(id);
  const placed = (category: string) => (moved === undefined ? { category } : { category: moved, foundFor: category });
  const listed = (await library.listed()).get(id);
  if (listed?.line) {
    const known = await readListed(await library.workspace(), listed.line);
    const { category, source, licence, title, tags, description, comments, author, pageUrl, licenceUrl } = known;
    return {
      ...{ id, ...placed(category), source, licence, title, description, author, weight },
      ...{ tags: tags && [...tags], comments: comments && [...comments] },
      ...{ pageUrl: safeAddress(pageUrl), licenceUrl: safeAddress(licenceUrl) },
    };
  }
  const other = (await library.leftOut()).pictures.get(id);
  if (!other?.leftOut) return undefined;
  const { category, source, title, reason } = other;
  const { pageUrl, licenceUrl, ...rest } = other.leftOut;
  return {
    ...{ id, ...placed(category), source, title, reason, ...rest },
    ...{ pageUrl: safeAddress(pageUrl), licenceUrl: safeAddress(licenceUrl) },
  };
}

/** An address from the web becomes a link only where following it can do nothing but open a page. */
function safeAddress(address: string | undefined): string | undefined {
  return address !== undefined && /^https?:\/\//i.test(address) ? address : undefined;
}

const mostAtOnce = 100_000;

/** Keeps, drops or forgets pictures, or moves them to another category. */
export async function decide(library: Library, request: object): Promise<DecisionAnswer> {
  const { decision, move, ids } = request as { decision?: unknown; move?: unknown; ids?: unknown };
  if (move === undefined && decision !== 'keep' && decision !== 'drop' && decision !== 'none')
    throw new ArgumentError(`decision is ${JSON.stringify(decision)}; "keep", "drop" or "none" was expected`);
  if (!Array.isArray(ids) || ids.length === 0 || ids.length > mostAtOnce)
    throw new ArgumentError(`ids must be a list of 1 to ${mostAtOnce} pictures`);
  const workspace = await library.workspace();
  if (move !== undefined && !workspace.configuration.categories.some(({ name }) => name === move))
    throw new ArgumentError(
      `${JSON.stringify(move)} is none of the categories`,
      'Pictures are moved to one of the categories; drop those that show none.',
    );
  const listed = await library.listed();
  const duplicates = decision === 'drop' ? undefined : await webDuplicates(workspace);
  const unknown = ids.find((id) => typeof id !== 'string' || !(listed.has(id) || duplicates?.has(id)));
  if (unknown !== undefined)
    throw new ArgumentError(
      `${JSON.stringify(unknown)} is none of the web pictures that a fit could use`,
      'Of what was left out, only duplicates of other web pictures can be taken back.',
    );
  const act = move === undefined ? { decision: decision as Decision } : { move: move as string };
  await recordActs(workspace, [{ ...act, ids: ids as string[] }]);
  return standing(library);
}

export async function undo(library: Library): Promise<DecisionAnswer> {
  await undoDecision(await library.workspace());
  return standing(library);
}

export async function standing(library: Library): Promise<DecisionAnswer> {
  const { of, moved, undoable } = await library.decisions();
  const drop = [...of.values()].filter((decision) => decision === 'drop').length;
  return { keep: of.size - drop, drop, undoable, of: Object.fromEntries(of), moved: Object.fromEntries(moved) };
}
