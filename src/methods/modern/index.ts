/** Methods that the paper's tables do not have. */
import type { MethodSpec } from '../spec.js';
import { clipSpec } from './clip.js';
import { confidentLearningSpec } from './confident-learning.js';
import { knnSpec } from './knn.js';
import { prototypeSpec } from './prototype.js';

export const modernMethods: readonly MethodSpec[] = [prototypeSpec, knnSpec, confidentLearningSpec, clipSpec];
