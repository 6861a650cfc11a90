import { describe, expect, it } from 'vitest';
import { createBackend } from '../../../src/linalg/create.js';
import { type Dtype, Matrix } from '../../../src/linalg/matrix.js';
import { Random } from '../../../src/linalg/random.js';
import { WhitenedSpace } from '../../../src/methods/blocks/whitened-space.js';
import { Bowerbird } from '../../../src/methods/bowerbird/bowerbird.js';
import { layGround, type Placed, place } from '../../../src/methods/bowerbird/ground.js';
import { Neighbours } from '../../../src/methods/bowerbird/neighbours.js';
import { settle } from '../../../src/methods/bowerbird/settle.js';
import { BowerbirdSolver } from '../../../src/methods/bowerbird/solver.js';
import { generateProblem } from '../../../src/problem/generate.js';
import { rowMaxima } from '../../../src/problem/index.js';
import { keepWeb } from '../../../src/problem/subset.js';

const backend = await createBackend({ threads: 1 });
const sizes = { auxiliaryCategories: 20, testCategories: 10, dimensions: 60, noise: 2, wrong: 0.4, text: false };
const problem = generateProblem({ ...sizes, seed: 3 });

/** Web and test pictures kept in one precision, learnt from as a fit does. */
async function learnt(dtype: Dtype) {
  const space = await WhitenedSpace.learn(problem, backend, { power: 0.75, shrinkage: 0.2 });
  const kept = ({ rows, squaredLengths }: Placed<Matrix>): Placed<Matrix> => ({
    rows: rows.copy(dtype),
    squaredLengths,
  });
  const web = kept(place(space, problem.webFeatures));
  const ground = layGround(backend, space, problem, { trust: -1, smoothing: 200 }, web);
  const solver = new BowerbirdSolver(ground, {
    sharpness: 0.5,
    tails: 0.2,
    caution: 1,
    evidence: { slope: 1, intercept: 0, text: 0 },
  });
  solver.learnFromWeb();
  const pictures = kept(place(space, problem.testFeatures));
  const neighbours = new Neighbours(backend, pictures, 8);
  const side = { pictures, neighbours, neighbourWeight: 2, shares: 'unknown' as const };
  const settled = await settle(solver, { ...side, answerWeight: 1, variance: 1 }, 30, async () => {});
  return { solver, neighbours, decisions: settled.state.decisions(), counts: settled.state.counts };
}

describe('pictures kept in single precision', () => {
  it('are trusted, joined and answered as in double', async () => {
    const [double, single] = [await learnt('float64'), await learnt('float32')];
    for (let i = 0; i < problem.webLabels.length; i++)
      expect(single.solver.trust[i]).toBeCloseTo(double.solver.trust[i], 3);
    expect(single.neighbours.nearest).toEqual(double.neighbours.nearest);
    expect(rowMaxima(single.decisions)).toEqual(rowMaxima(double.decisions));
    for (let c = 0; c < 10; c++) expect(single.counts[c]).toBeCloseTo(double.counts[c], 2);
  });
});

describe('web pictures', () => {
  it('may come in any order, and their weights come back in it', async () => {
    const order = new Random(5).permutation(problem.webLabels.length);
    const mixed = keepWeb(problem, order);
    const [plain, other] = [new Bowerbird(), new Bowerbird()];
    await plain.fit(problem, { backend });
    await other.fit(mixed, { backend });
    order.forEach((row, i) => {
      expect(mixed.webLabels[i]).toBe(problem.webLabels[row]);
      expect(other.webWeights_[i]).toBeCloseTo(plain.webWeights_[row], 6);
    });
    expect(other.predict(problem.testFeatures)).toEqual(plain.predict(problem.testFeatures));
  });
});

describe('the nearest pictures', () => {
  it('are those that all cosines say, in both precisions and over the edges of blocks', () => {
    const random = new Random(2);
    const rows = Matrix.zeros(600, 7);
    for (let k = 0; k < rows.data.length; k++) rows.data[k] = random.normal();
    const squaredLengths = Float64Array.from({ length: 600 }, (_, i) => rows.row(i).reduce((sum, x) => sum + x * x, 0));
    const { nearest, cosines } = new Neighbours(backend, { rows, squaredLengths }, 4);
    for (const i of [0, 255, 256, 511, 512, 599]) {
      const all = Array.from({ length: 600 }, (_, j) => {
        const product = rows.row(i).reduce((sum, x, k) => sum + x * rows.at(j, k), 0);
        return { j, cosine: j === i ? -2 : product / Math.sqrt(squaredLengths[i] * squaredLengths[j]) };
      }).sort((a, b) => b.cosine - a.cosine);
      for (let place = 0; place < 4; place++) {
        expect(nearest[i * 4 + place]).toBe(all[place].j);
        expect(cosines[i * 4 + place]).toBeCloseTo(all[place].cosine, 12);
      }
    }
    const single = new Neighbours(backend, { rows: rows.copy('float32'), squaredLengths }, 4);
    expect(single.nearest).toEqual(nearest);
  });
});
