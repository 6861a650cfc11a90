/**
 * `fit`, the second waist: a problem and a method in, a `FitResult` out. Whatever fits a method (commands, workspaces,
 * searches, programs) comes through here, and whatever shows, keeps or uses a fit takes what comes out.
 */
import { ArgumentError } from '../errors.js';
import type { Backend } from '../linalg/index.js';
import { type BackendOptions, createBackend } from '../linalg/index.js';
import { createMethod, findMethod, inSetting, type MethodSpec, type ParameterValue } from '../methods/index.js';
import {
  candidateNames,
  type FeatureScaling,
  type FolderAnswers,
  type Method,
  type Problem,
  problemHash,
  type StrangerGroups,
} from '../problem/index.js';
import type { Progress } from '../progress.js';
import { versions } from '../versions.js';
import { type Answers, type Chances, collectAnswers, type Said, sureness } from './answers.js';
import { confidenceMetrics, type FitMetrics, fitMetrics } from './metrics.js';
import { modelOf } from './model.js';
import { type FitRecord, type FitResult, fitSchema, type StrangerGroup, type WeightedPicture } from './result.js';

/** A name of the registry, a specification, or a method that is made already. */
export type MethodChoice = string | MethodSpec | Method;

export interface AnswerOptions {
  /** Of a method that is named or specified; the others keep their defaults. */
  parameters?: Readonly<Record<string, ParameterValue>>;
  /** @default 1 */
  seed?: number;
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /**
   * More scores than these are not kept, nor the chances of all candidates: where there are more pictures times candidates,
   * the two best of each picture are. @default 2^27
   */
  mostScores?: number;
  /** More options of the method's own `fit`, such as the checkpoint of the paper's learner. */
  methodOptions?: object;
}

export interface FitSettings extends AnswerOptions, Pick<BackendOptions, 'device' | 'threads'> {
  /** @default one of `device` and `threads`, disposed of at the end */
  backend?: Backend;
  /** How the problem's features were scaled; the model scales those of other pictures alike. @default 'none' */
  scaling?: FeatureScaling;
  /** Each domain's mean was taken off its features: other pictures cannot be treated alike, so there is no model. */
  centred?: boolean;
  /**
   * Learns on validation categories how sure answers may be, which takes two more fits; `noise` is the share of wrong
   * labels of web pictures that are made up where the problem has none for these categories. @default not learnt
   */
  calibrate?: { noise: number };
  parametersFrom?: FitRecord['parametersFrom'];
  /** Kept in the record. @default `problemHash`, which knows nothing of features that stay in files (`streamedHash` does) */
  hash?: string;
  /** Kept in the record. @default method, parameters and seed */
  configuration?: Readonly<Record<string, unknown>>;
  /** Fingerprint of how the features were made; kept with the model. */
  features?: string;
  /** Something a user should know. */
  onNote?: (message: string) => void;
}

/**
 * Fits a method to a problem.
 * @example
 * const result = await fit(await loadProblem('birds.npz'), 'bowerbird');
 * console.log(result.names[result.predictions[0]], result.metrics.accuracy);
 * @throws ArgumentError for a method or a parameter there is not
 */
export async function fit(problem: Problem, method: MethodChoice, settings: FitSettings = {}): Promise<FitResult> {
  settings.signal?.throwIfAborted();
  const { device, threads } = settings;
  const backend = settings.backend ?? (await createBackend({ device, threads }));
  try {
    return await fitWith(backend, problem, method, settings);
  } finally {
    if (!settings.backend) backend.dispose();
  }
}

async function fitWith(
  backend: Backend,
  problem: Problem,
  method: MethodChoice,
  settings: FitSettings,
): Promise<FitResult> {
  const { parameters = {}, seed = 1, scaling = 'none', signal, onProgress } = settings;
  const first = await fitAnswers(problem, method, { ...settings, backend });
  const { fitted, name, web, seconds, webWeights } = first;
  const groups = first.answers.groups && fitted.groups?.();
  const { trace, semantics, dictionary, iterations, converged, warnings, trusts } = fitted.details?.() ?? {};
  const another = (some: Problem) =>
    makeAnother(method, problem.generalized, parameters, seed).fit(some, { backend, signal, onProgress });
  const setting = { ...settings, name, web, backend, seed, scaling };
  const { model, calibration, chances } = await modelOf(fitted, problem, another, setting);
  // A method's own chances are better informed than those of the model it leaves behind.
  const answers = first.answers.confidence
    ? first.answers
    : { ...first.answers, ...(chances && sureness(first.answers, chances)) };
  const metrics = { ...first.metrics, ...(problem.testLabels && confidenceMetrics(answers, problem)) };
  const given = { method: name, parameters, seed };
  return {
    ...answers,
    ...(problem.testLabels && { labels: problem.testLabels }),
    metrics: { ...metrics, ...(calibration && { calibration }) },
    ...(webWeights && { web: weightedPictures(problem, webWeights) }),
    ...(groups && { strangerGroups: describeGroups(groups, problem) }),
    ...(model && { model }),
    ...(trace && { trace }),
    ...(semantics && { semantics }),
    ...(dictionary && { dictionary }),
    record: {
      schema: fitSchema,
      ...given,
      ...(settings.parametersFrom && { parametersFrom: settings.parametersFrom }),
      scaling,
      categories: answers.names,
      configuration: settings.configuration ?? given,
      versions: versions(),
      inputs: { problem: settings.hash ?? problemHash(problem) },
      backend: { device: backend.device, description: backend.description, threads: backend.threads },
      seconds,
      ...(iterations !== undefined && { iterations }),
      ...(converged !== undefined && { converged }),
      ...(warnings && { warnings }),
      ...(trusts && { trusts }),
      peakMemoryBytes: process.resourceUsage().maxRSS * 1024,
    },
  };
}

export interface FittedAnswers {
  fitted: Method;
  name: string;
  /** Whether the method learns from the web pictures. */
  web: boolean;
  answers: Answers;
  webWeights?: Float64Array;
  metrics: FitMetrics;
  /** Of the fit and its answers. */
  seconds: number;
}

/** The part of a fit that a search or a comparison needs: what it says, and how right that is. */
export async function fitAnswers(
  problem: Problem,
  method: MethodChoice,
  options: AnswerOptions & { backend: Backend },
): Promise<FittedAnswers> {
  const { parameters, seed, backend, signal, onProgress, methodOptions } = options;
  signal?.throwIfAborted();
  const begun = performance.now();
  const { made, name, web } = isMade(method)
    ? { made: method, name: method.constructor.name, web: true }
    : fromSpec(method, problem.generalized, parameters, seed);
  // A method that says no more counts its rounds, and most end before the last one.
  const inRounds = onProgress && ((progress: Progress) => onProgress({ unit: 'rounds', atMost: true, ...progress }));
  const fitted = await made.fit(problem, { ...methodOptions, backend, signal, onProgress: inRounds });
  const names = candidateNames(problem);
  const folder = fitted.folder?.() ?? wholeFolder(fitted, problem);
  const strangers = knowsStrangers(fitted);
  const said: Said = (from, to) => {
    const { decisionValues, probabilities: told } = folder.rows(from, to);
    // A method that can tell strangers in other folders, and not in this one, says nothing of them.
    const chances: Chances | undefined = strangers ? told : told && { listed: told.listed };
    return { scores: decisionValues, chances };
  };
  const groups = strangers && fitted.probabilities ? fitted.groups?.()?.of : undefined;
  const answers = collectAnswers(folder.pictures, said, names, { groups, most: options.mostScores });
  const seconds = (performance.now() - begun) / 1000;
  const webWeights = fitted.webWeights?.();
  const metrics = fitMetrics(problem, answers, webWeights);
  return { fitted, name, web, answers, metrics, seconds, ...(webWeights && { webWeights }) };
}

/** Of a method that answers all pictures at once. */
function wholeFolder(method: Method, { testFeatures }: Problem): FolderAnswers {
  const decisions = method.decisionValues(testFeatures);
  const told = method.probabilities?.(testFeatures);
  const rows = (from: number, to: number) => ({
    decisionValues: decisions.view(from, to),
    ...(told && { probabilities: { listed: told.listed.view(from, to), unlisted: told.unlisted.subarray(from, to) } }),
  });
  return { pictures: decisions.rows, rows };
}

function knowsStrangers(method: Method): boolean {
  return !method.strangers || method.strangers() !== undefined;
}

function isMade(method: MethodChoice): method is Method {
  return typeof method !== 'string' && 'fit' in method;
}

function fromSpec(
  method: string | MethodSpec,
  generalized: boolean,
  parameters?: Readonly<Record<string, ParameterValue>>,
  seed?: number,
): { made: Method; name: string; web: boolean } {
  const spec = inSetting(typeof method === 'string' ? findMethod(method) : method, generalized);
  return { made: createMethod(spec, parameters, seed), name: spec.name, web: spec.uses.includes('web') };
}

function makeAnother(
  method: MethodChoice,
  generalized: boolean,
  parameters: Readonly<Record<string, ParameterValue>>,
  seed: number,
): Method {
  if (!isMade(method)) return fromSpec(method, generalized, parameters, seed).made;
  throw new ArgumentError(
    'confidence is learnt by fitting the method again, and this one is made already',
    'Give the name of a method or its specification.',
  );
}

function describeGroups({ of, nearest }: StrangerGroups, { testNames, auxiliaryNames }: Problem): StrangerGroup[] {
  const pictures = new Int32Array(nearest.length);
  for (const group of of) if (group >= 0) pictures[group]++;
  return nearest.map(({ listed, auxiliary }, group) => ({
    group,
    pictures: pictures[group],
    nearestListed: testNames[listed],
    nearestAuxiliary: auxiliaryNames[auxiliary],
  }));
}

function weightedPictures({ testNames, webLabels, webTexts }: Problem, weights: Float64Array): WeightedPicture[] {
  return Array.from(weights, (weight, row) => ({
    row,
    category: testNames[webLabels[row]],
    weight,
    text: webTexts?.[row] ?? '',
  }));
}
