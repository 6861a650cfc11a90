/** Parameters of the method, chosen on the validation categories; where these are too few, the defaults. */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { BowerbirdError } from '../../errors.js';
import { searchable } from '../../evaluation/index.js';
import { findMethod } from '../../methods/index.js';
import { percent } from '../../percent.js';
import { loadProblem } from '../../problem/index.js';
import { freeParameters } from '../chosen-parameters.js';
import { evaluationSetting, tooLittleToTry } from '../evaluation-setting.js';
import { optionInputs, pluginInputs, type Stage } from '../stage.js';
import { layout } from '../workspace.js';

export const tuneStage: Stage = {
  name: 'tune',
  needs: ['problem'],
  heavy: true,

  omitted(workspace) {
    const { tune, learner } = workspace.configuration;
    if (!tune) return 'no search was asked for';
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

  outputs: async ({ path }) => (existsSync(path(layout.chosen)) ? [layout.chosen] : []),

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
    // A choice of before must not be taken for one on these pictures.
    await rm(workspace.path(layout.chosen), { force: true });
    const found = await search({
      ...setting,
      method: learner.method,
      trials: tune!.trials,
      earlyStopping: defaultEarlyStopping,
    }).catch((error: BowerbirdError) => {
      if (!tooLittleToTry(error)) throw error;
      context.note(
        `parameters keep their defaults, since nothing could be tried on auxiliary categories: ${error.message}`,
      );
      return undefined;
    });
    if (!found) return { summary: 'defaults: there is too little to try parameters on' };
    const { chosen } = found;
    const { validationAccuracy, validation, trials, failedTrials } = chosen;
    return {
      summary: `best of ${trials} trials: ${percent(validationAccuracy)} % on ${validation.categories} validation categories${failedTrials > 0 ? `, ${failedTrials} trials failed` : ''}`,
    };
  },
};
