import { describe, expect, it } from 'vitest';
import { Matrix } from '../../src/linalg/matrix.js';
import { Random } from '../../src/linalg/random.js';
import { miniBatches } from '../../src/numerics/mini-batches.js';
import { standardized } from '../../src/numerics/standardize.js';
import { directions, unitRows } from '../../src/numerics/unit-rows.js';
import { generalize } from '../../src/problem/generalize.js';
import { generateProblem } from '../../src/problem/generate.js';
import { candidateSemantics } from '../../src/problem/problem.js';
import '../allclose.js';

describe('semantic vectors', () => {
  it('are those of test categories, followed by auxiliary ones in the generalized setting', () => {
    const problem = generateProblem({ seed: 3, auxiliaryCategories: 5, testCategories: 3 });
    expect(candidateSemantics(problem)).toBeAllClose(problem.testSemantics);
    const all = candidateSemantics(generalize(problem, 1));
    expect(all.rows).toBe(8);
    expect(all.view(3, 8)).toBeAllClose(problem.auxiliarySemantics);
  });

  it('become unit directions around the mean of the learnt ones', () => {
    const learnt = Matrix.from([
      [3, 1],
      [1, 1],
    ]);
    const candidates = Matrix.from([
      [2, 5],
      [2, 1],
    ]);
    expect(directions(learnt, candidates)).toEqual({
      learnt: Matrix.from([
        [1, 0],
        [-1, 0],
      ]),
      candidates: Matrix.from([
        [0, 1],
        [0, 0],
      ]),
    });
    expect(unitRows(Matrix.from([[3, 4]]))).toBeAllClose(Matrix.from([[0.6, 0.8]]));
  });

  it('give decision values with mean zero and deviation one when standardized', () => {
    const values = standardized(Matrix.from([[1, 2, 3, 4, 5]]));
    expect(values).toBeAllClose(Matrix.from([[-2, -1, 0, 1, 2].map((value) => value / Math.SQRT2)]));
  });
});

describe('mini-batches', () => {
  it('visit every instance once an epoch, in an order that changes, with falling steps', async () => {
    const seen: number[][] = [[], [], []];
    const steps: number[] = [];
    for await (const { rows, epoch, step, last } of miniBatches(10, new Random(1), { epochs: 3, size: 4 })) {
      seen[epoch].push(...rows);
      steps.push(step);
      expect(last).toBe(seen[epoch].length === 10);
    }
    for (const order of seen) expect([...order].sort((a, b) => a - b)).toEqual([...Array(10).keys()]);
    expect(seen[0]).not.toEqual(seen[1]);
    expect(steps[0]).toBe(1);
    expect(steps).toEqual([...steps].sort((a, b) => b - a));
  });

  it('stop between batches when they are told to', async () => {
    const controller = new AbortController();
    let batches = 0;
    const visit = async () => {
      for await (const _ of miniBatches(100, new Random(1), { epochs: 5, size: 10, signal: controller.signal }))
        if (++batches === 3) controller.abort(new Error('enough'));
    };
    await expect(visit()).rejects.toThrow('enough');
    expect(batches).toBe(3);
  });
});
