/** The part of `bowerbird fit` that belongs to the paper's learner: its options and its checkpoint. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../errors.js';
import {
  Checkpoint,
  Combo,
  type LearnerOptions,
  learnerParameters,
  PaperLearner,
  type SpecialCase,
  specialCases,
} from '../learner/index.js';
import type { Backend } from '../linalg/index.js';
import { type MethodSpec, partValues } from '../methods/index.js';
import type { ParameterValue } from '../parameters.js';
import { type Problem, problemHash, type StreamedProblem } from '../problem/index.js';
import type { CommandContext } from './command.js';
import { choiceOption, numberOption } from './parameter-options.js';
import type { ProgressLine } from './progress.js';

/** Parameters of the learner that are options of their own, and what those are called. */
const named = {
  lambda1: 'lambda1',
  lambda2: 'lambda2',
  lambda3: 'lambda3',
  lambda4: 'lambda4',
  bound: 'bound',
  gamma: 'gamma',
  textRidge: 'text-ridge',
  vectors: 'vectors',
  penaltyStart: 'penalty-start',
  penaltyGrowth: 'penalty-growth',
  space: 'space',
  metric: 'metric',
  thetaSolver: 'theta-solver',
  maxIterations: 'max-iterations',
  tolerance: 'tolerance',
} as const satisfies Partial<Record<keyof LearnerOptions, string>>;
const names = Object.keys(named) as (keyof typeof named)[];

/** Options of the learner and its special cases. */
export const learnerOptions = {
  lambda1: numberOption(learnerParameters.lambda1),
  lambda2: numberOption(learnerParameters.lambda2),
  lambda3: numberOption(learnerParameters.lambda3),
  lambda4: numberOption(learnerParameters.lambda4),
  bound: numberOption(learnerParameters.bound),
  gamma: numberOption(learnerParameters.gamma),
  'text-ridge': numberOption(learnerParameters.textRidge),
  vectors: choiceOption(learnerParameters.vectors),
  'penalty-start': numberOption(learnerParameters.penaltyStart),
  'penalty-growth': numberOption(learnerParameters.penaltyGrowth),
  space: choiceOption(learnerParameters.space),
  metric: choiceOption(learnerParameters.metric),
  'theta-solver': choiceOption(learnerParameters.thetaSolver),
  'max-iterations': numberOption(learnerParameters.maxIterations),
  tolerance: numberOption(learnerParameters.tolerance),
  resume: { type: 'flag', description: 'Continue an interrupted fit in DIR.' },
} as const;

type LearnerValues = CommandContext<typeof learnerOptions>['options'] & { dtype: string };

interface LearnerSetting {
  out: string;
  problem: Problem;
  backend: Backend;
  progress: ProgressLine;
  webRows?: StreamedProblem['webRows'];
  configuration: Record<string, unknown>;
}

/** A specification and what `fit` needs with it. */
export interface LearnerFit {
  spec: MethodSpec;
  parameters: Readonly<Record<string, ParameterValue>>;
  configuration: Readonly<Record<string, unknown>>;
  methodOptions?: object;
  checkpoint?: Checkpoint;
}

/** `paper-pi` is `paper` with the text; its weight then has a default above 0. */
export function learnerCase(method: string): SpecialCase | 'combo' | undefined {
  if (method === 'combo') return 'combo';
  const name = method === 'paper-pi' ? 'paper' : method;
  return Object.hasOwn(specialCases, name) ? (name as SpecialCase) : undefined;
}

/** @throws UsageError for an option of the learner that was given for another method */
export function refuseLearnerOptions(method: string, values: LearnerValues): void {
  const given =
    Object.values(named).find((name) => values[name] !== undefined) ?? (values.resume ? 'resume' : undefined);
  if (given)
    throw new UsageError(
      `--${given} belongs to the paper's learner, and this is a fit of ${method}`,
      `Add --method paper, or leave it out; "--set NAME=VALUE" sets a parameter of ${method}.`,
    );
}

/** @throws UsageError for a parameter that makes the special case what it is */
export function refuseFixedParameters(special: SpecialCase, values: LearnerValues): void {
  const fixed: Partial<LearnerOptions> = specialCases[special];
  const given = names.find((name) => values[named[name]] !== undefined && fixed[name] !== undefined);
  if (given)
    throw new UsageError(
      `${special} has ${given} = ${fixed[given]}, and --${named[given]} ${values[named[given]]} would change it`,
      'Add --method paper, or leave it out.',
    );
}

/** How `fit` is asked for a fit of the learner: with every option of its own, and a checkpoint. */
export function learnerFit(
  special: SpecialCase | 'combo',
  spec: MethodSpec,
  given: Readonly<Record<string, ParameterValue>>,
  values: LearnerValues,
  setting: LearnerSetting,
): LearnerFit {
  const { out, problem, backend, progress, webRows, configuration } = setting;
  const chosen: Partial<LearnerOptions> = {
    ...(special === 'combo' ? {} : (given as Partial<LearnerOptions>)),
    ...Object.fromEntries(
      names.flatMap((name) => (values[named[name]] === undefined ? [] : [[name, values[named[name]]]])),
    ),
    dtype: values.dtype as LearnerOptions['dtype'],
  };
  const whole = { ...configuration, ...chosen, ...(special === 'combo' && given) };
  const hash = problemHash(problem);
  const fingerprint = JSON.stringify({ configuration: whole, hash, backend: backend.description });
  const checkpoint = new Checkpoint(join(out, 'checkpoint.npz'), { fingerprint, resume: values.resume });
  if (values.resume && !existsSync(checkpoint.path)) progress.note('nothing to resume; starting from the beginning');
  const parameters = { ...given, ...chosen } as Record<string, ParameterValue>;
  const own: MethodSpec = {
    ...spec,
    parameters: Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [name, { description: '', default: value }]),
    ),
    create: () => (special === 'combo' ? combination(spec, given, chosen) : new PaperLearner({ ...chosen, special })),
  };
  const methodOptions = { webRows, ...(special !== 'combo' && { checkpoint }) };
  return { spec: own, parameters, configuration: whole, methodOptions, checkpoint };
}

/** Options are for both parts; parameters are named for one. */
function combination(
  { parts }: MethodSpec,
  given: Readonly<Record<string, ParameterValue>>,
  chosen: Partial<LearnerOptions>,
): Combo {
  const [web, zeroShot] = parts!.map((part) => ({ ...partValues(part, given), ...chosen }));
  return new Combo(web, zeroShot, given.share as number | undefined);
}
