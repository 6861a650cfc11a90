/** Scores of the generalized setting: mean per-category accuracy over seen and unseen categories, and their harmonic mean. */
import type { Matrix } from '../linalg/index.js';
import { curveArea, seenUnseenCurve } from '../methods/index.js';
import { categoryAccuracies } from './accuracy.js';

export interface GeneralizedScores {
  /** Over auxiliary categories, whose clean pictures were learnt from. */
  seen: number;
  /** Over test categories. */
  unseen: number;
  /** 2su/(s + u) */
  harmonic: number;
}

/** Labels count the test (unseen) categories first, the auxiliary (seen) ones after them. */
export function generalizedScores(
  predicted: Int32Array,
  labels: Int32Array,
  unseenCategories: number,
): GeneralizedScores {
  const categories = labels.reduce((most, label) => Math.max(most, label + 1), unseenCategories);
  const each = categoryAccuracies(predicted, labels, categories);
  const unseen = meanOfKnown(each.subarray(0, unseenCategories));
  const seen = meanOfKnown(each.subarray(unseenCategories));
  return { seen, unseen, harmonic: seen + unseen === 0 ? 0 : (2 * seen * unseen) / (seen + unseen) };
}

/**
 * AUSUC: how well a method ranks seen and unseen categories, whatever the balance of the two. The area under the
 * seen-unseen curve of n×C decision values; values and labels count the unseen categories first.
 */
export function seenUnseenArea(values: Matrix, labels: Int32Array, unseenCategories: number): number {
  return curveArea(seenUnseenCurve(values, labels, unseenCategories));
}

function meanOfKnown(values: Float64Array): number {
  const known = values.filter((value) => !Number.isNaN(value));
  return known.reduce((sum, value) => sum + value, 0) / known.length;
}
