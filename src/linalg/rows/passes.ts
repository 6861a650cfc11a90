/** The passes of backends over the rows of matrices in this process's memory, by the kernels of assembly/rows. */
import type {
  Backend,
  DistanceScores,
  PeakScores,
  PoweredOptions,
  PowerMixture,
  RowLeaders,
  RowPeaks,
  SparseMatrix,
} from '../backend.js';
import type { Matrix, RealArray } from '../matrix.js';
import {
  checkEnergy,
  checkEntries,
  checkLeaders,
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
import type { Place, RowKernel } from './calls.js';
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
    const { rows, cols, data } = products;
    const bytes = cols * data.BYTES_PER_ELEMENT;
    const step = here.rowsPerPiece(cols);
    const columns = [squares, scales, shifts].map((values) => here.hold(values, data));
    const names = here.alongRows(labels ?? new Int32Array(rows).fill(unlabelled));
    const [sums, distances] = [here.alongRows(out), here.alongRows(own ? own.fill(0) : new Float64Array(rows))];
    const [piece, scratch] = [here.own(step * bytes + 16), here.own((cols + 4) * 8)];
    here.inPieces({
      ...{ kernel: 'logPowerSums', matrix: products, step, brought: [{ matrix: products, place: piece }] },
      values: [cols, piece, bytes, here.alongRows(lengths), ...columns, power, names, sums, distances, scratch],
    });
    out.set(here.reals(sums.at, rows));
    own?.set(here.reals(distances.at, rows));
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
    const added = here.hold(offsets, data);
    const [piece, scratch, found] = [here.own(step * bytes + 16), here.own((cols + 4) * 8), here.each(cols * 8)];
    counts.fill(0);
    here.inPieces({
      ...{ kernel: 'softmaxRows', matrix: scores, step },
      ...{ brought: [{ matrix: scores, place: piece }], fetched: [{ matrix: target, place: piece }] },
      values: [cols, piece, bytes, added, piece, bytes, here.alongRows(weights), found, scratch],
      take: (pointer) => addTo(counts, here.reals(pointer, cols)),
    });
  }

  /** `Backend.energyOfRows` */
  energyOfRows(chances: Matrix, scores: Matrix, weights: Float64Array): number {
    checkEnergy(chances, scores, weights);
    const here = this.#workbench();
    return this.#ofTwo(here, 'energyOfRows', chances, scores, [here.alongRows(weights)]);
  }

  /** What a kernel returns for the rows of two matrices, all pieces together. */
  #ofTwo(here: RowWorkbench, kernel: RowKernel, a: Matrix, b: Matrix, more: readonly Place[] = []): number {
    const bytes = a.cols * a.data.BYTES_PER_ELEMENT;
    const step = here.rowsPerPiece(a.cols);
    const [first, second] = [here.own(step * bytes), here.own(step * bytes)];
    const brought = [
      { matrix: a, place: first },
      { matrix: b, place: second },
    ];
    return here.inPieces({
      ...{ kernel, matrix: a, step, brought },
      values: [a.cols, first, bytes, second, bytes, ...more],
    });
  }

  /** Has a kernel rewrite the rows of a matrix in place, and keep numbers of each. */
  #rewrite(here: RowWorkbench, kernel: RowKernel, matrix: Matrix, more: readonly (number | Place)[]): void {
    const bytes = matrix.cols * matrix.data.BYTES_PER_ELEMENT;
    const step = here.rowsPerPiece(matrix.cols);
    const piece = here.own(step * bytes + 16);
    const carried = [{ matrix, place: piece }];
    const values = [matrix.cols, piece, bytes, ...more];
    here.inPieces({ kernel, matrix, step, brought: carried, fetched: carried, values });
  }

  /** `Backend.powerRows` */
  powerRows(rows: Matrix, power: number): void {
    const here = this.#workbench();
    const origin = here.hold(new Float64Array(rows.cols), rows.data);
    this.#rewrite(here, 'powerRows', rows, [power, origin, here.own((rows.cols + 4) * 8)]);
  }

  /** `Backend.unitRows` */
  unitRows(rows: Matrix, largests: Float64Array, lengths: Float64Array): void {
    checkUnitRows(rows, largests, lengths);
    const here = this.#workbench();
    const kept = [largests, lengths].map((values) => ({ values, place: here.alongRows(values) }));
    this.#rewrite(
      here,
      'unitRows',
      rows,
      kept.map(({ place }) => place),
    );
    for (const { values, place } of kept) values.set(here.reals(place.at, rows.rows));
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
    const columns = [squares, factors, constants].map((values) => here.hold(values, values));
    this.#rewrite(here, 'scoreRows', products, [here.alongRows(lengths), ...columns]);
  }

  /** `Backend.peaksOfRows` */
  peaksOfRows(out: RowPeaks, products: Matrix, scores: PeakScores): void {
    checkPeaks(out, products, scores);
    findPeaks(this.#workbench(), out, products, scores);
  }

  /** `Backend.leadersOfRows` */
  leadersOfRows(out: RowLeaders, scores: Matrix, offsets: Float64Array): void {
    checkLeaders(out, scores, offsets);
    const here = this.#workbench();
    const { rows, cols, data } = scores;
    const bytes = cols * data.BYTES_PER_ELEMENT;
    const step = here.rowsPerPiece(cols);
    const added = here.hold(offsets, offsets);
    const [columns, leads] = [here.alongRows(out.columns), here.alongRows(out.leads)];
    const piece = here.own(step * bytes);
    here.inPieces({
      ...{ kernel: 'leadersOfRows', matrix: scores, step, brought: [{ matrix: scores, place: piece }] },
      values: [cols, piece, bytes, added, columns, leads],
    });
    out.columns.set(here.integers(columns.at, rows));
    out.leads.set(here.reals(leads.at, rows));
  }

  /** `Backend.rowDots`, in double precision. */
  rowDots(out: RealArray, a: Matrix, b: Matrix): void {
    const here = this.#workbench();
    const found = here.alongRows(new Float64Array(a.rows));
    this.#ofTwo(here, 'rowDots', a, b, [found]);
    out.set(here.reals(found.at, a.rows));
  }

  /** `Backend.scaleRows` */
  scaleRows(rows: Matrix, factors: RealArray): void {
    const here = this.#workbench();
    this.#rewrite(here, 'scaleRows', rows, [here.alongRows(Float64Array.from(factors))]);
  }

  /** `Backend.sumOfDifferences` */
  sumOfDifferences(a: Matrix, b: Matrix): number {
    checkSameShape('sumOfDifferences', a, b);
    return this.#ofTwo(this.#workbench(), 'sumOfDifferences', a, b);
  }

  /** `Backend.addSparse` */
  addSparse(target: Matrix, sparse: SparseMatrix, source: Matrix): void {
    checkSparse(target, sparse, source);
    for (const [column, end] of stripesOf(source, this.#workbench().crew?.reach ? broughtBytes : stripeBytes)) {
      const here = this.#workbench();
      const [to, from] = [target, source].map((matrix) => matrix.view(0, matrix.rows, column, end));
      const bytes = to.cols * to.data.BYTES_PER_ELEMENT;
      const whole = this.#brought(here, from, bytes);
      const step = here.rowsPerPiece(to.cols);
      const piece = here.own(step * bytes + 16);
      const carried = [{ matrix: to, place: piece }];
      here.inPieces({
        ...{ kernel: 'sparseRows', matrix: to, step, brought: carried, fetched: carried },
        values: [to.cols, ...entriesOf(here, sparse, to.data), whole, bytes, piece, bytes],
      });
    }
  }

  /** `Backend.sparseForm` */
  sparseForm(sparse: SparseMatrix, a: Matrix): number {
    checkEntries('sparseForm', sparse, a.rows, a.rows);
    let total = 0;
    // The stripes decide in what order is summed up, and so they are the same for any number of threads.
    for (const [column, end] of stripesOf(a, broughtBytes)) {
      const here = this.#workbench();
      const stripe = a.view(0, a.rows, column, end);
      const bytes = stripe.cols * stripe.data.BYTES_PER_ELEMENT;
      const whole = this.#brought(here, stripe, bytes);
      total += here.inPieces({
        ...{ kernel: 'sparseForm', matrix: stripe, step: here.rowsPerPiece(stripe.cols) },
        values: [stripe.cols, rowNumber, ...entriesOf(here, sparse, sparse.values), whole, bytes],
      });
    }
    return total;
  }

  /** Room with all rows of a matrix, of so many bytes each. */
  #brought(here: RowWorkbench, matrix: Matrix, bytes: number): number {
    const whole = here.room(matrix.rows * bytes + 16);
    here.bringAll(matrix, whole);
    return whole;
  }
}

/** The number of a piece's first row. */
const rowNumber: Place = { at: 0, perRow: 1 };

/** The entries of a sparse matrix: where those of a row begin, their columns, and their values in the precision of an array. */
function entriesOf(here: RowWorkbench, { starts, columns, values }: SparseMatrix, like: RealArray): (number | Place)[] {
  return [here.alongRows(starts), here.alongRows(columns).at, here.hold(values, like)];
}

function addTo(sums: Float64Array, values: RealArray): void {
  for (let c = 0; c < sums.length; c++) sums[c] += values[c];
}

/** Columns [from, to) of a matrix that lie on the workbench together, since any of its rows may be asked for. */
function stripesOf({ rows, cols, data }: Matrix, most: number): [number, number][] {
  const fitting = Math.floor(most / (Math.max(1, rows) * data.BYTES_PER_ELEMENT * stripeColumns)) * stripeColumns;
  const width = Math.max(stripeColumns, fitting);
  return Array.from({ length: Math.ceil(cols / width) }, (_, k) => [k * width, Math.min(cols, (k + 1) * width)]);
}
