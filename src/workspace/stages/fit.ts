/** The classifier: fitted on the problem, scored where answers are known, and made to state its confidence. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { writeLearnerRun, writeMethodRun } from '../../evaluation/run-folder.js';
import { readCsv, writeCsv, writeFileAtomic } from '../../formats/index.js';
import { Combo, PaperLearner } from '../../learner/index.js';
import type { Backend } from '../../linalg/backend.js';
import { createBackend } from '../../linalg/index.js';
import { createMethod, findMethod, type ParameterValue } from '../../methods/index.js';
import { loadProblem, type Method, type Problem, problemHash } from '../../problem/index.js';
import { readFeatureMeta } from '../../vision/index.js';
import type { ProblemRows } from '../assemble.js';
import { reliability, scoreSpread } from '../calibration.js';
import { chooseScorer, type ScorerChoice, scorerOfKind, scoresAsIfNew } from '../choose-scorer.js';
import { chosenParameters } from '../chosen-parameters.js';
import { defaultNoise } from '../configuration.js';
import { saveScorer } from '../scorer.js';
import { optionInputs, type Stage, type StageContext } from '../stage.js';
import { versions } from '../versions.js';
import { layout, type Workspace } from '../workspace.js';
import { featureFolder } from './features.js';

/** Of a student, where nothing says which is best. */
const defaultRidge = 0.1;

export const fitStage: Stage = {
  name: 'fit',
  needs: ['problem', 'tune'],
  heavy: true,

  async inputs({ configuration }) {
    const { threads: _, ...meaning } = configuration.learner;
    return { ...optionInputs('learner', meaning), seed: String(configuration.seed) };
  },

  outputs: async (workspace) => {
    const optional = [layout.answers, layout.calibration, 'run/model.safetensors', 'run/weights.csv'];
    return [
      'run/predictions.csv',
      'run/metrics.json',
      layout.scorer,
      ...optional.filter((file) => existsSync(workspace.path(file))),
    ];
  },

  async run(context) {
    const { workspace, signal } = context;
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
        configuration: { problem: layout.problem, method: learner.method, ...parameters, scaling, seed },
        parameters,
        chosenBy: from,
        versions: versions(),
        inputs: { problem: problemHash(problem) },
        backend: { device: backend.device, description: backend.description, threads: backend.threads },
        seconds: (performance.now() - begun) / 1000,
      };
      if (method instanceof PaperLearner || method instanceof Combo) {
        const { trace_, converged_, warnings_ } = method;
        Object.assign(record, { iterations: trace_.length, converged: converged_, warnings: warnings_ });
        for (const warning of warnings_) context.note(warning);
      }
      const metrics = await writeRun(workspace, method, problem, record);
      await writeAnswers(workspace);
      await writeScorer(method, problem, parameters, backend, context);
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
  const { scaling } = workspace.configuration.learner;
  return method instanceof PaperLearner || method instanceof Combo
    ? writeLearnerRun(folder, method, problem, record, { scaling })
    : writeMethodRun(folder, method, problem, record);
}

/** The predictions once more, by the pictures' own names; the problem knows rows only. */
async function writeAnswers({ path }: Workspace): Promise<void> {
  const { test } = JSON.parse(await readFile(path(layout.rows), 'utf8')) as ProblemRows;
  const { header = [], rows } = await readCsv(path(layout.run, 'predictions.csv'));
  const columns = ['name', 'runner_up', 'margin', 'truth'].map((name) => header.indexOf(name)).filter((at) => at >= 0);
  await writeCsv(
    path(layout.answers),
    rows.map((row) => [test[Number(row[0])], ...columns.map((at) => row[at])]),
    { header: ['picture', ...columns.map((at) => (header[at] === 'name' ? 'category' : header[at]))] },
  );
}

/** What classifies pictures that come later, and its calibration where there are validation categories. */
async function writeScorer(
  method: Method,
  problem: Problem,
  parameters: Readonly<Record<string, ParameterValue>>,
  backend: Backend,
  context: StageContext,
): Promise<void> {
  const { workspace, signal, note } = context;
  const { learner, seed, tune } = workspace.configuration;
  const spec = findMethod(learner.method);
  const setting = { spec, normalise: learner.scaling === 'l2' ? ('unit' as const) : ('none' as const), backend };
  let choice: ScorerChoice | undefined;
  try {
    const learn = (some: Problem) => fitMethod(some, parameters, backend, context);
    choice = await chooseScorer(problem, learn, { ...setting, noise: tune?.noise ?? defaultNoise, seed });
  } catch (error) {
    signal.throwIfAborted();
    note(`no confidence could be learnt from the validation categories: ${(error as Error).message}`);
  }
  const { kind = defaultRidge, temperature, validation } = choice ?? {};
  const scorer = scorerOfKind(kind, method, problem, setting) ?? scorerOfKind(defaultRidge, method, problem, setting)!;
  await saveScorer(workspace.path(layout.scorer), scorer, {
    method: learner.method,
    kind: kind === 'own' ? 'the map of the method' : `ridge regression on its answers, ridge ${kind}`,
    features: (await readFeatureMeta(workspace.path(featureFolder('test'))))!.fingerprint,
  });
  if (temperature === undefined || validation === undefined) return;
  const scores = scoresAsIfNew(kind, method, problem, setting);
  const calibration = { temperature, spread: scoreSpread(scores), validation };
  const test = problem.testLabels && reliability(scores, problem.testLabels, calibration);
  const text = JSON.stringify({ ...calibration, ...(test && { test }) }, null, 2);
  await writeFileAtomic(workspace.path(layout.calibration), `${text}\n`);
}
