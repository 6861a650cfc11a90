/** Zero-shot methods that learn from auxiliary pictures and category vectors, and never look at test pictures. */
import type { MethodSpec } from '../spec.js';
import { aleSpec } from './ale.js';
import { conseSpec } from './conse.js';
import { dapSpec } from './dap.js';
import { deviseSpec } from './devise.js';
import { eszslSpec } from './eszsl.js';
import { iapSpec } from './iap.js';
import { latemSpec } from './latem.js';
import { saeSpec } from './sae.js';
import { sjeSpec } from './sje.js';
import { syncSpec } from './sync.js';
import { zskSpec } from './zsk.js';

export const zeroShotMethods: readonly MethodSpec[] = [
  eszslSpec,
  sjeSpec,
  latemSpec,
  dapSpec,
  iapSpec,
  syncSpec,
  zskSpec,
  aleSpec,
  saeSpec,
  conseSpec,
  deviseSpec,
];
