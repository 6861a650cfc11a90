/** The passes of backends over the rows of matrices in this process's memory, by the kernels of assembly/rows. */
import type {
  Backend,
  DistanceScores,
  PeakScores,
  PoweredOptions,
  PowerMixture,
  RowPeaks,
  SparseMatrix,
} from '../backend.js';
import type { Matrix, RealArray } from '../matrix.js';
import {
  checkEnergy,
  checkEntries,
  checkNearest,
  checkPeaks,
  checkPowered,
  checkPowerSums,
  checkSameShape,
  checkScores,
  checkSoftmax,
  checkSparse,
  checkUnitRows,
} from '../shapes.js';
import { type Multiply, NearestSearch } from './nearest.js';
import { findPeaks, unlabelled } from './peaks.js';
import { visitPowered } from './powered.js';
import { RowWorkbench } from './workbench.js';

/** Bytes of the columns of a matrix that lie on the workbench whole: what stays in a cache, or more where threads bring them. */
const stripeBytes = 2 ** 23;
const broughtBytes = 2 ** 28;
const stripeColumns = 16;

/** Shared by all backends that have no threads. */
let solitary: RowWorkbench | undefined;

export class RowPasses {
  readonly #given: RowWorkbench | undefined;

  /** @param workbench of a backend whose threads work on it too; else none is made before it is needed */
  constructor(workbench?: RowWorkbench) {
    this.#given = workbench;
  }

  /** Cleared. */
  #workbench(): RowWorkbench {
    if (!this.#given) solitary ??= new RowWorkbench();
    const bench = this.#given ?? solitary!;
    bench.clear();
    return bench;
  }

  /** `Backend.logPowerSums` */
  logPowerSums(out: Float64Array, products: Matrix, mixture: PowerMixture, own?: Float64Array): void {
    checkPowerSums(out, products, mixture, own);
    const { lengths, squares, scales, shifts, power, labels } = mixture;
    const here = this.#workbench();
    const { cols, data } = products;
    const step = here.rowsPerPiece(cols);
    const columns = [squares, scales, shifts].map((values) => here.hold(values, data));
    here.inPieces(step, {
      kernel: 'logPowerSums',
      matrix: products,
      reserve: () => ({
        ...{ scratch: here.room((cols + 4) * 8), labels: here.room(step * 4) },
        ...{ lengths: here.room(step * 8), out: here.room(step * 8), own: here.room(step * 8) },
        piece: here.room((step * cols + 3) * data.BYTES_PER_ELEMENT),
      }),
      brought: ({ piece }) => [{ matrix: products, pointer: piece }],
      bring: (place, start, end) => {
        here.reals(place.lengths, end - start).set(lengths.subarray(start, end));
        here.reals(place.own, end - start).fill(0);
        const names = here.integers(place.labels, end - start);
        if (labels) names.set(labels.subarray(start, end));
        else names.fill(unlabelled);
        return [
          ...[end - start, cols, place.piece, cols * data.BYTES_PER_ELEMENT, place.lengths],
          ...[...columns, power, place.labels, place.out, place.own, place.scratch],
        ];
      },
      fetch: (place, start, end) => {
        out.set(here.reals(place.out, end - start), start);
        own?.set(here.reals(place.own, end - start), start);
      },
    });
  }

  /** `Backend.softmaxRows` */
  softmaxRows(
    target: Matrix,
    scores: Matrix,
    offsets: Float64Array,
    weights: Float64Array,
    counts: Float64Array,
  ): void {
    checkSoftmax(target, scores, offsets, weights, counts);
    const here = this.#workbench();
    const { cols, data } = scores;
    const bytes = cols * data.BYTES_PER_ELEMENT;
    const step = here.rowsPerPiece(cols);
    const offsetsAt = here.hold(offsets, data);
    counts.fill(0);
    here.inPieces(step, {
      kernel: 'softmaxRows',
      matrix: scores,
      reserve: () => ({
        ...{ scratch: here.room((cols + 4) * 8), weights: here.room(step * 8) },
        ...{ counts: here.room((cols + 3) * 8), piece: here.room(step * bytes + 16) },
      }),
      brought: ({ piece }) => [{ matrix: scores, pointer: piece }],
      fetched: ({ piece }) => [{ matrix: target, pointer: piece }],
      bring: (place, start, end) => {
        here.reals(place.weights, end - start).set(weights.subarray(start, end));
        here.reals(place.counts, cols).fill(0);
        const { piece } = place;
        return [end - start, cols, piece, bytes, offsetsAt, piece, bytes, place.weights, place.counts, place.scratch];
      },
      fetch: (place) => {
        const found = here.reals(place.counts, cols);
        for (let c = 0; c < cols; c++) counts[c] += found[c];
      },
    });
  }

  /** `Backend.energyOfRows` */
  energyOfRows(chances: Matrix, scores: Matrix, weights: Float64Array): number {
    checkEnergy(chances, scores, weights);
    const here = this.#workbench();
    const bytes = scores.cols * scores.data.BYTES_PER_ELEMENT;
    const step = here.rowsPerPiece(scores.cols);
    let total = 0;
    here.inPieces(step, {
      kernel: 'energyOfRows',
      matrix: scores,
      reserve: () => ({
        weights: here.room(step * 8),
        first: here.room(step * bytes),
        second: here.room(step * bytes),
      }),
      brought: ({ first, second }) => [
        { matrix: chances, pointer: first },
        { matrix: scores, pointer: second },
      ],
      bring: (place, start, end) => {
        here.reals(place.weights, end - start).set(weights.subarray(start, end));
        return [end - start, scores.cols, place.first, bytes, place.second, bytes, place.weights];
      },
      fetch: (_place, _start, _end, sum) => {
        total += sum;
      },
    });
    return total;
  }

  /** `Backend.powerRows` */
  powerRows(rows: Matrix, power: number): void {
    const here = this.#workbench();
    const bytes = rows.cols * rows.data.BYTES_PER_ELEMENT;
    const step = here.rowsPerPiece(rows.cols);
    const origin = here.hold(new Float64Array(rows.cols), rows.data);
    here.inPieces(step, {
      kernel: 'powerRows',
      matrix: rows,
      reserve: () => ({ scratch: here.room((rows.cols + 4) * 8), piece: here.room(step * bytes) }),
      brought: ({ piece }) => [{ matrix: rows, pointer: piece }],
      fetched: ({ piece }) => [{ matrix: rows, pointer: piece }],
      bring: ({ piece, scratch }, start, end) => [end - start, rows.cols, piece, bytes, power, origin, scratch],
    });
  }

  /** `Backend.unitRows` */
  unitRows(rows: Matrix, largests: Float64Array, lengths: Float64Array): void {
    checkUnitRows(rows, largests, lengths);
    const here = this.#workbench();
    const bytes = rows.cols * rows.data.BYTES_PER_ELEMENT;
    const step = here.rowsPerPiece(rows.cols);
    here.inPieces(step, {
      kernel: 'unitRows',
      matrix: rows,
      reserve: () => ({
        ...{ largests: here.room(step * 8), lengths: here.room(step * 8) },
        piece: here.room(step * bytes + 16),
      }),
      brought: ({ piece }) => [{ matrix: rows, pointer: piece }],
      fetched: ({ piece }) => [{ matrix: rows, pointer: piece }],
      bring: (place, start, end) => {
        here.reals(place.largests, end - start).set(largests.subarray(start, end));
        here.reals(place.lengths, end - start).set(lengths.subarray(start, end));
        return [end - start, rows.cols, place.piece, bytes, place.largests, place.lengths];
      },
      fetch: (place, start, end) => {
        largests.set(here.reals(place.largests, end - start), start);
        lengths.set(here.reals(place.lengths, end - start), start);
      },
    });
  }

  /** `Backend.visitPowered` */
  visitPowered(rows: Matrix, options: PoweredOptions, visit: (block: Matrix, start: number) => void): void {
    checkPowered(rows, options);
    const bench = this.#workbench();
    bench.keeping(() => visitPowered(bench, rows, options, visit));
  }

  /** `Backend.nearestRows` */
  nearestRows(multiply: Multiply, ...asked: Parameters<Backend['nearestRows']>): void {
    if (checkNearest(...asked) > 0) new NearestSearch(this.#workbench(), ...asked).run(multiply);
  }

  /** `Backend.scoreRows` */
  scoreRows(products: Matrix, scores: DistanceScores): void {
    checkScores(products, scores);
    const { lengths, squares, factors, constants } = scores;
    const here = this.#workbench();
    const { cols, data } = products;
    const bytes = cols * data.BYTES_PER_ELEMENT;
    const step = here.rowsPerPiece(cols);
    const columns = [squares, factors, constants].map((values) => here.hold(values, values));
    here.inPieces(step, {
      kernel: 'scoreRows',
      matrix: products,
      reserve: () => ({ lengths: here.room(step * 8), piece: here.room(step * bytes) }),
      brought: ({ piece }) => [{ matrix: products, pointer: piece }],
      fetched: ({ piece }) => [{ matrix: products, pointer: piece }],
      bring: (place, start, end) => {
        here.reals(place.lengths, end - start).set(lengths.subarray(start, end));
        return [end - start, cols, place.piece, bytes, place.lengths, ...columns];
      },
    });
  }

  /** `Backend.peaksOfRows` */
  peaksOfRows(out: RowPeaks, products: Matrix, scores: PeakScores): void {
    checkPeaks(out, products, scores);
    findPeaks(this.#workbench(), out, products, scores);
  }

  /** `Backend.sumOfDifferences` */
  sumOfDifferences(a: Matrix, b: Matrix): number {
    checkSameShape('sumOfDifferences', a, b);
    const here = this.#workbench();
    const bytes = a.cols * a.data.BYTES_PER_ELEMENT;
    const step = here.rowsPerPiece(a.cols);
    let total = 0;
    here.inPieces(step, {
      kernel: 'sumOfDifferences',
      matrix: a,
      reserve: () => ({ first: here.room(step * bytes), second: here.room(step * bytes) }),
      brought: ({ first, second }) => [
        { matrix: a, pointer: first },
        { matrix: b, pointer: second },
      ],
      bring: ({ first, second }, start, end) => [end - start, a.cols, first, bytes, second, bytes],
      fetch: (_place, _start, _end, sum) => {
        total += sum;
      },
    });
    return total;
  }

  /** `Backend.addSparse` */
  addSparse(target: Matrix, sparse: SparseMatrix, source: Matrix): void {
    checkSparse(target, sparse, source);
    for (const [column, end] of stripesOf(source, this.#workbench().crew?.bring ? broughtBytes : stripeBytes)) {
      const views = [target, source].map((matrix) => matrix.view(0, matrix.rows, column, end));
      this.#addStripe(views[0], sparse, views[1]);
    }
  }

  #addStripe(target: Matrix, sparse: SparseMatrix, source: Matrix): void {
    const here = this.#workbench();
    const { cols, rows, data } = target;
    const bytes = data.BYTES_PER_ELEMENT;
    const stride = cols * bytes;
    const whole = here.room(source.rows * stride + 16);
    here.bringAll(source, whole);
    const step = here.rowsPerPiece(cols);
    const entries = new Entries(here, sparse, rows, step, data);
    here.inPieces(step, {
      kernel: 'sparseRows',
      matrix: target,
      reserve: () => ({ ...entries.reserve(), piece: here.room(step * stride + 16) }),
      brought: ({ piece }) => [{ matrix: target, pointer: piece }],
      fetched: ({ piece }) => [{ matrix: target, pointer: piece }],
      bring: (place, start, end) => [
        ...[end - start, cols, ...entries.bring(place, start, end)],
        ...[whole, stride, place.piece, stride],
      ],
    });
  }

  /** `Backend.sparseForm` */
  sparseForm(sparse: SparseMatrix, a: Matrix): number {
    checkEntries('sparseForm', sparse, a.rows, a.rows);
    let total = 0;
    // The stripes decide in what order is summed up, and so they are the same for any number of threads.
    for (const [column, end] of stripesOf(a, broughtBytes)) {
      const here = this.#workbench();
      const stripe = a.view(0, a.rows, column, end);
      const { cols, rows, data } = stripe;
      const stride = cols * data.BYTES_PER_ELEMENT;
      const whole = here.room(rows * stride + 16);
      here.bringAll(stripe, whole);
      const step = here.rowsPerPiece(cols);
      const entries = new Entries(here, sparse, rows, step, sparse.values);
      here.inPieces(step, {
        kernel: 'sparseForm',
        matrix: stripe,
        reserve: () => entries.reserve(),
        bring: (place, start, end) => [
          ...[end - start, cols, start, ...entries.bring(place, start, end)],
          ...[whole, stride],
        ],
        fetch: (_place, _start, _end, sum) => {
          total += sum;
        },
      });
    }
    return total;
  }
}

/** Columns [from, to) of a matrix that lie on the workbench together, since any of its rows may be asked for. */
function stripesOf({ rows, cols, data }: Matrix, most: number): [number, number][] {
  const fitting = Math.floor(most / (Math.max(1, rows) * data.BYTES_PER_ELEMENT * stripeColumns)) * stripeColumns;
  const width = Math.max(stripeColumns, fitting);
  return Array.from({ length: Math.ceil(cols / width) }, (_, k) => [k * width, Math.min(cols, (k + 1) * width)]);
}

interface EntryPlace {
  readonly starts: number;
  readonly columns: number;
  readonly values: number;
}

/** The entries of some rows of a sparse matrix on the workbench. */
class Entries {
  readonly #here: RowWorkbench;
  readonly #sparse: SparseMatrix;
  readonly #step: number;
  readonly #most: number;
  /** Of the precision that values are brought in. */
  readonly #like: RealArray;

  constructor(here: RowWorkbench, sparse: SparseMatrix, rows: number, step: number, like: RealArray) {
    this.#here = here;
    this.#sparse = sparse;
    this.#step = step;
    this.#like = like;
    let most = 0;
    for (let start = 0; start < rows; start += step)
      most = Math.max(most, sparse.starts[Math.min(rows, start + step)] - sparse.starts[start]);
    this.#most = most;
  }

  reserve(): EntryPlace {
    const room = (bytes: number) => this.#here.room(bytes);
    return {
      starts: room((this.#step + 1) * 4),
      columns: room(this.#most * 4),
      values: room(this.#most * this.#like.BYTES_PER_ELEMENT),
    };
  }

  /** Brings those of rows [start, end); returns where they are. */
  bring(place: EntryPlace, start: number, end: number): [number, number, number] {
    const { starts, columns, values } = this.#sparse;
    const [first, last] = [starts[start], starts[end]];
    const own = this.#here.integers(place.starts, end - start + 1);
    for (let i = start; i <= end; i++) own[i - start] = starts[i] - first;
    this.#here.integers(place.columns, last - first).set(columns.subarray(first, last));
    this.#here.elements(this.#like, place.values, last - first).set(values.subarray(first, last));
    return [place.starts, place.columns, place.values];
  }
}
