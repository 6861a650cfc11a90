/**
 * The multi-class machine over bags of pictures that WSDG and WSDG_PI share. A selection h takes a share η of the pictures
 * of every bag; u_{l,m} is the sum of bag l's selected pictures of domain m over the size of the bag, and z_l = Σ_m u_{l,m}.
 * With one weight vector for each category c and domain m the machine is
 * min ½ Σ ‖w_{c,m}‖² + C Σ_l ξ_l  with  Σ_m w_{Y(l),m}'u_{l,m} − w_{c,m}'z_l ≥ η − ξ_l  for all m and c ≠ Y(l), ξ_l ≥ 0:
 * the mean margin of a bag, not that of a picture, counts. With text the slack is a function of it, ξ_l = w̃_{Y(l)}'t_l ≥ 0
 * with the mean text t_l of the selected pictures, and γ/2 Σ_c ‖w̃_c‖² is added (as in SVM+). The choice of h is relaxed as
 * in the original: kernels of several selections are mixed with weights d ≥ 0, Σ_t d_t = 1, which is the dual's convex
 * problem min_d max_α η Σα − ½ Σ_t d_t N_t(α), N_t = ‖Σ α ψ_t‖² (+ ‖Σ (Σα + β − C) t_t‖²/γ with text). For given d, dual
 * coordinate descent bag by bag, by products of bags with bags (bag-scores.ts); d_t ∝ d_t √N_t. Stops when no projected gradient of
 * a sweep exceeds `tolerance`.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Backend } from '../../linalg/index.js';
import { Matrix } from '../../linalg/index.js';
import { BagScores, type BagWords, type SelectedBags } from './bag-scores.js';

export interface Bag {
  readonly category: number;
  readonly rows: readonly number[];
}

export interface BagProblem {
  /** n×d, less their mean. */
  readonly features: Matrix<Float64Array>;
  /** n×(d̃ + 1), a 1 behind every row; absent without text. */
  readonly text?: Matrix<Float64Array>;
  readonly bags: readonly Bag[];
  /** Of each picture. */
  readonly domains: Int32Array;
  readonly categories: number;
  readonly domainCount: number;
  /** η. */
  readonly selected: number;
  /** C. */
  readonly cost: number;
  /** γ. */
  readonly textPenalty?: number;
}

export interface BagSolveOptions {
  /** @default 0.01 */
  tolerance?: number;
  /** @default 60 */
  maxSweeps?: number;
  signal?: AbortSignal;
}

/** What one selection makes of the pictures. */
interface Selected extends SelectedBags {
  /** d_t w and d_t w̃ of the current dual variables. */
  weights: Matrix<Float64Array>;
  textWeights: Matrix<Float64Array> | undefined;
}

export class BagMachine {
  readonly problem: BagProblem;
  /** α, L×CM; entries of a bag's own category stay 0. */
  readonly alphas: Matrix<Float64Array>;
  /** β, where there is text. */
  readonly betas: Float64Array;
  /** d. */
  mixture: number[] = [];
  readonly #backend: Backend;
  readonly #selections: Selected[] = [];
  /** For a visit: small arrays of its own would cost a visit a quarter of its time. */
  readonly #others: Float64Array;
  readonly #moves: Float64Array;

  constructor(backend: Backend, problem: BagProblem) {
    this.problem = problem;
    this.#backend = backend;
    const { bags, categories, domainCount, text, cost } = problem;
    this.alphas = Matrix.zeros(bags.length, categories * domainCount);
    this.betas = new Float64Array(text ? bags.length : 0).fill(cost);
    this.#others = new Float64Array(this.#classes);
    this.#moves = new Float64Array(this.#classes);
  }

  get #classes(): number {
    return this.problem.categories * this.problem.domainCount;
  }

  /** Adds the kernel of a selection, 1 for every picture that is taken. */
  add(selection: Uint8Array): void {
    const { features, text, bags, domains, domainCount: m, categories } = this.problem;
    const parts = Matrix.zeros(bags.length * m, features.cols);
    const wholes = Matrix.zeros(bags.length, features.cols);
    const texts = text && Matrix.zeros(bags.length, text.cols);
    bags.forEach(({ rows }, l) => {
      for (const row of rows) {
        if (!selection[row]) continue;
        for (const out of [parts.row(l * m + domains[row]), wholes.row(l)])
          addTo(out, features.row(row), 1 / rows.length);
        if (texts) addTo(texts.row(l), text.row(row), 1 / rows.length);
      }
    });
    this.#selections.push({
      parts,
      wholes,
      texts: texts && bags.map((_, l) => wordsOf(texts.row(l))),
      weights: Matrix.zeros(this.#classes, features.cols),
      textWeights: texts && Matrix.zeros(categories, texts.cols),
    });
    const count = this.#selections.length;
    this.mixture = [...this.mixture.map((share) => (share * (count - 1)) / count), 1 / count];
  }

  /** w_{c,m} = Σ_t of all selections in row c · M + m. */
  get weights(): Matrix<Float64Array> {
    return sum(this.#selections.map(({ weights }) => weights));
  }

  get textWeights(): Matrix<Float64Array> | undefined {
    const each = this.#selections.flatMap(({ textWeights }) => (textWeights ? [textWeights] : []));
    return each.length > 0 ? sum(each) : undefined;
  }

  /** min over d, max over α and β of the dual, by turns. */
  async solve({ tolerance = 0.01, maxSweeps = 60, signal }: BagSolveOptions = {}): Promise<{ converged: boolean }> {
    let converged = false;
    for (let turn = 0; turn < 12; turn++) {
      const scores = this.#scores();
      converged = false;
      for (let sweep = 0; sweep < maxSweeps && !converged; sweep++) {
        signal?.throwIfAborted();
        let worst = 0;
        for (let l = 0; l < this.problem.bags.length; l++) worst = Math.max(worst, this.#visit(l, scores));
        converged = worst <= tolerance;
        await yieldToEventLoop();
      }
      this.#refresh();
      if (this.#selections.length === 1) break;
      const sizes = this.#norms().map((norm, t) => this.mixture[t] * Math.sqrt(norm));
      const total = sizes.reduce((a, b) => a + b, 0) || 1;
      const next = sizes.map((size) => size / total);
      const moved = Math.max(...next.map((share, t) => Math.abs(share - this.mixture[t])));
      this.mixture = next;
      if (moved < 1e-3) break;
    }
    this.#refresh();
    return { converged };
  }

  /** η Σα − ½ Σ_t d_t N_t. */
  dual(): number {
    const total = this.alphas.data.reduce((a, b) => a + b, 0);
    return this.#norms().reduce(
      (value, norm, t) => value - (this.mixture[t] * norm) / 2,
      this.problem.selected * total,
    );
  }

  /** ½ Σ_t ‖w_t‖²/d_t + …: what the weights cost in the relaxed problem; with text, infeasible bags pay their shortfall. */
  primal(): number {
    const { bags, cost, textPenalty = 1 } = this.problem;
    const scores = this.#scores();
    const others = new Float64Array(this.#classes);
    let value = 0;
    this.#selections.forEach(({ weights, textWeights }, t) => {
      if (this.mixture[t] === 0) return;
      value += dot(weights.data, weights.data) / (2 * this.mixture[t]);
      if (textWeights) value += (textPenalty * dot(textWeights.data, textWeights.data)) / (2 * this.mixture[t]);
    });
    for (let l = 0; l < bags.length; l++) {
      const { own, slack } = scores.look(l, others);
      const shortfall = Math.max(0, ...Array.from(others, (other) => this.problem.selected - own + other));
      value += cost * Math.max(slack, shortfall, 0);
    }
    return value;
  }

  /** The selection whose kernel violates the relaxed dual most, by linearizing N(h) until it settles; none if none does. */
  violating(share: (rows: readonly number[]) => number): Uint8Array<ArrayBuffer> | undefined {
    const { features, text, bags, domains, domainCount: m, cost } = this.problem;
    let [weights, textWeights] = [this.weights, this.textWeights];
    let found: Uint8Array<ArrayBuffer> | undefined;
    const largest = Math.max(...this.#norms());
    for (let step = 0; step < 5; step++) {
      const scores = Matrix.zeros(features.rows, this.#classes);
      this.#backend.gemm(scores, features, weights, { transposeB: true });
      const selection = new Uint8Array(features.rows);
      bags.forEach(({ category, rows }, l) => {
        const alphas = this.alphas.row(l);
        const total = alphas.reduce((a, b) => a + b, 0);
        const gain = (row: number) => {
          const score = scores.row(row);
          const words =
            text && textWeights ? (total + this.betas[l] - cost) * dot(textWeights.row(category), text.row(row)) : 0;
          return total * score[category * m + domains[row]] - dot(alphas, score) + words;
        };
        const best = rows.map((row) => ({ row, gain: gain(row) })).sort((a, b) => b.gain - a.gain || a.row - b.row);
        for (const { row } of best.slice(0, share(rows))) selection[row] = 1;
      });
      if (found?.every((value, i) => value === selection[i])) break;
      found = selection;
      ({ weights, textWeights } = this.#combined(selection));
    }
    const { textPenalty = 1 } = this.problem;
    const norm =
      dot(weights.data, weights.data) + (textWeights ? textPenalty * dot(textWeights.data, textWeights.data) : 0);
    return norm > largest * (1 + 1e-3) + 1e-12 ? found : undefined;
  }

  /** Σ α ψ and Σ (Σα + β − C) t/γ of a selection. */
  #combined(selection: Uint8Array): { weights: Matrix<Float64Array>; textWeights: Matrix<Float64Array> | undefined } {
    const other = new BagMachine(this.#backend, this.problem);
    other.alphas.data.set(this.alphas.data);
    other.betas.set(this.betas);
    other.add(selection);
    other.#refresh();
    const [{ weights, textWeights }] = other.#selections;
    return { weights, textWeights };
  }

  /** N_t. */
  #norms(): number[] {
    const { textPenalty = 1 } = this.problem;
    return this.#selections.map(({ weights, textWeights }, t) => {
      const share = this.mixture[t] || 1;
      const text = textWeights ? textPenalty * dot(textWeights.data, textWeights.data) : 0;
      return (dot(weights.data, weights.data) + text) / share ** 2;
    });
  }

  /** All weights anew from the dual variables. */
  #refresh(): void {
    const { bags, domainCount: m, cost, textPenalty = 1 } = this.problem;
    const totals = Float64Array.from(bags, (_, l) => this.alphas.row(l).reduce((a, b) => a + b, 0));
    this.#selections.forEach(({ parts, wholes, texts, weights, textWeights }, t) => {
      this.#backend.gemm(weights, this.alphas, wholes, { transposeA: true, alpha: -this.mixture[t], beta: 0 });
      textWeights?.fill(0);
      bags.forEach(({ category }, l) => {
        for (let k = 0; k < m; k++)
          addTo(weights.row(category * m + k), parts.row(l * m + k), this.mixture[t] * totals[l]);
        if (texts && textWeights) {
          const pull = (this.mixture[t] * (totals[l] + this.betas[l] - cost)) / textPenalty;
          addWords(textWeights.row(category), texts[l], pull);
        }
      });
    });
  }

  /** Of the dual variables and the mixture as they are. */
  #scores(): BagScores {
    return new BagScores(this.#backend, this.problem, this.#selections, this);
  }

  /** Moves the dual variables of one bag to about their best; returns the largest projected gradient met. */
  #visit(l: number, scores: BagScores): number {
    const { selected, cost, text } = this.problem;
    const [others, moves] = [this.#others, this.#moves];
    let { own, slack } = scores.look(l, others);
    const { own: ownSquare, other: otherSquare, text: textSquare } = scores.squares(l);
    if (ownSquare + otherSquare === 0) return 0;
    const alphas = this.alphas.row(l);
    moves.fill(0);
    let total = 0;
    for (let k = 0; k < alphas.length; k++) total += alphas[k];
    let [worst, betaMove] = [0, 0];
    const shift = (k: number, by: number) => {
      alphas[k] = Math.max(0, alphas[k] + by);
      moves[k] += by;
      total += by;
      own += by * ownSquare;
      others[k] -= by * otherSquare;
      slack += by * textSquare;
    };
    for (let step = 0; step < 20; step++) {
      if (text) {
        const beta = this.betas[l];
        if (step === 0) worst = Math.max(worst, Math.abs(beta <= 0 ? Math.min(slack, 0) : slack));
        const next = Math.max(0, beta - slack / textSquare);
        this.betas[l] = next;
        betaMove += next - beta;
        slack += (next - beta) * textSquare;
      }
      let [up, down] = [-1, -1];
      let [highest, lowest] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
      for (let k = 0; k < others.length; k++) {
        const value = others[k];
        if (value > highest) [up, highest] = [k, value];
        if (alphas[k] > 0 && value < lowest && value !== Number.NEGATIVE_INFINITY) [down, lowest] = [k, value];
      }
      if (up < 0) break;
      const gradient = (k: number) => selected - own + others[k] - (text ? slack : 0);
      const room = text ? Number.POSITIVE_INFINITY : cost - total;
      const bend = ownSquare + otherSquare + textSquare;
      const [rise, fall] = [gradient(up), down < 0 ? 0 : -gradient(down)];
      const exchange = down < 0 || room > 1e-12 ? 0 : others[up] - others[down];
      const most = Math.max(room > 1e-12 ? rise : 0, fall, exchange);
      if (step === 0) worst = Math.max(worst, most);
      if (most <= 1e-4) break;
      if (most === rise && room > 1e-12) shift(up, Math.min(room, rise / bend));
      else if (most === fall) shift(down, -Math.min(alphas[down], fall / bend));
      else {
        const by = Math.min(alphas[down], exchange / (2 * otherSquare));
        shift(down, -by);
        shift(up, by);
      }
    }
    scores.move(l, moves, betaMove);
    return worst;
  }
}

function addTo(out: Float64Array, row: Float64Array, factor: number): void {
  if (factor !== 0) for (let j = 0; j < out.length; j++) out[j] += factor * row[j];
}

function wordsOf(row: Float64Array): BagWords {
  const places: number[] = [];
  for (let j = 0; j < row.length; j++) if (row[j] !== 0) places.push(j);
  return { places: Int32Array.from(places), values: Float64Array.from(places, (j) => row[j]) };
}

function addWords(out: Float64Array, { places, values }: BagWords, factor: number): void {
  if (factor !== 0) for (let k = 0; k < places.length; k++) out[places[k]] += factor * values[k];
}

function dot(a: Float64Array, b: Float64Array): number {
  let total = 0;
  for (let j = 0; j < a.length; j++) total += a[j] * b[j];
  return total;
}

function sum(matrices: readonly Matrix<Float64Array>[]): Matrix<Float64Array> {
  const total = matrices[0].copy('float64');
  for (const matrix of matrices.slice(1)) addTo(total.data, matrix.data, 1);
  return total;
}
