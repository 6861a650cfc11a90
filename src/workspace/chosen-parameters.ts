/** The parameters of a workspace's method: those of the configuration, then those that tuning chose, then the defaults. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { findMethod, inSetting } from '../methods/index.js';
import { type ParameterValue, resolveParameters } from '../parameters.js';
import { layout, type Workspace } from './workspace.js';

export async function chosenParameters(
  workspace: Workspace,
): Promise<{ parameters: Record<string, ParameterValue>; from: 'default' | 'tuned' | 'given' }> {
  const { learner, tune, answers } = workspace.configuration;
  const spec = inSetting(findMethod(learner.method), answers === 'all');
  const tuned =
    tune && Object.keys(freeParameters(workspace)).length > 0 && existsSync(workspace.path(layout.chosen))
      ? (
          JSON.parse(await readFile(workspace.path(layout.chosen), 'utf8')) as {
            parameters: Record<string, ParameterValue>;
          }
        ).parameters
      : {};
  const from =
    Object.keys(tuned).length > 0 ? 'tuned' : Object.keys(learner.parameters).length > 0 ? 'given' : 'default';
  return { parameters: resolveParameters(spec.name, spec.parameters, { ...tuned, ...learner.parameters }), from };
}

/** Parameters a search may choose: those with a range that the configuration does not fix. */
export function freeParameters({ configuration }: Workspace) {
  const { method, parameters } = configuration.learner;
  return Object.fromEntries(
    Object.entries(findMethod(method).parameters).filter(([name, { range }]) => range && !(name in parameters)),
  );
}
