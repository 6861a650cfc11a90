/**
 * The arithmetic of `HostWebScalars` on a GPU: the numbers kept for every picture are rows of one matrix on the device
 * and stay there; what comes back to the host are sums and maxima.
 */
import type { Backend, DeviceProgram, KernelValue } from '../linalg/index.js';
import { Matrix } from '../linalg/index.js';
import type { WebProducts } from './theta/problem.js';
import { descend } from './theta/projected-gradient.js';
import type { Grouping } from './web-features.js';
import {
  blocks,
  categoryRowNames,
  kernelNames,
  partialRows,
  type RowName,
  rowNames,
  source,
  threads,
} from './web-scalar-kernels.js';
import { type ScalarRows, type Summary, summaryOf, type WebScalars, type WeightOptions } from './web-scalars.js';

/** Newton steps of the projection started at a time; more follow where these were too few. */
const newtonSteps = 8;
type Kernel = (typeof kernelNames)[number];
const whole = (value: number): KernelValue => ({ whole: value });
const real = (value: number): KernelValue => ({ real: value });
const total = (values: Float64Array) => values.reduce((a, b) => a + b);
const most = (values: Float64Array) => values.reduce((a, b) => Math.max(a, b));
const least = (values: Float64Array) => values.reduce((a, b) => Math.min(a, b));

export class DeviceWebScalars implements WebScalars {
  readonly scalars: ScalarRows;
  readonly shrink: Matrix;
  readonly dotMove: Matrix;
  readonly multiplierDotMove: Matrix;
  readonly weightedSum: Matrix;
  readonly norms: Matrix;
  readonly #backend: Backend;
  readonly #program: DeviceProgram;
  readonly #grouping: Grouping;
  readonly #rows: Matrix;
  readonly #categoryRows: Matrix;
  readonly #partial: Matrix;
  readonly #newton: Matrix;
  readonly #n: KernelValue;
  readonly #categories: KernelValue;

  /** `attraction`: the products xᵢ · Σⱼ xtⱼ with the test pictures. */
  constructor(backend: Backend, grouping: Grouping, dimension: number, attraction: Float64Array) {
    const [n, categories] = [grouping.labels.length, grouping.starts.length - 1];
    this.#backend = backend;
    this.#program = backend.compile!(source, kernelNames);
    this.#grouping = grouping;
    this.#n = whole(n);
    this.#categories = whole(categories);
    this.#rows = backend.matrix(rowNames.length, n);
    this.#categoryRows = backend.matrix(categoryRowNames.length, categories);
    this.#partial = backend.matrix(partialRows, blocks);
    this.#newton = backend.matrix(1, 6);
    this.weightedSum = backend.matrix(1, dimension);
    const row = (name: RowName) => this.#row(name);
    this.scalars = {
      theta: row('theta'),
      along: row('along'),
      residual: row('residual'),
      cross: row('cross'),
      multiplier: row('multiplier'),
    };
    this.shrink = row('shrink');
    this.dotMove = row('dotMove');
    this.multiplierDotMove = row('multiplierDotMove');
    this.norms = row('norms');
    backend.copy(this.scalars.theta, Matrix.zeros(1, n).fill(1));
    backend.copy(row('attraction'), new Matrix(attraction, 1, n));
  }

  #row(name: RowName): Matrix {
    const k = rowNames.indexOf(name);
    return this.#rows.view(k, k + 1);
  }

  #categoryRow(name: (typeof categoryRowNames)[number]): Matrix {
    const k = categoryRowNames.indexOf(name);
    return this.#categoryRows.view(k, k + 1);
  }

  #launch(name: Kernel, ...values: KernelValue[]): void {
    this.#program.launch(name, blocks, threads, values);
  }

  /** What the blocks of the last reductions left, one row for each. */
  #partials(rows: number): Float64Array[] {
    const result = Matrix.zeros(rows, blocks);
    this.#backend.copy(result, this.#partial.view(0, rows));
    return Array.from({ length: rows }, (_, k) => result.row(k));
  }

  start(prototypeNorms: Matrix): void {
    this.#launch('start', this.#rows, this.#grouping.labels, prototypeNorms, this.#n);
  }

  shrinkErrors(lambda4: number, mu: number): void {
    this.#launch('shrinkErrors', this.#rows, this.#partial, this.#n, real(lambda4), real(mu));
  }

  dictionaryCoefficients(mu: number, gamma: number) {
    const { starts } = this.#grouping;
    const [rows, n] = [this.#rows, this.#n];
    this.#launch('dictionaryCoefficients', rows, n, real(mu));
    const values = [rows, this.#categoryRows, starts, n, this.#categories, real(mu), real(gamma)];
    this.#program.launch('categorySums', starts.length - 1, threads, values);
    return {
      onPicture: this.#row('onResidual'),
      onHistory: this.#row('onHistory'),
      onPrototype: this.#categoryRow('onPrototype'),
      onSystem: this.#categoryRow('onSystem'),
    };
  }

  beginMove(oldDotMove: Matrix): void {
    this.#launch('beginMove', this.#rows, this.#grouping.labels, oldDotMove, this.#n);
  }

  endMove(moveNorms: Matrix): void {
    const { labels } = this.#grouping;
    this.#launch('endMove', this.#rows, this.#categoryRows, labels, moveNorms, this.#n, this.#categories);
  }

  async solveWeights(products: WebProducts, options: WeightOptions): Promise<number> {
    const { mu, pull, coupling, bound, spectralBound } = options;
    const [n, rows, partial, newton] = [this.#n, this.#rows, this.#partial, this.#newton];
    const lift = coupling * spectralBound;
    const { labels } = this.#grouping;
    const terms = [
      rows,
      this.#categoryRows,
      partial,
      newton,
      labels,
      n,
      this.#categories,
      real(mu),
      real(pull),
      real(lift),
    ];
    this.#launch('weightTerms', ...terms);
    const [largestOf, smallestOf] = this.#partials(2);
    const largest = most(largestOf);
    // A picture that sits exactly on its prototype has no curvature and still needs a positive entry.
    const floor = largest > 0 ? largest * 1e-14 : 1;
    const smallest = Math.max(floor, least(smallestOf));
    const limits = [real(floor), real(bound)];
    const { roundoff = Number.EPSILON } = products;
    return descend({
      contraction: lift / smallest,
      coupled: coupling > 0,
      sumUp: async () => products.transposedTimes(this.weightedSum, this.#row('extrapolated')),
      project: async () => {
        if (coupling > 0) await products.times(this.#row('gradient'), this.weightedSum);
        this.#launch('trialPoint', rows, partial, newton, n, real(coupling), ...limits);
        for (;;) {
          for (let k = 0; k < newtonSteps; k++) this.#launch('newtonStep', rows, partial, newton, n, ...limits);
          this.#launch('acceptTrial', rows, partial, newton, n, ...limits, real(roundoff));
          const [moved, uphill, rounding, found] = this.#partials(4);
          if (!found[0]) continue;
          return { moved: most(moved), uphill: total(uphill), rounding: most(rounding) };
        }
      },
      advance: (push) => this.#launch('advance', rows, n, real(push)),
    });
  }

  columnResiduals(mu: number) {
    this.#onSteps('columnResiduals', mu, this.#partial);
    const [norms, where] = this.#partials(2);
    const best = norms.reduce((b, value, k) => (value > norms[b] || Number.isNaN(value) ? k : b), 0);
    return { largest: norms[best], worst: where[best] };
  }

  columnCoefficients(mu: number) {
    this.#onSteps('columnCoefficients', mu);
    return {
      onResidual: this.#row('onResidual'),
      onHistory: this.#row('onHistory'),
      onNewest: this.#row('onNewest'),
    };
  }

  updateMultipliers(mu: number) {
    this.#onSteps('updateMultipliers', mu);
    return { onHistory: this.#row('onHistory'), onNewest: this.#row('onNewest') };
  }

  #onSteps(name: Kernel, mu: number, ...outputs: Matrix[]): void {
    const { labels } = this.#grouping;
    this.#launch(name, this.#rows, this.#categoryRows, ...outputs, labels, this.#n, this.#categories, real(mu));
  }

  summary(): Summary {
    this.#launch('spread', this.#rows, this.#partial, this.#n);
    const [low, high, sum, squares, errors] = this.#partials(partialRows);
    return summaryOf(this.#rows.cols, total(errors), least(low), most(high), total(sum), total(squares));
  }

  release(): void {
    for (const matrix of [this.#rows, this.#categoryRows, this.#partial, this.#newton, this.weightedSum])
      this.#backend.release(matrix);
  }
}
