/** What a fitted method believes of its folder, in the form that questions are made from. */
import { Matrix } from '../linalg/index.js';
import {
  type Method,
  type Probabilities,
  type Problem,
  rowMaxima,
  unanswered,
  unlistedChance,
} from '../problem/index.js';
import type { Beliefs } from './value.js';

/** Chances of the candidates and, last, of none of them. */
export function chancesWithNone({ listed, unlisted }: Probabilities): Matrix<Float64Array> {
  const result = Matrix.zeros(listed.rows, listed.cols + 1);
  for (let j = 0; j < listed.rows; j++) {
    result.row(j).set(listed.row(j));
    result.set(j, listed.cols, unlisted[j]);
  }
  return result;
}

/** The answer about each picture: a candidate, or −1 where it is likelier to show none of them than not. */
export function verdicts(chances: Matrix<Float64Array>): Int32Array {
  const none = chances.cols - 1;
  const listed = Matrix.zeros(chances.rows, none);
  for (let j = 0; j < chances.rows; j++) listed.row(j).set(chances.row(j).subarray(0, none));
  return rowMaxima(listed).map((best, j) => (chances.at(j, none) > unlistedChance ? -1 : best));
}

/** @throws where the method has no chances of its own or does not know which pictures look alike; see `canAsk` */
export function beliefsOf(method: Method, problem: Problem, known: Int32Array | undefined): Beliefs {
  const chances = chancesWithNone(method.probabilities!(problem.testFeatures));
  const answered = Uint8Array.from({ length: chances.rows }, (_, j) =>
    known !== undefined && known[j] !== unanswered ? 1 : 0,
  );
  return { chances, answered, neighbours: method.neighbours!()! };
}

/** Whether a method can take answers up and say what to ask. */
export function canAsk(method: Method): boolean {
  return Boolean(method.probabilities && method.neighbours && method.refit);
}
