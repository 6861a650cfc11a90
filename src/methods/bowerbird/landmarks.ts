/** Landmarks among pictures, directions in which many of them lie, and lists of what is nearest. */
import { type Backend, Matrix, Random, type RowBlocks, visitRows } from '../../linalg/index.js';
import { byLabel, unitRows } from '../../numerics/index.js';
import { selectRows } from '../../problem/index.js';
import type { Placed } from './ground.js';

/** Pictures for each landmark that the landmarks are placed by, and rounds of it. */
const placedBy = 40;
const rounds = 3;
/** Pictures that are looked at together. */
const blockRows = 2048;

/** The largest values that were entered for each of several pictures, largest first, and what they belong to. */
export class Lists {
  readonly #which: Int32Array;
  readonly #values: Float64Array;
  readonly #count: number;

  /** Over arrays of the caller's, `count` places for each picture. */
  constructor(which: Int32Array, values: Float64Array, count: number) {
    this.#which = which;
    this.#values = values.fill(Number.NEGATIVE_INFINITY);
    this.#count = count;
  }

  /** The smallest value of a picture's list: −∞ while there is room. */
  last(picture: number): number {
    return this.#values[(picture + 1) * this.#count - 1];
  }

  of(picture: number): Int32Array {
    return this.#which.subarray(picture * this.#count, (picture + 1) * this.#count);
  }

  has(picture: number, other: number): boolean {
    const first = picture * this.#count;
    for (let k = first; k < first + this.#count && this.#values[k] > Number.NEGATIVE_INFINITY; k++)
      if (this.#which[k] === other) return true;
    return false;
  }

  clear(picture: number): void {
    this.#values.fill(Number.NEGATIVE_INFINITY, picture * this.#count, (picture + 1) * this.#count);
  }

  /** In the place of the last one, which must be smaller. */
  enter(picture: number, other: number, value: number): void {
    const first = picture * this.#count;
    let place = first + this.#count - 1;
    for (; place > first && this.#values[place - 1] < value; place--) {
      this.#values[place] = this.#values[place - 1];
      this.#which[place] = this.#which[place - 1];
    }
    this.#values[place] = value;
    this.#which[place] = other;
  }
}

/** k-means of the directions of some of the pictures: rows of unit length. */
export function placeLandmarks(backend: Backend, { rows }: Placed, count: number): Matrix {
  const chosen = new Random(17).choice(rows.rows, Math.min(rows.rows, placedBy * count));
  const some = unitRows(selectRows(rows, chosen)).copy(rows.dtype) as Matrix;
  let landmarks = some.view(0, Math.min(count, some.rows));
  for (let round = 0; round < rounds; round++) {
    const { order, starts } = byLabel(nearestLandmarks(backend, some, landmarks, 1), landmarks.rows);
    const sums = Matrix.zeros(landmarks.rows, rows.cols, rows.dtype);
    backend.segmentSums(sums, selectRows(some, order), new Float64Array(order.length).fill(1), starts);
    // One that is nearest to no picture stays where it is.
    for (let mark = 0; mark < sums.rows; mark++)
      if (starts[mark] === starts[mark + 1]) sums.row(mark).set(landmarks.row(mark));
    landmarks = unitRows(sums).copy(rows.dtype);
  }
  return landmarks;
}

/** The `count` nearest landmarks of each picture, nearest first, one picture after the other. */
export function nearestLandmarks(backend: Backend, rows: RowBlocks, landmarks: Matrix, count: number): Int32Array {
  const found = new Int32Array(rows.rows * count);
  const lists = new Lists(found, new Float64Array(found.length), count);
  const see = (block: Matrix, start: number) => {
    const products = Matrix.zeros(block.rows, landmarks.rows, rows.dtype);
    backend.gemm(products, block, landmarks, { transposeB: true });
    for (let i = start, at = 0; i < start + block.rows; i++)
      for (let mark = 0; mark < landmarks.rows; mark++, at++)
        if (products.data[at] > lists.last(i)) lists.enter(i, mark, products.data[at]);
  };
  visitRows(rows, see, blockRows);
  return found;
}
