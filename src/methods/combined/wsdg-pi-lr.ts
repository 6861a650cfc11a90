/** The paper's WSDG_PI+LR: WSDG_PI (web/wsdg-pi.ts) for the test categories beside a linear regressor for the auxiliary ones. */

import { createPart, partParameters } from '../parts.js';
import type { MethodSpec } from '../spec.js';
import { wsdgPiSpec } from '../web/wsdg-pi.js';
import { SideBySide, sideBySideParameters } from './side-by-side.js';

const parameters = { ...partParameters(wsdgPiSpec), ...sideBySideParameters };

export const wsdgPiLrSpec: MethodSpec<typeof parameters> = {
  name: 'wsdg-pi+lr',
  title: 'WSDG_PI+LR',
  citation:
    'Niu, Veeraraghavan and Sabharwal, Fine-grained classification using heterogeneous web data and auxiliary categories, 2018',
  uses: ['web', 'auxiliary', 'test', 'text'],
  setting: 'generalized',
  parameters,
  parts: [wsdgPiSpec],
  create: ({ ridge, balance, ...parts }, seed) =>
    new SideBySide('wsdg-pi+lr', createPart(wsdgPiSpec, parts, seed), { ridge, balance }),
};
