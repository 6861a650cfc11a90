/** The paper's WSDG_PI+ZSL: the average of the decision values of WSDG_PI (web/wsdg-pi.ts) and of Zhang and Saligrama 2016. */
import type { MethodSpec } from '../spec.js';
import { zhangSaligramaSpec } from '../transductive/zhang-saligrama.js';
import { wsdgPiSpec } from '../web/wsdg-pi.js';
import { AveragedDecisions } from './averaged-decisions.js';
import { createPart, partParameters } from './parts.js';

export const wsdgPiZslSpec: MethodSpec = {
  name: 'wsdg-pi+zsl',
  title: 'WSDG_PI+ZSL',
  citation:
    'Niu, Veeraraghavan and Sabharwal, Fine-grained classification using heterogeneous web data and auxiliary categories, 2018',
  uses: ['web', 'auxiliary', 'test', 'text', 'semantics'],
  setting: 'standard',
  parameters: partParameters(wsdgPiSpec, zhangSaligramaSpec),
  create: (parameters, seed) =>
    new AveragedDecisions(createPart(wsdgPiSpec, parameters, seed), createPart(zhangSaligramaSpec, parameters, seed)),
};
