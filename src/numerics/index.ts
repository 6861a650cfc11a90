/** Numerical methods that know nothing of problems: decompositions, regressions, machines, mixtures, graphs, optimizers. */
export { type BoxProgramme, solveBoxProgramme } from './box-qp.js';
export { byLabel, type LabelOrder, segmentsWithin } from './by-label.js';
export { assignWithinCapacity } from './capacitated-assignment.js';
export { projectCappedSimplex } from './capped-simplex.js';
export { categoryMap } from './category-map.js';
export { centred, columnMeans, uncentred } from './centring.js';
export { contentOrder } from './content-order.js';
export { squaredDistances, squaredLengths } from './distances.js';
export { fitMixture, jointDensities, type Mixture } from './em.js';
export { digamma, inverseDigamma, logGamma, trigamma } from './gamma.js';
export { leastOnLogScale } from './golden-section.js';
export { type Graph, laplacianForm, neighbourGraph, smallest } from './graph.js';
export { kMeans } from './k-means.js';
export { gaussianKernel, medianWidth } from './kernels.js';
export { minimize } from './lbfgs.js';
export { trainMachines } from './linear-machines.js';
export { type LinearModel, labelTargets, linearDecisions, transposedModel } from './linear-model.js';
export { linearSvm } from './linear-svm.js';
export { LogisticLoss, SoftmaxLoss, SquaredHingeLoss } from './machine-losses.js';
export { miniBatches, usualBatchSize } from './mini-batches.js';
export {
  leadingEigenvectors,
  mainDirections,
  type PrincipalComponents,
  principalComponents,
  project,
} from './pca.js';
export { Perceptron } from './perceptron.js';
export { privilegedSvm } from './privileged-svm.js';
export { dot, labelCounts, labelSums, rowDots, times, timesTransposed } from './products.js';
export { propagate } from './propagation.js';
export { ridgeRegression } from './ridge.js';
export { roomOn, rowsOn, Scratch, withScratch } from './scratch.js';
export {
  logSumExp,
  SoftmaxLayer,
  SoftmaxRegression,
  softmaxInPlace,
  softmaxProbabilities,
  softmaxRegression,
} from './softmax.js';
export { sparseCodes } from './sparse-coding.js';
export { type Scale, scaleOf, standardized } from './standardize.js';
export { strangerSigns } from './stranger-signs.js';
export { directions, toUnitLength, toUnitRows, unitRows } from './unit-rows.js';
