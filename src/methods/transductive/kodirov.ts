/**
 * Kodirov, Xiang, Fu and Gong, "Unsupervised domain adaptation for zero-shot learning", ICCV 2015: pictures are sums of
 * dictionary atoms, one for each dimension of the category vectors, with the vector as code. The auxiliary dictionary
 * D_s minimizes Σ ‖x − D s_y‖² + decay ‖D‖²; the test dictionary and sparse codes follow from
 * min over D, Y of Σ_test ‖x − D y‖² + adaptation ‖D − D_s‖² + similarity Σᵢ_c w_ic ‖yᵢ − s_c‖² + sparsity Σ ‖yᵢ‖₁,
 * w_ic the chance that picture i shows category c as D_s alone sees it (rows sum to one; the paper takes IAP's), here
 * ∝ exp(sharpness · cos(x, D_s s_c)). Alternates between codes (sparse-coding.ts) and the closed form of D until D stands
 * still. Of the paper's two classifiers the better one is the default: labels travel from the categories' vectors along a
 * graph of neighbours that joins them with the codes of the test pictures (numerics/propagation.ts); the other takes the
 * category whose vector has the smallest angle to the code, and answers for pictures that come later. What differs from
 * the original: w as above; one graph, where the original can fuse several kinds of semantic vectors.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Backend } from '../../linalg/index.js';
import { Matrix } from '../../linalg/index.js';
import type { Scratch } from '../../numerics/index.js';
import {
  categoryMap,
  labelSums,
  neighbourGraph,
  propagate,
  softmaxInPlace,
  sparseCodes,
  squaredLengths,
  times,
  timesTransposed,
  unitRows,
} from '../../numerics/index.js';
import { choice, integers, linear, log, number, type OptionsOf, whole } from '../../parameters.js';
import type { FitOptions } from '../../problem/index.js';
import { stackRows } from '../../problem/index.js';
import type { MethodSpec } from '../spec.js';
import { type TransductiveAnswer, type TransductiveData, TransductiveMethod } from './transductive-method.js';

const parameters = {
  decay: number('penalty on the auxiliary dictionary', 7, { above: 0, range: log(1, 100) }),
  adaptation: number('closeness of the test dictionary to the auxiliary one', 9, { above: 0, range: log(0.1, 100) }),
  similarity: number('closeness of codes to the category vectors a picture resembles', 0.02, {
    above: 0,
    range: log(1e-3, 1),
  }),
  sparsity: number('penalty on the size of codes', 5e-6, { least: 0, range: log(1e-6, 1e-1) }),
  sharpness: number('how decidedly a picture resembles one category', 18, { above: 0, range: log(3, 100) }),
  rounds: whole('turns between codes and dictionary at most', 20),
  classifier: choice('classifier of the codes', 'propagation', ['propagation', 'nearest'], 'searched'),
  neighbours: whole('nearest codes that each is joined with', 16, { range: integers(5, 50) }),
  alpha: number('how far labels travel', 0.82, { above: 0, below: 1, range: linear(0.5, 0.99) }),
};

export class Kodirov extends TransductiveMethod<typeof parameters> {
  /** D', m×d. */
  dictionary_: Matrix<Float64Array> | undefined;
  /** D_s', m×d. */
  auxiliaryDictionary_: Matrix<Float64Array> | undefined;
  /** Y, nt×m, pictures in the order of their content. */
  codes_: Matrix<Float64Array> | undefined;
  /** The objective after every step, codes and dictionary in turn. */
  objectives_: number[] | undefined;

  constructor(given: Partial<OptionsOf<typeof parameters>> = {}) {
    super('kodirov', parameters, given);
  }

  protected override async learn(
    data: TransductiveData,
    _scratch: Scratch,
    { backend, signal, onProgress }: FitOptions,
  ): Promise<TransductiveAnswer> {
    const { features, labels, counts, test, learnt, candidates } = data;
    const sums = data.prepared('sums by label', [], () => labelSums(backend, features, labels, learnt.rows));
    const auxiliary = categoryMap(backend, learnt, counts, sums, this.options.decay);
    const prototypes = unitRows(times(backend, candidates, auxiliary));
    /** Σ_c w_ic s_c of every picture, and w. */
    const look = (pictures: Matrix<Float64Array>, here: Backend) => {
      const chances = timesTransposed(here, unitRows(pictures), prototypes);
      for (let i = 0; i < chances.rows; i++) {
        const row = chances.row(i);
        for (let c = 0; c < row.length; c++) row[c] *= this.options.sharpness;
        softmaxInPlace(row);
      }
      return { chances, places: times(here, chances, candidates) };
    };
    const encode = (
      pictures: Matrix<Float64Array>,
      dictionary: Matrix<Float64Array>,
      places: Matrix<Float64Array>,
      start: Matrix<Float64Array>,
      here: Backend,
    ) =>
      sparseCodes(here, pictures, dictionary, places, start, {
        pull: this.options.similarity,
        sparsity: this.options.sparsity,
        signal,
      });

    const { chances, places } = look(test, backend);
    let dictionary = auxiliary;
    let codes = places;
    const objectives: number[] = [];
    const cost = this.#objective(backend, { test, auxiliary, candidates, chances, places });
    const record = (products: CodeProducts) => objectives.push(cost(dictionary, codes, products));
    for (let round = 0; round < this.options.rounds; round++) {
      signal?.throwIfAborted();
      codes = encode(test, dictionary, places, codes, backend);
      const products = productsOf(backend, codes, test);
      record(products);
      const before = dictionary;
      dictionary = adapted(backend, products, auxiliary, this.options.adaptation);
      record(products);
      onProgress?.({ done: round + 1, total: this.options.rounds });
      await yieldToEventLoop();
      if (apart(before, dictionary) < stillness) break;
    }
    codes = encode(test, dictionary, places, codes, backend);
    record(productsOf(backend, codes, test));
    this.dictionary_ = dictionary;
    this.auxiliaryDictionary_ = auxiliary;
    this.codes_ = codes;
    this.objectives_ = objectives;
    const learntDictionary = dictionary;
    return {
      testValues: this.#classify(backend, unitRows(codes), candidates, signal),
      score: (pictures, here) => {
        const expected = look(pictures, here).places;
        return timesTransposed(
          here,
          unitRows(encode(pictures, learntDictionary, expected, expected, here)),
          candidates,
        );
      },
    };
  }

  /** Values of the test pictures' codes, which are unit vectors as the categories' are. */
  #classify(
    backend: Backend,
    codes: Matrix<Float64Array>,
    candidates: Matrix<Float64Array>,
    signal: AbortSignal | undefined,
  ): Matrix<Float64Array> {
    const angles = timesTransposed(backend, codes, candidates);
    if (this.options.classifier === 'nearest') return angles;
    const points = stackRows(candidates, codes).copy('float64');
    const graph = neighbourGraph(backend, points, this.options.neighbours, { signal });
    const known = Matrix.zeros(points.rows, candidates.rows);
    for (let c = 0; c < candidates.rows; c++) known.set(c, c, 1);
    const flow = propagate(graph, known, this.options.alpha, signal).view(candidates.rows, points.rows).copy('float64');
    // Pictures that no label reaches are left to the angles, which are too small to matter elsewhere.
    for (let k = 0; k < flow.data.length; k++) flow.data[k] += 1e-9 * angles.data[k];
    return flow;
  }

  /** The objective, as a function of dictionary and codes. */
  #objective(backend: Backend, { test, auxiliary, candidates, chances, places }: Fixed) {
    const { adaptation, similarity, sparsity } = this.options;
    const lengths = squaredLengths(candidates);
    const [ofPictures, ofAuxiliary] = [backend.dot(test, test), backend.dot(auxiliary, auxiliary)];
    let ofVectors = 0;
    for (let i = 0; i < chances.rows; i++)
      for (let c = 0; c < lengths.length; c++) ofVectors += chances.at(i, c) * lengths[c];
    return (dictionary: Matrix<Float64Array>, codes: Matrix<Float64Array>, { gram, sums }: CodeProducts) => {
      const atoms = Matrix.zeros(dictionary.rows, dictionary.rows);
      backend.syrk(atoms, dictionary);
      // ‖X − YD'‖² = ‖X‖² − 2⟨Y'X, D'⟩ + ⟨Y'Y, D'D⟩, and likewise ‖D − D_s‖².
      const error = ofPictures - 2 * backend.dot(sums, dictionary) + backend.dot(gram, atoms);
      const move = ofAuxiliary - 2 * backend.dot(auxiliary, dictionary) + backend.dot(dictionary, dictionary);
      // Rows of w sum to one: Σ_c w_ic‖y − s_c‖² = ‖y‖² − 2y'Σ_c w_ic s_c + Σ_c w_ic‖s_c‖².
      const distance = backend.dot(codes, codes) - 2 * backend.dot(codes, places) + ofVectors;
      let absolute = 0;
      for (const value of codes.data) absolute += Math.abs(value);
      return error + adaptation * move + similarity * distance + sparsity * absolute;
    };
  }
}

/** What the objective knows besides dictionary and codes. */
interface Fixed {
  test: Matrix<Float64Array>;
  auxiliary: Matrix<Float64Array>;
  candidates: Matrix<Float64Array>;
  chances: Matrix<Float64Array>;
  places: Matrix<Float64Array>;
}

/** Y'Y and Y'X. */
interface CodeProducts {
  gram: Matrix<Float64Array>;
  sums: Matrix<Float64Array>;
}

function productsOf(backend: Backend, codes: Matrix<Float64Array>, pictures: Matrix<Float64Array>): CodeProducts {
  const gram = Matrix.zeros(codes.cols, codes.cols);
  backend.syrk(gram, codes, { transpose: true });
  const sums = Matrix.zeros(codes.cols, pictures.cols);
  backend.gemm(sums, codes, pictures, { transposeA: true });
  return { gram, sums };
}

/** The dictionary stands still when it moves by less than this share of its size. */
const stillness = 1e-3;

function apart(a: Matrix<Float64Array>, b: Matrix<Float64Array>): number {
  let [difference, size] = [0, 0];
  for (let k = 0; k < a.data.length; k++) {
    difference += (a.data[k] - b.data[k]) ** 2;
    size += b.data[k] ** 2;
  }
  return Math.sqrt(difference / (size || 1));
}

/** D' = (Y'Y + adaptation I)⁻¹ (Y'X + adaptation D_s') */
function adapted(
  backend: Backend,
  { gram, sums }: CodeProducts,
  auxiliary: Matrix<Float64Array>,
  adaptation: number,
): Matrix<Float64Array> {
  const system = gram.copy('float64');
  backend.addDiagonal(system, adaptation);
  backend.cholesky(system);
  const dictionary = sums.copy('float64');
  backend.axpby(dictionary, adaptation, auxiliary, 1);
  backend.choleskySolve(system, dictionary, 'columns');
  return dictionary;
}

export const kodirovSpec: MethodSpec<typeof parameters> = {
  name: 'kodirov',
  title: 'Kodirov, Xiang, Fu and Gong',
  citation: 'Kodirov, Xiang, Fu and Gong, Unsupervised domain adaptation for zero-shot learning, ICCV 2015',
  uses: ['auxiliary', 'test', 'semantics'],
  setting: 'standard',
  parameters,
  create: (options) => new Kodirov(options),
};
