import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Backend } from '../../../src/linalg/backend.js';
import { createBackend } from '../../../src/linalg/create.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { WhitenedSpace } from '../../../src/methods/blocks/whitened-space.js';
import { Bowerbird } from '../../../src/methods/bowerbird/bowerbird.js';
import { place } from '../../../src/methods/bowerbird/ground.js';
import { webOnDisk } from '../../../src/methods/bowerbird/web-file.js';
import { WebPictures } from '../../../src/methods/bowerbird/web-pictures.js';
import { byLabel } from '../../../src/numerics/index.js';
import { generateProblem } from '../../../src/problem/generate.js';
import { saveProblem } from '../../../src/problem/save.js';
import { openStreamedProblem } from '../../../src/problem/streamed.js';

let backend: Backend;
let folder: string;
beforeAll(async () => {
  backend = await createBackend({ threads: 1 });
  folder = await mkdtemp(join(tmpdir(), 'bowerbird-test-'));
});
afterAll(async () => {
  backend.dispose();
  await rm(folder, { recursive: true, force: true });
});

/** Web pictures that do not lie in the order of their labels. */
const problem = generateProblem({ seed: 5, dimensions: 6, testCategories: 5, webPerCategory: 9, dtype: 'float32' });
const shuffled = Array.from({ length: problem.webLabels.length }, (_, i) => (i * 16) % problem.webLabels.length);
const mixed = {
  ...problem,
  webFeatures: Matrix.from(
    shuffled.map((row) => [...problem.webFeatures.row(row)]),
    'float32',
  ),
  webLabels: Int32Array.from(shuffled, (row) => problem.webLabels[row]),
};

describe('passes over web pictures in blocks', () => {
  const [rows, cols] = [17, 4];
  const matrix = Matrix.from(
    Array.from({ length: rows }, (_, i) => Array.from({ length: cols }, (_, j) => Math.sin(7 * i + j))),
  );
  // Categories 0, 2 and 5 have no picture.
  const starts = Int32Array.of(0, 0, 6, 6, 7, 17, 17);
  const labelOf = (i: number) => (i < 6 ? 1 : i < 7 ? 3 : 4);
  const squaredLengths = new Float64Array(rows);
  const weights = Float64Array.from({ length: rows }, (_, i) => 1 + (i % 3));

  it.each([1, 2, 5, 6, 17])('of %i rows sum up by category what all rows do', (atOnce) => {
    const blocks = { rows, cols, dtype: 'float64' as const, atOnce, read: (a: number, b: number) => matrix.view(a, b) };
    const web = new WebPictures(backend, blocks, squaredLengths, starts);
    expect(web.resident).toBe(atOnce === rows);
    const ones = new Float64Array(rows).fill(1);
    for (const [k, given] of [weights, ones].entries()) {
      const { sums, totals } = web.sumsBy([weights, ones])[k];
      for (let c = 0; c < 6; c++) {
        const own = Array.from({ length: rows }, (_, i) => i).filter((i) => labelOf(i) === c);
        expect(totals[c]).toBeCloseTo(
          own.reduce((sum, i) => sum + given[i], 0),
          12,
        );
        for (let j = 0; j < cols; j++)
          expect(sums.at(c, j)).toBeCloseTo(
            own.reduce((sum, i) => sum + given[i] * matrix.at(i, j), 0),
            12,
          );
      }
    }
  });

  it.each([1, 4, 17])('of %i rows multiply each picture with a vector and with its own direction', (atOnce) => {
    const blocks = { rows, cols, dtype: 'float64' as const, atOnce, read: (a: number, b: number) => matrix.view(a, b) };
    const web = new WebPictures(backend, blocks, squaredLengths, starts);
    const directions = Matrix.from(
      Array.from({ length: 6 }, (_, c) => Array.from({ length: cols }, (_, j) => Math.cos(3 * c + j))),
    );
    const { along, own } = web.along(Float64Array.from(directions.row(2)), directions.copy('float64'));
    const dot = (i: number, c: number) =>
      Array.from(matrix.row(i)).reduce((sum, x, j) => sum + x * directions.at(c, j), 0);
    for (let i = 0; i < rows; i++) {
      expect(along[i]).toBeCloseTo(dot(i, 2), 12);
      expect(own[i]).toBeCloseTo(dot(i, labelOf(i)), 12);
    }
  });
});

describe('web pictures on disk', () => {
  it('are the whitened ones in the order of their labels', async () => {
    const space = await WhitenedSpace.learn(problem, backend, { power: 0.75, shrinkage: 0.2 });
    const { webFeatures: source, webLabels } = mixed;
    const webRows = {
      rows: source.rows,
      cols: source.cols,
      read: async (into: Matrix, start: number, end: number) => {
        into.view(0, end - start).copyFrom(source.view(start, end));
      },
    };
    const order = byLabel(webLabels, 5);
    const told: number[] = [];
    const web = await webOnDisk(backend, space, webRows, order, async (part) => {
      told.push(part);
    });
    const { rows, squaredLengths } = place(space, source, order.order);
    web.visit((block, start) => {
      for (let i = 0; i < block.rows; i++) {
        for (let j = 0; j < block.cols; j++) expect(block.at(i, j)).toBeCloseTo(rows.at(start + i, j), 3);
        expect(web.squaredLengths[start + i] / squaredLengths[start + i]).toBeCloseTo(1, 4);
      }
    }, 7);
    expect(told.at(-1)).toBe(1);
  });

  it('give the answers and weights of a fit in memory', async () => {
    const path = join(folder, 'mixed.npz');
    await saveProblem(path, mixed);
    const opened = await openStreamedProblem(path, { scaling: 'none', dtype: 'float32' });
    try {
      expect(opened.problem.webFeatures.rows).toBe(0);
      const whole = await new Bowerbird().fit(mixed, { backend });
      const streamed = await new Bowerbird().fit(opened.problem, { backend, webRows: opened.webRows });
      expect(streamed.predict(problem.testFeatures)).toEqual(whole.predict(problem.testFeatures));
      streamed.webWeights().forEach((weight, i) => {
        expect(weight).toBeCloseTo(whole.webWeights()[i], 2);
      });
      expect(streamed.rounds_).toBe(whole.rounds_);
    } finally {
      await opened.close();
    }
  });
});
