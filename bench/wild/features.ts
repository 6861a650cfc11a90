/**
 * Features of photographs and of drawn pictures, kept in a cache folder: birds-mini with any model, and pictures without a bird
 * (landscapes, nests, eggs, logos) as far strangers. Where the cache has them, neither pictures nor a network are needed.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type IndexedFeatures, loadFeatures } from '../../src/vision/load-features.js';

/** Features of all pictures below `pictures`, by a model of `bowerbird models list`; extracted where `cache` has none. */
export async function cachedFeatures(pictures: string, model: string, cache: string): Promise<IndexedFeatures> {
  if (!isComplete(cache)) await (await import('./extract.js')).extract(pictures, model, cache);
  return loadFeatures(cache);
}

/** Features of pictures without a bird, which are drawn first where `cache` has none. */
export async function farFeatures(model: string, cache: string): Promise<IndexedFeatures> {
  const [drawn, features] = [join(cache, 'far'), join(cache, `far-${model}`)];
  if (!isComplete(features)) await (await import('./extract.js')).drawFarPictures(drawn);
  return cachedFeatures(join(drawn, 'pictures'), model, features);
}

const isComplete = (cache: string) => existsSync(join(cache, 'index.csv'));
