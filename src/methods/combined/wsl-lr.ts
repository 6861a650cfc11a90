/** The paper's WSL+LR: Xiao et al. 2015 (web/xiao.ts) for the test categories beside a linear regressor for the auxiliary ones. */

import { createPart, partParameters } from '../parts.js';
import type { MethodSpec } from '../spec.js';
import { xiaoSpec } from '../web/xiao.js';
import { SideBySide, sideBySideParameters } from './side-by-side.js';

const parameters = { ...partParameters(xiaoSpec), ...sideBySideParameters };

export const wslLrSpec: MethodSpec<typeof parameters> = {
  name: 'wsl+lr',
  title: 'WSL+LR',
  citation:
    'Niu, Veeraraghavan and Sabharwal, Fine-grained classification using heterogeneous web data and auxiliary categories, 2018',
  uses: ['web', 'auxiliary', 'test', 'semantics'],
  setting: 'generalized',
  parameters,
  parts: [xiaoSpec],
  create: ({ ridge, balance, ...parts }, seed) =>
    new SideBySide('wsl+lr', createPart(xiaoSpec, parts, seed), { ridge, balance }),
};
