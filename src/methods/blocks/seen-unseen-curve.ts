/**
 * The seen-unseen curve of the generalized setting (Chao, Changpinyo, Gong and Sha, "An empirical study and analysis of
 * generalized zero-shot learning for object recognition in the wild", ECCV 2016). With a penalty γ on the values of seen
 * categories, accuracy on pictures of seen categories falls and that on unseen ones rises as γ grows. Only the best seen and
 * the best unseen category of a picture matter: it is given to the unseen one when γ exceeds the difference of their
 * values, so the whole curve follows from one sort. AUSUC is the area under it.
 */
import { ArgumentError } from '../../errors.js';
import type { Matrix } from '../../linalg/index.js';

export interface CurvePoint {
  /** Any penalty from this one up to that of the next point gives these accuracies. */
  readonly penalty: number;
  /** Mean per-category accuracies. */
  readonly seen: number;
  readonly unseen: number;
}

/**
 * Values n×C and labels count the unseen (test) categories first. The first point, with penalty −∞, gives every
 * picture to a seen category, the last one every picture to an unseen one.
 */
export function seenUnseenCurve(values: Matrix, labels: Int32Array, unseenCategories: number): CurvePoint[] {
  if (values.rows !== labels.length)
    throw new ArgumentError(`seenUnseenCurve: ${values.rows} rows of values for ${labels.length} labels`);
  const weights = shares(labels, values.cols, unseenCategories);
  let [seen, unseen] = [0, 0];
  const changes = Array.from(labels, (label, i) => {
    const row = values.row(i);
    const bestUnseen = best(row, 0, unseenCategories);
    const bestSeen = best(row, unseenCategories, row.length);
    if (bestSeen === label) seen += weights[label];
    return {
      difference: row[bestSeen] - row[bestUnseen],
      seen: bestSeen === label ? weights[label] : 0,
      unseen: bestUnseen === label ? weights[label] : 0,
    };
  }).sort((a, b) => a.difference - b.difference);
  const curve: CurvePoint[] = [{ penalty: Number.NEGATIVE_INFINITY, seen, unseen }];
  for (let k = 0; k < changes.length; ) {
    const { difference } = changes[k];
    for (; k < changes.length && changes[k].difference === difference; k++) {
      seen -= changes[k].seen;
      unseen += changes[k].unseen;
    }
    curve.push({ penalty: difference, seen: Math.max(0, seen), unseen });
  }
  return curve;
}

/** Area under seen accuracy as a function of unseen accuracy, by trapezoids. */
export function curveArea(curve: readonly CurvePoint[]): number {
  let area = 0;
  for (let k = 1; k < curve.length; k++)
    area += ((curve[k].unseen - curve[k - 1].unseen) * (curve[k].seen + curve[k - 1].seen)) / 2;
  return area;
}

/** What a picture of each category adds to the mean per-category accuracy of its kind. */
function shares(labels: Int32Array, categories: number, unseenCategories: number): Float64Array {
  const counts = new Float64Array(categories);
  for (const label of labels) counts[label]++;
  const present = [0, 0];
  counts.forEach((count, c) => {
    if (count > 0) present[Number(c >= unseenCategories)]++;
  });
  return counts.map((count, c) => 1 / (count * present[Number(c >= unseenCategories)]));
}

function best(row: ArrayLike<number>, from: number, to: number): number {
  let found = from;
  for (let c = from + 1; c < to; c++) if (row[c] > row[found]) found = c;
  return found;
}
