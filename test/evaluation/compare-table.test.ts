/** The table of a comparison from answers that are written down here, so that every figure can be counted by hand. */
import { describe, expect, it } from 'vitest';
import { buildTable, type MethodResult, type TableInput } from '../../src/evaluation/compare-table.js';
import type { MethodRun } from '../../src/evaluation/method-run.js';
import type { FitJob, ProblemRecord } from '../../src/evaluation/results.js';
import { findMethod } from '../../src/methods/index.js';
import type { Problem } from '../../src/problem/index.js';

// The last picture shows neither category.
const labels = [0, 0, 0, 1, 1, -1];
const problem = { testNames: ['crow', 'jay'], testLabels: Int32Array.from(labels) } as unknown as Problem;
const input: TableInput = {
  ...{
    title: 'A table',
    problem,
    record: {} as ProblemRecord,
    trials: 0,
    seeds: [1],
    seed: 1,
    skipped: [],
    failed: [],
  },
};

/** The answers of a method to the pictures, those of one seed after the other. */
function resultOf(method: string, ...answers: number[][]): MethodResult {
  const run = {
    spec: findMethod(method),
    searchSeconds: 0,
    parameters: {},
    chosenBy: 'defaults',
    trials: [],
    failedTrials: 0,
  };
  const share = (predictions: number[], of: (label: number) => boolean) => {
    const own = labels.flatMap((label, i) => (label >= 0 && of(label) ? [predictions[i] === label] : []));
    return own.filter(Boolean).length / own.length;
  };
  const outcomes = answers.map((predictions, k) => {
    const [crow, jay] = [0, 1].map((category) => share(predictions, (label) => label === category));
    const outcome = {
      ...{ id: `${method}/${k}`, predictions, seconds: 2 * k + 1, accuracy: share(predictions, () => true) },
      ...{ meanCategoryAccuracy: (crow + jay) / 2, seen: jay, unseen: crow, harmonic: (2 * crow * jay) / (crow + jay) },
      categories: { crow, jay },
    };
    return { job: { seed: k + 1 } as FitJob, outcome };
  });
  return { run: run as unknown as MethodRun, outcomes };
}

const [good, middling, bad] = [
  [0, 0, 0, 1, 0, 0],
  [0, 0, 1, 1, 0, 1],
  [1, 1, 1, 1, 0, 1],
];

describe('the table of a comparison', () => {
  it('names the best method, the first of equals, and shows what it takes for what', () => {
    const table = buildTable([resultOf('lr', middling), resultOf('knn', good), resultOf('sje', good)], input);
    expect([table.best, table.confusion.method, table.reference]).toEqual(['knn', 'knn', 'lr']);
    expect(table.confusion.counts).toEqual([
      [3, 0],
      [1, 1],
    ]);
    expect(table.rows.map(({ accuracy }) => accuracy.mean)).toEqual([0.6, 0.8, 0.8]);
    expect(buildTable([resultOf('lr', good), resultOf('knn', bad)], input).best).toBe('lr');
  });

  it('holds every other method against the best and against the reference, the paper where it takes part', () => {
    const { rows, reference } = buildTable(
      [resultOf('lr', good), resultOf('paper', bad), resultOf('knn', middling)],
      input,
    );
    expect(reference).toBe('paper');
    const told = rows.map(({ againstReference: a, againstBest: b }) =>
      [a, b].map((pair) => pair && [pair.method, Math.round(10 * pair.difference) / 10, pair.wins, pair.losses]),
    );
    expect(told).toEqual([
      [['paper', 0.6, 3, 0], undefined],
      [undefined, ['lr', -0.6, 0, 3]],
      [
        ['paper', 0.4, 2, 0],
        ['lr', -0.2, 0, 1],
      ],
    ]);
    const { difference, low, high } = rows[2].againstReference!;
    expect(low).toBeLessThan(difference);
    expect(high).toBeGreaterThan(difference);
    // Two of two disagreements are won with a chance of a half.
    expect(rows[2].againstReference!.mcnemar).toBeCloseTo(0.5, 12);
  });

  it('spreads over seeds: means, the deviation of a sample, and one disagreement for half of the fits', () => {
    const [row, other] = buildTable([resultOf('lr', good, bad), resultOf('knn', good, good)], input).rows;
    expect(row.seeds).toEqual([1, 2]);
    expect(row.accuracy.mean).toBeCloseTo(0.5, 12);
    expect(row.accuracy.deviation).toBeCloseTo(0.3 * Math.SQRT2, 12);
    expect(row.seconds).toBe(2);
    expect(row.categories).toEqual({ crow: 0.5, jay: 0.5 });
    expect(row.againstBest!.difference).toBeCloseTo(-0.3, 12);
    // Of the first seed, in which both are right alike.
    expect([row.againstBest!.wins, row.againstBest!.losses]).toEqual([0, 0]);
    expect(other.accuracy.deviation).toBe(0);
  });

  it('has seen, unseen and both in the generalized setting alone', () => {
    const generalized = { ...problem, testNames: ['crow'], auxiliaryNames: ['jay'], generalized: true } as Problem;
    const table = buildTable([resultOf('lr', middling)], { ...input, problem: generalized });
    const [{ seen, unseen, harmonic }] = table.rows;
    expect([table.setting, seen!.mean, unseen!.mean]).toEqual(['generalized', 0.5, 2 / 3]);
    expect(harmonic!.mean).toBeCloseTo(4 / 7, 12);
    for (const { low, mean, high } of [seen!, unseen!, harmonic!]) {
      expect(low).toBeLessThan(mean);
      expect(high).toBeGreaterThan(mean);
    }
    const standard = buildTable([resultOf('lr', middling)], input);
    expect(standard.setting).toBe('standard');
    expect(standard.rows[0]).not.toHaveProperty('seen');
  });

  it('spreads seen and unseen categories by their own pictures alone', () => {
    const generalized = { ...problem, testNames: ['crow'], auxiliaryNames: ['jay'], generalized: true } as Problem;
    const rowOf = (answers: number[]) =>
      buildTable([resultOf('lr', answers)], { ...input, problem: generalized }).rows[0];
    // All crows right and all jays wrong: no resample says otherwise.
    const crows = rowOf([0, 0, 0, 0, 0, 0]);
    expect(crows.unseen).toEqual({ mean: 1, deviation: 0, low: 1, high: 1 });
    expect(crows.seen).toEqual({ mean: 0, deviation: 0, low: 0, high: 0 });
    expect(crows.harmonic).toMatchObject({ low: 0, high: 0 });
    const jays = rowOf([1, 1, 0, 1, 1, 0]);
    expect([jays.seen!.low, jays.seen!.high]).toEqual([1, 1]);
    expect(jays.unseen!.low).toBe(0);
    expect(jays.unseen!.high).toBeLessThanOrEqual(1);
    expect(jays.harmonic!.high).toBeGreaterThan(jays.unseen!.high * 0.99);
    const { low, high } = rowOf([0, 0, 0, 1, 1, 0]).meanCategoryAccuracy;
    expect([low, high]).toEqual([1, 1]);
  });

  it('says of each row how its parameters came about, and what else its fits told', () => {
    const result = resultOf('lr', good);
    const run = {
      ...result.run,
      ...{
        searchSeconds: 4,
        parameters: { power: 2 },
        chosenBy: 'search',
        note: 'n',
        trials: [1, 2, 3],
        failedTrials: 1,
      },
      ...{ chosenTrial: { id: 't', validationAccuracy: 0.7 }, preparation: { made: 1, shared: 2 } },
    } as unknown as MethodRun;
    const outcome = { ...result.outcomes[0].outcome, ausuc: 0.2, thetaArea: 0.9, strangers: { recognized: 1 } };
    const outcomes = [{ ...result.outcomes[0], outcome }] as unknown as MethodResult['outcomes'];
    const paper = { dataset: 'cub', recognisedBy: 'names' } as const;
    const { rows, paper: told } = buildTable([{ run, outcomes }], { ...input, paper });
    const lr = findMethod('lr');
    expect(rows[0]).toMatchObject({
      ...{ method: 'lr', title: lr.title, uses: lr.uses, searchSeconds: 4, parameters: { power: 2 } },
      ...{ chosenBy: 'search', note: 'n', trials: 3, failedTrials: 1, validationAccuracy: 0.7 },
      ...{ preparation: { made: 1, shared: 2 }, ausuc: 0.2, thetaArea: 0.9, strangers: { recognized: 1 } },
      paperAccuracy: 68.39,
    });
    expect(told).toMatchObject({ ...paper, citation: expect.stringContaining('Niu') });
    const [plain] = buildTable([result], input).rows;
    for (const name of [
      'note',
      'validationAccuracy',
      'preparation',
      'ausuc',
      'thetaArea',
      'strangers',
      'paperAccuracy',
    ])
      expect(plain).not.toHaveProperty(name);
    expect(buildTable([result], input)).toMatchObject({
      ...{ schema: 'bowerbird-compare-1', title: 'A table', trials: 0, seeds: [1], seed: 1, skipped: [] },
    });
    expect(buildTable([result], input)).not.toHaveProperty('paper');
  });

  it('has no best where no method got through', () => {
    const failed = [{ method: 'lr', job: 'lr/seed-1', message: 'odd' }];
    expect(buildTable([], { ...input, failed })).toMatchObject({
      ...{
        best: '',
        reference: '',
        rows: [],
        failed,
        confusion: { method: '', counts: [] },
        categories: ['crow', 'jay'],
      },
    });
  });
});
