/**
 * Which scorer speaks for a method, and how sure it may be. The method is fitted for the validation categories twice, with
 * one half of their pictures and with the other; the half it has not seen decides between its own map and its students,
 * and gives the temperature. So confidence is learnt on pictures like those that will be classified, and test labels
 * are not touched.
 */
import type { Backend } from '../linalg/index.js';
import { Matrix } from '../linalg/index.js';
import {
  candidateNames,
  doubtAfter,
  generalize,
  type Method,
  type Problem,
  rowMaxima,
  syntheticValidationWeb,
  validationSplit,
} from '../problem/index.js';
import { findTemperature, type Reliability, scoreReliability, scoreSpread } from './calibration.js';
import { type LinearScorer, scorePictures } from './scorer.js';
import { studentOf } from './student.js';

/** The method's own map, or a student with this ridge. */
export type ScorerKind = 'own' | number;
const kinds: readonly ScorerKind[] = ['own', 0.1, 1];

export interface ScorerSetting {
  /** Whether the method learns from the web pictures. */
  web: boolean;
  normalize: LinearScorer['normalize'];
  backend: Backend;
}

/**
 * Undefined for a method without a linear map of its own.
 * @param rows the test pictures a student learns from. @default all
 */
export function scorerOfKind(
  kind: ScorerKind,
  method: Method,
  problem: Problem,
  { web, normalize, backend }: ScorerSetting,
  rows?: readonly number[],
): LinearScorer | undefined {
  if (kind !== 'own') return studentOf(method, problem, { ridge: kind, rows, web, normalize, backend });
  const linear = method.linear?.();
  return linear && { ...linear, normalize, names: candidateNames(problem) };
}

/**
 * Scores of the test pictures of a fit as if they came later: each half by a student that learnt from the other. Their
 * spread is that of pictures to come, and where answers are known they say how good the scorer is on such.
 */
export function scoresAsIfNew(kind: ScorerKind, method: Method, problem: Problem, setting: ScorerSetting): Matrix {
  const { testFeatures } = problem;
  const { backend } = setting;
  if (kind === 'own') return scorePictures(scorerOfKind(kind, method, problem, setting)!, testFeatures, backend);
  const scores = Matrix.zeros(testFeatures.rows, candidateNames(problem).length);
  for (const part of [0, 1]) {
    const rows = Array.from({ length: testFeatures.rows }, (_, i) => i);
    const scorer = scorerOfKind(
      kind,
      method,
      problem,
      setting,
      rows.filter((i) => i % 2 === part),
    )!;
    const others = rows.filter((i) => i % 2 !== part);
    const some = scorePictures(scorer, rowsOf(testFeatures, others), backend);
    for (const [k, i] of others.entries()) scores.row(i).set(some.row(k));
  }
  return scores;
}

export interface ScorerChoice {
  kind: ScorerKind;
  temperature: number;
  doubt: number;
  /** On the pictures the temperature was found with. */
  validation: Reliability;
}

export async function chooseScorer(
  problem: Problem,
  learn: (problem: Problem) => Promise<Method>,
  setting: ScorerSetting & { noise: number; seed: number },
): Promise<ScorerChoice> {
  const { backend, noise, seed } = setting;
  const validationWeb = problem.validationWeb ?? syntheticValidationWeb(problem, { noise, seed });
  const split = validationSplit({ ...problem, validationWeb });
  const validation = problem.generalized ? generalize(split, seed) : split;
  const labels = validation.testLabels!;
  const candidates = candidateNames(validation).length;
  const part = halves(labels, candidates);
  const scores = new Map<ScorerKind, Matrix>();
  for (const seen of [0, 1]) {
    const [own, others] = [seen, 1 - seen].map((wanted) => [...labels.keys()].filter((i) => part[i] === wanted));
    const half = {
      ...validation,
      testFeatures: rowsOf(validation.testFeatures, own),
      testLabels: undefined,
    };
    const method = await learn(half);
    for (const kind of kinds) {
      const scorer = scorerOfKind(kind, method, half, setting);
      if (!scorer) continue;
      const all = scores.get(kind) ?? Matrix.zeros(labels.length, candidates);
      const some = scorePictures(scorer, rowsOf(validation.testFeatures, others), backend);
      for (const [k, i] of others.entries()) all.row(i).set(some.row(k));
      scores.set(kind, all);
    }
  }
  const right = (kind: ScorerKind) => rowMaxima(scores.get(kind)!).filter((label, i) => label === labels[i]).length;
  const kind = [...scores.keys()].reduce((best, other) => (right(other) > right(best) ? other : best));
  const temperature = findTemperature(scores.get(kind)!, labels);
  const spread = scoreSpread(scores.get(kind)!);
  const doubt = doubtAfter(labels.length);
  return {
    kind,
    temperature,
    doubt,
    validation: scoreReliability(scores.get(kind)!, labels, { temperature, spread, doubt }),
  };
}

/** 0 and 1 in turn within each category. */
function halves(labels: Int32Array, categories: number): Uint8Array {
  const count = new Int32Array(categories);
  return Uint8Array.from(labels, (label) => count[label]++ % 2);
}

function rowsOf(matrix: Matrix, rows: readonly number[]): Matrix {
  const result = Matrix.zeros(rows.length, matrix.cols, matrix.dtype);
  for (const [k, i] of rows.entries()) result.row(k).set(matrix.row(i));
  return result;
}
