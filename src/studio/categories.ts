/** How the categories relate: a map of the learnt space, neighbours by their words, and what is taken for what. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readNpy, readNpz, toMatrix } from '../formats/index.js';
import { createBackend } from '../linalg/index.js';
import { Matrix } from '../linalg/matrix.js';
import { readCategoryVectors } from '../report/category-vectors.js';
import { principalPlane } from '../report/projection.js';
import { layout, type Workspace } from '../workspace/index.js';
import { auxiliaryCategories } from '../workspace/pictures.js';
import type { CategoriesView, ConfusedPictures, NamedPicture } from './api.js';
import { FromFiles } from './from-files.js';
import type { KeptFit } from './history.js';
import type { Library } from './library.js';

const nearestShown = 5;
const mostDots = 3000;
const mostShown = 24;

export class Categories {
  readonly #library: Library;
  readonly #view: FromFiles<CategoriesView>;

  constructor(library: Library) {
    this.#library = library;
    this.#view = new FromFiles(
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
    const weights = await this.#weights(fit);
    const cards = names.map((name) => {
      const own = weights.get(name) ?? [];
      return {
        name,
        webPictures: own.length,
        testPictures: [...truths.values()].filter((truth) => truth === name).length,
        accuracy: fit?.metrics.categories?.[name],
        ...(own.length > 0 && { meanWeight: own.reduce((sum, weight) => sum + weight, 0) / own.length }),
        nearest: neighbours.get(name) ?? [],
      };
    });
    return {
      names,
      cards,
      ...(fit && { ...(await mapOf(workspace, fit, names, truths)), ...confusionOf(fit, names, truths) }),
    };
  }

  /** The test pictures that are of one category and were taken for another, beside web pictures of both. */
  async confused(truth: string, predicted: string): Promise<ConfusedPictures> {
    const fit = await this.#library.fit();
    const truths = await this.#truths();
    const mistaken = [...(fit?.predictions ?? [])]
      .filter(([id, { name }]) => name === predicted && truths.get(id) === truth)
      .map(([id, { margin }]) => ({ ...named('test', id, truth), margin }))
      .sort((a, b) => b.margin - a.margin)
      .slice(0, mostShown);
    const [ofTruth, ofPredicted] = await Promise.all([this.#trusted(truth, fit), this.#trusted(predicted, fit)]);
    return { truth, predicted, mistaken, ofTruth, ofPredicted };
  }

  async #truths(): Promise<ReadonlyMap<string, string>> {
    const pictures = await this.#library.own('test');
    return new Map([...pictures.values()].flatMap(({ id, category }) => (category ? [[id, category]] : [])));
  }

  async #weights(fit: KeptFit | undefined): Promise<ReadonlyMap<string, number[]>> {
    const weights = new Map<string, number[]>();
    const listed = await this.#library.listed();
    for (const [id, weight] of fit?.weights ?? []) {
      const category = listed.get(id)?.category;
      if (category === undefined) continue;
      const own = weights.get(category);
      if (own) own.push(weight);
      else weights.set(category, [weight]);
    }
    return weights;
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

function named(set: NamedPicture['set'], id: string, category: string): NamedPicture {
  return { set, id, label: id.split('/').at(-1) ?? id, category };
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

/** Pictures and categories in the plane of largest variance of the learnt space; only for a fit that leaves vectors. */
async function mapOf(
  workspace: Workspace,
  fit: KeptFit,
  names: readonly string[],
  truths: ReadonlyMap<string, string>,
): Promise<Pick<CategoriesView, 'map'>> {
  const [semanticsFile, modelFile] = ['semantics.npy', 'model.safetensors'].map((name) =>
    workspace.path(layout.run, name),
  );
  if (!existsSync(semanticsFile) || !existsSync(modelFile)) return {};
  const semantics = toMatrix(await readNpy(semanticsFile), 'float64', { name: 'semantics', file: semanticsFile });
  const categories = await readCategoryVectors(modelFile);
  if (!categories || semantics.rows !== fit.rows.test.length || semantics.cols !== categories.vectors.cols) return {};
  const backend = await createBackend({ device: 'wasm', threads: 1 });
  try {
    const all = Matrix.zeros(semantics.rows + categories.vectors.rows, semantics.cols, 'float64');
    all.view(0, semantics.rows).copyFrom(semantics);
    all.view(semantics.rows, all.rows).copyFrom(categories.vectors);
    const plane = principalPlane(backend, all);
    const step = Math.ceil(semantics.rows / mostDots);
    const places = plane.of(categories.vectors);
    const pictures = plane.of(semantics).flatMap(([x, y], i) => {
      const id = fit.rows.test[i];
      if (i % step !== 0) return [];
      const category = names.indexOf(fit.predictions.get(id)?.name ?? '');
      return [{ x, y, id, category, truth: names.indexOf(truths.get(id) ?? '') }];
    });
    const at = new Map(categories.names.map((name, i) => [name, places[i]]));
    return {
      map: {
        shares: plane.shares,
        categories: names.map((name) => ({ x: at.get(name)?.[0] ?? 0, y: at.get(name)?.[1] ?? 0 })),
        pictures,
      },
    };
  } finally {
    backend.dispose();
  }
}

async function nearestAuxiliary(workspace: Workspace, names: readonly string[]) {
  const result = new Map<string, { name: string; likeness: number }[]>();
  const file = workspace.path(layout.words);
  if (!existsSync(file)) return result;
  const arrays = await readNpz(file);
  const matrix = (name: string) => toMatrix(arrays.get(name)!, 'float64', { name, file });
  const [auxiliary, test] = [matrix('aux_semantics'), matrix('test_semantics')];
  const { names: others } = await auxiliaryCategories(workspace);
  if (auxiliary.rows !== others.length || test.rows !== names.length) return result;
  for (const [c, name] of names.entries())
    result.set(
      name,
      others
        .map((other, a) => ({ name: other, likeness: cosine(test.row(c), auxiliary.row(a)) }))
        .sort((a, b) => b.likeness - a.likeness)
        .slice(0, nearestShown),
    );
  return result;
}

export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [product, ofA, ofB] = [0, 0, 0];
  for (let j = 0; j < a.length; j++) {
    product += a[j] * b[j];
    ofA += a[j] * a[j];
    ofB += b[j] * b[j];
  }
  return product / (Math.sqrt(ofA * ofB) || 1);
}
