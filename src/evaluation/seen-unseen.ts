/** AUSUC: how well a method ranks seen and unseen categories in the generalized setting, whatever the balance of the two. */
import type { Matrix } from '../linalg/matrix.js';
import { curveArea, seenUnseenCurve } from '../methods/blocks/seen-unseen-curve.js';

/** Area under the seen-unseen curve of n×C decision values; values and labels count the unseen categories first. */
export function seenUnseenArea(values: Matrix, labels: Int32Array, unseenCategories: number): number {
  return curveArea(seenUnseenCurve(values, labels, unseenCategories));
}
