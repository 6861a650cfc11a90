import { describe, expect, it } from 'vitest';
import { accuracy } from '../../../src/fit/index.js';
import { createBackend } from '../../../src/linalg/create.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { Clip } from '../../../src/methods/modern/clip.js';
import { ConfidentLearning, confidentJoint, pruneByNoiseRate } from '../../../src/methods/modern/confident-learning.js';
import { NearestNeighbours } from '../../../src/methods/modern/knn.js';
import { Prototype } from '../../../src/methods/modern/prototype.js';
import { generalize } from '../../../src/problem/generalize.js';
import { generateProblem } from '../../../src/problem/generate.js';
import type { Problem } from '../../../src/problem/problem.js';
import { noisyProblem } from '../web/noisy-problem.js';

const backend = await createBackend({ threads: 1 });
const problem = generateProblem({ seed: 14, testCategories: 4, webPerCategory: 9, dimensions: 8 });
const { webFeatures: web, webLabels: labels, testFeatures: test } = problem;
const distance = (a: ArrayLike<number>, b: ArrayLike<number>) => Math.hypot(...Array.from(a, (v, j) => v - b[j]));
const smallest = (values: number[]) => values.indexOf(Math.min(...values));

describe('prototype', () => {
  it('chooses the category whose mean picture is nearest', async () => {
    const means = [0, 1, 2, 3].map((c) =>
      Array.from({ length: 8 }, (_, j) => {
        const own = Array.from({ length: web.rows }, (_, i) => i).filter((i) => labels[i] === c);
        return own.reduce((sum, i) => sum + web.at(i, j) / own.length, 0);
      }),
    );
    const expected = Array.from({ length: test.rows }, (_, i) =>
      smallest(means.map((mean) => distance(mean, test.row(i)))),
    );
    const found = (await new Prototype().fit(problem, { backend })).predict(test);
    expect([...found]).toEqual(expected);
    expect(new Set(expected).size).toBe(4);
  });
});

describe('knn', () => {
  it('is the nearest web picture for k = 1', async () => {
    const found = (await new NearestNeighbours({ k: 1 }).fit(problem, { backend })).predict(test);
    const nearest = Array.from({ length: test.rows }, (_, i) =>
      smallest(Array.from({ length: web.rows }, (_, j) => distance(web.row(j), test.row(i)))),
    );
    expect([...found]).toEqual(nearest.map((row) => labels[row]));
  });

  it('lets the i-th neighbour vote with (d_{k+1} − dᵢ)/(d_{k+1} − d₁)', async () => {
    const found = (await new NearestNeighbours({ k: 5 }).fit(problem, { backend })).decisionValues(test);
    for (let i = 0; i < test.rows; i++) {
      const order = Array.from({ length: web.rows }, (_, j) => ({
        label: labels[j],
        d: distance(web.row(j), test.row(i)),
      }));
      order.sort((a, b) => a.d - b.d);
      const votes = [0, 0, 0, 0];
      for (const { label, d } of order.slice(0, 5)) votes[label] += (order[5].d - d) / (order[5].d - order[0].d);
      for (let c = 0; c < 4; c++) expect(found.at(i, c)).toBeCloseTo(votes[c], 8);
    }
  });
});

describe('confident learning', () => {
  // Three pictures labelled 0, three labelled 1; the third of each looks like the other category.
  const probabilities = Matrix.from([
    [0.9, 0.1],
    [0.8, 0.2],
    [0.1, 0.9],
    [0.2, 0.8],
    [0.1, 0.9],
    [0.7, 0.3],
  ]);
  const given = Int32Array.of(0, 0, 0, 1, 1, 1);

  it('counts pictures into the confident joint as worked out by hand', () => {
    // Thresholds: (0.9 + 0.8 + 0.1)/3 = 0.6 and (0.8 + 0.9 + 0.3)/3 = 0.667.
    const joint = confidentJoint(probabilities, given);
    expect([...joint.data]).toEqual([2, 1, 1, 2]);
  });

  it('prunes the pictures with the largest margin for another category', () => {
    expect([...pruneByNoiseRate(probabilities, given, confidentJoint(probabilities, given))]).toEqual([0, 1, 3, 4]);
  });

  it('keeps right pictures rather than wrong ones', async () => {
    const noisy = noisyProblem({ seed: 5, kind: 'random', wrong: 0.4 });
    const { kept_ } = await new ConfidentLearning({ decay: 1 }).fit(noisy, { backend });
    const right = (rows: ArrayLike<number>) =>
      Array.from(rows).filter((row) => noisy.webKinds![row] === 'clean').length / rows.length;
    expect(kept_!.length).toBeLessThan(0.95 * noisy.webLabels.length);
    expect(right(kept_!)).toBeGreaterThan(right(noisy.webLabels.map((_, i) => i)) + 0.1);
  });
});

describe('clip', () => {
  /** Pictures around the vectors of their categories, as an image-text model would place them. */
  const base = generateProblem({ seed: 6, testCategories: 6, dimensions: 12, semanticDimensions: 12 });
  const joint: Problem = {
    ...base,
    testFeatures: Matrix.from(
      Array.from(base.testLabels!, (label, i) =>
        base.testSemantics.row(label).map((value, j) => 2 * value + 0.3 * base.testFeatures.at(i, j)),
      ),
    ),
  };
  const share = async (given: Problem) =>
    accuracy((await new Clip().fit(given, { backend })).predict(given.testFeatures), given.testLabels!);

  it('gives the cosine between picture and category vector, auxiliary categories after test ones', async () => {
    const both = generalize(joint, 1);
    const values = (await new Clip().fit(both, { backend })).decisionValues(both.testFeatures);
    const cosine = (a: ArrayLike<number>, b: ArrayLike<number>) =>
      Array.from(a).reduce((sum, v, j) => sum + v * b[j], 0) /
      (Math.hypot(...Array.from(a)) * Math.hypot(...Array.from(b)));
    for (let i = 0; i < values.rows; i += 7)
      for (let c = 0; c < values.cols; c++) {
        const vector = c < 6 ? both.testSemantics.row(c) : both.auxiliarySemantics.row(c - 6);
        expect(values.at(i, c)).toBeCloseTo(cosine(both.testFeatures.row(i), vector), 10);
      }
  });

  it('is right where pictures lie by their vectors, and no better than chance when vectors are shuffled', async () => {
    expect(await share(joint)).toBeGreaterThan(0.9);
    let shuffled = 0;
    for (let turn = 1; turn < 6; turn++) {
      const rows = Array.from({ length: 6 }, (_, c) => joint.testSemantics.row((c + turn) % 6));
      shuffled += (await share({ ...joint, testSemantics: Matrix.from(rows) })) / 5;
    }
    expect(shuffled).toBeLessThan(1 / 6);
  });

  it('says that features and vectors must come from one model', async () => {
    await expect(new Clip().fit(problem, { backend })).rejects.toThrow(/10 dimensions and the features 8/);
  });
});
