/**
 * Which scorer speaks for a method, and how sure it may be. The method is fitted for the validation categories with half
 * of their pictures; the other half, which it has not seen, decides between its own map and its students, and gives the
 * temperature. So confidence is learnt on pictures like those that will be classified, and test labels are not touched.
 */
import type { Backend } from '../linalg/backend.js';
import { Matrix } from '../linalg/matrix.js';
import type { MethodSpec } from '../methods/index.js';
import {
  candidateNames,
  type Method,
  type Problem,
  rowMaxima,
  syntheticValidationWeb,
  validationSplit,
} from '../problem/index.js';
import { type Calibration, findTemperature, reliability, scoreSpread } from './calibration.js';
import { type LinearScorer, scorePictures, scorerOf } from './scorer.js';
import { studentOf } from './student.js';

/** The method's own map, or a student with this ridge. */
export type ScorerKind = 'own' | number;
const kinds: readonly ScorerKind[] = ['own', 0.1, 1];

interface Setting {
  spec: MethodSpec;
  normalise: LinearScorer['normalise'];
  backend: Backend;
}

/** Undefined for a method without a linear map of its own. */
export function scorerOfKind(kind: ScorerKind, method: Method, problem: Problem, setting: Setting) {
  const { spec, normalise, backend } = setting;
  if (kind === 'own') return scorerOf(method, problem.testFeatures.cols, candidateNames(problem), normalise);
  return studentOf(method, problem, { ridge: kind, web: spec.uses.includes('web'), normalise, backend });
}

export interface ScorerChoice extends Omit<Calibration, 'spread'> {
  kind: ScorerKind;
}

export async function chooseScorer(
  problem: Problem,
  learn: (problem: Problem) => Promise<Method>,
  setting: Setting & { noise: number; seed: number },
): Promise<ScorerChoice> {
  const { backend, noise, seed } = setting;
  const validationWeb = problem.validationWeb ?? syntheticValidationWeb(problem, { noise, seed });
  const { seen, unseen, unseenLabels } = halves(validationSplit({ ...problem, validationWeb }));
  const method = await learn(seen);
  let best: { kind: ScorerKind; right: number; scores: Matrix } | undefined;
  for (const kind of kinds) {
    const scorer = scorerOfKind(kind, method, seen, setting);
    if (!scorer) continue;
    const scores = scorePictures(scorer, unseen, backend);
    const right = rowMaxima(scores).filter((label, i) => label === unseenLabels[i]).length;
    if (!best || right > best.right) best = { kind, right, scores };
  }
  const { kind, scores } = best!;
  const temperature = findTemperature(scores, unseenLabels);
  const spread = scoreSpread(scores);
  return { kind, temperature, validation: reliability(scores, unseenLabels, { temperature, spread }) };
}

/** Every second picture of each category is kept from the fit. */
function halves(problem: Problem): { seen: Problem; unseen: Matrix; unseenLabels: Int32Array } {
  const labels = problem.testLabels!;
  const count = new Int32Array(problem.testNames.length);
  const rows: [seen: number[], unseen: number[]] = [[], []];
  for (const [i, label] of labels.entries()) rows[count[label]++ % 2].push(i);
  const take = (some: readonly number[]) => {
    const result = Matrix.zeros(some.length, problem.testFeatures.cols, problem.testFeatures.dtype);
    for (const [k, i] of some.entries()) result.row(k).set(problem.testFeatures.row(i));
    return result;
  };
  const [seen, unseen] = rows;
  return {
    seen: { ...problem, testFeatures: take(seen), testLabels: Int32Array.from(seen, (i) => labels[i]) },
    unseen: take(unseen),
    unseenLabels: Int32Array.from(unseen, (i) => labels[i]),
  };
}
