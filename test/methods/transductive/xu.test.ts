import { describe, expect, it } from 'vitest';
import { Matrix } from '../../../src/linalg/matrix.js';
import { hubCorrection, selfTrained, Xu } from '../../../src/methods/transductive/xu.js';
import { laplacianForm, neighbourGraph, smallest } from '../../../src/numerics/graph.js';
import { multiply, transpose } from '../../learner/plain.js';
import { backend, flat, gap, plainParts, rowsFrom, small, squares, steepest } from './small.js';
import '../../allclose.js';

const { pictures, labels, test, learnt, candidates } = plainParts();

/** Edges of the k nearest neighbours of every picture, by sorting. */
function plainEdges(all: number[][], k: number) {
  const edges = new Map<string, number>();
  for (let i = 0; i < all.length; i++) {
    const others = all.map((_, j) => j).filter((j) => j !== i);
    others.sort((a, b) => gap(all[i], all[a]) - gap(all[i], all[b]));
    for (const j of others.slice(0, k)) edges.set(`${Math.min(i, j)} ${Math.max(i, j)}`, gap(all[i], all[j]));
  }
  const mean = [...edges.values()].reduce((sum, value) => sum + value, 0) / edges.size;
  return [...edges].map(([key, value]) => {
    const [from, to] = key.split(' ').map(Number);
    return { from, to, weight: Math.exp(-value / (2 * mean)) };
  });
}

describe('Xu, Hospedales and Gong', () => {
  it('regresses to the point where its objective has no slope', async () => {
    const [decay, smoothness, edges] = [0.4, 0.3, 3];
    const { regression_ } = await new Xu({ decay, smoothness, edges }).fit(small, { backend });
    const all = [...pictures, ...test];
    const graph = plainEdges(all, edges);
    const objective = (point: Float64Array) => {
      const projected = multiply(all, transpose(rowsFrom(point, 5, 9)));
      let total = decay * squares(point);
      labels.forEach((label, i) => {
        total += gap(projected[i], learnt[label]);
      });
      for (const { from, to, weight } of graph) total += smoothness * weight * gap(projected[from], projected[to]);
      return total;
    };
    expect(steepest(objective, flat(regression_!))).toBeLessThan(1e-5);
    expect(steepest(objective, new Float64Array(45))).toBeGreaterThan(0.1);
  });

  it('measures unevenness over the graph as the sum over its edges', () => {
    const all = Matrix.from([...pictures, ...test]) as Matrix<Float64Array>;
    const graph = neighbourGraph(backend, all, 4);
    const form = laplacianForm(backend, graph, all);
    const expected = Matrix.zeros(9, 9);
    for (const { from, to, weight } of plainEdges([...pictures, ...test], 4))
      for (let j = 0; j < 9; j++)
        for (let k = 0; k < 9; k++) {
          const [a, b] = [all.at(from, j) - all.at(to, j), all.at(from, k) - all.at(to, k)];
          expected.set(j, k, expected.at(j, k) + weight * a * b);
        }
    expect(form.data).toBeAllClose(expected.data, { tolerance: 1e-10 });
  });

  it('moves a category vector to the mean direction of the pictures nearest to it', () => {
    const units = (rows: number[][]) => rows.map((row) => row.map((value) => value / Math.sqrt(squares(row))));
    const projected = units(test.map((row) => row.slice(0, 5)));
    const moved = selfTrained(backend, asMatrix(candidates), asMatrix(projected), 4);
    candidates.forEach((vector, c) => {
      const near = [...projected].sort((a, b) => gap(vector, a) - gap(vector, b)).slice(0, 4);
      const mean = vector.map((_, j) => near.reduce((sum, row) => sum + row[j] / 4, 0));
      expect(moved.row(c)).toBeAllClose(units([mean])[0], { tolerance: 1e-10 });
    });
  });

  it('takes a category that is near to everything down, by its mean distance or by rank', () => {
    // Category 0 is a hub: nearest to all, though picture 1 is the best that category 1 has.
    const distances = asMatrix([
      [0.1, 0.9],
      [0.3, 0.4],
      [0.2, 0.8],
    ]);
    const winners = (kind: 'none' | 'normalised' | 'ranked') => {
      const values = hubCorrection(distances, kind)(distances);
      return [0, 1, 2].map((i) => (values.at(i, 0) >= values.at(i, 1) ? 0 : 1));
    };
    expect(winners('none')).toEqual([0, 0, 0]);
    expect(winners('normalised')).toEqual([0, 1, 0]);
    expect(winners('ranked')).toEqual([0, 1, 0]);
  });

  it('finds the smallest values in order', () => {
    expect([...smallest([5, 1, 4, 1, 3], 3)]).toEqual([1, 3, 4]);
    expect([...smallest([5, 1, 4, 1, 3], 3, 1)]).toEqual([3, 4, 2]);
    expect([...smallest([2, 1], 5)]).toEqual([1, 0]);
  });

  it('refuses a correction it does not know', () => {
    expect(() => new Xu({ hubness: 'some' as 'none' })).toThrow(/hubness is "some"/);
  });
});

function asMatrix(rows: number[][]): Matrix<Float64Array> {
  return Matrix.from(rows) as Matrix<Float64Array>;
}
