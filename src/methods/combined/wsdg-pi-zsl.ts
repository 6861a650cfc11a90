/** The paper's WSDG_PI+ZSL: the average of the decision values of WSDG_PI (web/wsdg-pi.ts) and of Zhang and Saligrama 2016. */

import { createPart, partParameters } from '../parts.js';
import type { MethodSpec } from '../spec.js';
import { zhangSaligramaSpec } from '../transductive/zhang-saligrama.js';
import { wsdgPiSpec } from '../web/wsdg-pi.js';
import { AveragedDecisions, averagedParameters } from './averaged-decisions.js';

const parts = [wsdgPiSpec, zhangSaligramaSpec];
const parameters = { ...partParameters(...parts), ...averagedParameters };

export const wsdgPiZslSpec: MethodSpec<typeof parameters> = {
  name: 'wsdg-pi+zsl',
  title: 'WSDG_PI+ZSL',
  citation:
    'Niu, Veeraraghavan and Sabharwal, Fine-grained classification using heterogeneous web data and auxiliary categories, 2018',
  uses: ['web', 'auxiliary', 'test', 'text', 'semantics'],
  setting: 'standard',
  parameters,
  parts,
  create: ({ share, ...given }, seed) =>
    new AveragedDecisions(createPart(wsdgPiSpec, given, seed), createPart(zhangSaligramaSpec, given, seed), { share }),
};
