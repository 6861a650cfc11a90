/** What rehearsals teach of web pictures, against the same formulas written out. */
import { describe, expect, it } from 'vitest';
import { createBackend } from '../../../src/linalg/create.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { Random } from '../../../src/linalg/random.js';
import { learnEvidence, meanDistrust } from '../../../src/methods/bowerbird/lessons.js';
import type { BowerbirdSolver } from '../../../src/methods/bowerbird/solver.js';
import type { World } from '../../../src/methods/bowerbird/worlds.js';

const backend = await createBackend({ threads: 1 });
const [dimension, categories, sharpness, variance] = [3, 2, 0.8, 1.5];

function drawn(random: Random, rows: number): Matrix<Float64Array> {
  const matrix = Matrix.zeros(rows, dimension);
  for (let k = 0; k < matrix.data.length; k++) matrix.data[k] = 2 * random.normal();
  return matrix;
}

/** A world with crawled pictures whose truth is not known: clean ones of two categories, one known category. */
function worldOf(seed: number): World {
  const random = new Random(seed);
  const [web, clean, known] = [drawn(random, 12), drawn(random, 7), drawn(random, 1)];
  const webLabels = Int32Array.from({ length: web.rows }, (_, i) => i % categories);
  const squaredLengths = Float64Array.from({ length: web.rows }, (_, i) => web.row(i).reduce((s, v) => s + v * v, 0));
  const visit = (each: (rows: Matrix, start: number) => void) => {
    // In two parts, as from a file.
    each(web.view(0, 5), 0);
    each(web.view(5, 12), 5);
  };
  const looks = Float64Array.from({ length: web.rows }, () => 3 * random.normal());
  return {
    ground: {
      ...{ backend, dimension, webLabels, web: { count: web.rows, squaredLengths, visit } },
      known: { means: known, within: 0.9, between: 0.3 },
    },
    solver: {
      ...{ categories, webShift: Float64Array.of(0.1, -0.2, 0.3), options: { sharpness } },
      webEvidence: () => ({ looks }),
    },
    ...{ pictures: { rows: clean }, truth: Int32Array.of(0, 1, -1, 1, 0, -1, 1), variance },
  } as unknown as World;
}

/** The chance that each crawled picture is right: its own category against the mean of all others. */
function rightOf({ ground, solver, pictures, truth }: World): Float64Array {
  const { within, between, means } = ground.known;
  const centres = [0, 1].map((category) => {
    const own = [...truth.keys()].filter((j) => truth[j] === category);
    return Array.from({ length: dimension }, (_, k) => {
      const sum = own.reduce((total, j) => total + pictures.rows.at(j, k), 0);
      return sum / (own.length + within / between) + solver.webShift[k];
    });
  });
  centres.push(Array.from(means.row(0), (value, k) => value + solver.webShift[k]));
  const rows: number[][] = [];
  ground.web.visit((part) => {
    for (let i = 0; i < part.rows; i++) rows.push([...part.row(i)]);
  });
  return Float64Array.from(rows, (row, i) => {
    const kernels = centres.map((centre) => {
      const distance = row.reduce((sum, value, k) => sum + (value - centre[k]) ** 2, 0);
      return Math.exp((-0.5 * sharpness * distance) / variance);
    });
    const label = ground.webLabels[i];
    const others = kernels.reduce((sum, value) => sum + value, 0) - kernels[label];
    return kernels[label] / (kernels[label] + others / 2);
  });
}

describe('what rehearsals teach of web pictures', () => {
  it('is learnt by the clean pictures where nobody knows which crawled ones are right', () => {
    for (const seed of [1, 2, 3]) {
      const worlds = [worldOf(seed), worldOf(seed + 10)];
      const judged = worlds.map((world) => ({ ...world, right: rightOf(world) }));
      const [found, expected] = [learnEvidence(worlds, 0.5), learnEvidence(judged, 0.5)];
      expect(found.slope).toBeCloseTo(expected.slope, 8);
      expect(found.intercept).toBeCloseTo(expected.intercept, 8);
      expect(found.text).toBe(0.5);
    }
  });

  it('is believed more, the better looks tell right from wrong, and as it is where nothing can be learnt', () => {
    const world = worldOf(5);
    const { looks } = world.solver.webEvidence();
    const clear = looks.map((value) => (value > 0 ? 1 : 0));
    const evidence = (right: Float64Array) => learnEvidence([{ ...world, right }], 1);
    expect(evidence(clear).slope).toBeGreaterThan(evidence(clear.map((value) => 0.3 + 0.4 * value)).slope);
    expect(evidence(looks.map((value) => (value > 0 ? 0 : 1))).slope).toBe(0.25);
    for (const all of [0, 1]) expect(evidence(looks.map(() => all))).toEqual({ slope: 1, intercept: 0, text: 1 });
  });

  it('is a share of wrong ones: what trust leaves, over all pictures alike', () => {
    const solver = (...trust: number[]) => ({ trust: Float64Array.from(trust) }) as unknown as BowerbirdSolver;
    expect(meanDistrust([solver(1, 0.5, 0.9), solver(0)])).toBeCloseTo(0.4, 12);
  });
});
