/** The classifier: fitted on the problem, scored where answers are known, and made to state its confidence. */
import { readFile, rm } from 'node:fs/promises';
import { fit, fitOutputs, writeFit } from '../../fit/index.js';
import { findMethod } from '../../methods/index.js';
import { percent } from '../../percent.js';
import { loadProblem } from '../../problem/index.js';
import { readFeatureMeta } from '../../vision/index.js';
import { estimateFromAnswers } from '../answer-estimate.js';
import type { ProblemRows } from '../assemble.js';
import { chosenParameters } from '../chosen-parameters.js';
import { defaultNoise } from '../configuration.js';
import { readDecisions } from '../decisions.js';
import { keepRecords } from '../records.js';
import { optionInputs, pluginInputs, type Stage } from '../stage.js';
import { layout } from '../workspace.js';
import { featureFolder } from './features.js';

export const fitStage: Stage = {
  name: 'fit',
  needs: ['problem', 'tune'],
  heavy: true,

  async inputs(workspace) {
    const { configuration } = workspace;
    const { threads: _, ...meaning } = configuration.learner;
    return {
      ...(await pluginInputs(workspace)),
      ...optionInputs('learner', meaning),
      seed: String(configuration.seed),
    };
  },

  outputs: async (workspace) => fitOutputs(workspace.path(layout.run)).map((name) => `${layout.run}/${name}`),

  async run({ workspace, signal, onProgress, note }) {
    const started = Date.now();
    const { learner, seed, tune } = workspace.configuration;
    const { device, threads, scaling, method } = learner;
    const problem = await loadProblem(workspace.path(layout.problem), { scaling, web: 'optional', signal });
    const { test: pictures } = JSON.parse(await readFile(workspace.path(layout.rows), 'utf8')) as ProblemRows;
    const { parameters, from } = await chosenParameters(workspace);
    const { fingerprint } = (await readFeatureMeta(workspace.path(featureFolder('test'))))!;
    await rm(workspace.path(layout.run), { recursive: true, force: true });
    const result = await fit(problem, method, {
      ...{ parameters, seed, device, threads, scaling, signal, onProgress },
      calibrate: { noise: tune?.noise ?? defaultNoise },
      configuration: { problem: layout.problem, method, ...parameters, scaling, seed },
      parametersFrom: from,
      features: fingerprint,
      onNote: note,
    });
    if (problem.testShares && !('shares' in findMethod(method).parameters))
      note(`${method} takes no account of the shares in bowerbird.yaml`);
    for (const warning of result.record.warnings ?? []) note(warning);
    const estimate = estimateFromAnswers(await readDecisions(workspace), problem.testFeatures.rows);
    const metrics = { ...result.metrics, ...(estimate && { estimate }) };
    await writeFit(workspace.path(layout.run), { ...result, metrics }, { pictures });
    await keepRecords(workspace, result, { started, note, signal });
    const { accuracy, harmonic, strangers, thetaArea } = result.metrics;
    const score = accuracy === undefined ? '' : `, accuracy ${percent(accuracy, 2)} %`;
    const area = thetaArea === undefined ? '' : `, area under the curve of the weights ${thetaArea.toFixed(3)}`;
    const both = harmonic === undefined ? '' : `, harmonic mean ${percent(harmonic, 2)} %`;
    const found =
      strangers?.recognized === undefined ? '' : `, ${percent(strangers.recognized, 0)} % of strangers recognized`;
    return { summary: `${method} with ${from} parameters${score}${both}${found}${area}` };
  },
};
