/** Methods that learn from web pictures. */
import type { MethodSpec } from '../spec.js';
import { lrSpec } from './lr.js';
import { lrMixSpec } from './lr-mix.js';
import { sukhbaatarSpec } from './sukhbaatar.js';
import { svmPlusSpec } from './svm-plus.js';
import { svmPlusMixSpec } from './svm-plus-mix.js';
import { xiaoSpec } from './xiao.js';

export const webMethods: readonly MethodSpec[] = [
  lrSpec,
  svmPlusSpec,
  sukhbaatarSpec,
  xiaoSpec,
  lrMixSpec,
  svmPlusMixSpec,
];
