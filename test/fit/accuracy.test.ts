import { describe, expect, it } from 'vitest';
import {
  accuracy,
  categoryAccuracies,
  confusionMatrix,
  meanCategoryAccuracy,
  rocArea,
  rocCurve,
} from '../../src/fit/index.js';
import { Random } from '../../src/linalg/index.js';

const labels = Int32Array.from([0, 0, 0, 1, 1, 3]);
const predicted = Int32Array.from([0, 0, 1, 1, 3, 3]);

describe('accuracies', () => {
  it('count pictures, or categories equally', () => {
    expect(accuracy(predicted, labels)).toBeCloseTo(4 / 6, 12);
    expect([...categoryAccuracies(predicted, labels, 4)]).toEqual([2 / 3, 1 / 2, Number.NaN, 1]);
    expect(meanCategoryAccuracy(predicted, labels, 4)).toBeCloseTo((2 / 3 + 1 / 2 + 1) / 3, 12);
  });

  it('refuse predictions for other pictures', () => {
    expect(() => accuracy(predicted, labels.subarray(1))).toThrow('6 predictions');
  });
});

describe('the confusion matrix', () => {
  it('has the pictures of a category in its row and the right ones on the diagonal', () => {
    const counts = confusionMatrix(predicted, labels, 4).map((row) => [...row]);
    expect(counts).toEqual([
      [2, 1, 0, 0],
      [0, 1, 0, 1],
      [0, 0, 0, 0],
      [0, 0, 0, 1],
    ]);
  });
});

describe('the receiver operating characteristic', () => {
  it('has as area the share of pairs in the right order, ties counting half', () => {
    const random = new Random(4);
    const scores = Array.from({ length: 60 }, () => random.integer(12));
    const positive = scores.map((score) => random.uniform() < score / 12);
    let right = 0;
    let pairs = 0;
    for (const [i, a] of scores.entries())
      for (const [j, b] of scores.entries())
        if (positive[i] && !positive[j]) {
          pairs++;
          right += a > b ? 1 : a === b ? 0.5 : 0;
        }
    expect(rocArea(scores, positive)).toBeCloseTo(right / pairs, 12);
    const curve = rocCurve(scores, positive);
    const area = curve.slice(1).reduce((sum, { x, y }, k) => sum + ((x - curve[k].x) * (y + curve[k].y)) / 2, 0);
    expect(area).toBeCloseTo(right / pairs, 12);
    expect([curve[0], curve.at(-1)]).toEqual([
      { x: 0, y: 0 },
      { x: 1, y: 1 },
    ]);
  });
});
