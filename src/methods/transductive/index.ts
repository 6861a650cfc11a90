/** Zero-shot methods that learn from auxiliary pictures, category vectors and the unlabelled test pictures. */
import type { MethodSpec } from '../spec.js';
import { shojaeeSpec } from './shojaee.js';
import { xuSpec } from './xu.js';
import { zhangSaligramaSpec } from './zhang-saligrama.js';

export const transductiveMethods: readonly MethodSpec[] = [zhangSaligramaSpec, xuSpec, shojaeeSpec];
