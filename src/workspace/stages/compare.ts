/** Other methods on the same problem, in one table. */
import { readdirSync } from 'node:fs';
import type { BowerbirdError } from '../../errors.js';
import type { ParameterValue } from '../../methods/index.js';
import { percent } from '../../percent.js';
import { loadProblem } from '../../problem/index.js';
import { chosenParameters } from '../chosen-parameters.js';
import { evaluationSetting, tooLittleToTry } from '../evaluation-setting.js';
import { unlistedFolder } from '../pictures.js';
import { optionInputs, pluginInputs, type Stage } from '../stage.js';
import { layout, type Workspace } from '../workspace.js';

export const compareStage: Stage = {
  name: 'compare',
  needs: ['problem'],
  heavy: true,

  omitted(workspace) {
    if (!workspace.configuration.compare) return 'compare is switched off';
    return labelled(workspace) ? undefined : 'the test pictures have no labels, so nothing can be scored';
  },

  async check({ configuration: { compare: settings, answers } }) {
    const { chooseMethods } = await import('../../evaluation/index.js');
    chooseMethods(settings!.methods, answers === 'all');
  },

  async inputs(workspace) {
    const { configuration } = workspace;
    const { scaling, device, method, parameters } = configuration.learner;
    return {
      ...(await pluginInputs(workspace)),
      ...optionInputs('compare', configuration.compare!),
      ...optionInputs('learner', { scaling, device, ...(configuration.tune ? {} : { method, parameters }) }),
      ...(configuration.compare!.tune > 0 && { 'tune.noise': String(configuration.tune?.noise) }),
      seed: String(configuration.seed),
    };
  },

  outputs: async () => [`${layout.compare}/table.json`],

  async run(context) {
    const { workspace } = context;
    const { learner, compare: settings } = workspace.configuration;
    const problem = await loadProblem(workspace.path(layout.problem), {
      scaling: learner.scaling,
      web: 'optional',
      signal: context.signal,
    });
    const { chooseMethods, compare, defaultEarlyStopping } = await import('../../evaluation/index.js');
    const setting = await evaluationSetting(context, problem, layout.compare);
    const compareWith = async (trials: number) =>
      compare({
        ...setting,
        methods: chooseMethods(settings!.methods, problem.generalized),
        trials,
        given: await ownParameters(workspace),
        seeds: settings!.seeds,
        earlyStopping: defaultEarlyStopping,
        title: workspace.configuration.name,
      });
    const table = await compareWith(settings!.tune).catch((error: BowerbirdError) => {
      if (settings!.tune === 0 || !tooLittleToTry(error)) throw error;
      context.note(`methods keep their default parameters: ${error.message}`);
      return compareWith(0);
    });
    const best = table.rows.find(({ method }) => method === table.best);
    for (const { method, reason } of table.skipped) context.note(`${method} is left out: ${reason}`);
    return {
      summary: `${table.rows.length} methods, best ${table.best}${best ? ` with ${percent(best.accuracy.mean, 2)} %` : ''}`,
      failed: table.failed.map(({ job, message }) => `${job}: ${message}`),
    };
  },
};

/** Without a search the method of the workspace is compared as it is fitted there. */
async function ownParameters(
  workspace: Workspace,
): Promise<Record<string, Record<string, ParameterValue>> | undefined> {
  const { tune, learner } = workspace.configuration;
  return tune ? undefined : { [learner.method]: (await chosenParameters(workspace)).parameters };
}

/** Whether the test pictures lie in sub-folders; a folder that is not there is found out by another stage. */
function labelled({ configuration, path }: Workspace): boolean {
  try {
    return readdirSync(path(configuration.test), { withFileTypes: true }).some(
      (entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== unlistedFolder,
    );
  } catch {
    return true;
  }
}
