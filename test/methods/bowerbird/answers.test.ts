/** What people said of pictures, as numbers. */
import { describe, expect, it } from 'vitest';
import { Matrix } from '../../../src/linalg/matrix.js';
import { answerWeights, holdAnswers, knownOdds, namedPictures } from '../../../src/methods/bowerbird/known.js';
import { unanswered } from '../../../src/problem/index.js';

const known = Int32Array.of(unanswered, 2, -1, 0);
const sure = Math.log(99);

describe('what people said', () => {
  it('is held but for one slip in a hundred, which shows any other candidate', () => {
    const assignments = Matrix.zeros(4, 3);
    const decisions = Matrix.zeros(4, 3);
    assignments.data.fill(7);
    decisions.data.fill(7);
    holdAnswers(known, assignments, decisions);
    expect([...assignments.data]).toEqual([7, 7, 7, 0.005, 0.005, 0.99, 7, 7, 7, 0.99, 0.005, 0.005]);
    [1, 3].forEach((j) => {
      Array.from(decisions.row(j)).forEach((value, c) => {
        expect(value).toBeCloseTo(Math.log(assignments.at(j, c)), 12);
      });
    });
    expect([...decisions.row(0), ...decisions.row(2)]).toEqual([7, 7, 7, 7, 7, 7]);
  });

  it('is held in decisions alone as well, and of a single candidate', () => {
    const decisions = Matrix.zeros(4, 3);
    holdAnswers(known, undefined, decisions);
    expect(decisions.at(1, 0)).toBeCloseTo(Math.log(0.005), 12);
    expect(decisions.at(1, 2)).toBeCloseTo(Math.log(0.99), 12);
    const single = Matrix.zeros(1, 1);
    holdAnswers(Int32Array.of(0), single);
    expect(single.at(0, 0)).toBe(0.99);
  });

  it('changes nothing where nobody was asked', () => {
    const assignments = Matrix.from([[0.4, 0.6]]);
    holdAnswers(undefined, assignments);
    expect([...assignments.data]).toEqual([0.4, 0.6]);
    const listed = Float64Array.of(0.3, 1);
    expect(answerWeights(listed, undefined, 5)).toEqual(listed);
    expect(knownOdds(listed, undefined)).toEqual(listed);
  });

  it('of a category counts for several pictures among neighbours', () => {
    expect([...answerWeights(Float64Array.of(0.3, 1, 0.5, 0.25), known, 4)]).toEqual([0.3, 4, 0.5, 1]);
  });

  it('replaces the odds of being a stranger', () => {
    const odds = knownOdds(Float64Array.of(0.7, 5, -5, 0), known);
    expect(odds[0]).toBe(0.7);
    [-sure, sure, -sure].forEach((value, k) => {
      expect(odds[k + 1]).toBeCloseTo(value, 12);
    });
  });

  it('of listed categories is known before the folder is looked at', () => {
    const rows = Matrix.from([
      [1, 2],
      [3, 4],
      [5, 6],
      [7, 8],
    ]);
    const named = namedPictures({ rows }, known, 3)!;
    expect(named.labels).toEqual([2, 0]);
    expect([...named.rows.data]).toEqual([3, 4, 7, 8]);
    // The third candidate is a known category where only two are listed.
    expect(namedPictures({ rows }, known, 2)!.labels).toEqual([0]);
    expect(namedPictures({ rows }, Int32Array.of(-1, unanswered, 2, -1), 2)).toBeUndefined();
    expect(namedPictures({ rows }, undefined, 3)).toBeUndefined();
  });
});
