/**
 * How many pictures go into one call of the network, by measurement: the usual number is timed with all networks at work,
 * then twice as many as long as that is faster, or half as many where twice is not. A size whose features are not those of the
 * usual one, bit for bit, is never chosen, so that what was measured leaves no trace in the features.
 */
import { join } from 'node:path';
import { decodeBytes, decodePicture } from './decode.js';
import type { InferencePool } from './inference-pool.js';
import type { PipelineOptions } from './pipeline.js';
import type { PictureSource } from './source.js';

/** Beyond this many times the usual size memory is wasted. */
const mostTimes = 4;
/** A size must be faster by this share to be worth a change. */
const worthwhile = 0.03;
/** Calls of each network that are timed for a size; the fastest counts, since others may use the machine too. */
const rounds = 2;
/** Pictures to come, for each network, from which on it pays: measuring takes the time of some 70 of them, at most 130. */
export const fewestToMeasure = 2000;

/** Measured on the first pictures that can be read. */
export async function measuredBatch(
  source: PictureSource,
  pool: InferencePool,
  usual: number,
  { preprocessing, limits, signal }: Pick<PipelineOptions, 'preprocessing' | 'limits' | 'signal'>,
): Promise<number> {
  const found: Uint8Array[] = [];
  for await (const { path, content } of source.pictures()) {
    const decoding = content
      ? decodeBytes(content, preprocessing, limits, signal)
      : decodePicture(join(source.folder, path), preprocessing, limits, signal).then(({ pixels }) => pixels);
    // What cannot be read is found and said when its turn comes.
    const pixels = await decoding.catch(() => undefined);
    signal?.throwIfAborted();
    if (pixels) found.push(pixels);
    if (found.length === usual) return chooseBatch(pool, Buffer.concat(found), found.length, usual);
  }
  return usual;
}

/**
 * @param pixels of `count` pictures, which stand for all
 * @returns `usual` where nothing is clearly faster
 */
export async function chooseBatch(
  pool: Pick<InferencePool, 'run' | 'workers'>,
  pixels: Uint8Array,
  count: number,
  usual: number,
): Promise<number> {
  const picture = pixels.length / count;
  const measure = async (size: number) => {
    let least = Number.POSITIVE_INFINITY;
    let features: Float32Array[] = [];
    for (let round = 0; round < rounds; round++) {
      const batches = Array.from({ length: pool.workers }, () => repeated(pixels, picture, size));
      const begun = performance.now();
      const answers = await Promise.all(batches.map((batch) => pool.run(batch, size)));
      least = Math.min(least, performance.now() - begun);
      features = answers.map((answer) => answer.features);
    }
    return { size, perPicture: least / size, features };
  };
  // The first call of a network is slower than all others.
  await measure(usual);
  let best = await measure(usual);
  const reference = best.features[0];
  const faster = async (size: number) => {
    const found = await measure(size);
    if (found.perPicture > (1 - worthwhile) * best.perPicture) return false;
    if (!found.features.every((features) => sameFeatures(features, reference, usual, count))) return false;
    best = found;
    return true;
  };
  for (let size = 2 * usual; size <= mostTimes * usual && (await faster(size)); ) size *= 2;
  if (best.size === usual && usual > 1) await faster(usual >> 1);
  return best.size;
}

/** `size` pictures, the given ones over and over. */
function repeated(pixels: Uint8Array, picture: number, size: number): Uint8Array<ArrayBuffer> {
  const batch = new Uint8Array(size * picture);
  for (let at = 0; at < batch.length; at += pixels.length)
    batch.set(pixels.subarray(0, Math.min(pixels.length, batch.length - at)), at);
  return batch;
}

/** Whether every picture has the features that it has in a batch of the usual size. */
function sameFeatures(features: Float32Array, reference: Float32Array, usual: number, count: number): boolean {
  const dimension = reference.length / usual;
  const [a, b] = [features, reference].map(
    ({ buffer, byteOffset, length }) => new Int32Array(buffer, byteOffset, length),
  );
  const distinct = Math.min(count, usual);
  for (let e = 0; e < a.length; e++) {
    const pictureOf = Math.floor(e / dimension) % count;
    if (pictureOf < distinct && a[e] !== b[pictureOf * dimension + (e % dimension)]) return false;
  }
  return true;
}
