/** `bowerbird fit`: learns a classifier from a problem file. */
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../../errors.js';
import { type FittedLearner, writeLearnerRun } from '../../evaluation/run-folder.js';
import {
  Bowerbird,
  Checkpoint,
  Combo,
  type LearnerOptions,
  learnerDefaults,
  type SpecialCase,
  specialCases,
} from '../../learner/index.js';
import {
  generalize,
  type LoadOptions,
  loadProblem,
  openStreamedProblem,
  type Problem,
  problemHash,
  type StreamedProblem,
  webFeatureBytes,
} from '../../problem/index.js';
import { defineCommand } from '../command.js';
import { backendOptions, loadOptions, openBackend, problemOptions, versions } from '../shared-options.js';

const methods = [...(Object.keys(specialCases) as SpecialCase[]), 'combo'] as const;

export default defineCommand({
  name: 'fit',
  summary: 'Learn a classifier from a problem file.',
  description:
    'Learns from auxiliary, web and test pictures jointly and writes predictions for the test pictures, the weights of ' +
    'the web pictures, the trace of the iteration, scores where labels are known, and a model for other pictures.',
  arguments: [{ name: 'PROBLEM', description: 'a .npz problem file or a folder of .npy files' }],
  options: {
    out: { type: 'string', short: 'o', placeholder: 'DIR', description: 'Folder for the results.' },
    method: {
      type: 'choice',
      choices: methods,
      default: 'ours',
      description: 'The learner or one of its special cases.',
    },
    lambda1: {
      type: 'number',
      minimum: 0,
      description: `Closeness to the auxiliary dictionary (${learnerDefaults.lambda1}).`,
    },
    lambda2: { type: 'number', minimum: 0, description: `Weight of the nuclear norm (${learnerDefaults.lambda2}).` },
    lambda3: {
      type: 'number',
      minimum: 0,
      description: `Weight of the mean discrepancy (${learnerDefaults.lambda3}).`,
    },
    lambda4: {
      type: 'number',
      minimum: 0,
      description: `Weight of the web pictures' errors (${learnerDefaults.lambda4}).`,
    },
    bound: { type: 'number', minimum: 1, description: `Largest weight of a web picture (${learnerDefaults.bound}).` },
    gamma: {
      type: 'number',
      minimum: 0,
      description: `Weight of the text; 0 leaves it out (${learnerDefaults.gamma}).`,
    },
    params: {
      type: 'string',
      placeholder: 'FILE',
      description: 'JSON file with parameters, such as chosen.json of "bowerbird tune"; options given here win.',
    },
    ...problemOptions,
    space: {
      type: 'choice',
      choices: ['span', 'full'],
      default: 'span',
      description: 'Space of the semantic vectors.',
    },
    metric: {
      type: 'choice',
      choices: ['euclidean', 'cosine'],
      default: 'euclidean',
      description: 'Distance of the decision.',
    },
    'theta-solver': {
      type: 'choice',
      choices: ['projected-gradient', 'smo'],
      default: 'projected-gradient',
      description: 'How the weights are found.',
    },
    'max-iterations': {
      type: 'integer',
      minimum: 1,
      default: learnerDefaults.maxIterations,
      description: 'Iterations at most.',
    },
    tolerance: {
      type: 'number',
      description: `Residual at which the fit has converged (${learnerDefaults.tolerance}).`,
    },
    generalized: {
      type: 'flag',
      description: 'Generalized setting: a fifth of the auxiliary pictures join the test set.',
    },
    seed: { type: 'integer', minimum: 0, default: 1, description: 'Seed of the generalized split.' },
    stream: { type: 'flag', description: 'Read the web features from the file in every pass instead of keeping them.' },
    'memory-limit': {
      type: 'number',
      minimum: 0,
      placeholder: 'GIB',
      description: 'Web features larger than this are streamed (half of the memory if not given).',
    },
    resume: { type: 'flag', description: 'Continue an interrupted fit in DIR.' },
    ...backendOptions,
  },
  examples: [
    { command: 'bowerbird fit birds.npz --out run', explanation: 'Fit with the default parameters.' },
    {
      command: 'bowerbird fit birds.npz --out run --semantics attributes --lambda2 10 --gamma 0.1',
      explanation: 'Use the attribute vectors and the text of the web pictures.',
    },
    { command: 'bowerbird fit birds.npz --out run --resume', explanation: 'Go on after Ctrl-C.' },
  ],
  async run({ args, options, print, printJson, progress, signal }) {
    const [path] = args;
    const { out } = options;
    if (!out)
      throw new UsageError('--out is missing: where should the results go?', `Try: bowerbird fit ${path} --out run`);
    const learnerOptions = await chosenParameters(options);
    await mkdir(out, { recursive: true });
    const backend = await openBackend(options);
    const { problem, webRows, close } = await openProblem(path, options, loadOptions(options, signal));
    try {
      const configuration = { problem: path, method: options.method, ...learnerOptions, ...inputOptions(options) };
      const hash = problemHash(problem);
      const fingerprint = JSON.stringify({ configuration, hash, backend: backend.description });
      const checkpoint = new Checkpoint(join(out, 'checkpoint.npz'), { fingerprint, resume: options.resume });
      if (options.resume && !existsSync(checkpoint.path))
        progress.note('nothing to resume; starting from the beginning');
      const begun = performance.now();
      const shared = {
        backend,
        signal,
        webRows,
        onProgress: ({ done, detail }: { done: number; detail?: string }) =>
          progress.update({ stage: 'fit', done, detail }),
      };
      const learner: FittedLearner =
        options.method === 'combo'
          ? await new Combo(learnerOptions).fit(problem, shared)
          : await new Bowerbird({ ...learnerOptions, special: options.method }).fit(problem, { ...shared, checkpoint });
      const seconds = (performance.now() - begun) / 1000;
      const record = {
        configuration,
        versions: versions(),
        inputs: { problem: hash },
        backend: { device: backend.device, description: backend.description, threads: backend.threads },
        iterations: learner.trace_.length,
        converged: learner.converged_,
        warnings: learner.warnings_,
        seconds,
        peakMemoryBytes: process.resourceUsage().maxRSS * 1024,
      };
      const metrics = await writeLearnerRun(out, learner, problem, record, { scaling: options.scaling });
      await checkpoint.clear();
      for (const warning of learner.warnings_) progress.note(`warning: ${warning}`);
      printJson({ out, ...record, metrics });
      print(
        `${learner.converged_ ? 'converged' : 'stopped'} after ${learner.trace_.length} iterations, ${seconds.toFixed(1)} s (${backend.description})`,
      );
      if (metrics.accuracy !== undefined)
        print(`accuracy ${percent(metrics.accuracy)}, mean over categories ${percent(metrics.meanCategoryAccuracy!)}`);
      if (metrics.thetaArea !== undefined)
        print(`weights against the known truth: area under the curve ${metrics.thetaArea.toFixed(3)}`);
      print(`results in ${out}`);
      return 0;
    } finally {
      await close();
      backend.dispose();
    }
  },
});

interface ParameterValues {
  method: string;
  lambda1?: number;
  lambda2?: number;
  lambda3?: number;
  lambda4?: number;
  bound?: number;
  gamma?: number;
  params?: string;
  space: 'span' | 'full';
  metric: 'euclidean' | 'cosine';
  'theta-solver': LearnerOptions['thetaSolver'];
  'max-iterations': number;
  tolerance?: number;
  dtype: string;
}

const tunable = ['lambda1', 'lambda2', 'lambda3', 'lambda4', 'bound', 'gamma'] as const;

/** Parameters from the file, overruled by those of the command line. */
async function chosenParameters(values: ParameterValues): Promise<Partial<LearnerOptions>> {
  const fromFile = values.params ? await parametersOf(values.params, values.method) : {};
  const given = Object.fromEntries(tunable.flatMap((key) => (values[key] === undefined ? [] : [[key, values[key]]])));
  return {
    ...fromFile,
    ...given,
    space: values.space,
    metric: values.metric,
    thetaSolver: values['theta-solver'],
    maxIterations: values['max-iterations'],
    tolerance: values.tolerance,
    dtype: values.dtype as LearnerOptions['dtype'],
  };
}

async function parametersOf(path: string, method: string): Promise<Partial<LearnerOptions>> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`--params ${path} cannot be read: ${(error as Error).message}`);
  }
  const record = (parsed as { parameters?: unknown }).parameters ?? parsed;
  if (typeof record !== 'object' || record === null)
    throw new UsageError(`--params ${path} holds ${typeof record}; an object such as {"lambda1": 0.01} was expected`);
  // The text has no method of its own here: gamma above 0 turns it on.
  const made = String((parsed as { method?: unknown }).method ?? method).replace(/^ours-pi$/, 'ours');
  if (made !== method)
    throw new UsageError(
      `--params ${path} holds parameters of ${made}, and this is a fit of ${method}`,
      (methods as readonly string[]).includes(made)
        ? `Add --method ${made}.`
        : `"bowerbird fit" fits ${methods.join(', ')}; other methods run in "bowerbird compare".`,
    );
  const known = Object.entries(record).filter(([key]) => (tunable as readonly string[]).includes(key));
  return Object.fromEntries(known) as Partial<LearnerOptions>;
}

interface InputValues {
  semantics: string;
  scaling: string;
  'centre-features': boolean;
  'centre-semantics': boolean;
  generalized: boolean;
  seed: number;
  stream: boolean;
  'memory-limit'?: number;
}

function inputOptions(values: InputValues) {
  const { semantics, scaling, generalized, seed } = values;
  return {
    semantics,
    scaling,
    centreFeatures: values['centre-features'],
    centreSemantics: values['centre-semantics'],
    generalized,
    seed,
  };
}

async function openProblem(
  path: string,
  values: InputValues,
  load: LoadOptions,
): Promise<{ problem: Problem; webRows?: StreamedProblem['webRows']; close(): Promise<void> }> {
  const limit = (values['memory-limit'] ?? totalmem() / 2 ** 31) * 2 ** 30;
  const streamed = values.stream || (await webFeatureBytes(path, load.dtype === 'float32' ? 4 : 8)) > limit;
  const opened = streamed
    ? await openStreamedProblem(path, load)
    : { problem: await loadProblem(path, { ...load, web: 'optional' }), close: async () => {} };
  return values.generalized ? { ...opened, problem: generalize(opened.problem, values.seed) } : opened;
}

function percent(value: number): string {
  return `${(100 * value).toFixed(2)} %`;
}
