import { describe, expect, it } from 'vitest';
import { Matrix } from '../../src/linalg/matrix.js';
import { Random } from '../../src/linalg/random.js';
import {
  drawFolder,
  drawRows,
  generateProblem,
  plantWeb,
  problemHash,
  sharesByName,
  withWrongShare,
} from '../../src/problem/index.js';
import { rowsByCategory } from '../../src/problem/subset.js';

const categories = 50;
const problem = generateProblem({
  seed: 3,
  testCategories: categories,
  testPerCategory: 40,
  webPerCategory: 20,
  wrong: 0.4,
  dimensions: 4,
  text: false,
  validation: false,
});
const strangers = generateProblem({ seed: 4, testCategories: 5, testPerCategory: 100, dimensions: 4 }).testFeatures;

const counts = (truth: Int32Array) =>
  rowsByCategory(
    truth.filter((c) => c >= 0),
    categories,
  ).map((rows) => rows.length);
const folder = (name: keyof typeof sharesByName, seed = 1) => drawFolder(problem, { shares: sharesByName[name] }, seed);

describe('a folder', () => {
  it('holds every picture where shares are equal', () => {
    expect([...folder('equal').truth]).toEqual([...problem.testLabels!]);
  });

  it('has a long tail from all pictures of a category down to a twentieth', () => {
    const sorted = counts(folder('long-tail').truth).sort((a, b) => b - a);
    expect(sorted).toEqual(sorted.map((_, k) => Math.max(1, Math.round(40 * 0.05 ** (k / (categories - 1))))));
  });

  it.each([
    ['fifth', 10],
    ['six-percent', 3],
    ['one-category', 1],
  ] as const)('%s: holds all pictures of some categories and none of the others', (name, present) => {
    const found = counts(folder(name).truth);
    expect(found.filter((count) => count === 40)).toHaveLength(present);
    expect(found.filter((count) => count === 0)).toHaveLength(categories - present);
  });

  it('keeps at least two categories of a short list', () => {
    const labels = Int32Array.from({ length: 40 }, (_, i) => i % 4);
    expect(drawRows(labels, 4, sharesByName['six-percent'], new Random(1))).toHaveLength(20);
  });

  it('holds one picture or five', () => {
    expect(folder('one-picture').truth).toHaveLength(1);
    expect(folder('five-pictures').truth).toHaveLength(5);
  });

  it('has Dirichlet shares of the spread that their concentration gives', () => {
    // The expected sum of squared shares of Dirichlet(α, …, α) is (α + 1)/(Cα + 1).
    for (const concentration of [0.1, 1, 10]) {
      let total = 0;
      const draws = 300;
      for (let seed = 0; seed < draws; seed++) {
        const labels = Int32Array.from({ length: 4000 }, (_, i) => i % 20);
        const rows = drawRows(labels, 20, { kind: 'dirichlet', concentration }, new Random(seed));
        const own = rowsByCategory(
          Int32Array.from(rows, (row) => labels[row]),
          20,
        );
        total += own.reduce((sum, { length }) => sum + (length / rows.length) ** 2, 0) / draws;
      }
      expect(total / ((concentration + 1) / (20 * concentration + 1))).toBeGreaterThan(0.93);
      expect(total / ((concentration + 1) / (20 * concentration + 1))).toBeLessThan(1.07);
    }
  });

  it.each([0.3, 0.6])('has a share of %f strangers, marked −1 and after the listed pictures', (strangerShare) => {
    const { problem: drawn, truth } = drawFolder(problem, { strangers, strangerShare }, 2);
    const unlisted = truth.filter((c) => c === -1).length;
    expect(unlisted / truth.length).toBeCloseTo(strangerShare, 2);
    expect(unlisted).toBeLessThanOrEqual(strangers.rows);
    expect(truth.indexOf(-1)).toBe(truth.length - unlisted);
    expect(drawn.testFeatures.rows).toBe(truth.length);
    const known = new Set(Array.from({ length: strangers.rows }, (_, i) => strangers.row(i).join()));
    for (let i = 0; i < truth.length; i++) expect(known.has(drawn.testFeatures.row(i).join())).toBe(truth[i] === -1);
  });

  it('is the same for the same seed, another for another, and leaves the problem alone', () => {
    const before = problemHash(problem);
    expect(folder('dirichlet-1', 5)).toEqual(folder('dirichlet-1', 5));
    expect(folder('dirichlet-1', 5).truth).not.toEqual(folder('dirichlet-1', 6).truth);
    expect(problemHash(problem)).toBe(before);
    expect(folder('equal').problem.testLabels).toBeUndefined();
  });

  it('refuses strangers that nobody gave, and folders of nothing else', () => {
    expect(() => drawFolder(problem, { strangerShare: 0.3 }, 1)).toThrow('none are given');
    for (const strangerShare of [-0.1, 1, Number.NaN])
      expect(() => drawFolder(problem, { strangers, strangerShare }, 1)).toThrow('at least 0 and below 1');
  });
});

describe('web pictures with a chosen share of wrong ones', () => {
  it.each([0, 0.2, 0.6])('have that share in every category: %f', (share) => {
    const chosen = withWrongShare(problem, share, 10, 1);
    for (const rows of rowsByCategory(chosen.webLabels, categories)) {
      const wrong = rows.filter((i) => chosen.webKinds![i] !== 'clean');
      expect([rows.length, wrong.length]).toEqual([10, 10 * share]);
    }
  });
});

describe('planted web pictures', () => {
  const shown = (row: number) => Math.floor(row / 60);
  const pools = Array.from({ length: 30 }, (_, c) => Array.from({ length: 60 }, (_, k) => 60 * c + k));
  const listed = [3, 5, 7, 11, 13, 17, 19, 23];
  // On a circle, so that the nearest categories are the neighbours in number.
  const vectors = Matrix.from(pools.map((_, c) => [Math.cos(c / 30), Math.sin(c / 30)]));
  const planted = plantWeb({ pools, listed, vectors, perCategory: 20, wrong: 0.4 }, 1);

  it('are as many, and as often wrong, as asked for, half of the wrong ones confused and half unlisted', () => {
    for (const claimed of listed.keys()) {
      const kinds = planted.filter((picture) => picture.claimed === claimed).map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === 'clean')).toHaveLength(12);
      expect(kinds.filter((kind) => kind === 'confused')).toHaveLength(4);
      expect(kinds.filter((kind) => kind === 'other')).toHaveLength(4);
    }
  });

  it('use no picture twice and show what their kind says', () => {
    expect(new Set(planted.map(({ row }) => row)).size).toBe(planted.length);
    for (const { row, claimed, kind } of planted) {
      if (kind === 'clean') expect(shown(row)).toBe(listed[claimed]);
      else if (kind === 'other') expect(listed).not.toContain(shown(row));
      else {
        const distance = (c: number) => Math.abs(c - listed[claimed]);
        const nearest = listed.filter((c) => c !== listed[claimed]).sort((a, b) => distance(a) - distance(b));
        expect(distance(shown(row))).toBeLessThanOrEqual(distance(nearest[3]));
      }
    }
  });

  it('are fewer, with the same share of wrong ones, where the pools are small', () => {
    const small = pools.map((rows, c) => (c === 5 ? rows.slice(0, 6) : rows));
    const own = plantWeb({ pools: small, listed, vectors, perCategory: 20, wrong: 0.4 }, 1).filter(
      ({ claimed }) => claimed === 1,
    );
    expect(own.map(({ kind }) => kind).filter((kind) => kind === 'clean')).toHaveLength(6);
    expect(own).toHaveLength(10);
  });

  it.each([-0.1, 1.1, Number.NaN])('cannot be wrong in a share of %d', (wrong) => {
    expect(() => plantWeb({ pools, listed, vectors, perCategory: 20, wrong }, 1)).toThrow('a share from 0 to 1');
  });

  it('may all be right or all be wrong', () => {
    const kinds = (wrong: number) =>
      new Set(plantWeb({ pools, listed, vectors, perCategory: 4, wrong }, 1).map(({ kind }) => kind));
    expect(kinds(0)).toEqual(new Set(['clean']));
    expect(kinds(1)).toEqual(new Set(['confused', 'other']));
  });
});
