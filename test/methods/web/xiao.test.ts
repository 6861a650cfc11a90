import { describe, expect, it } from 'vitest';
import { rocArea } from '../../../src/fit/index.js';
import { createBackend } from '../../../src/linalg/create.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { Random } from '../../../src/linalg/random.js';
import { posteriors, semanticConfusion, Xiao } from '../../../src/methods/web/xiao.js';
import { noisyProblem } from './noisy-problem.js';

const backend = await createBackend({ threads: 1 });
const problem = noisyProblem({ seed: 2, kind: 'one-sided', wrong: 0.45 });
const normalized = (rows: number, cols: number, random: Random) =>
  Matrix.from(
    Array.from({ length: rows }, () => {
      const row = Array.from(random.uniformArray(cols));
      const sum = row.reduce((total, value) => total + value, 0);
      return row.map((value) => value / sum);
    }),
  );

describe('latent noise types', () => {
  it('have the posterior that summing over all categories and types gives', () => {
    const random = new Random(4);
    const [p, z] = [normalized(5, 4, random), normalized(5, 3, random)];
    const confusion = semanticConfusion(new Matrix(random.normalArray(12), 4, 3), 0.3);
    const labels = Int32Array.of(0, 3, 1, 2, 2);
    const found = posteriors(p, z, labels, confusion);
    let logLikelihood = 0;
    labels.forEach((label, i) => {
      const joint = (y: number, type: number) => {
        const emission = [Number(y === label), Number(y !== label) / 3, confusion.at(y, label)][type];
        return emission * p.at(i, y) * z.at(i, type);
      };
      const all = [0, 1, 2, 3].flatMap((y) => [0, 1, 2].map((type) => joint(y, type)));
      const total = all.reduce((sum, value) => sum + value, 0);
      logLikelihood += Math.log(total);
      for (let y = 0; y < 4; y++)
        expect(found.categories.at(i, y)).toBeCloseTo((joint(y, 0) + joint(y, 1) + joint(y, 2)) / total, 12);
      for (let type = 0; type < 3; type++)
        expect(found.types.at(i, type)).toBeCloseTo([0, 1, 2, 3].reduce((s, y) => s + joint(y, type), 0) / total, 12);
    });
    expect(found.logLikelihood).toBeCloseTo(logLikelihood, 10);
  });

  it('confuse a category most with the one whose semantic vector is nearest, never with itself', () => {
    const confusion = semanticConfusion(problem.testSemantics, 0.2);
    for (let c = 0; c < 6; c++) {
      const row = Array.from(confusion.row(c));
      expect(row[c]).toBe(0);
      expect(row.indexOf(Math.max(...row))).toBe(c ^ 1);
      expect(row.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 12);
    }
  });

  it('raise the penalized likelihood in every round', async () => {
    const { trace_ } = await new Xiao({ rounds: 8 }).fit(problem, { backend });
    expect(trace_.length).toBe(8);
    for (let round = 1; round < 8; round++) expect(trace_[round]).toBeGreaterThanOrEqual(trace_[round - 1]);
    expect(trace_[7]).toBeGreaterThan(trace_[0] + 1);
  });

  it('tell right pictures from wrong ones', async () => {
    const { noiseTypes_ } = await new Xiao({ decay: 1, firmness: 10, rounds: 8 }).fit(problem, { backend });
    const right = Array.from({ length: noiseTypes_!.rows }, (_, i) => noiseTypes_!.at(i, 0));
    const truth = problem.webKinds!.map((kind) => kind === 'clean');
    expect(rocArea(right, truth)).toBeGreaterThan(0.8);
  });
});
