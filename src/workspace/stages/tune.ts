/** Parameters of the method, chosen on the validation categories. */
import { searchable } from '../../evaluation/index.js';
import { findMethod } from '../../methods/index.js';
import { loadProblem } from '../../problem/index.js';
import { freeParameters } from '../chosen-parameters.js';
import { evaluationSetting } from '../evaluation-setting.js';
import { optionInputs, pluginInputs, type Stage } from '../stage.js';
import { layout } from '../workspace.js';

export const tuneStage: Stage = {
  name: 'tune',
  needs: ['problem'],
  heavy: true,

  omitted(workspace) {
    const { tune, learner } = workspace.configuration;
    if (!tune) return 'tune is switched off';
    if (!searchable(findMethod(learner.method))) return `${learner.method} has no parameters to search for`;
    return Object.keys(freeParameters(workspace)).length === 0 ? 'all parameters are given' : undefined;
  },

  async inputs(workspace) {
    const { configuration } = workspace;
    const { learner, tune, seed } = configuration;
    const { method, scaling, device } = learner;
    return {
      ...(await pluginInputs(workspace)),
      ...optionInputs('learner', { method, scaling, device }),
      ...optionInputs('tune', tune!),
      seed: String(seed),
    };
  },

  outputs: async () => [layout.chosen],

  async run(context) {
    const { workspace } = context;
    const { learner, tune } = workspace.configuration;
    const problem = await loadProblem(workspace.path(layout.problem), {
      scaling: learner.scaling,
      web: 'optional',
      signal: context.signal,
    });
    const { defaultEarlyStopping, search } = await import('../../evaluation/index.js');
    const setting = await evaluationSetting(context, problem, layout.tune);
    const { chosen } = await search({
      ...setting,
      method: learner.method,
      trials: tune!.trials,
      earlyStopping: defaultEarlyStopping,
    });
    const { validationAccuracy, validation, trials, failedTrials } = chosen;
    return {
      summary: `best of ${trials} trials: ${(100 * validationAccuracy).toFixed(1)} % on ${validation.categories} validation categories${failedTrials > 0 ? `, ${failedTrials} trials failed` : ''}`,
    };
  },
};
