/** The nearest among very many pictures, against every pair compared. */
import { describe, expect, it } from 'vitest';
import { createBackend, Matrix, Random } from '../../../src/linalg/index.js';
import { nearbyRows } from '../../../src/methods/bowerbird/nearby.js';
import { generateProblem } from '../../../src/problem/index.js';
import { asBlocks } from '../streamed-rows.js';

const backend = await createBackend({ threads: 1 });
const count = 10;

function placed(rows: Matrix) {
  const squares = Array.from({ length: rows.rows }, (_, i) => Array.from(rows.row(i)).reduce((a, x) => a + x * x, 0));
  return { rows, squaredLengths: Float64Array.from(squares) };
}

type Find = (nearest: Int32Array, cosines: Float64Array) => void;

/** For each picture the others that were found, and their cosines. */
function lists(rows: number, find: Find) {
  const [nearest, cosines] = [new Int32Array(rows * count), new Float64Array(rows * count)];
  find(nearest, cosines);
  return Array.from({ length: rows }, (_, i) => ({
    others: Array.from(nearest.subarray(i * count, (i + 1) * count)),
    cosines: Array.from(cosines.subarray(i * count, (i + 1) * count)),
  }));
}

function bothWays(rows: Matrix) {
  const pictures = placed(rows);
  return {
    nearby: lists(rows.rows, (...to) => nearbyRows(backend, ...to, pictures)),
    exact: lists(rows.rows, (...to) => backend.nearestRows(...to, rows, pictures.squaredLengths)),
  };
}

/** Pictures of no category at all: none is much nearer than the others. */
function noise(rows: number, cols: number): Matrix {
  const random = new Random(5);
  const result = Matrix.zeros(rows, cols);
  for (let k = 0; k < result.data.length; k++) result.data[k] = random.normal();
  return result;
}

describe('the nearest among very many pictures', () => {
  it('are the same where they have to be read', () => {
    const { testFeatures } = generateProblem({ testCategories: 30, testPerCategory: 20, dimensions: 16, seed: 4 });
    const pictures = placed(testFeatures);
    const read = { ...pictures, rows: asBlocks(testFeatures, 50) };
    const [whole, found] = [pictures, read].map((given) =>
      lists(testFeatures.rows, (...to) => nearbyRows(backend, ...to, given)),
    );
    expect(found).toEqual(whole);
  });

  it.each(['float64', 'float32'] as const)('are nearly all found in %s, each once and nearest first', (dtype) => {
    const { testFeatures } = generateProblem({ testCategories: 100, testPerCategory: 25, dimensions: 32, seed: 3 });
    const { nearby, exact } = bothWays(testFeatures.copy(dtype));
    let found = 0;
    nearby.forEach(({ others, cosines }, i) => {
      expect(new Set([i, ...others]).size).toBe(count + 1);
      expect(cosines).toEqual([...cosines].sort((a, b) => b - a));
      const places = others.map((other) => exact[i].others.indexOf(other));
      places.forEach((place, k) => {
        if (place < 0) return;
        expect(cosines[k]).toBeCloseTo(exact[i].cosines[place], 5);
        found++;
      });
    });
    expect(found / (nearby.length * count)).toBeGreaterThanOrEqual(0.95);
    // Not every pair was compared.
    expect(found).toBeLessThan(nearby.length * count);
  });

  it('are those of every pair where landmarks say nothing', () => {
    const { nearby, exact } = bothWays(noise(500, 60));
    expect(nearby).toEqual(exact);
  });

  it('are found for pictures that share their landmark with too few', () => {
    // Two opposite heaps; three pictures of the second are all there is around them.
    const rows = noise(400, 12);
    for (let i = 0; i < 400; i++) rows.set(i, 0, i < 397 ? 60 : -60);
    const { nearby, exact } = bothWays(rows);
    for (const i of [397, 398, 399]) {
      expect(new Set([i, ...nearby[i].others]).size).toBe(count + 1);
      nearby[i].cosines.forEach((cosine, k) => {
        expect(cosine).toBeCloseTo(exact[i].cosines[k], 9);
      });
    }
  });

  it('are none where none are wanted', () => {
    const rows = noise(30, 4);
    expect(() => nearbyRows(backend, new Int32Array(0), new Float64Array(0), placed(rows))).not.toThrow();
  });
});
