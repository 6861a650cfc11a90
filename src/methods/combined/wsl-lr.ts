/** The paper's WSL+LR: Xiao et al. 2015 (web/xiao.ts) for the test categories beside a linear regressor for the auxiliary ones. */
import type { MethodSpec } from '../spec.js';
import { xiaoSpec } from '../web/xiao.js';
import { createPart, partParameters } from './parts.js';
import { SideBySide, type SideBySideParameters, sideBySideParameters } from './side-by-side.js';

export const wslLrSpec: MethodSpec = {
  name: 'wsl+lr',
  title: 'WSL+LR',
  citation:
    'Niu, Veeraraghavan and Sabharwal, Fine-grained classification using heterogeneous web data and auxiliary categories, 2018',
  uses: ['web', 'auxiliary', 'test', 'semantics'],
  setting: 'generalized',
  parameters: { ...partParameters(xiaoSpec), ...sideBySideParameters },
  create: (parameters, seed) =>
    new SideBySide('wsl+lr', createPart(xiaoSpec, parameters, seed), parameters as SideBySideParameters),
};
