/** How the categories relate: a map of the learnt space, neighbours by their words, and what is taken for what. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accuracyIntervals, noneOfThese, verdict } from '../fit/index.js';
import { readNpz, toMatrix } from '../formats/index.js';
import { auxiliaryCategories, layout, type Workspace } from '../workspace/index.js';
import type { CategoriesView, ConfusedPictures, NamedPicture } from './api.js';
import { categoryMap } from './category-map.js';
import { FileCache } from './file-cache.js';
import type { KeptFit } from './history.js';
import type { Library } from './library.js';
import { cosine } from './nearest.js';

const nearestShown = 5;
const mostShown = 24;

export class Categories {
  readonly #library: Library;
  readonly #view: FileCache<CategoriesView>;

  constructor(library: Library) {
    this.#library = library;
    this.#view = new FileCache(
      () => [join(library.folder, layout.state)],
      () => this.#compute(),
    );
  }

  view(): Promise<CategoriesView> {
    return this.#view.get();
  }

  async #compute(): Promise<CategoriesView> {
    const workspace = await this.#library.workspace();
    const names = workspace.configuration.categories.map(({ name }) => name);
    const fit = await this.#library.fit();
    const truths = await this.#truths();
    const neighbours = await nearestAuxiliary(workspace, names);
    const listed = await this.#library.listed();
    const categoryOf = (id: string) => listed.get(id)?.category;
    const found = counts(fit?.rows.web.map((id) => categoryOf(id) ?? '') ?? []);
    const tested = counts([...truths.values()]);
    const said = counts([...(fit?.predictions.values() ?? [])].map(verdict));
    const intervals = fit && accuracyIntervals(fit.metrics).categories;
    const cards = names.map((name) => ({
      name,
      webPictures: found.get(name) ?? 0,
      testPictures: tested.get(name) ?? 0,
      accuracy: fit?.metrics.categories?.[name],
      interval: intervals?.[name],
      answers: said.get(name) ?? 0,
      wordless: neighbours.get(name) === 'wordless',
      nearest: nearestOf(neighbours.get(name)),
    }));
    if (!fit) return { names, cards };
    const map = await categoryMap({ workspace, fit, names, truths, categoryOf });
    return { names, cards, ...(map && { map }), ...confusionOf(fit, names, truths), ...strangersOf(fit) };
  }

  /** The test pictures that are of one category and were taken for another, beside web pictures of both. */
  async confused(truth: string, predicted: string): Promise<ConfusedPictures> {
    const fit = await this.#library.fit();
    const truths = await this.#truths();
    const mistaken = [...(fit?.predictions ?? [])]
      .filter(([id, { name }]) => name === predicted && truths.get(id) === truth)
      .sort(([, a], [, b]) => b.margin - a.margin)
      .map(([id, { confidence }]) => ({ ...named('test', id, truth), confidence }))
      .slice(0, mostShown);
    const [ofTruth, ofPredicted] = await Promise.all([this.#trusted(truth, fit), this.#trusted(predicted, fit)]);
    return { truth, predicted, mistaken, ofTruth, ofPredicted };
  }

  /** Web pictures of a category that are trusted most. */
  async examples(category: string): Promise<NamedPicture[]> {
    return (await this.#trusted(category, await this.#library.fit())).slice(0, 3);
  }

  async #truths(): Promise<ReadonlyMap<string, string>> {
    const pictures = await this.#library.own('test');
    return new Map([...pictures.values()].flatMap(({ id, category }) => (category ? [[id, category]] : [])));
  }

  /** Web pictures of a category, those with the highest weights first. */
  async #trusted(category: string, fit: KeptFit | undefined): Promise<NamedPicture[]> {
    const listed = [...(await this.#library.listed()).values()].filter((picture) => picture.category === category);
    const weight = (id: string) => fit?.weights.get(id) ?? 0;
    return listed
      .sort((a, b) => weight(b.id) - weight(a.id))
      .slice(0, 8)
      .map(({ id, title }) => ({ ...named('web', id, category), label: title || category }));
  }
}

function counts(values: readonly string[]): ReadonlyMap<string, number> {
  const result = new Map<string, number>();
  for (const value of values) result.set(value, (result.get(value) ?? 0) + 1);
  return result;
}

function named(set: NamedPicture['set'], id: string, category: string): NamedPicture {
  return { set, id, label: id.split('/').at(-1) ?? id, category };
}

/** Pictures that are likelier strangers than not, in the groups of the fit. */
function strangersOf({ predictions, strangerGroups }: KeptFit): Pick<CategoriesView, 'strangers'> {
  const answers = [...predictions];
  if (answers.every(([, { unlisted }]) => unlisted === undefined)) return {};
  const strange = answers
    .filter(([, answer]) => verdict(answer) === noneOfThese)
    .sort(([, a], [, b]) => b.unlisted! - a.unlisted!);
  const inGroup = (group: number | undefined) => {
    const own = strange.filter(([, answer]) => answer.group === group);
    const pictures = own.slice(0, mostShown).map(([id, { name, unlisted }]) => ({
      ...named('test', id, name),
      unlisted: unlisted!,
    }));
    return { count: own.length, pictures };
  };
  const groups = [
    ...strangerGroups.map(({ group, nearestListed, nearestAuxiliary }) => ({
      ...{ nearestListed, nearestAuxiliary },
      ...inGroup(group),
    })),
    inGroup(undefined),
  ].filter(({ count }) => count > 0);
  return { strangers: { pictures: strange.length, of: answers.length, groups } };
}

function confusionOf(fit: KeptFit, names: readonly string[], truths: ReadonlyMap<string, string>) {
  if (truths.size === 0) return {};
  const place = new Map(names.map((name, i) => [name, i]));
  const confusion = names.map(() => names.map(() => 0));
  for (const [id, { name }] of fit.predictions) {
    const [row, column] = [place.get(truths.get(id) ?? ''), place.get(name)];
    if (row !== undefined && column !== undefined) confusion[row][column]++;
  }
  return { confusion };
}

type Neighbours = { name: string; likeness: number }[];

function nearestOf(found: Neighbours | 'wordless' | undefined): Neighbours {
  return found === undefined || found === 'wordless' ? [] : found;
}

/** By the words of the names; a name without a vector is near nothing. */
async function nearestAuxiliary(workspace: Workspace, names: readonly string[]) {
  const result = new Map<string, Neighbours | 'wordless'>();
  const file = workspace.path(layout.words);
  if (!existsSync(file)) return result;
  const arrays = await readNpz(file);
  const matrix = (name: string) => toMatrix(arrays.get(name)!, 'float64', { name, file });
  const [auxiliary, test] = [matrix('aux_semantics'), matrix('test_semantics')];
  const { names: others } = await auxiliaryCategories(workspace);
  if (auxiliary.rows !== others.length || test.rows !== names.length) return result;
  const absent = await wordlessNames(workspace);
  const known = (name: string, vector: Float64Array) => !absent.has(name) && vector.some((value) => value !== 0);
  for (const [c, name] of names.entries())
    result.set(
      name,
      known(name, test.row(c))
        ? others
            .flatMap((other, a) =>
              known(other, auxiliary.row(a)) ? [{ name: other, likeness: cosine(test.row(c), auxiliary.row(a)) }] : [],
            )
            .sort((a, b) => b.likeness - a.likeness)
            .slice(0, nearestShown)
        : 'wordless',
    );
  return result;
}

/** Names of which none of the kinds of vectors says anything. */
async function wordlessNames(workspace: Workspace): Promise<ReadonlySet<string>> {
  const text = await readFile(workspace.path(layout.wordReport), 'utf8').catch(() => '[]');
  const kinds = JSON.parse(text) as { absent: readonly string[] }[];
  const [first, ...others] = kinds.map(({ absent }) => new Set(absent));
  return new Set([...(first ?? [])].filter((name) => others.every((absent) => absent.has(name))));
}
