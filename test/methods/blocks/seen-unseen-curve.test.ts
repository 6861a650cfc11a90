import { describe, expect, it } from 'vitest';
import { categoryAccuracies, seenUnseenArea } from '../../../src/fit/index.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { Random } from '../../../src/linalg/random.js';
import { curveArea, seenUnseenCurve } from '../../../src/methods/blocks/seen-unseen-curve.js';
import { rowMaxima } from '../../../src/problem/method.js';

const [pictures, categories, unseen] = [60, 7, 3];
const random = new Random(3);
const labels = Int32Array.from({ length: pictures }, () => random.integer(categories));
const values = Matrix.from(
  Array.from(labels, (label) => Array.from(random.normalArray(categories), (v, c) => v + (c === label ? 1 : 0))),
);

/** Accuracies with a penalty, by predicting again. */
function literal(penalty: number): [seen: number, unseen: number] {
  const penalized = values.copy();
  for (let i = 0; i < pictures; i++) for (let c = unseen; c < categories; c++) penalized.row(i)[c] -= penalty;
  const each = [...categoryAccuracies(rowMaxima(penalized), labels, categories)];
  const mean = (some: number[]) => some.reduce((sum, value) => sum + value, 0) / some.length;
  return [mean(each.slice(unseen)), mean(each.slice(0, unseen))];
}

describe('the seen-unseen curve', () => {
  const curve = seenUnseenCurve(values, labels, unseen);

  it('has the accuracies that predictions under each penalty have', () => {
    curve.forEach(({ penalty, seen, unseen: rising }, k) => {
      const from = Number.isFinite(penalty) ? penalty : curve[1].penalty - 2;
      const [expectedSeen, expectedUnseen] = literal((from + (curve[k + 1]?.penalty ?? from + 2)) / 2);
      expect(seen).toBeCloseTo(expectedSeen, 12);
      expect(rising).toBeCloseTo(expectedUnseen, 12);
    });
  });

  it('has the area that a fine grid of penalties gives', () => {
    let area = 0;
    let before = literal(-100);
    for (let penalty = -8; penalty <= 8; penalty += 0.002) {
      const now = literal(penalty);
      area += ((now[1] - before[1]) * (now[0] + before[0])) / 2;
      before = now;
    }
    expect(curveArea(curve)).toBeCloseTo(area, 3);
    expect(seenUnseenArea(values, labels, unseen)).toBe(curveArea(curve));
  });

  it('covers everything when every picture is right, and does not change when values are scaled', () => {
    const perfect = Matrix.from(
      Array.from(labels, (label) => Array.from({ length: categories }, (_, c) => (c === label ? 1 : 0))),
    );
    expect(seenUnseenArea(perfect, labels, unseen)).toBeCloseTo(1, 12);
    // A category without pictures takes no part in the mean.
    const some = Array.from(labels.keys()).filter((i) => labels[i] !== 1 && labels[i] !== 5);
    const without = Matrix.from(some.map((i) => perfect.row(i)));
    expect(
      seenUnseenArea(
        without,
        Int32Array.from(some, (i) => labels[i]),
        unseen,
      ),
    ).toBeCloseTo(1, 12);
    const scaled = Matrix.from(Array.from({ length: pictures }, (_, i) => values.row(i).map((value) => 5 * value)));
    expect(seenUnseenArea(scaled, labels, unseen)).toBeCloseTo(curveArea(curve), 12);
  });

  it('refuses labels that do not fit', () => {
    expect(() => seenUnseenCurve(values, labels.slice(1), unseen)).toThrow(/60 rows of values for 59 labels/);
  });
});
