/** Methods beyond the paper's tables. */
import type { MethodSpec } from '../spec.js';
import { clipSpec } from './clip.js';
import { confidentLearningSpec } from './confident-learning.js';
import { knnSpec } from './knn.js';
import { prototypeSpec } from './prototype.js';

export const beyondMethods: readonly MethodSpec[] = [prototypeSpec, knnSpec, confidentLearningSpec, clipSpec];
