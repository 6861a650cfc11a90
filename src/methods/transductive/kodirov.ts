/**
 * Kodirov, Xiang, Fu and Gong, "Unsupervised domain adaptation for zero-shot learning", ICCV 2015: pictures are sums of
 * dictionary atoms, one for each dimension of the category vectors, with the vector as code. The auxiliary dictionary
 * D_s minimizes Σ ‖x − D s_y‖² + decay ‖D‖²; the test dictionary and sparse codes follow from
 * min over D, Y of Σ_test ‖x − D y‖² + adaptation ‖D − D_s‖² + similarity Σᵢ_c w_ic ‖yᵢ − s_c‖² + sparsity Σ ‖yᵢ‖₁,
 * w_ic the chance that picture i shows category c as D_s alone sees it (rows sum to one; the paper takes IAP's), here
 * ∝ exp(sharpness · cos(x, D_s s_c)). Alternates between codes (sparse-coding.ts) and the closed form of D. A picture
 * belongs to the category whose vector has the smallest angle to its code. Of the paper's two classifiers this is
 * the nearest neighbour, without label propagation.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Backend } from '../../linalg/index.js';
import { Matrix } from '../../linalg/index.js';
import type { Scratch } from '../../numerics/index.js';
import {
  categoryMap,
  labelSums,
  softmaxInPlace,
  sparseCodes,
  times,
  timesTransposed,
  unitRows,
} from '../../numerics/index.js';
import { log, number, type OptionsOf, whole } from '../../parameters.js';
import type { FitOptions } from '../../problem/index.js';
import type { MethodSpec } from '../spec.js';
import { type TransductiveAnswer, type TransductiveData, TransductiveMethod } from './transductive-method.js';

const parameters = {
  decay: number('penalty on the auxiliary dictionary', 10, { above: 0, range: log(1, 100) }),
  adaptation: number('closeness of the test dictionary to the auxiliary one', 3, { above: 0, range: log(0.1, 100) }),
  similarity: number('closeness of codes to the category vectors a picture resembles', 0.1, {
    above: 0,
    range: log(1e-3, 1),
  }),
  sparsity: number('penalty on the size of codes', 3e-3, { least: 0, range: log(1e-5, 1e-1) }),
  sharpness: number('how decidedly a picture resembles one category', 20, { above: 0, range: log(3, 100) }),
  rounds: whole('turns between codes and dictionary', 4),
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
    const sums = labelSums(backend, features, labels, learnt.rows);
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
    const record = () => objectives.push(this.#objective(backend, data, auxiliary, chances, dictionary, codes));
    for (let round = 0; round < this.options.rounds; round++) {
      signal?.throwIfAborted();
      codes = encode(test, dictionary, places, codes, backend);
      record();
      dictionary = adapted(backend, test, codes, auxiliary, this.options.adaptation);
      record();
      onProgress?.({ done: round + 1, total: this.options.rounds });
      await yieldToEventLoop();
    }
    codes = encode(test, dictionary, places, codes, backend);
    record();
    this.dictionary_ = dictionary;
    this.auxiliaryDictionary_ = auxiliary;
    this.codes_ = codes;
    this.objectives_ = objectives;
    const learntDictionary = dictionary;
    return {
      testValues: timesTransposed(backend, unitRows(codes), candidates),
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

  #objective(
    backend: Backend,
    { test, candidates }: TransductiveData,
    auxiliary: Matrix<Float64Array>,
    chances: Matrix<Float64Array>,
    dictionary: Matrix<Float64Array>,
    codes: Matrix<Float64Array>,
  ): number {
    const error = test.copy('float64');
    backend.gemm(error, codes, dictionary, { alpha: -1, beta: 1 });
    const move = auxiliary.copy('float64');
    backend.axpby(move, 1, dictionary, -1);
    // Rows of w sum to one and category vectors have length one: Σ_c w_ic‖y − s_c‖² = ‖y‖² − 2y'Σ_c w_ic s_c + Σ_c w_ic‖s_c‖².
    const places = times(backend, chances, candidates);
    let distance = backend.dot(codes, codes) - 2 * backend.dot(codes, places);
    for (let c = 0; c < candidates.rows; c++) {
      const length = candidates.row(c).reduce((sum, value) => sum + value * value, 0);
      for (let i = 0; i < chances.rows; i++) distance += chances.at(i, c) * length;
    }
    let absolute = 0;
    for (const value of codes.data) absolute += Math.abs(value);
    return (
      backend.dot(error, error) +
      this.options.adaptation * backend.dot(move, move) +
      this.options.similarity * distance +
      this.options.sparsity * absolute
    );
  }
}

/** D' = (Y'Y + adaptation I)⁻¹ (Y'X + adaptation D_s') */
function adapted(
  backend: Backend,
  pictures: Matrix<Float64Array>,
  codes: Matrix<Float64Array>,
  auxiliary: Matrix<Float64Array>,
  adaptation: number,
): Matrix<Float64Array> {
  const system = Matrix.zeros(codes.cols, codes.cols);
  backend.syrk(system, codes, { transpose: true });
  backend.addDiagonal(system, adaptation);
  backend.cholesky(system);
  const dictionary = auxiliary.copy('float64');
  backend.gemm(dictionary, codes, pictures, { transposeA: true, beta: adaptation });
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
