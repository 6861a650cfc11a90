/** Methods that learn from web pictures of the test categories. */
import type { MethodSpec } from '../spec.js';
import { bergamoSpec } from './bergamo.js';
import { lrSpec } from './lr.js';
import { lrMixSpec } from './lr-mix.js';
import { neilSpec } from './neil.js';
import { sukhbaatarSpec } from './sukhbaatar.js';
import { svmPlusSpec } from './svm-plus.js';
import { svmPlusMixSpec } from './svm-plus-mix.js';
import { wsdgSpec } from './wsdg.js';
import { wsdgPiSpec } from './wsdg-pi.js';
import { xiaoSpec } from './xiao.js';

export const webMethods: readonly MethodSpec[] = [
  lrSpec,
  svmPlusSpec,
  neilSpec,
  bergamoSpec,
  wsdgSpec,
  wsdgPiSpec,
  sukhbaatarSpec,
  xiaoSpec,
  lrMixSpec,
  svmPlusMixSpec,
];
