/** The pictures of the gallery most like another, by the cosine of their features. */
import type { Neighbour } from './messages.js';

/** Rows of int8 with their lengths, which do not change. */
export class GalleryFeatures {
  readonly #rows: Int8Array;
  readonly #columns: number;
  readonly #lengths: Float64Array;

  constructor(rows: Int8Array, columns: number) {
    this.#rows = rows;
    this.#columns = columns;
    this.#lengths = Float64Array.from({ length: rows.length / columns }, (_, i) => {
      let sum = 0;
      for (let c = 0; c < columns; c++) sum += rows[i * columns + c] ** 2;
      return Math.sqrt(sum);
    });
  }

  /** The `count` most alike among those that are wanted. */
  nearest(features: ArrayLike<number>, count: number, wanted: (picture: number) => boolean): Neighbour[] {
    let length = 0;
    for (let c = 0; c < this.#columns; c++) length += features[c] ** 2;
    length = Math.sqrt(length);
    const all: Neighbour[] = [];
    for (let i = 0; i < this.#lengths.length; i++) {
      if (!wanted(i)) continue;
      let product = 0;
      for (let c = 0; c < this.#columns; c++) product += features[c] * this.#rows[i * this.#columns + c];
      all.push({ picture: i, likeness: product / (length * this.#lengths[i] || 1) });
    }
    return all.sort((a, b) => b.likeness - a.likeness).slice(0, count);
  }
}
