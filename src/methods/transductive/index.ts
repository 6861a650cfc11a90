/** Zero-shot methods that learn from auxiliary pictures, category vectors and the unlabelled test pictures. */
import type { MethodSpec } from '../spec.js';
import { zhangSaligramaSpec } from './zhang-saligrama.js';

export const transductiveMethods: readonly MethodSpec[] = [zhangSaligramaSpec];
