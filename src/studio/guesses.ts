/**
 * What web pictures look like, whatever they were found for: the classifier's own guess of each, and the pictures nearest to
 * one. Trusted pictures that look like another category are where a wrong one hides.
 */
import { join } from 'node:path';
import { classifyFeatures } from '../fit/index.js';
import { createBackend, Matrix } from '../linalg/index.js';
import { type Classifier, featureFolder, layout, openClassifier, scaleParts } from '../workspace/index.js';
import type { Guess, PictureLikeness } from './api.js';
import { featureRows } from './feature-rows.js';
import { FileCache } from './file-cache.js';
import type { Library } from './library.js';
import { nearestPictures } from './nearest.js';

const atOnce = 256;
const nearestShown = 6;

export class Guesses {
  readonly #library: Library;
  readonly #guesses: FileCache<ReadonlyMap<string, Guess>>;
  /** One at a time: each reads all features. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(library: Library) {
    this.#library = library;
    this.#guesses = new FileCache(
      () => [join(library.folder, layout.state)],
      () => this.#compute(),
    );
  }

  /** Guesses that differ from the category of their picture, by picture. */
  async differing(): Promise<Record<string, Guess>> {
    const listed = await this.#library.listed();
    const { moved } = await this.#library.decisions();
    const label = (id: string) => moved.get(id) ?? listed.get(id)?.category;
    const guesses = await this.#guesses.get();
    return Object.fromEntries([...guesses].filter(([id, { category }]) => category !== label(id)));
  }

  likeness(id: string, signal: AbortSignal): Promise<PictureLikeness> {
    const answer = this.#turn.then(() => this.#likeness(id, signal));
    this.#turn = answer.catch(() => {});
    return answer;
  }

  async #likeness(id: string, signal: AbortSignal): Promise<PictureLikeness> {
    // Whoever asked has gone on to another picture.
    signal.throwIfAborted();
    const workspace = await this.#library.workspace();
    const folder = workspace.path(featureFolder('web'));
    const guess = (await this.#guesses.get()).get(id);
    const listed = await this.#library.listed();
    const weights = (await this.#library.fit())?.weights;
    let nearest: PictureLikeness['nearest'] = [];
    for await (const { features } of featureRows(folder, (other) => other === id)) {
      const found = await nearestPictures(folder, features, nearestShown, (other) => other !== id && listed.has(other));
      nearest = found.map((one) => ({
        ...{ set: 'web', id: one.id, likeness: one.likeness, weight: weights?.get(one.id) },
        ...{ label: listed.get(one.id)!.title || 'web picture', category: listed.get(one.id)!.category },
      }));
      break;
    }
    return { ...(guess && { guess }), nearest };
  }

  async #compute(): Promise<ReadonlyMap<string, Guess>> {
    const workspace = await this.#library.workspace();
    const classifier = await openClassifier(workspace).catch(() => undefined);
    const fit = await this.#library.fit();
    if (!classifier || !fit) return new Map();
    const guesses = new Map<string, Guess>();
    const known = new Set(classifier.model.scorer.names);
    const listed = await this.#library.listed();
    const backend = await createBackend({ device: 'wasm', threads: 1 });
    const classify = (ids: readonly string[], rows: readonly ArrayLike<number>[]) => {
      if (ids.length === 0) return;
      const features = matrixOf(rows, classifier, fit.rows.featureScales);
      const { names, predictions, confidence } = classifyFeatures(classifier.model, features, backend);
      for (const [i, id] of ids.entries())
        guesses.set(id, {
          category: names[predictions[i]],
          ...(confidence && { confidence: Math.round(1e4 * confidence[i]) / 1e4 }),
        });
    };
    try {
      let [ids, rows]: [string[], ArrayLike<number>[]] = [[], []];
      const wanted = (id: string) => known.has(listed.get(id)?.category ?? '');
      for await (const row of featureRows(workspace.path(featureFolder('web')), wanted)) {
        ids.push(row.id);
        rows.push(row.features);
        if (ids.length < atOnce) continue;
        classify(ids, rows);
        [ids, rows] = [[], []];
      }
      classify(ids, rows);
      return guesses;
    } finally {
      backend.dispose();
    }
  }
}

function matrixOf(
  rows: readonly ArrayLike<number>[],
  { features: { parts } }: Classifier,
  scales: readonly number[] | undefined,
): Matrix {
  const features = Matrix.zeros(rows.length, rows[0].length, 'float32');
  for (const [i, row] of rows.entries()) features.row(i).set(row);
  return parts && scales ? scaleParts(features, parts, scales) : features;
}
