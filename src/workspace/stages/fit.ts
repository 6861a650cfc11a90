/** The classifier: fitted on the problem, scored where answers are known, and made to state its confidence. */
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import {
  type FittedLearner,
  fitMetrics,
  predictionRows,
  writeLearnerRun,
  writePredictions,
} from '../../evaluation/run-folder.js';
import { writeFileAtomic, writeNpy } from '../../formats/index.js';
import { Bowerbird, Combo } from '../../learner/index.js';
import type { Backend } from '../../linalg/backend.js';
import { createBackend } from '../../linalg/index.js';
import { createMethod, findMethod, type ParameterValue } from '../../methods/index.js';
import {
  candidateNames,
  loadProblem,
  type Method,
  type Problem,
  problemHash,
  syntheticValidationWeb,
  validationSplit,
} from '../../problem/index.js';
import { readFeatureMeta } from '../../vision/index.js';
import { type Calibration, findTemperature, reliability, scoreSpread } from '../calibration.js';
import { chosenParameters } from '../chosen-parameters.js';
import { saveScorer, scorePictures, scorerOf } from '../scorer.js';
import { optionInputs, type Stage, type StageContext } from '../stage.js';
import { layout, type Workspace } from '../workspace.js';
import { featureFolder } from './features.js';

export const fitStage: Stage = {
  name: 'fit',
  needs: ['problem', 'tune'],
  heavy: true,

  async inputs({ configuration }) {
    const { threads: _, ...meaning } = configuration.learner;
    return { ...optionInputs('learner', meaning), seed: String(configuration.seed) };
  },

  outputs: async (workspace) => {
    const optional = [layout.scorer, layout.calibration, 'run/model.safetensors', 'run/weights.csv'];
    return ['run/predictions.csv', 'run/metrics.json', ...optional.filter((file) => existsSync(workspace.path(file)))];
  },

  async run(context) {
    const { workspace, signal, note } = context;
    const { learner, seed } = workspace.configuration;
    const { device, threads, scaling } = learner;
    const problem = await loadProblem(workspace.path(layout.problem), { scaling, web: 'optional', signal });
    const { parameters, from } = await chosenParameters(workspace);
    await rm(workspace.path(layout.run), { recursive: true, force: true });
    await mkdir(workspace.path(layout.run), { recursive: true });
    const backend = await createBackend({ device, threads });
    try {
      const begun = performance.now();
      const method = await fitMethod(problem, parameters, backend, context);
      const record = {
        configuration: { ...learner, parameters, chosenBy: from, seed },
        inputs: { problem: problemHash(problem) },
        backend: { device: backend.device, description: backend.description, threads: backend.threads },
        seconds: (performance.now() - begun) / 1000,
      };
      const metrics = await writeRun(workspace, method, problem, record);
      const normalise = scaling === 'l2' ? 'unit' : 'none';
      const names = candidateNames(problem);
      const scorer = scorerOf(method, problem.testFeatures.cols, names, normalise);
      if (!scorer)
        note(
          `the decision of ${learner.method} is not linear in the features: "classify" and "export" need another method`,
        );
      else {
        await saveScorer(workspace.path(layout.scorer), scorer, {
          method: learner.method,
          features: (await readFeatureMeta(workspace.path(featureFolder('test'))))!.fingerprint,
        });
        const scores = scorePictures(scorer, problem.testFeatures, backend);
        const calibration = await calibrate(problem, parameters, backend, context);
        if (calibration) {
          const own = { ...calibration, spread: scoreSpread(scores) };
          const test = problem.testLabels && reliability(scores, problem.testLabels, own);
          const text = JSON.stringify({ ...own, ...(test && { test }) }, null, 2);
          await writeFileAtomic(workspace.path(layout.calibration), `${text}\n`);
        }
      }
      const accuracy = metrics.accuracy === undefined ? '' : `, accuracy ${(100 * metrics.accuracy).toFixed(2)} %`;
      const area =
        metrics.thetaArea === undefined ? '' : `, area under the curve of the weights ${metrics.thetaArea.toFixed(3)}`;
      return { summary: `${learner.method} with ${from} parameters${accuracy}${area}` };
    } finally {
      backend.dispose();
    }
  },
};

async function fitMethod(
  problem: Problem,
  parameters: Readonly<Record<string, ParameterValue>>,
  backend: Backend,
  { workspace, signal, onProgress }: StageContext,
): Promise<Method> {
  const { learner, seed } = workspace.configuration;
  const method = createMethod(findMethod(learner.method), parameters, seed);
  return method.fit(problem, { backend, signal, onProgress });
}

async function writeRun(workspace: Workspace, method: Method, problem: Problem, record: Record<string, unknown>) {
  const folder = workspace.path(layout.run);
  if (method instanceof Bowerbird || method instanceof Combo)
    return writeLearnerRun(folder, method as FittedLearner, problem, record, {
      scaling: workspace.configuration.learner.scaling,
    });
  const values = method.decisionValues(problem.testFeatures);
  for (let i = 0; i < values.data.length; i++) values.data[i] = -values.data[i];
  const rows = predictionRows(values, candidateNames(problem));
  const theta = 'theta_' in method ? (method.theta_ as Float64Array) : new Float64Array(0);
  const metrics = fitMetrics(
    problem,
    Int32Array.from(rows, ({ category }) => category),
    theta,
  );
  await writePredictions(`${folder}/predictions.csv`, rows);
  if (theta.length > 0) await writeNpy(`${folder}/theta.npy`, { shape: [theta.length], dtype: 'float64', data: theta });
  await writeFileAtomic(`${folder}/metrics.json`, `${JSON.stringify(metrics, null, 2)}\n`);
  await writeFileAtomic(`${folder}/run.json`, `${JSON.stringify(record, null, 2)}\n`);
  return metrics;
}

/** The temperature on the validation categories; undefined where they cannot be had. */
async function calibrate(
  problem: Problem,
  parameters: Readonly<Record<string, ParameterValue>>,
  backend: Backend,
  context: StageContext,
): Promise<Calibration | undefined> {
  const { learner, seed, tune } = context.workspace.configuration;
  const normalise = learner.scaling === 'l2' ? 'unit' : 'none';
  try {
    const validationWeb = problem.validationWeb ?? syntheticValidationWeb(problem, { noise: tune?.noise ?? 0.3, seed });
    const validation = validationSplit({ ...problem, validationWeb });
    const method = await fitMethod(validation, parameters, backend, context);
    const names = candidateNames(validation);
    const scorer = scorerOf(method, validation.testFeatures.cols, names, normalise)!;
    const scores = scorePictures(scorer, validation.testFeatures, backend);
    const temperature = findTemperature(scores, validation.testLabels!);
    const spread = scoreSpread(scores);
    const own = reliability(scores, validation.testLabels!, { temperature, spread });
    return { temperature, spread, validation: own };
  } catch (error) {
    context.signal.throwIfAborted();
    context.note(`no confidence could be learnt from the validation categories: ${(error as Error).message}`);
    return undefined;
  }
}
