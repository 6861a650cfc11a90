/** Few-shot and transductive methods of recent years, with the web pictures as their labelled set. */
import type { MethodSpec } from '../spec.js';
import { alphaTimSpec } from './alpha-tim.js';
import { emDirichletSpec } from './em-dirichlet.js';
import { labelPropagationSpec } from './label-propagation.js';
import { labelShiftSpec } from './label-shift.js';
import { laplacianShotSpec } from './laplacian-shot.js';
import { ldaSpec } from './lda.js';
import { ptMapSpec } from './pt-map.js';
import { statASpec } from './stat-a.js';
import { transclipSpec } from './transclip.js';
import { whitenedEmBalancedSpec, whitenedEmSpec } from './whitened-em.js';
import { whitenedMeansSpec } from './whitened-means.js';

export const fewShotMethods: readonly MethodSpec[] = [
  whitenedMeansSpec,
  whitenedEmSpec,
  whitenedEmBalancedSpec,
  ldaSpec,
  labelPropagationSpec,
  laplacianShotSpec,
  ptMapSpec,
  alphaTimSpec,
  emDirichletSpec,
  transclipSpec,
  statASpec,
  labelShiftSpec,
];
