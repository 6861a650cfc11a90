/** `bowerbird fit`: learns a classifier from a problem file. */
import { access, constants, mkdir, readFile, rmdir } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { UsageError } from '../../errors.js';
import { type FitRecord, fit, recordIn, writeFit } from '../../fit/index.js';
import { fileError } from '../../formats/index.js';
import type { Backend } from '../../linalg/index.js';
import type { MethodSpec } from '../../methods/index.js';
import { percent } from '../../percent.js';
import {
  type FeatureScaling,
  featureBytes,
  generalize,
  type KnownShares,
  type LoadOptions,
  loadProblem,
  openStreamedProblem,
  type PictureSet,
  type Problem,
  readableByBlocks,
  type StreamedProblem,
  streamedHash,
  withShares,
} from '../../problem/index.js';
import { defineCommand } from '../command.js';
import { confirmReplacing, replaceOption } from '../confirm.js';
import {
  type LearnerFit,
  learnerCase,
  learnerFit,
  learnerOptions,
  refuseFixedParameters,
  refuseLearnerOptions,
} from '../fit-learner.js';
import { givenParameters } from '../given-parameters.js';
import {
  backendOptions,
  loadOptions,
  methodNamed,
  openBackend,
  type ProblemValues,
  pluginOption,
  problemOptions,
} from '../shared-options.js';

export default defineCommand({
  name: 'fit',
  summary: 'Learn a classifier from a problem file.',
  description:
    'Learns from auxiliary, web and test pictures jointly and writes predictions for the test pictures, the weights of ' +
    "the web pictures, scores where labels are known, and a model for other pictures; for the paper's learner (--method " +
    'paper) also the trace of the iteration.',
  arguments: [{ name: 'PROBLEM', description: 'a .npz problem file or a folder of .npy files' }],
  options: {
    out: { type: 'string', short: 'o', placeholder: 'DIR', description: 'Folder for the results.' },
    method: {
      type: 'string',
      placeholder: 'NAME',
      default: 'bowerbird',
      description: 'A method of "bowerbird methods"; paper is the paper\'s learner.',
    },
    set: {
      type: 'list',
      placeholder: 'NAME=VALUE',
      description: 'Parameters of the method, as "bowerbird methods METHOD" explains them.',
    },
    params: {
      type: 'string',
      placeholder: 'FILE',
      description: 'JSON file with parameters, such as chosen.json of "bowerbird tune"; options given here win.',
    },
    shares: {
      type: 'string',
      placeholder: 'equal|unknown|FILE',
      description:
        'How often each category is shown among the test pictures, where that is known: JSON file with a number for each name.',
    },
    ...problemOptions,
    generalized: {
      type: 'flag',
      description: 'Generalized setting: a fifth of the auxiliary pictures join the test set.',
    },
    seed: {
      type: 'integer',
      minimum: 0,
      default: 1,
      description: 'Seed of the generalized split and of methods that draw at random.',
    },
    stream: {
      type: 'flag',
      description:
        "Keep no features in memory, neither as they are nor whitened; for the paper's learner those of web pictures.",
    },
    'memory-limit': {
      type: 'number',
      minimum: 0,
      placeholder: 'GIB',
      description: 'Features that together are larger than this are streamed (half of the memory if not given).',
    },
    ...learnerOptions,
    ...replaceOption,
    ...pluginOption,
    ...backendOptions,
  },
  examples: [
    { command: 'bowerbird fit birds.npz --out run', explanation: 'Fit with the default method and parameters.' },
    {
      command: 'bowerbird fit birds.npz --out run --semantics attributes --set sharpness=3,textWeight=0',
      explanation: 'Use the attribute vectors, and set two parameters.',
    },
    {
      command: 'bowerbird fit birds.npz --out run --method paper --lambda2 10 --gamma 0.1',
      explanation: "The paper's learner, with the text of the web pictures.",
    },
    { command: 'bowerbird fit birds.npz --out run --method paper --resume', explanation: 'Go on after Ctrl-C.' },
  ],
  async run({ args, options, print, printJson, progress, signal }) {
    const [path] = args;
    const { out } = options;
    if (!out)
      throw new UsageError('--out is missing: where should the results go?', `Try: bowerbird fit ${path} --out run`);
    const spec = methodNamed(options.method, (text) => progress.note(text));
    const method = spec.name;
    const special = learnerCase(method);
    if (!special) refuseLearnerOptions(method, options);
    else if (special !== 'combo') refuseFixedParameters(special, options);
    const parameters = await givenParameters(spec, options.params, options.set);
    if (method === 'paper-pi') parameters.gamma ??= spec.parameters.gamma.default;
    await allowResults(out, { replace: options.replace || options.resume === true, signal });
    const backend = await openBackend(options);
    progress.update({ stage: 'read the problem', done: 0 });
    const { problem, close, hash, ...rows } = await openProblem(path, options, loadOptions(options, signal), {
      spec,
      backend,
    });
    const { webRows } = rows;
    if (problem.testShares && !('shares' in spec.parameters))
      progress.note(`${method} takes no account of known shares`);
    // Before the work, so that a folder that cannot be written is known then.
    const made = await mkdir(out, { recursive: true });
    await access(out, constants.W_OK);
    try {
      progress.update({ stage: 'fit', done: 0 });
      const configuration = { problem: path, method, ...inputOptions(options) };
      const chosen: LearnerFit = special
        ? learnerFit(special, spec, parameters, options, { out, problem, backend, progress, webRows, configuration })
        : { spec, parameters, configuration: { ...configuration, parameters }, methodOptions: rows };
      const result = await fit(problem, chosen.spec, {
        ...chosen,
        ...{ backend, signal, hash, seed: options.seed, centred: options['centre-features'] },
        scaling: options.scaling as FeatureScaling,
        onProgress: progress.during('fit'),
      });
      const { record, metrics } = result;
      await writeFit(out, result);
      await chosen.checkpoint?.clear();
      printJson({ out, ...record, metrics });
      for (const warning of record.warnings ?? []) progress.note(`warning: ${warning}`);
      print(outcome(record));
      if (metrics.accuracy !== undefined)
        print(
          `accuracy ${percent(metrics.accuracy, 2)} %, mean over categories ${percent(metrics.meanCategoryAccuracy, 2)} %`,
        );
      if (metrics.thetaArea !== undefined)
        print(`weights against the known truth: area under the curve ${metrics.thetaArea.toFixed(3)}`);
      print(`results in ${out}`);
      return 0;
    } catch (error) {
      // Only if nothing is in it.
      if (made !== undefined) await rmdir(out).catch(() => {});
      throw error;
    } finally {
      await close();
      backend.dispose();
    }
  },
});

async function sharesOf(given: string): Promise<KnownShares> {
  if (given === 'equal' || given === 'unknown') return given;
  const text = await readFile(given, 'utf8').catch((error) => {
    throw fileError(given, error, 'read');
  });
  try {
    const numbers: unknown = JSON.parse(text);
    if (numbers !== null && typeof numbers === 'object' && !Array.isArray(numbers)) return numbers as KnownShares;
  } catch {}
  throw new UsageError(
    `${given} is no JSON object of names and numbers`,
    'For example: {"House Wren": 3, "Song Sparrow": 1}',
  );
}

interface InputValues extends ProblemValues {
  generalized: boolean;
  shares?: string;
  seed: number;
  stream: boolean;
  'memory-limit'?: number;
}

function inputOptions(values: InputValues) {
  const { semantics, scaling, dtype, splits, generalized, seed } = values;
  return {
    semantics,
    scaling,
    centreFeatures: values['centre-features'],
    centreSemantics: values['centre-semantics'],
    unitSemantics: values['unit-semantics'],
    dtype,
    webFile: values['web-file'],
    splits,
    generalized,
    seed,
  };
}

/** Writing a fit into the folder of a search or a comparison would take its record away, into that of a fit the fit. */
async function allowResults(folder: string, options: { replace: boolean; signal: AbortSignal }): Promise<void> {
  const record = await recordIn(folder);
  const command = record?.command;
  if (command === 'tune' || command === 'compare' || command === 'experiment')
    throw new UsageError(`${folder} holds the results of "bowerbird ${command}"`, 'Name another folder with --out.');
  if (record)
    await confirmReplacing(`${folder} holds a fit of ${record.method ?? 'an earlier version'} already`, options);
}

/** The problem as the options have it, and the hash of all of it where features stay in the file. */
async function openProblem(
  path: string,
  values: InputValues,
  given: LoadOptions,
  { spec, backend }: { spec: MethodSpec; backend: Backend },
): Promise<StreamedProblem & { hash?: string }> {
  const load: LoadOptions = { ...given, web: 'optional' };
  // Auxiliary pictures that are moved to the test set are moved in memory.
  const sets: readonly PictureSet[] = values.generalized ? ['web'] : (spec.streams ?? ['web']);
  const limit = (values['memory-limit'] ?? totalmem() / 2 ** 31) * 2 ** 30;
  const streamed = values.stream || (await featureBytes(path, load.dtype === 'float32' ? 4 : 8, sets)) > limit;
  const state = async (problem: Problem) => {
    const whole = values.generalized ? generalize(problem, values.seed) : problem;
    return values.shares === undefined ? whole : withShares(whole, await sharesOf(values.shares));
  };
  // A GPU keeps what it is given, and takes it from memory.
  const byBlocks = spec.readsByBlocks && !values.generalized && backend.device !== 'cuda';
  if (!streamed && !(byBlocks && (await readableByBlocks(path, load, sets))))
    return { problem: await state(await loadProblem(path, load)), close: async () => {} };
  const opened = await openStreamedProblem(path, load, sets);
  try {
    if (opened.webRows && !spec.streams && !learnerCase(spec.name))
      throw new UsageError(
        `${spec.name} keeps the web features in memory, and they are to be streamed`,
        `Add --method bowerbird or --method paper, or ${values.stream ? 'leave out --stream' : 'raise --memory-limit'}.`,
      );
    const problem = await state(opened.problem);
    const hash = await streamedHash(problem, opened, given.signal);
    return { ...opened, problem, hash, keep: streamed ? 'disk' : 'memory' };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

function outcome({ method, iterations, converged, seconds, backend }: FitRecord): string {
  const time = `${seconds.toFixed(1)} s (${backend.description})`;
  if (iterations === undefined) return `${method} fitted in ${time}`;
  return `${converged ? 'converged' : 'stopped'} after ${iterations} iterations, ${time}`;
}
