/** The paper's WSDG_PI+LR: WSDG_PI (web/wsdg-pi.ts) for the test categories beside a linear regressor for the auxiliary ones. */
import type { MethodSpec } from '../spec.js';
import { wsdgPiSpec } from '../web/wsdg-pi.js';
import { createPart, partParameters } from './parts.js';
import { SideBySide, type SideBySideParameters, sideBySideParameters } from './side-by-side.js';

export const wsdgPiLrSpec: MethodSpec = {
  name: 'wsdg-pi+lr',
  title: 'WSDG_PI+LR',
  citation:
    'Niu, Veeraraghavan and Sabharwal, Fine-grained classification using heterogeneous web data and auxiliary categories, 2018',
  uses: ['web', 'auxiliary', 'test', 'text'],
  setting: 'generalized',
  parameters: { ...partParameters(wsdgPiSpec), ...sideBySideParameters },
  create: (parameters, seed) =>
    new SideBySide('wsdg-pi+lr', createPart(wsdgPiSpec, parameters, seed), parameters as SideBySideParameters),
};
