/**
 * What all jobs of a run share: the problem in the forms the jobs ask for, and where to compute. Threads get matrices in
 * shared memory; other processes get the name of a file and the hash its contents must have.
 */
import { ArgumentError, ProblemError } from '../errors.js';
import {
  type GenerateOptions,
  generalize,
  generateProblem,
  type LoadOptions,
  loadProblem,
  type Problem,
  problemHash,
  syntheticValidationWeb,
  validationSplit,
} from '../problem/index.js';
import type { FitJob, ProblemRecord, ValidationRecord } from './results.js';
import { openShared, type SharedProblem, shareProblem } from './shared-problem.js';

/** Which web pictures of validation categories there are: those of the problem, or made-up ones. */
export interface ValidationChoice {
  /** Share of wrong labels of a substitute made from auxiliary pictures; leave out to use the problem's own. */
  syntheticNoise?: number;
  seed: number;
}

/** Where a problem comes from. Values only, so that it can cross a thread or a network. */
export type ProblemSource =
  | { kind: 'shared'; variants: Readonly<Record<string, SharedProblem>> }
  | { kind: 'file'; path: string; load: Omit<LoadOptions, 'signal'>; hash: string; validation: ValidationChoice }
  | { kind: 'generated'; options: GenerateOptions; validation: ValidationChoice };

export interface EvaluationContext {
  source: ProblemSource;
  /** Seed of the generalized split and of changes to the problem. */
  seed: number;
  device: 'auto' | 'wasm' | 'native' | 'cuda';
  /** Threads of one job's numerical backend. */
  threads: number;
  /** Modules with methods of the user's own. */
  plugins?: readonly string[];
}

export type Split = Pick<FitJob, 'split' | 'generalized'>;

/** The problem with the validation web pictures that were chosen. */
export function withValidation(problem: Problem, choice: ValidationChoice): Problem {
  if (choice.syntheticNoise === undefined) return problem;
  const validationWeb = syntheticValidationWeb(problem, { noise: choice.syntheticNoise, seed: choice.seed });
  return { ...problem, validationWeb };
}

/** The form of the problem that a job of this split works on, before its own changes. */
export function splitProblem(problem: Problem, { split, generalized }: Split, seed: number): Problem {
  const base = split === 'validation' ? validationSplit(problem) : withoutMadeUp(problem);
  if (base.generalized && !generalized)
    throw new ArgumentError('the problem is in the generalized setting', 'Ask for that setting with --generalized.');
  return generalized && !base.generalized ? generalize(base, seed) : base;
}

/** What was made up for a search is no part of the problem itself. */
function withoutMadeUp(problem: Problem): Problem {
  const { validationWeb, ...rest } = problem;
  return validationWeb?.madeUp ? rest : problem;
}

/** The given splits of a problem in shared memory, for threads. */
export function shareSplits(problem: Problem, splits: readonly Split[], seed: number): ProblemSource {
  const shared = openShared(shareProblem(problem));
  const variants = splits.map((split) => [splitKey(split), shareProblem(splitProblem(shared, split, seed))]);
  return { kind: 'shared', variants: Object.fromEntries(variants) };
}

/** Opens what a source names: a function from splits to problems that makes each once. */
export async function openSource(source: ProblemSource, seed: number): Promise<(split: Split) => Problem> {
  const made = new Map<string, Problem>();
  const problem = source.kind === 'shared' ? undefined : await readSource(source);
  return (split) => {
    const key = splitKey(split);
    let found = made.get(key);
    if (!found) {
      if (source.kind === 'shared' && !source.variants[key])
        throw new ArgumentError(`the jobs ask for the split "${key}", which the context does not hold`);
      found = source.kind === 'shared' ? openShared(source.variants[key]) : splitProblem(problem!, split, seed);
      made.set(key, found);
    }
    return found;
  };
}

async function readSource(source: Exclude<ProblemSource, { kind: 'shared' }>): Promise<Problem> {
  if (source.kind === 'generated') return withValidation(generateProblem(source.options), source.validation);
  const problem = await loadProblem(source.path, { ...source.load, web: 'optional' });
  const hash = problemHash(problem);
  if (hash !== source.hash)
    throw new ProblemError(
      source.path,
      undefined,
      `its contents have the hash ${hash.slice(0, 12)}…, and the run began with ${source.hash.slice(0, 12)}…`,
      'Give every machine the same file.',
    );
  return withValidation(problem, source.validation);
}

function splitKey({ split, generalized }: Split): string {
  return generalized ? `${split}, generalized` : split;
}

/** Sizes and fingerprint, for the record. */
export function describeProblem(problem: Problem, origin: { path?: string; semantics?: string } = {}): ProblemRecord {
  return {
    path: origin.path,
    hash: problemHash(problem),
    semantics: origin.semantics,
    auxiliaryCategories: problem.auxiliaryNames.length,
    testCategories: problem.testNames.length,
    auxiliaryPictures: problem.auxiliaryFeatures.rows,
    webPictures: problem.webFeatures.rows,
    testPictures: problem.testFeatures.rows,
    features: problem.testFeatures.cols,
    semanticDimensions: problem.testSemantics.cols,
    text: problem.webText !== undefined,
  };
}

export function describeValidation(problem: Problem, choice: ValidationChoice): ValidationRecord {
  const split = validationSplit(problem);
  return {
    kind: choice.syntheticNoise === undefined ? 'web' : 'synthetic',
    ...(choice.syntheticNoise !== undefined && { noise: choice.syntheticNoise }),
    categories: split.testNames.length,
    webPictures: split.webFeatures.rows,
    testPictures: split.testFeatures.rows,
  };
}
