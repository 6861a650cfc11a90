/** The passes of backends over the rows of matrices in this process's memory, by the kernels of assembly/rows. */
import type { PoweredOptions, PowerMixture, SparseMatrix } from '../backend.js';
import type { Matrix } from '../matrix.js';
import { checkEnergy, checkNearest, checkPowered, checkPowerSums, checkSoftmax, checkSparse } from '../shapes.js';
import { findNearest, type Multiply } from './nearest.js';
import { visitPowered } from './powered.js';
import { RowWorkbench } from './workbench.js';

const unlabelled = -1;
/** Bytes of the columns of a matrix that lie on the workbench whole. */
const stripeBytes = 2 ** 23;
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
      bring: (place, start, end) => {
        here.bring(products, start, end, place.piece);
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
      bring: (place, start, end) => {
        here.bring(scores, start, end, place.piece);
        here.reals(place.weights, end - start).set(weights.subarray(start, end));
        here.reals(place.counts, cols).fill(0);
        const { piece } = place;
        return [end - start, cols, piece, bytes, offsetsAt, piece, bytes, place.weights, place.counts, place.scratch];
      },
      fetch: (place, start, end) => {
        here.fetch(target, start, end, place.piece);
        const found = here.reals(place.counts, cols);
        for (let c = 0; c < cols; c++) counts[c] += found[c];
      },
    });
  }

  /** `Backend.energyOfRows` */
  energyOfRows(chances: Matrix, scores: Matrix, weights: Float64Array): number {
    checkEnergy(chances, scores, weights);
    const here = this.#workbench();
    const { cols, data } = scores;
    const bytes = cols * data.BYTES_PER_ELEMENT;
    const step = here.rowsPerPiece(cols);
    let total = 0;
    here.inPieces(step, {
      kernel: 'energyOfRows',
      matrix: scores,
      reserve: () => ({
        weights: here.room(step * 8),
        chances: here.room(step * bytes),
        scores: here.room(step * bytes),
      }),
      bring: (place, start, end) => {
        here.bring(chances, start, end, place.chances);
        here.bring(scores, start, end, place.scores);
        here.reals(place.weights, end - start).set(weights.subarray(start, end));
        return [end - start, cols, place.chances, bytes, place.scores, bytes, place.weights];
      },
      fetch: (_place, _start, _end, energy) => {
        total += energy;
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
      bring: ({ piece, scratch }, start, end) => {
        here.bring(rows, start, end, piece);
        return [end - start, rows.cols, piece, bytes, power, origin, scratch];
      },
      fetch: ({ piece }, start, end) => here.fetch(rows, start, end, piece),
    });
  }

  /** `Backend.visitPowered` */
  visitPowered(rows: Matrix, options: PoweredOptions, visit: (block: Matrix, start: number) => void): void {
    checkPowered(rows, options);
    const bench = this.#workbench();
    bench.keeping(() => visitPowered(bench, rows, options, visit));
  }

  /** `Backend.nearestRows` */
  nearestRows(multiply: Multiply, nearest: Int32Array, cosines: Float64Array, a: Matrix, squares: Float64Array): void {
    if (checkNearest(nearest, cosines, a, squares) > 0)
      findNearest(this.#workbench(), multiply, nearest, cosines, a, squares);
  }

  /** `Backend.addSparse`: a stripe of columns of the one matrix lies on the workbench, the rows of the other pass by. */
  addSparse(target: Matrix, sparse: SparseMatrix, source: Matrix): void {
    checkSparse(target, sparse, source);
    const bytes = source.data.BYTES_PER_ELEMENT;
    const fitting = Math.floor(stripeBytes / (Math.max(1, source.rows) * bytes * stripeColumns)) * stripeColumns;
    const width = Math.max(stripeColumns, fitting);
    for (let column = 0; column < target.cols; column += width) {
      const end = Math.min(target.cols, column + width);
      const views = [target, source].map((matrix) => matrix.view(0, matrix.rows, column, end));
      this.#addStripe(views[0], sparse, views[1]);
    }
  }

  #addStripe(target: Matrix, { starts, columns, values }: SparseMatrix, source: Matrix): void {
    const here = this.#workbench();
    const { cols, rows, data } = target;
    const bytes = data.BYTES_PER_ELEMENT;
    const whole = here.room(source.rows * cols * bytes + 16);
    here.bring(source, 0, source.rows, whole);
    const step = here.rowsPerPiece(cols);
    let most = 0;
    for (let start = 0; start < rows; start += step)
      most = Math.max(most, starts[Math.min(rows, start + step)] - starts[start]);
    here.inPieces(step, {
      kernel: 'sparseRows',
      matrix: target,
      reserve: () => ({
        ...{ starts: here.room((step + 1) * 4), columns: here.room(most * 4) },
        ...{ values: here.room(most * bytes), piece: here.room(step * cols * bytes + 16) },
      }),
      bring: (place, start, end) => {
        const [first, last] = [starts[start], starts[end]];
        here.bring(target, start, end, place.piece);
        const own = here.integers(place.starts, end - start + 1);
        for (let i = start; i <= end; i++) own[i - start] = starts[i] - first;
        here.integers(place.columns, last - first).set(columns.subarray(first, last));
        here.elements(data, place.values, last - first).set(values.subarray(first, last));
        const stride = cols * bytes;
        return [end - start, cols, place.starts, place.columns, place.values, whole, stride, place.piece, stride];
      },
      fetch: (place, start, end) => here.fetch(target, start, end, place.piece),
    });
  }
}
