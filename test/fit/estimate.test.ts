/** How right a folder is from a few answers: the interval must hold as often as it says. */
import { describe, expect, it } from 'vitest';
import { coverage, drawSimulatedFolder } from '../../bench/ask/coverage.js';
import { drawCheck, estimateAccuracy, wilson } from '../../src/fit/index.js';
import { Random } from '../../src/linalg/index.js';

describe('the estimate of accuracy', () => {
  it('has intervals that hold in 93 to 97 of 100 folders, though most questions were chosen', () => {
    const { held, bias, width } = coverage(400, 40, 20, 500);
    expect(held).toBeGreaterThanOrEqual(0.93);
    expect(held).toBeLessThanOrEqual(0.97);
    expect(Math.abs(bias)).toBeLessThan(0.012);
    expect(width).toBeLessThan(0.24);
  });

  it('weighs draws so that their mean is that of the folder, whatever the confidence', () => {
    const { confidence, right } = drawSimulatedFolder(new Random(4));
    const draws = 4000;
    let [sum, weights] = [0, 0];
    for (let k = 0; k < draws; k++) {
      const { picture, drawn } = drawCheck(confidence, 0, (k + 0.5) / draws)!;
      sum += drawn.weight * right[picture];
      weights += drawn.weight;
    }
    const mean = right.reduce((a, b) => a + b, 0) / right.length;
    expect(weights / draws).toBeCloseTo(1, 1);
    expect(sum / weights).toBeCloseTo(mean, 1);
  });

  it('counts what people answered as right, and says nothing where nothing was checked', () => {
    expect(estimateAccuracy([{ right: false }], 1, 10)).toBeUndefined();
    const drawn = { weight: 1, place: 0.5, open: 10 };
    const estimate = estimateAccuracy([{ right: true, drawn }], 10, 10)!;
    expect(estimate).toMatchObject({ accuracy: 1, low: 1, high: 1, checked: 1, moreToHalve: 0 });
  });
});

it("Wilson's interval has its published values", () => {
  // Newcombe (Statistics in Medicine 1998), table I, method 3: 81 of 263 and 15 of 148.
  const first = wilson(81 / 263, 263);
  expect([first.low, first.high].map((value) => value.toFixed(4))).toEqual(['0.2553', '0.3662']);
  const second = wilson(15 / 148, 148);
  expect([second.low, second.high].map((value) => value.toFixed(4))).toEqual(['0.0624', '0.1605']);
});
