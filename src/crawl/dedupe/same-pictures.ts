/**
 * Equal and almost equal pictures by their content: the same SHA-256, or perceptual hashes within a radius and pixels
 * that correlate. In order of preference, a picture is a duplicate when it matches an earlier one that stays, and that
 * very pair has been compared.
 */
import type { Progress } from '../../progress.js';
import { greyPicture } from '../grey.js';
import { cropCount } from '../perceptual-hash.js';
import { HammingIndex } from './hamming-index.js';
import type { Item } from './items.js';
import { likeness } from './likeness.js';

export type MergeMethod = 'exact' | 'perceptual' | 'features';

export interface Merge {
  item: Item;
  /** The picture that stays. */
  of: Item;
  method: MergeMethod;
  /** The numbers that decided. */
  explanation: string;
}

export interface SamePictureOptions {
  /** Largest number of differing bits of two hashes. @default 10 */
  radius?: number;
  /** Least correlation of the pixels. @default 0.8 */
  likeness?: number;
  signal?: AbortSignal;
  onProgress?(progress: Progress): void;
}

const cachedPictures = 4096;

/**
 * @param items references first, then by preference
 * @param gone items found to be duplicates; those marked already are left out
 */
export async function* samePictures(
  items: readonly Item[],
  gone: Uint8Array,
  options: SamePictureOptions = {},
): AsyncGenerator<Merge> {
  yield* equalFiles(items, gone);
  const { radius = 10, likeness: least = 0.8 } = options;
  const hashes = new HashSearch(items, radius);
  const pictures = new GreyPictures();
  for (const [i, item] of items.entries()) {
    options.signal?.throwIfAborted();
    if (i % 256 === 0) options.onProgress?.({ done: i, total: items.length, unit: 'pictures' });
    if (gone[i]) continue;
    for (const [j, distance] of hashes.earlierThan(i)) {
      if (gone[i] || gone[j] || !differ(item, items[j])) continue;
      const [a, b] = [await pictures.of(item.file), await pictures.of(items[j].file)];
      const value = a && b ? likeness(a, b) : 0;
      if (value < least) continue;
      const explanation = `hashes differ in ${distance} of 63 bits (at most ${radius}), pixels correlate to ${value.toFixed(3)} (at least ${least})`;
      yield { item, of: items[j], method: 'perceptual', explanation };
      if (item.kind === 'web') gone[i] = 1;
    }
  }
}

async function* equalFiles(items: readonly Item[], gone: Uint8Array): AsyncGenerator<Merge> {
  const first = new Map<string, number[]>();
  for (const [i, item] of items.entries()) {
    if (gone[i]) continue;
    const earlier = first.get(item.sha256) ?? [];
    for (const j of earlier) {
      if (gone[i] || !differ(item, items[j])) continue;
      yield { item, of: items[j], method: 'exact', explanation: `same SHA-256 ${item.sha256.slice(0, 16)}…` };
      if (item.kind === 'web') gone[i] = 1;
    }
    if (!gone[i]) first.set(item.sha256, [...earlier, i]);
  }
}

/** Repeats within one reference set are its own affair. */
function differ(a: Item, b: Item): boolean {
  return a.kind === 'web' || a.kind !== b.kind;
}

/** Near hashes of whole pictures, and of a whole picture with the other one cropped, either way round. */
class HashSearch {
  readonly #items: readonly Item[];
  readonly #radius: number;
  readonly #wholes: HammingIndex;
  readonly #crops: HammingIndex;

  constructor(items: readonly Item[], radius: number) {
    this.#items = items;
    this.#radius = radius;
    this.#wholes = new HammingIndex(items.map((item) => item.perceptualHash));
    this.#crops = new HammingIndex(items.flatMap((item) => item.cropHashes.split(' ')));
  }

  /** Items before `i` with the least distance found, in order. */
  earlierThan(i: number): [number, number][] {
    const { perceptualHash, cropHashes } = this.#items[i];
    const best = new Map<number, number>();
    const take = (j: number, distance: number) => {
      if (j < i) best.set(j, Math.min(distance, best.get(j) ?? 64));
    };
    for (const hash of [perceptualHash, ...cropHashes.split(' ')])
      for (const { index, distance } of this.#wholes.near(hash, this.#radius)) take(index, distance);
    for (const { index, distance } of this.#crops.near(perceptualHash, this.#radius))
      take(Math.floor(index / cropCount), distance);
    return [...best].sort((a, b) => a[0] - b[0]);
  }
}

class GreyPictures {
  readonly #cache = new Map<string, Uint8Array>();

  /** Undefined where the file is missing or does not decode: then nothing is verified, and nothing merged. */
  async of(file: string): Promise<Uint8Array | undefined> {
    const known = this.#cache.get(file);
    if (known) return known;
    const made = await greyPicture(file).catch(() => undefined);
    if (!made) return undefined;
    if (this.#cache.size >= cachedPictures) this.#cache.delete(this.#cache.keys().next().value!);
    this.#cache.set(file, made);
    return made;
  }
}
