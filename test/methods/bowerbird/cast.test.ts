/** Who plays what in a rehearsal. */
import { describe, expect, it } from 'vitest';
import { castOf, playsOf } from '../../../src/methods/bowerbird/cast.js';
import { generateProblem } from '../../../src/problem/generate.js';
import type { Problem } from '../../../src/problem/problem.js';
import { selectIntegers, selectRows } from '../../../src/problem/rows.js';

const problem = generateProblem({ seed: 3, auxiliaryCategories: 24, auxiliaryPerCategory: 16, text: false });

/** Pictures of the first auxiliary categories as if they had been crawled. */
function crawled(whole: Problem, categories: number): Problem {
  const rows = [...whole.auxiliaryLabels.keys()].filter((i) => whole.auxiliaryLabels[i] < categories);
  return {
    ...whole,
    validationWeb: {
      features: selectRows(whole.auxiliaryFeatures, rows),
      labels: selectIntegers(whole.auxiliaryLabels, rows),
    },
  };
}

describe('the cast of a rehearsal', () => {
  it('plants about the share of wrong web pictures that was asked for, and uses no picture twice', async () => {
    const cast = (await castOf(problem))!;
    // Fewer than asked for where the pictures of others run out.
    for (const [wrong, least] of [
      [0.2, 0.1],
      [0.6, 0.4],
    ]) {
      for (const { web, test, truth, listed } of playsOf(problem, cast, wrong)) {
        const share = 1 - web.right!.reduce((sum, value) => sum + value, 0) / web.right!.length;
        expect(share).toBeGreaterThan(least);
        expect(share).toBeLessThan(wrong + 0.1);
        Array.from(web.rows).forEach((row, i) => {
          const shown = listed.indexOf(problem.auxiliaryLabels[row]);
          expect(web.labels[i] === shown).toBe(web.right![i] === 1);
          expect(web.labels[i]).toBeLessThan(listed.length);
        });
        expect(new Set(web.labels).size).toBe(listed.length);
        const used = new Set(Array.from(web.rows));
        expect(test.some((row) => used.has(row))).toBe(false);
        test.forEach((row, j) => {
          const shown = listed.indexOf(problem.auxiliaryLabels[row]);
          expect(truth[j]).toBe(shown);
          expect(cast.audience).not.toContain(problem.auxiliaryLabels[row]);
        });
      }
    }
  });

  it('gives two plays of many pictures, with no more web pictures than teach something, as many for each category', async () => {
    const many = generateProblem({
      ...{ seed: 4, auxiliaryCategories: 80, auxiliaryPerCategory: 160, webPerCategory: 200, text: false },
      ...{ dimensions: 2, validation: false },
    });
    const plays = playsOf(many, (await castOf(many))!, 0.35);
    expect(plays).toHaveLength(2);
    for (const { web, listed } of plays) {
      expect(web.labels.length).toBeLessThanOrEqual(2000);
      expect(web.labels.length).toBeGreaterThan(1500);
      const counts = listed.map((_, label) => web.labels.filter((other) => other === label).length);
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
    }
  });

  it('reads what stands beside crawled pictures only if the listed categories have text too', async () => {
    const given = crawled(problem, 12);
    const validationWeb = { ...given.validationWeb!, text: given.validationWeb!.features };
    const played = async (webText?: Problem['webText']) => {
      const told: Problem = { ...given, validationWeb, webText };
      return playsOf(told, (await castOf(told))!, 0.35).map(({ web }) => web.text?.rows === web.labels.length);
    };
    expect(await played(given.webFeatures)).toEqual([true, true, true]);
    expect(await played()).toEqual([false, false, false]);
  });

  it('takes as many crawled pictures of a category as the listed ones have, the first ones', async () => {
    const few = 4;
    const rows = [...problem.webLabels.keys()].filter(
      (i) => problem.webLabels.slice(0, i).filter((label) => label === problem.webLabels[i]).length < few,
    );
    const given: Problem = {
      ...crawled(problem, 12),
      webFeatures: selectRows(problem.webFeatures, rows),
      webLabels: selectIntegers(problem.webLabels, rows),
    };
    const { labels } = given.validationWeb!;
    const cast = (await castOf(given))!;
    expect(cast.crawled).toBe(true);
    for (const { web, listed } of playsOf(given, cast, 0.35)) {
      const wanted = [...labels.keys()].filter(
        (i) => listed.includes(labels[i]) && labels.slice(0, i).filter((label) => label === labels[i]).length < few,
      );
      expect(Array.from(web.rows)).toEqual(wanted);
      expect(Array.from(web.labels, (label) => listed[label])).toEqual(wanted.map((i) => labels[i]));
    }
  });
});
