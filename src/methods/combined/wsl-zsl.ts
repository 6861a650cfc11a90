/** The paper's WSL+ZSL: the average of the decision values of Xiao et al. 2015 (web/xiao.ts) and of Zhang and Saligrama 2016. */

import { createPart, partParameters } from '../parts.js';
import type { MethodSpec } from '../spec.js';
import { zhangSaligramaSpec } from '../transductive/zhang-saligrama.js';
import { xiaoSpec } from '../web/xiao.js';
import { AveragedDecisions, averagedParameters } from './averaged-decisions.js';

const parts = [xiaoSpec, zhangSaligramaSpec];
const parameters = { ...partParameters(...parts), ...averagedParameters };

export const wslZslSpec: MethodSpec<typeof parameters> = {
  name: 'wsl+zsl',
  title: 'WSL+ZSL',
  citation:
    'Niu, Veeraraghavan and Sabharwal, Fine-grained classification using heterogeneous web data and auxiliary categories, 2018',
  uses: ['web', 'auxiliary', 'test', 'semantics'],
  setting: 'standard',
  parameters,
  parts,
  create: ({ share, ...given }, seed) =>
    new AveragedDecisions(createPart(xiaoSpec, given, seed), createPart(zhangSaligramaSpec, given, seed), { share }),
};
