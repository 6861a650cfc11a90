/** Domain adaptation from web pictures (source) to test pictures (target). */
import type { MethodSpec } from '../spec.js';
import { coralSpec } from './coral.js';
import { gfkSpec } from './gfk.js';
import { kmmSpec } from './kmm.js';
import { saSpec } from './sa.js';
import { tcaSpec } from './tca.js';

export const adaptationMethods: readonly MethodSpec[] = [kmmSpec, gfkSpec, saSpec, tcaSpec, coralSpec];
