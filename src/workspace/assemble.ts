/** A problem out of features, word vectors, texts and labels. */
import { existsSync } from 'node:fs';
import { ArgumentError } from '../errors.js';
import { readCsv, readNpz, toMatrix, toStrings } from '../formats/index.js';
import { Matrix } from '../linalg/index.js';
import {
  blocksFromArrays,
  type KnownShares,
  type Problem,
  unanswered,
  type ValidationWeb,
  withShares,
} from '../problem/index.js';
import { type FeatureMeta, type IndexedFeatures, loadFeatures, requireSameFeatures } from '../vision/index.js';
import { agreedLabel, type Decisions, orphanedDecisions, readDecisions } from './decisions.js';
import { explainedScales, scaleParts } from './looks.js';
import { auxiliaryCategories, type WebPicture, webPictures } from './pictures.js';
import { ConfigurationError, configurationFile } from './read-configuration.js';
import { featureFolder, type PictureSet } from './stages/features.js';
import { layout, type Workspace } from './workspace.js';

/** Which picture each row of the problem is: paths for the user's own pictures, ids of the catalog for web pictures. */
export interface ProblemRows {
  auxiliary: string[];
  test: string[];
  web: string[];
  validationWeb: string[];
  /** How far each network's features count, by what they explain; where there are several networks. */
  featureScales?: number[];
}

interface Assembled {
  problem: Problem;
  rows: ProblemRows;
  notes: string[];
}

export async function assembleProblem(workspace: Workspace): Promise<Assembled> {
  const { configuration, path } = workspace;
  const testNames = configuration.categories.map(({ name }) => name);
  const { names: auxiliaryNames, validation } = await auxiliaryCategories(workspace);
  const sets = {} as Record<PictureSet, IndexedFeatures>;
  for (const set of ['auxiliary', 'test', 'web'] as const) {
    sets[set] = await loadFeatures(path(featureFolder(set)));
    requireSameFeatures(sets.auxiliary.meta, sets[set].meta, featureFolder('auxiliary'), featureFolder(set));
  }
  const words = await readNpz(path(layout.words));
  const semantics = (name: string) => toMatrix(words.get(name)!, 'float32', { name, file: layout.words });
  const semanticBlocks = blocksFromArrays('semantic', words, layout.words);
  const auxiliary = rowsByCategory(sets.auxiliary, auxiliaryNames);
  const { parts } = sets.auxiliary.meta;
  const featureScales = parts && explainedScales(take(sets.auxiliary, auxiliary), labelsOf(auxiliary), parts);
  if (parts) for (const set of Object.values(sets)) scaleParts(set.features, parts, featureScales!);
  const generalized = configuration.answers === 'all';
  const test = testRows(sets.test, generalized ? [...testNames, ...auxiliaryNames] : testNames);
  const texts = configuration.text ? await Texts.read(path(layout.text)) : undefined;
  const { of: decisions, moved, answers } = await readDecisions(workspace);
  const pictures = (await webPictures(workspace))
    .filter(({ id }) => decisions.get(id) !== 'drop')
    .map((picture) => ({ ...picture, category: moved.get(picture.id) ?? picture.category }));
  const kinds = await truthOf(workspace, pictures);
  const web = webRows(sets.web, pictures, testNames);
  const webVouched = Uint8Array.from(web, ({ id }) => (decisions.get(id) === 'keep' ? 1 : 0));
  const notes = testNames
    .filter((_, label) => !web.some((row) => row.label === label))
    .map((name) => `${name} has no web picture`);
  const lost = await orphanedDecisions(workspace);
  if (lost > 0) notes.push(`${lost} decisions made by hand are about pictures that the crawl no longer has`);
  const crawled = webRows(sets.web, pictures, validation);
  const uncovered = validation.filter((_, label) => !crawled.some((row) => row.label === label));
  if (configuration.crawl.validation && uncovered.length > 0)
    notes.push(
      `no web pictures of ${uncovered.length === validation.length ? 'the validation categories' : `the validation categories ${uncovered.join(', ')}`} were found; where parameters are chosen, auxiliary pictures with some wrong labels stand in for them`,
    );
  const validationWeb: ValidationWeb | undefined =
    crawled.length === 0 || uncovered.length > 0
      ? undefined
      : {
          features: take(sets.web, crawled),
          labels: labelsOf(crawled),
          ...texts?.of('', crawled),
          ...kindsOf(crawled, kinds),
        };
  const unstated: Problem = {
    auxiliaryFeatures: take(sets.auxiliary, auxiliary),
    auxiliaryLabels: labelsOf(auxiliary),
    auxiliarySemantics: semantics('aux_semantics'),
    auxiliaryNames,
    webFeatures: take(sets.web, web),
    webLabels: labelsOf(web),
    ...texts?.of('web', web),
    ...(kinds && { webKinds: web.map(({ id }) => kinds.get(id) ?? 'unknown') }),
    ...(webVouched.includes(1) && { webVouched }),
    testFeatures: take(sets.test, test),
    ...(sets.test.categories.some((category) => category !== '') && { testLabels: labelsOf(test) }),
    ...(answers.size > 0 && {
      testKnown: knownAnswers(test, answers, generalized ? [...testNames, ...auxiliaryNames] : testNames),
    }),
    testSemantics: semantics('test_semantics'),
    testNames,
    ...(semanticBlocks && { semanticBlocks }),
    ...featureBlocksOf(sets.auxiliary.meta),
    generalized,
    ...(validationWeb && { validationWeb }),
  };
  const problem = stated(unstated, configuration.shares);
  const ids = (some: readonly Row[]) => some.map(({ id }) => id);
  return {
    problem,
    rows: {
      auxiliary: ids(auxiliary),
      test: ids(test),
      web: ids(web),
      validationWeb: validationWeb ? ids(crawled) : [],
      ...(featureScales && { featureScales }),
    },
    notes,
  };
}

/** A network by itself is a block where names may lie in its space. */
function featureBlocksOf({ parts, model, dimension }: FeatureMeta) {
  if (parts) return { featureBlocks: parts };
  return model.space && { featureBlocks: [{ name: model.name, width: dimension, space: model.space }] };
}

/** What people said the test pictures show; a name that is not on the list is none of the candidates. */
function knownAnswers(test: readonly Row[], answers: Decisions['answers'], names: readonly string[]): Int32Array {
  return Int32Array.from(test, ({ id }) => {
    const said = answers.get(id);
    return said ? names.indexOf(agreedLabel(said) ?? '') : unanswered;
  });
}

function stated(problem: Problem, shares: KnownShares): Problem {
  try {
    return withShares(problem, shares);
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    throw new ConfigurationError(`${configurationFile}: ${error.message}`, error.hint);
  }
}

interface Row {
  /** Row of the features. */
  row: number;
  id: string;
  label: number;
}

function rowsByCategory({ ids, categories }: IndexedFeatures, names: readonly string[]): Row[] {
  const label = new Map(names.map((name, i) => [name, i]));
  return ids
    .flatMap((id, row) => (label.has(categories[row]) ? [{ id, row, label: label.get(categories[row])! }] : []))
    .sort((a, b) => a.label - b.label || (a.id < b.id ? -1 : 1));
}

function testRows({ ids, categories }: IndexedFeatures, names: readonly string[]): Row[] {
  const written = names.map((name) => name.normalize());
  return ids
    .map((id, row) => ({ id, row, label: written.indexOf(categories[row].normalize()) }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** In the order of the categories, then as the list of pictures has them. */
function webRows({ ids }: IndexedFeatures, pictures: readonly WebPicture[], names: readonly string[]): Row[] {
  const place = new Map(ids.map((id, row) => [id, row]));
  const label = new Map(names.map((name, i) => [name, i]));
  return pictures
    .flatMap(({ id, category }) =>
      label.has(category) && place.has(id) ? [{ id, row: place.get(id)!, label: label.get(category)! }] : [],
    )
    .sort((a, b) => a.label - b.label);
}

function take({ features }: IndexedFeatures, rows: readonly Row[]): Matrix {
  const result = Matrix.zeros(rows.length, features.cols, 'float32');
  for (const [i, { row }] of rows.entries()) result.row(i).set(features.row(row));
  return result;
}

function labelsOf(rows: readonly Row[]): Int32Array {
  return Int32Array.from(rows, ({ label }) => label);
}

function kindsOf(rows: readonly Row[], kinds: ReadonlyMap<string, string> | undefined) {
  return kinds && { kinds: rows.map(({ id }) => kinds.get(id) ?? 'unknown') };
}

class Texts {
  readonly #place: ReadonlyMap<string, number>;
  readonly #counts: Matrix;
  readonly #texts: readonly string[];

  private constructor(ids: readonly string[], counts: Matrix, texts: readonly string[]) {
    this.#place = new Map(ids.map((id, row) => [id, row]));
    this.#counts = counts;
    this.#texts = texts;
  }

  static async read(file: string): Promise<Texts> {
    const arrays = await readNpz(file);
    const counts = toMatrix(arrays.get('web_text')!, 'float32', { name: 'web_text', file });
    return new Texts(toStrings(arrays.get('ids')!), counts, toStrings(arrays.get('web_texts')!));
  }

  /** Under the names the problem has for them. */
  of(prefix: 'web' | '', rows: readonly Row[]) {
    // Texts without a single word say nothing.
    if (this.#counts.cols === 0) return {};
    const places = rows.map(({ id }) => this.#place.get(id)!);
    const counts = Matrix.zeros(rows.length, this.#counts.cols, 'float32');
    for (const [i, place] of places.entries()) counts.row(i).set(this.#counts.row(place));
    const texts = places.map((place) => this.#texts[place]);
    return prefix === 'web' ? { webText: counts, webTexts: texts } : { text: counts, texts };
  }
}

/** What is known about the web pictures, by id. */
async function truthOf(workspace: Workspace, pictures: readonly WebPicture[]) {
  const { truth } = workspace.configuration;
  if (!truth) return undefined;
  if ('wrong' in truth) {
    const wrong = new RegExp(truth.wrong);
    return new Map(pictures.map(({ id, address }) => [id, wrong.test(address) ? 'wrong' : 'clean']));
  }
  const file = workspace.path(truth.file);
  if (!existsSync(file))
    throw new ConfigurationError(`${configurationFile}: truth.file is ${truth.file}, which does not exist`);
  const kinds = new Map<string, string>();
  for (const [picture, kind] of (await readCsv(file)).rows) kinds.set(picture, kind);
  return new Map(pictures.map(({ id, address }) => [id, kinds.get(address) ?? 'unknown']));
}
