/** One method on one folder: how often it is right, how well it knows strangers, whether its probabilities hold. */
import { BowerbirdError } from '../../src/errors.js';
import { generalizedScores } from '../../src/fit/generalized-scores.js';
import { accuracy, meanCategoryAccuracy, rocArea } from '../../src/fit/index.js';
import { unlistedChances } from '../../src/fit/scorer.js';
import type { Backend } from '../../src/linalg/index.js';
import { softmaxRows } from '../../src/methods/few-shot/cosines.js';
import { energy, featureScores, maximumLogit } from '../../src/methods/few-shot/stranger-scores.js';
import { createMethod, findMethod, inSetting, type ParameterValue } from '../../src/methods/index.js';
import { candidateNames, type Folder, type Method, rowMaxima } from '../../src/problem/index.js';
import { selectIntegers } from '../../src/problem/rows.js';
import { type Calibration, calibration } from './calibration.js';

export interface Measurement {
  /** Listed pictures, and how many of them were named right. */
  readonly pictures: number;
  readonly right: number;
  readonly macro: number;
  /** Mean accuracy of the auxiliary and of the listed categories, where both are candidates. */
  readonly seen?: number;
  readonly unseen?: number;
  /** Areas under the curve for telling strangers from listed pictures; empty without strangers. */
  readonly strangers: Readonly<Record<string, number>>;
  /** Of the confidence in the name given; a stranger's name is wrong. */
  readonly confidence: Calibration;
  /** Share of right answers whose picture was more likely unlisted, where the method says. */
  readonly calledUnlisted?: number;
  /** Of the belief in web pictures, where the method has one and the truth is known. */
  readonly webCalibration?: Calibration;
  readonly webArea?: number;
  readonly seconds: number;
}

export interface Failure {
  readonly failure: string;
}

/** `name` or `name:parameter=value:…`. */
export function parseMethod(text: string): { name: string; parameters: Record<string, ParameterValue> } {
  const [name, ...settings] = text.split(':');
  const parameters = settings.map((setting): [string, ParameterValue] => {
    const [key, value] = setting.split('=');
    return [key, value !== '' && Number.isFinite(Number(value)) ? Number(value) : value];
  });
  return { name, parameters: Object.fromEntries(parameters) };
}

/** @param method see `parseMethod` @param chosen parameters that a search found */
export async function measure(
  method: string,
  folder: Folder,
  backend: Backend,
  seed: number,
  chosen: Readonly<Record<string, ParameterValue>> = {},
): Promise<Measurement | Failure> {
  const { name, parameters: given } = parseMethod(method);
  const parameters = { ...given, ...chosen };
  const started = performance.now();
  try {
    const spec = inSetting(findMethod(name), folder.problem.generalized);
    const fitted = await createMethod(spec, parameters, seed).fit(folder.problem, { backend });
    const seconds = (performance.now() - started) / 1000;
    return score(fitted, folder, seconds, backend);
  } catch (error) {
    if (!(error instanceof BowerbirdError)) throw error;
    return { failure: error.message };
  }
}

/** What a fitted method makes of a folder. */
export function score(method: Method, { problem, truth }: Folder, seconds: number, backend: Backend): Measurement {
  const values = method.decisionValues(problem.testFeatures);
  const stated = method.probabilities?.(problem.testFeatures);
  // Decision values of a method without probabilities are taken for logits.
  const listed = stated?.listed ?? softmaxRows(values.copy('float64'));
  const predicted = rowMaxima(stated?.listed ?? values);
  const known = Int32Array.from(truth.keys()).filter((i) => truth[i] >= 0);
  const [named, labels] = [selectIntegers(predicted, known), selectIntegers(truth, known)];
  const right = Array.from(predicted, (category, i) => category === truth[i]);
  const unlisted = stated?.unlisted;
  const formula = method.strangers?.();
  const theta = method.webWeights?.();
  const clean = problem.webKinds?.map((kind) => kind === 'clean');
  return {
    pictures: known.length,
    right: Math.round(known.length * accuracy(named, labels)),
    macro: meanCategoryAccuracy(named, labels, candidateNames(problem).length),
    ...(problem.generalized && seenAndUnseen(named, labels, problem.testNames.length)),
    strangers:
      known.length === truth.length
        ? {}
        : areas(truth, {
            ...(unlisted && { unlisted }),
            ...(formula && { 'as if later': unlistedChances(formula, 'none', problem.testFeatures, backend) }),
            'maximum logit': maximumLogit(values),
            energy: energy(values),
          }),
    confidence: calibration(
      Array.from(predicted, (category, i) => listed.at(i, category)),
      right,
    ),
    ...(unlisted && {
      calledUnlisted: share(
        [...right.keys()].filter((i) => right[i]),
        (i) => unlisted[i] > 0.5,
      ),
    }),
    ...(theta && clean && { webCalibration: calibration(theta, clean), webArea: rocArea(theta, clean) }),
    seconds,
  };
}

function seenAndUnseen(named: Int32Array, labels: Int32Array, listed: number) {
  const { seen, unseen } = generalizedScores(named, labels, listed);
  return { seen, unseen };
}

/** Areas of scores that need no method, from the features alone. */
export async function measureFeatures({ problem, truth }: Folder, backend: Backend): Promise<Record<string, number>> {
  const scores = await featureScores(problem, backend);
  return areas(truth, {
    'relative Mahalanobis': scores.relativeMahalanobis,
    'nearest cosine': scores.nearestCosine,
    'nearest cosine less auxiliary': scores.cosineContrast,
  });
}

function areas(truth: Int32Array, scores: Record<string, Float64Array>): Record<string, number> {
  const strange = Array.from(truth, (category) => category < 0);
  return Object.fromEntries(Object.entries(scores).map(([name, values]) => [name, rocArea(values, strange)]));
}

function share<T>(items: readonly T[], holds: (item: T) => boolean): number {
  return items.filter(holds).length / items.length;
}
