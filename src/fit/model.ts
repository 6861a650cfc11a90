/**
 * The model of a fit, for pictures that come later: the method's own formula or a student taught with its answers,
 * whichever is better on validation categories, and how sure it may be.
 */
import type { Backend, Matrix } from '../linalg/index.js';
import type { FeatureScaling, Method, Problem } from '../problem/index.js';
import { chancesOf, type Sharpness, scoreReliability, scoreSpread } from './calibration.js';
import { chooseScorer, type ScorerChoice, scorerOfKind, scoresAsIfNew } from './choose-scorer.js';
import type { FitMetrics } from './metrics.js';
import type { Model } from './scorer.js';

/** Of a student, where nothing says which is best. */
const defaultRidge = 0.1;

export interface ModelSetting {
  name: string;
  /** Whether the method learns from the web pictures. */
  web: boolean;
  backend: Backend;
  seed: number;
  scaling: FeatureScaling;
  centred?: boolean;
  calibrate?: { noise: number };
  features?: string;
  signal?: AbortSignal;
  onNote?: (message: string) => void;
}

export interface FittedModel {
  model?: Model;
  calibration?: FitMetrics['calibration'];
  /** Of the test pictures, as if they came later, n×C. */
  chances?: Matrix;
}

/**
 * @param method fitted to the problem
 * @param learn fits another of its kind
 */
export async function modelOf(
  method: Method,
  problem: Problem,
  learn: (problem: Problem) => Promise<Method>,
  setting: ModelSetting,
): Promise<FittedModel> {
  const { name, web, backend, scaling, centred, calibrate, features } = setting;
  // What was done to the features depended on the pictures of the fit.
  if (scaling === 'zscore' || centred) return {};
  const scorers = { web, normalize: scaling === 'l2' ? ('unit' as const) : ('none' as const), backend };
  const own = { method: name, ...(features !== undefined && { features }) };
  const strangers = method.strangers?.();
  const choice = calibrate && (await choiceOf(problem, learn, { ...setting, ...scorers, noise: calibrate.noise }));
  if (!choice) {
    const mapped = scorerOfKind('own', method, problem, scorers);
    const sharpness = ownSharpness(method);
    // Without a choice a method that knows how sure it is speaks for itself, and a student for any other.
    const taught =
      calibrate && !(mapped && sharpness) ? scorerOfKind(defaultRidge, method, problem, scorers) : undefined;
    if (taught) return { model: { scorer: taught, ...own, kind: kindInWords(defaultRidge) } };
    if (!mapped) return {};
    const sure = sharpness && { sharpness, ...(strangers && { strangers }) };
    return { model: { scorer: mapped, ...own, kind: kindInWords('own'), ...sure } };
  }
  const { kind, temperature, doubt, validation } = choice;
  const scorer = scorerOfKind(kind, method, problem, scorers)!;
  const scores = scoresAsIfNew(kind, method, problem, scorers);
  const sharpness = { temperature, spread: scoreSpread(scores), doubt };
  const test = problem.testLabels && scoreReliability(scores, problem.testLabels, sharpness);
  return {
    model: { scorer, ...own, kind: kindInWords(kind), sharpness, ...(strangers && { strangers }) },
    calibration: { validation, ...(test && { test }) },
    chances: chancesOf(scores, sharpness),
  };
}

function ownSharpness(method: Method): Sharpness | undefined {
  const own = method.sureness?.();
  return own && { temperature: 1 / own.factor, spread: 1, doubt: own.doubt };
}

async function choiceOf(
  problem: Problem,
  learn: (problem: Problem) => Promise<Method>,
  setting: Parameters<typeof chooseScorer>[2] & Pick<ModelSetting, 'signal' | 'onNote'>,
): Promise<ScorerChoice | undefined> {
  const { signal, onNote } = setting;
  try {
    return await chooseScorer(problem, learn, setting);
  } catch (error) {
    signal?.throwIfAborted();
    onNote?.(`no confidence could be learnt from the validation categories: ${(error as Error).message}`);
    return undefined;
  }
}

function kindInWords(kind: ScorerChoice['kind']): string {
  return kind === 'own' ? 'the map of the method' : `ridge regression on its answers, ridge ${kind}`;
}
