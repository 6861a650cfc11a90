/** Strangers where auxiliary categories are candidates too: pictures that show neither a listed nor a known category. */
import { beforeAll, describe, expect, it } from 'vitest';
import { accuracy, rocArea } from '../../../src/fit/index.js';
import { unlistedChances } from '../../../src/fit/scorer.js';
import { createBackend } from '../../../src/linalg/create.js';
import { WhitenedSpace } from '../../../src/methods/blocks/whitened-space.js';
import { Bowerbird } from '../../../src/methods/bowerbird/bowerbird.js';
import { castOf, labelsForSpace, playsOf } from '../../../src/methods/bowerbird/cast.js';
import { likeFolder, type World } from '../../../src/methods/bowerbird/worlds.js';
import { drawFolder, type Folder, generalize, generateProblem, keepAuxiliary } from '../../../src/problem/index.js';
import { restrictToCategories } from '../../../src/problem/subset.js';

const backend = await createBackend({ threads: 1 });
const sizes = {
  auxiliaryCategories: 30,
  testCategories: 12,
  auxiliaryPerCategory: 30,
  testPerCategory: 16,
  dimensions: 24,
};
const seeds = [1, 2, 3];
const known = Array.from({ length: 24 }, (_, c) => c);

/** 12 listed and 24 known categories, with so many strangers of 6 others. */
function folderOf(seed: number, strangerShare: number): Folder {
  const all = generateProblem({ ...sizes, noise: 0.8, wrong: 0.3, text: false, validation: false, seed });
  const strangers = restrictToCategories(all, { auxiliary: [24, 25, 26, 27, 28, 29] }).auxiliaryFeatures;
  const problem = generalize(restrictToCategories(all, { auxiliary: known }), seed);
  return drawFolder(problem, { strangers, strangerShare }, seed);
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('strangers where auxiliary categories are candidates', () => {
  const open: { folder: Folder; method: Bowerbird }[] = [];
  const closed: typeof open = [];
  beforeAll(async () => {
    for (const seed of seeds)
      for (const [found, share] of [
        [open, 0.3],
        [closed, 0],
      ] as const) {
        const folder = folderOf(seed, share);
        found.push({ folder, method: await new Bowerbird().fit(folder.problem, { backend }) });
      }
  }, 120_000);
  const strange = ({ truth }: Folder) => Array.from(truth, (label) => label < 0);
  /** Share of the pictures of a kind that are named right. */
  const right = ({ folder: { problem, truth }, method }: (typeof open)[number], is: (label: number) => boolean) => {
    const rows = [...truth.keys()].filter((j) => is(truth[j]));
    const predicted = method.predict(problem.testFeatures);
    return accuracy(
      Int32Array.from(rows, (j) => predicted[j]),
      Int32Array.from(rows, (j) => truth[j]),
    );
  };

  it('are told from pictures of listed and of known categories in the folder', () => {
    const areas = (kind: (label: number) => boolean) =>
      open.map(({ folder: { problem, truth }, method }) => {
        const { unlisted } = method.probabilities(problem.testFeatures);
        const rows = [...truth.keys()].filter((j) => truth[j] < 0 || kind(truth[j]));
        return rocArea(
          Float64Array.from(rows, (j) => unlisted[j]),
          rows.map((j) => truth[j] < 0),
        );
      });
    expect(mean(areas((label) => label < 12))).toBeGreaterThan(0.8);
    expect(mean(areas((label) => label >= 12))).toBeGreaterThan(0.8);
  });

  it('are told among later pictures, by the formula that a model keeps', () => {
    const areas = open.map(({ folder, method }) => {
      const chances = unlistedChances(method.strangers()!, 'none', folder.problem.testFeatures, backend);
      return rocArea(chances, strange(folder));
    });
    expect(mean(areas)).toBeGreaterThan(0.7);
  });

  it('are hardly claimed where there are none', () => {
    for (const { folder, method } of closed) {
      const { unlisted } = method.probabilities(folder.problem.testFeatures);
      expect(unlisted.filter((chance) => chance > 0.5).length / unlisted.length).toBeLessThan(0.03);
    }
  });

  it('cost listed and known categories little, and neither swallows the other', () => {
    const kinds = [(label: number) => label >= 0 && label < 12, (label: number) => label >= 12];
    for (const is of kinds) {
      const [without, beside] = [closed, open].map((found) => mean(found.map((each) => right(each, is))));
      expect(without).toBeGreaterThan(0.6);
      expect(beside).toBeGreaterThan(without - 0.05);
    }
  });

  it('leave chances that add up to 1 and hold', () => {
    const gaps = [...open, ...closed].map(({ folder: { problem, truth }, method }) => {
      const { listed, unlisted } = method.probabilities(problem.testFeatures);
      const predicted = method.predict(problem.testFeatures);
      expect(Array.from(listed.row(0)).reduce((sum, chance) => sum + chance, unlisted[0])).toBeCloseTo(1, 9);
      return mean(Array.from(truth, (label, j) => listed.at(j, predicted[j]) - Number(predicted[j] === label)));
    });
    expect(Math.abs(mean(gaps))).toBeLessThan(0.1);
  });
});

describe('a rehearsal where known categories are candidates', () => {
  const { problem } = folderOf(1, 0);

  it('has pictures of known categories in its folders, none of which the space is made from', async () => {
    const cast = (await castOf(problem))!;
    const labels = labelsForSpace(problem, cast);
    const playing = new Set(cast.known.flat());
    expect(playing.size).toBeGreaterThan(20);
    labels.forEach((label, row) => {
      expect(label).toBe(playing.has(row) ? -1 : problem.auxiliaryLabels[row]);
    });
    for (const { listed, test, truth, web } of playsOf(problem, cast, 0.35)) {
      const used = new Set(Array.from(web.rows));
      truth.forEach((label, j) => {
        const category = problem.auxiliaryLabels[test[j]];
        const shown = label < 0 ? -1 : label < listed.length ? listed[label] : cast.audience[label - listed.length];
        if (label >= 0) expect(category).toBe(shown);
        else expect([...listed, ...cast.audience]).not.toContain(category);
        if (label >= listed.length) expect(playing.has(test[j])).toBe(true);
        expect(used.has(test[j])).toBe(false);
      });
      expect(truth.some((label) => label >= listed.length)).toBe(true);
    }
  });

  it('has none of them where they are not', async () => {
    const standard = { ...problem, generalized: false };
    const cast = (await castOf(standard))!;
    expect(cast.known.flat()).toEqual([]);
    expect(labelsForSpace(standard, cast)).toEqual(problem.auxiliaryLabels);
    for (const { listed, truth } of playsOf(standard, cast, 0.35))
      expect(truth.every((label) => label < listed.length)).toBe(true);
  });

  it('draws folders in which listed and known categories have the parts they have in the given one', () => {
    const truth = Int32Array.from({ length: 400 }, (_, j) => (j < 300 ? j % 3 : 3 + (j % 4)));
    const world = { truth, solver: { categories: 3 } } as unknown as World;
    const rows = [...likeFolder(world, Float64Array.of(15, 15, 15, 5, 5, 5), 60, 1, 3)];
    expect(rows.filter((j) => truth[j] < 3)).toHaveLength(45);
    expect(new Set(rows.map((j) => truth[j])).size).toBe(7);
    expect(rows.length).toBe(61);
    const none = likeFolder(world, Float64Array.of(15, 15, 15, 0, 0, 0), 60, 1, 3);
    expect(none.every((j) => truth[j] < 3)).toBe(true);
    expect(none).toHaveLength(60);
  });
});

it('a space is made without the pictures that are labelled −1', async () => {
  const { problem } = folderOf(2, 0);
  const chosen = [0, 1, 2];
  const auxiliaryLabels = problem.auxiliaryLabels.map((label, row) => (row % 4 === 0 ? -1 : label));
  const rows = Int32Array.from(auxiliaryLabels.keys()).filter((row) => auxiliaryLabels[row] >= 0);
  const options = { power: 0.75, shrinkage: 0.2 };
  const found = await WhitenedSpace.learn({ ...problem, auxiliaryLabels }, backend, options, chosen);
  const wanted = await WhitenedSpace.learn(keepAuxiliary(problem, rows), backend, options, chosen);
  expect([...found.auxiliaryCounts]).toEqual([...wanted.auxiliaryCounts]);
  found.auxiliaryMeans.data.forEach((value, k) => {
    expect(value).toBeCloseTo(wanted.auxiliaryMeans.data[k], 9);
  });
});
