/**
 * The pictures of a generated problem. A picture of category c is x = D'a_c + o_c + ε; a web picture is x + s v, moved
 * along one direction v by an amount s of its own, and a planted share of the web pictures shows something else than
 * its label.
 */
import { type Dtype, Matrix, Random } from '../linalg/index.js';
import { termFrequencies } from '../text/index.js';
import { describePicture, inventName } from './generate-text.js';
import { titleWords } from './read-arrays.js';

/** What a generated web picture shows: its label, a similar category, any other category, or none at all. */
export type WebKind = 'clean' | 'confused' | 'other' | 'offtopic';

export interface WorldSettings {
  seed: number;
  auxiliaryCategories: number;
  testCategories: number;
  dimensions: number;
  semanticDimensions: number;
  webPerCategory: number;
  wrong: number;
  noise: number;
  offset: number;
  shift: number;
  text: boolean;
  dtype: Dtype;
}

/** Means, semantic vectors and names of all categories, auxiliary ones first. */
export interface World {
  readonly settings: WorldSettings;
  readonly means: Matrix;
  readonly semantics: Matrix;
  readonly names: readonly string[];
  readonly webDirection: Float64Array;
}

export function generateWorld(settings: WorldSettings): World {
  const { dimensions, semanticDimensions, dtype, offset } = settings;
  const categories = settings.auxiliaryCategories + settings.testCategories;
  const random = new Random(settings.seed, 1);
  const dictionary = Matrix.zeros(semanticDimensions, dimensions);
  // Entries of variance 1/m give each feature of D'a unit variance over the categories.
  for (let k = 0; k < semanticDimensions; k++) addNormal(dictionary.row(k), random, Math.sqrt(1 / semanticDimensions));
  const webDirection = new Float64Array(dimensions);
  addNormal(webDirection, random, 1);
  const semantics = Matrix.zeros(categories, semanticDimensions, dtype);
  const means = Matrix.zeros(categories, dimensions);
  for (let c = 0; c < categories; c++) {
    addNormal(semantics.row(c), random, 1);
    const mean = means.row(c);
    addNormal(mean, random, offset);
    for (let k = 0; k < semanticDimensions; k++) addScaled(mean, semantics.at(c, k), dictionary.row(k));
  }
  return {
    settings,
    means,
    semantics,
    names: Array.from({ length: categories }, (_, c) => inventName(c)),
    webDirection,
  };
}

/** Correctly labelled pictures of the categories first … end − 1; labels count from `first`. */
export function cleanPictures(world: World, first: number, end: number, perCategory: number, random: Random) {
  const { dimensions, dtype, noise } = world.settings;
  const count = (end - first) * perCategory;
  const features = Matrix.zeros(count, dimensions, dtype);
  const labels = new Int32Array(count);
  for (let i = 0; i < count; i++) {
    labels[i] = Math.floor(i / perCategory);
    addScaled(features.row(i), 1, world.means.row(first + labels[i]));
    addNormal(features.row(i), random, noise);
  }
  return { features, labels };
}

/** Web pictures found under the names of `searched`; `others` are categories nobody searched for. */
export function webPictures(world: World, searched: number[], others: number[], random: Random) {
  const { dimensions, dtype, noise, shift, webPerCategory, text } = world.settings;
  const count = searched.length * webPerCategory;
  const features = Matrix.zeros(count, dimensions, dtype);
  const labels = new Int32Array(count);
  const kinds = searched.flatMap(() => plantKinds(world.settings, searched.length > 1, others.length > 0, random));
  const texts: string[] = [];
  for (let i = 0; i < count; i++) {
    const label = Math.floor(i / webPerCategory);
    const shown = shownCategory(world, searched, label, others, kinds[i], random);
    const row = features.row(i);
    labels[i] = label;
    if (shown === undefined) addNormal(row, random, 1);
    else addScaled(row, 1, world.means.row(shown));
    addNormal(row, random, noise);
    addScaled(row, 2 * shift * random.uniform(), world.webDirection);
    if (text) texts.push(describePicture(searched[label], shown, random));
  }
  return { features, labels, kinds, ...(text && { texts, text: termFrequencies(texts, titleWords(texts), dtype) }) };
}

/** The kinds of one category's pictures in random order; the wrong ones are shared out evenly. */
function plantKinds(settings: WorldSettings, confusable: boolean, others: boolean, random: Random): WebKind[] {
  const wrongKinds: WebKind[] = ['offtopic'];
  if (others) wrongKinds.unshift('other');
  if (confusable) wrongKinds.unshift('confused');
  const kinds = new Array<WebKind>(settings.webPerCategory).fill('clean');
  const wrong = random.choice(kinds.length, Math.round(settings.wrong * kinds.length));
  wrong.forEach((position, k) => {
    kinds[position] = wrongKinds[k % wrongKinds.length];
  });
  return kinds;
}

/** The category a web picture really shows; none for an off-topic one. */
function shownCategory(
  world: World,
  searched: number[],
  label: number,
  others: number[],
  kind: WebKind,
  random: Random,
): number | undefined {
  if (kind === 'clean') return searched[label];
  if (kind === 'confused') return mostSimilar(world.semantics, searched[label], searched);
  return kind === 'other' ? others[random.integer(others.length)] : undefined;
}

/** The candidate, other than `category` itself, whose semantic vector is nearest. */
function mostSimilar(semantics: Matrix, category: number, candidates: number[]): number {
  let best = category;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    if (candidate === category) continue;
    let distance = 0;
    for (let k = 0; k < semantics.cols; k++) distance += (semantics.at(candidate, k) - semantics.at(category, k)) ** 2;
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

function addNormal(row: Float64Array | Float32Array, random: Random, deviation: number): void {
  for (let j = 0; j < row.length; j++) row[j] += deviation * random.normal();
}

function addScaled(row: Float64Array | Float32Array, factor: number, other: Float64Array | Float32Array): void {
  for (let j = 0; j < row.length; j++) row[j] += factor * other[j];
}
