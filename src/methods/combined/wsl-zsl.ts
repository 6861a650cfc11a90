/** The paper's WSL+ZSL: the average of the decision values of Xiao et al. 2015 (web/xiao.ts) and of Zhang and Saligrama 2016. */
import type { MethodSpec } from '../spec.js';
import { zhangSaligramaSpec } from '../transductive/zhang-saligrama.js';
import { xiaoSpec } from '../web/xiao.js';
import { AveragedDecisions } from './averaged-decisions.js';
import { createPart, partParameters } from './parts.js';

export const wslZslSpec: MethodSpec = {
  name: 'wsl+zsl',
  title: 'WSL+ZSL',
  citation:
    'Niu, Veeraraghavan and Sabharwal, Fine-grained classification using heterogeneous web data and auxiliary categories, 2018',
  uses: ['web', 'auxiliary', 'test', 'semantics'],
  setting: 'standard',
  parameters: partParameters(xiaoSpec, zhangSaligramaSpec),
  create: (parameters, seed) =>
    new AveragedDecisions(createPart(xiaoSpec, parameters, seed), createPart(zhangSaligramaSpec, parameters, seed)),
};
