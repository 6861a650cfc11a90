import { describe, expect, it } from 'vitest';
import { Matrix } from '../../../src/linalg/matrix.js';
import { Random } from '../../../src/linalg/random.js';
import { Kodirov } from '../../../src/methods/transductive/kodirov.js';
import { sparseCodes } from '../../../src/numerics/sparse-coding.js';
import { multiply, solve } from '../../learner/plain.js';
import {
  backend,
  dot,
  flat,
  gap,
  neverRises,
  plainParts,
  rowsFrom,
  rowsOf,
  small,
  squares,
  steepest,
} from './small.js';

const parameters = { decay: 0.5, adaptation: 0.7, similarity: 0.2, sparsity: 0.05, sharpness: 4, rounds: 6 };

describe('Kodirov, Xiang, Fu and Gong', () => {
  const { pictures, labels, test, learnt, candidates } = plainParts();
  const fitted = () => new Kodirov(parameters).fit(small, { backend });

  it('learns the auxiliary dictionary where its objective has no slope', async () => {
    const { auxiliaryDictionary_ } = await fitted();
    const objective = (point: Float64Array) => {
      const made = multiply(learnt, rowsFrom(point, 5, 9));
      return pictures.reduce((sum, x, i) => sum + gap(x, made[labels[i]]), parameters.decay * squares(point));
    };
    expect(steepest(objective, flat(auxiliaryDictionary_!))).toBeLessThan(1e-5);
  });

  it('never raises its objective, and reports it as it is defined', async () => {
    const method = await fitted();
    expect(neverRises(method.objectives_!, 1e-6)).toBe(true);
    const [dictionary, source, codes] = [method.dictionary_!, method.auxiliaryDictionary_!, method.codes_!].map(rowsOf);
    const made = multiply(codes, dictionary);
    const prototypes = multiply(candidates, source);
    let total = parameters.adaptation * gap(dictionary.flat(), source.flat());
    test.forEach((x, i) => {
      const angles = prototypes.map((p) => dot(x, p) / Math.sqrt(squares(x) * squares(p)));
      const shares = angles.map((angle) => Math.exp(parameters.sharpness * angle));
      const whole = shares.reduce((sum, value) => sum + value, 0);
      total += gap(x, made[i]) + parameters.sparsity * codes[i].reduce((sum, value) => sum + Math.abs(value), 0);
      candidates.forEach((s, c) => {
        total += (parameters.similarity * shares[c] * gap(codes[i], s)) / whole;
      });
    });
    expect(method.objectives_![method.objectives_!.length - 1]).toBeCloseTo(total, 8);
  });

  it('lets labels travel from the categories along a graph of codes', async () => {
    const alpha = 0.8;
    const method = await new Kodirov({ ...parameters, classifier: 'propagation', neighbours: 3, alpha }).fit(small, {
      backend,
    });
    const units = (rows: number[][]) => rows.map((row) => row.map((value) => value / Math.sqrt(squares(row))));
    const points = [...candidates, ...units(rowsOf(method.codes_!))];
    const n = points.length;
    // Neighbours by sorting, S by its definition, F by elimination.
    const edges = new Map<string, number>();
    points.forEach((point, i) => {
      const others = points.map((_, j) => j).filter((j) => j !== i);
      others.sort((a, b) => gap(point, points[a]) - gap(point, points[b]));
      for (const j of others.slice(0, 3)) edges.set(`${Math.min(i, j)} ${Math.max(i, j)}`, gap(point, points[j]));
    });
    const mean = [...edges.values()].reduce((sum, value) => sum + value, 0) / edges.size;
    const w = points.map(() => new Array<number>(n).fill(0));
    for (const [key, square] of edges) {
      const [i, j] = key.split(' ').map(Number);
      w[i][j] = w[j][i] = Math.exp(-square / (2 * mean));
    }
    const degree = w.map((row) => row.reduce((sum, value) => sum + value, 0));
    const system = w.map((row, i) =>
      row.map((value, j) => (i === j ? 1 : 0) - (alpha * value) / Math.sqrt(degree[i] * degree[j])),
    );
    const known = points.map((_, i) => candidates.map((_, c) => (i === c ? 1 - alpha : 0)));
    const flow = solve(system, known).slice(candidates.length);
    const { testOrder, categories } = plainParts();
    testOrder.forEach((row, i) => {
      categories.forEach((category, c) => {
        expect(method.testValues_!.at(row, category)).toBeCloseTo(flow[i][c], 6);
      });
    });
    const nearest = await new Kodirov({ ...parameters, classifier: 'nearest' }).fit(small, { backend });
    expect(nearest.testValues_!.data).not.toEqual(method.testValues_!.data);
  });

  it('turns until the dictionary stands still', async () => {
    const rounds = async (most: number) =>
      (await new Kodirov({ ...parameters, rounds: most }).fit(small, { backend })).dictionary_!;
    const [many, more] = [await rounds(200), await rounds(400)];
    expect(Math.sqrt(gap(flat(many), flat(more)) / squares(flat(more)))).toBeLessThan(1e-2);
  });

  it('codes vectors where no subgradient of the objective leaves zero', () => {
    const random = new Random(3);
    const matrix = (rows: number, cols: number) => new Matrix(random.normalArray(rows * cols), rows, cols);
    const [x, d, t] = [matrix(6, 8), matrix(5, 8), matrix(6, 5)];
    const [pull, sparsity] = [0.3, 1.5];
    const options = { pull, sparsity, tolerance: 1e-12, maxIterations: 5000 };
    const codes = sparseCodes(backend, x, d, t, Matrix.zeros(6, 5), options);
    let zeros = 0;
    for (let i = 0; i < 6; i++) {
      const [y] = rowsOf(codes.view(i, i + 1));
      const rest = multiply([y], rowsOf(d))[0].map((value, j) => value - x.at(i, j));
      for (let k = 0; k < 5; k++) {
        const slope = 2 * dot(rest, d.row(k)) + 2 * pull * (y[k] - t.at(i, k));
        if (y[k] === 0) {
          zeros++;
          expect(Math.abs(slope)).toBeLessThanOrEqual(sparsity + 1e-8);
        } else expect(slope).toBeCloseTo(-sparsity * Math.sign(y[k]), 7);
      }
    }
    expect(zeros).toBeGreaterThan(0);
  });
});
