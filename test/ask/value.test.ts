/** The worth of questions against enumeration of everything that could be true. */
import { describe, expect, it } from 'vitest';
import { rankQuestions } from '../../src/ask/index.js';
import { askingOf } from '../../src/ask/questions.js';
import { gainAt, rankPictures, tiesOf } from '../../src/ask/value.js';
import { Matrix, Random } from '../../src/linalg/index.js';

function chances(random: Random, n: number, cols: number): Matrix<Float64Array> {
  const result = Matrix.zeros(n, cols);
  for (let j = 0; j < n; j++) {
    const row = result.row(j);
    for (let c = 0; c < cols; c++) row[c] = random.uniform() ** 3 + 1e-3;
    const total = row.reduce((a, b) => a + b);
    for (let c = 0; c < cols; c++) row[c] /= total;
  }
  return result;
}

describe('the worth of an answer', () => {
  it('is the expected rise of the best chance under the joint distribution of both pictures', () => {
    const random = new Random(3);
    for (let trial = 0; trial < 50; trial++) {
      const [own, other] = [0, 1].map((k) => chances(random, 2, 4).row(k));
      const tie = random.uniform();
      const joint = [...own].map((p, c) => [...other].map((q, k) => p * ((1 - tie) * q + (k === c ? tie : 0))));
      const knowing = joint.reduce((sum, row) => sum + Math.max(...row), 0);
      const before = Math.max(...[...other.keys()].map((k) => joint.reduce((sum, row) => sum + row[k], 0)));
      expect(gainAt(own, other, tie)).toBeCloseTo(knowing - before, 10);
      expect(gainAt(own, other, tie)).toBeGreaterThanOrEqual(0);
    }
  });

  it('is nothing where no answer could change what is said of the other picture', () => {
    expect(gainAt(Float64Array.of(0.5, 0.5), Float64Array.of(0.95, 0.05), 0.1)).toBe(0);
    expect(gainAt(Float64Array.of(0.5, 0.5), Float64Array.of(0.55, 0.45), 0.1)).toBeGreaterThan(0);
  });
});

describe('the list of questions', () => {
  /** Pictures 0 to 4 all look alike; 5 and 6 are alone with each other. */
  const neighbours = {
    count: 2,
    nearest: Int32Array.of(1, 2, 0, 2, 0, 1, 0, 1, 0, 1, 6, 0, 5, 0),
    cosines: Float64Array.from({ length: 14 }, (_, k) => (k % 2 === 0 ? 1 : k > 9 ? 0 : 1)),
  };
  const unsure = Matrix.from(Array.from({ length: 7 }, () => [0.5, 0.4, 0.1])) as Matrix<Float64Array>;

  it('prefers an unsure picture that tells of others, and then one of another kind', () => {
    const [first, second] = rankPictures({ chances: unsure, neighbours, answered: new Uint8Array(7) }, 2);
    expect([0, 1]).toContain(first.picture);
    expect(first.gain).toBeGreaterThan(0.5);
    const [, , third] = rankPictures({ chances: unsure, neighbours, answered: new Uint8Array(7) }, 3);
    expect([second.picture, third.picture].some((picture) => picture >= 5)).toBe(true);
  });

  it('takes the best each time, as recomputing everything after each choice would', () => {
    const random = new Random(9);
    const beliefs = { chances: chances(random, 7, 4), neighbours, answered: Uint8Array.of(0, 0, 0, 1, 0, 0, 0) };
    const { of } = tiesOf(neighbours, 7);
    const open = Float64Array.from(beliefs.answered, (said) => 1 - said);
    const chosen: number[] = [];
    while (chosen.length < 6) {
      const value = (j: number) =>
        of[j].reduce(
          (sum, { picture, tie }) =>
            sum + open[picture] * gainAt(beliefs.chances.row(j), beliefs.chances.row(picture), tie),
          open[j] * (1 - Math.max(...beliefs.chances.row(j))),
        );
      const free = [0, 1, 2, 4, 5, 6].filter((j) => !chosen.includes(j));
      const best = free.reduce((a, b) => (value(b) > value(a) ? b : a));
      chosen.push(best);
      open[best] = 0;
      for (const { picture, tie } of of[best]) open[picture] *= 1 - tie;
    }
    expect(rankPictures(beliefs, 6).map(({ picture }) => picture)).toEqual(chosen);
  });

  it('never asks about what was answered, and asks about a group at once', () => {
    const answered = Uint8Array.of(1, 0, 0, 0, 0, 0, 0);
    const groups = { of: Int32Array.of(0, 0, 0, 0, 0, -1, -1), nearest: [{ listed: 0, auxiliary: 0 }] };
    const asked = rankQuestions({ chances: unsure, neighbours, answered, groups }, 10);
    const group = asked.find(({ kind }) => kind === 'group');
    expect(group).toMatchObject({ rows: expect.arrayContaining([1, 2, 3, 4]) });
    const rows = asked.flatMap((one) => (one.kind === 'group' ? one.rows : [one.row]));
    expect(rows).not.toContain(0);
    expect(new Set(rows).size).toBe(rows.length);
  });

  it('shows the surest of a large group', () => {
    const chance = (j: number) => 0.5 + 0.02 * ((7 * j) % 20);
    const beliefs = {
      chances: Matrix.from(Array.from({ length: 20 }, (_, j) => [1 - chance(j), chance(j)])) as Matrix<Float64Array>,
      neighbours: { count: 0, nearest: new Int32Array(), cosines: new Float64Array() },
      answered: new Uint8Array(20),
      groups: { of: new Int32Array(20), nearest: [{ listed: 0, auxiliary: 0 }] },
    };
    const [group] = rankQuestions(beliefs, 10).filter(({ kind }) => kind === 'group');
    const shown = (group as { rows: readonly number[] }).rows.map(chance);
    expect(shown).toHaveLength(12);
    expect(Math.min(...shown)).toBeCloseTo(0.5 + 0.02 * 8, 9);
  });

  it('asks about what is left of a group when one of its pictures was passed over, down to three', () => {
    const group = { kind: 'group', group: 0, rows: [1, 2, 3, 4], gain: 1 } as const;
    expect(askingOf(group, (row) => row !== 2)).toMatchObject({ kind: 'group', rows: [1, 3, 4] });
    expect(askingOf(group, (row) => row > 2)).toBeUndefined();
    const picture = { kind: 'picture', row: 2, gain: 1 } as const;
    expect(askingOf(picture, (row) => row === 2)).toBe(picture);
    expect(askingOf(picture, (row) => row !== 2)).toBeUndefined();
  });

  it('asks about the web picture that is in doubt, of the category that is in doubt', () => {
    const web = {
      labels: Int32Array.of(0, 0, 1, 1),
      trust: Float64Array.of(0.5, 0.99, 0.5, 0.5),
      known: Int8Array.of(0, 0, 0, 1),
    };
    const sure = Matrix.from(Array.from({ length: 7 }, (_, j) => [0.01, j < 4 ? 0.6 : 0.01, j < 4 ? 0.39 : 0.98]));
    const asked = rankQuestions(
      { chances: sure as Matrix<Float64Array>, neighbours, answered: new Uint8Array(7).fill(1), web },
      4,
    );
    expect(asked[0]).toMatchObject({ kind: 'web', row: 2 });
    expect(asked.some((one) => one.kind === 'web' && one.row === 3)).toBe(false);
  });
});
