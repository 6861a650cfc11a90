/**
 * Scores of bags during the dual coordinate descent of bag-machine.ts, kept by products of bags with bags. The weights
 * w_{c,m} = Σ_t d_t Σ_l ([Y(l) = c] (Σα_l) u_{l,m} − α_{l,cm} z_l) enter only by w_{c,m}'z and w_{c,m}'u, sums over selections t of
 * products z_l'z_k, u_{l,m}'z_k and, within a category, u_{l,m}'u_{k,m} and t_l't_k. Summed up once with the weights d, they serve however
 * many selections there are, and a bag that moves costs a row of L numbers for each class that it moves, where the weights
 * themselves would cost L times as many features.
 */
import type { Backend } from '../../linalg/index.js';
import { Matrix } from '../../linalg/index.js';
import type { BagProblem } from './bag-machine.js';

/** Entries of a vector that are not 0. */
export interface BagWords {
  readonly places: Int32Array;
  readonly values: Float64Array;
}

/** Bags as one selection makes them. */
export interface SelectedBags {
  /** u, (L·M)×d, and z, L×d. */
  readonly parts: Matrix<Float64Array>;
  readonly wholes: Matrix<Float64Array>;
  /** Of each bag the words that occur; few of all do. */
  readonly texts: readonly BagWords[] | undefined;
}

/** The dual variables and the mixture that scores are those of. */
export interface BagDuals {
  /** α, L×CM. */
  readonly alphas: Matrix<Float64Array>;
  /** β, where there is text. */
  readonly betas: Float64Array;
  /** d. */
  readonly mixture: readonly number[];
}

/** Products of the bags of one selection, or of several, weighted. */
interface BagProducts {
  /** z_l'z_k, L×L. */
  readonly wholes: Matrix<Float64Array>;
  /** u_{l,m}'z_k, (L·M)×L. */
  readonly mixed: Matrix<Float64Array>;
  /** Σ_m u_{l,m}'u_{k,m} of each bag l with the bags k of its category. */
  readonly parts: readonly Float64Array[];
  /** t_l't_k likewise. */
  readonly texts: readonly Float64Array[];
}

const known = new WeakMap<SelectedBags, BagProducts>();

export class BagScores {
  readonly #problem: BagProblem;
  readonly #members: readonly (readonly number[])[];
  /** Place of each bag among those of its category. */
  readonly #places: Int32Array;
  readonly #products: BagProducts;
  /** w_{c,m}'z_l, CM×L. */
  readonly #others: Matrix<Float64Array>;
  /** Σ_m w_{Y(l),m}'u_{l,m}. */
  readonly #own: Float64Array;
  /** w̃_{Y(l)}'t_l. */
  readonly #slacks: Float64Array;

  constructor(backend: Backend, problem: BagProblem, selections: readonly SelectedBags[], duals: BagDuals) {
    this.#problem = problem;
    const { bags, categories, domainCount: m, text, textPenalty = 1, cost } = problem;
    const members = Array.from({ length: categories }, (): number[] => []);
    this.#places = Int32Array.from(bags, ({ category }, l) => members[category].push(l) - 1);
    this.#members = members;
    const each = selections.map((selection) => productsOf(backend, selection, problem, members));
    this.#products = weighted(each, duals.mixture);
    const { wholes, mixed, parts, texts } = this.#products;
    const { alphas, betas } = duals;
    const totals = Float64Array.from(bags, (_, l) => alphas.row(l).reduce((a, b) => a + b, 0));
    const pulls = totals.map((total, l) => (total + betas[l] - cost) / textPenalty);
    this.#others = Matrix.zeros(categories * m, bags.length);
    backend.gemm(this.#others, alphas, wholes, { transposeA: true, alpha: -1 });
    this.#own = new Float64Array(bags.length);
    this.#slacks = new Float64Array(bags.length);
    bags.forEach(({ category }, l) => {
      let own = dotAt(parts[l], totals, members[category]);
      for (let k = 0; k < m; k++) {
        const row = mixed.row(l * m + k);
        addTo(this.#others.row(category * m + k), row, totals[l]);
        for (let other = 0; other < row.length; other++) own -= alphas.at(other, category * m + k) * row[other];
      }
      this.#own[l] = own;
      if (text) this.#slacks[l] = dotAt(texts[l], pulls, members[category]);
    });
  }

  /** Scores of a bag: of its own category, of all others (into `others`, −∞ at its own), and its slack by text. */
  look(l: number, others: Float64Array): { own: number; slack: number } {
    const { bags, domainCount: m } = this.#problem;
    const { category } = bags[l];
    const { data, stride } = this.#others;
    for (let k = 0, at = l; k < others.length; k++, at += stride) others[k] = data[at];
    others.fill(Number.NEGATIVE_INFINITY, category * m, (category + 1) * m);
    return { own: this.#own[l], slack: this.#slacks[l] };
  }

  /** What a bag's own score, another class's and the slack change by when a dual variable rises by one. */
  squares(l: number): { own: number; other: number; text: number } {
    const { text, textPenalty = 1 } = this.#problem;
    const { wholes, parts, texts } = this.#products;
    const place = this.#places[l];
    return { own: parts[l][place], other: wholes.at(l, l), text: text ? texts[l][place] / textPenalty : 0 };
  }

  /** The dual variables of a bag change by these. */
  move(l: number, moves: Float64Array, betaMove: number): void {
    const { bags, domainCount: m, text, textPenalty = 1 } = this.#problem;
    const { category } = bags[l];
    const { wholes, mixed, parts, texts } = this.#products;
    const row = wholes.row(l);
    let moved = 0;
    for (let k = 0; k < moves.length; k++) {
      const by = moves[k];
      if (by === 0) continue;
      moved += by;
      addTo(this.#others.row(k), row, -by);
      const domain = k % m;
      for (const other of this.#members[(k - domain) / m]) this.#own[other] -= by * mixed.at(other * m + domain, l);
    }
    const members = this.#members[category];
    if (moved !== 0) {
      for (let k = 0; k < m; k++) addTo(this.#others.row(category * m + k), mixed.row(l * m + k), moved);
      for (let k = 0; k < members.length; k++) this.#own[members[k]] += moved * parts[l][k];
    }
    const pull = (moved + betaMove) / textPenalty;
    if (text && pull !== 0) for (let k = 0; k < members.length; k++) this.#slacks[members[k]] += pull * texts[l][k];
  }
}

/** They depend on the selection alone, and selections stay while others join them. */
function productsOf(
  backend: Backend,
  selection: SelectedBags,
  { bags, domainCount: m, text }: BagProblem,
  members: readonly (readonly number[])[],
): BagProducts {
  const found = known.get(selection);
  if (found) return found;
  const count = bags.length;
  const wholes = Matrix.zeros(count, count);
  backend.syrk(wholes, selection.wholes);
  // With one domain u is z.
  const mixed = m === 1 ? wholes : Matrix.zeros(count * m, count);
  if (m > 1) backend.gemm(mixed, selection.parts, selection.wholes, { transposeB: true });
  const parts = bags.map(({ category }, l) =>
    Float64Array.from(members[category], (other) => {
      let sum = 0;
      for (let k = 0; k < m; k++) sum += dot(selection.parts.row(l * m + k), selection.parts.row(other * m + k));
      return sum;
    }),
  );
  const { texts } = selection;
  const made = { wholes, mixed, parts, texts: texts && text ? textProducts(texts, text.cols, bags, members) : [] };
  known.set(selection, made);
  return made;
}

function textProducts(
  texts: readonly BagWords[],
  width: number,
  bags: BagProblem['bags'],
  members: readonly (readonly number[])[],
): Float64Array[] {
  const spread = new Float64Array(width);
  return texts.map((own, l) => {
    own.places.forEach((place, k) => {
      spread[place] = own.values[k];
    });
    const row = Float64Array.from(members[bags[l].category], (other) => {
      const { places, values } = texts[other];
      let sum = 0;
      for (let k = 0; k < places.length; k++) sum += spread[places[k]] * values[k];
      return sum;
    });
    for (const place of own.places) spread[place] = 0;
    return row;
  });
}

/** Σ_t d_t of each product. */
function weighted(each: readonly BagProducts[], mixture: readonly number[]): BagProducts {
  const matrix = (of: (products: BagProducts) => Matrix<Float64Array>) => {
    const [first] = each.map(of);
    const total = Matrix.zeros(first.rows, first.cols);
    each.forEach((products, t) => {
      addTo(total.data, of(products).data, mixture[t]);
    });
    return total;
  };
  const rows = (of: (products: BagProducts) => readonly Float64Array[]) =>
    of(each[0]).map((first, l) => {
      const total = new Float64Array(first.length);
      each.forEach((products, t) => {
        addTo(total, of(products)[l], mixture[t]);
      });
      return total;
    });
  const wholes = matrix((products) => products.wholes);
  const mixed = each[0].mixed === each[0].wholes ? wholes : matrix((products) => products.mixed);
  return { wholes, mixed, parts: rows(({ parts }) => parts), texts: rows(({ texts }) => texts) };
}

function addTo(out: Float64Array, row: Float64Array, factor: number): void {
  if (factor !== 0) for (let j = 0; j < out.length; j++) out[j] += factor * row[j];
}

/** Σ_k a_k · b at the k-th of these places. */
function dotAt(a: Float64Array, b: Float64Array, places: readonly number[]): number {
  let total = 0;
  for (let k = 0; k < a.length; k++) total += a[k] * b[places[k]];
  return total;
}

function dot(a: Float64Array, b: Float64Array): number {
  let total = 0;
  for (let j = 0; j < a.length; j++) total += a[j] * b[j];
  return total;
}
