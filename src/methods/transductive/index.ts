/** Zero-shot methods that learn from auxiliary pictures, category vectors and the unlabelled test pictures. */
import type { MethodSpec } from '../spec.js';
import { kodirovSpec } from './kodirov.js';
import { liSpec } from './li.js';
import { seGzslSpec } from './se-gzsl.js';
import { shojaeeSpec } from './shojaee.js';
import { xuSpec } from './xu.js';
import { zhangSaligramaSpec } from './zhang-saligrama.js';

export const transductiveMethods: readonly MethodSpec[] = [
  liSpec,
  kodirovSpec,
  zhangSaligramaSpec,
  xuSpec,
  shojaeeSpec,
  seGzslSpec,
];
