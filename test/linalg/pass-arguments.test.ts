import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Backend } from '../../src/linalg/backend.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { backends } from './backends.js';
import { expectRefused } from './refusal.js';

const zeros = (rows: number, cols: number) => Matrix.zeros(rows, cols);
const single = (rows: number, cols: number) => Matrix.zeros(rows, cols, 'float32');
const vector = (length: number) => new Float64Array(length);
const whole = (...values: number[]) => Int32Array.from(values);

/** What passes over three rows and two columns want, of which each case replaces something. */
const mixture = { lengths: vector(3), squares: vector(2), scales: vector(2), shifts: vector(2), power: 1 };
const scores = { lengths: vector(3), squares: vector(2), factors: vector(2), constants: vector(2) };
const peaks = {
  ...{ closest: vector(3), largest: vector(3), second: vector(3), logSums: vector(3) },
  nearest: new Int32Array(3),
};
const sparse = { starts: whole(0, 1, 1, 2), columns: whole(0, 2), values: vector(2) };

describe.each(backends)('wrong arguments of passes on the $name backend', ({ create }) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await create();
  });
  afterAll(() => backend.dispose());

  it.each<[act: (b: Backend) => void, message: string]>([
    [(b) => b.addDiagonal(zeros(3, 2), 1), 'addDiagonal: A is 3×2, not square'],
    [(b) => b.dot(zeros(3, 2), zeros(2, 3)), 'dot: A is 3×2, B is 2×3'],
    [(b) => b.dot(zeros(3, 2), single(3, 2)), 'dot: A is float64 but B is float32'],
    [(b) => b.copy(zeros(3, 2), zeros(3, 3)), 'copy: the target is 3×2, the source 3×3'],
    [(b) => b.unitRows(zeros(3, 2), vector(3), vector(2)), 'unitRows: lengths has 2 elements beside A 3×2; expected 3'],
    [(b) => b.sumOfDifferences(zeros(3, 2), zeros(3, 1)), 'sumOfDifferences: A is 3×2, B is 3×1'],
    [
      (b) => b.segmentDots(vector(3), zeros(3, 2), zeros(1, 4), whole(0, 3)),
      'segmentDots: 3×2 float64 rows with 1×4 float64 rows',
    ],
    [
      (b) => b.segmentDots(vector(2), zeros(3, 2), zeros(1, 2), whole(0, 3)),
      'segmentDots: 2 float64 values for 3 rows',
    ],
    [
      (b) => b.segmentSums(zeros(2, 2), zeros(3, 2), vector(3), whole(0, 4, 3)),
      'segmentSums: 2 segments of 3 rows need 3 ascending starts from 0 to 3',
    ],
    [
      (b) => b.segmentSums(zeros(1, 2), zeros(3, 2), vector(3), whole(1, 3)),
      'segmentSums: 1 segments of 3 rows need 2 ascending starts from 0 to 3',
    ],
    [
      (b) => b.segmentSums(zeros(1, 2), zeros(3, 2), new Float32Array(3), whole(0, 3)),
      'segmentSums: 3 float32 values for 3 rows',
    ],
    [
      (b) => b.logPowerSums(vector(2), zeros(3, 2), mixture),
      'logPowerSums: out has 2 elements beside products 3×2; expected 3',
    ],
    [
      (b) => b.logPowerSums(vector(3), zeros(3, 2), { ...mixture, shifts: vector(3) }),
      'logPowerSums: shifts has 3 elements beside products 3×2; expected 2',
    ],
    [
      (b) => b.logPowerSums(vector(3), zeros(3, 2), mixture, vector(3)),
      'logPowerSums: distances at the labels need labels',
    ],
    [
      (b) => b.logPowerSums(vector(3), zeros(3, 2), { ...mixture, labels: whole(0, 1) }),
      'logPowerSums: 2 labels beside products 3×2; expected 3',
    ],
    [
      (b) => b.logPowerSums(vector(3), zeros(3, 2), { ...mixture, labels: whole(0, 1, 2) }),
      'logPowerSums: label 2 of row 2 beside products 3×2',
    ],
    [
      (b) => b.logPowerSums(vector(3), zeros(3, 2), { ...mixture, labels: whole(-2, 1, 0) }),
      'logPowerSums: label -2 of row 0 beside products 3×2',
    ],
    [
      (b) => b.softmaxRows(zeros(3, 3), zeros(3, 2), vector(2), vector(3), vector(2)),
      'softmaxRows: target is 3×3 but scores is 3×2',
    ],
    [
      (b) => b.softmaxRows(single(3, 2), zeros(3, 2), vector(2), vector(3), vector(2)),
      'softmaxRows: target is float32 but scores is float64',
    ],
    [
      (b) => b.softmaxRows(zeros(3, 2), zeros(3, 2), vector(2), vector(2), vector(2)),
      'softmaxRows: weights has 2 elements beside scores 3×2; expected 3',
    ],
    [
      (b) => b.softmaxRows(zeros(3, 2), zeros(3, 2), vector(3), vector(3), vector(2)),
      'softmaxRows: offsets has 3 elements beside scores 3×2; expected 2',
    ],
    [
      (b) => b.softmaxRows(zeros(3, 2), zeros(3, 2), vector(2), vector(3), vector(1)),
      'softmaxRows: counts has 1 elements beside scores 3×2; expected 2',
    ],
    [(b) => b.energyOfRows(zeros(3, 1), zeros(3, 2), vector(3)), 'energyOfRows: chances is 3×1 but scores is 3×2'],
    [
      (b) => b.energyOfRows(single(3, 2), zeros(3, 2), vector(3)),
      'energyOfRows: chances is float32 but scores is float64',
    ],
    [
      (b) => b.energyOfRows(zeros(3, 2), zeros(3, 2), vector(4)),
      'energyOfRows: weights has 4 elements beside scores 3×2; expected 3',
    ],
    [
      (b) => b.scoreRows(zeros(3, 2), { ...scores, lengths: vector(2) }),
      'scoreRows: lengths has 2 elements beside products 3×2; expected 3',
    ],
    [
      (b) => b.scoreRows(zeros(3, 2), { ...scores, factors: vector(3) }),
      'scoreRows: factors has 3 elements beside products 3×2; expected 2',
    ],
    [
      (b) => b.peaksOfRows(peaks, zeros(3, 0), { ...scores, inverses: vector(0) }),
      'peaksOfRows: nothing stands out in products 3×0',
    ],
    [
      (b) => b.peaksOfRows({ ...peaks, second: vector(1) }, zeros(3, 2), { ...scores, inverses: vector(2) }),
      'peaksOfRows: 1 second beside products 3×2; expected 3',
    ],
    [
      (b) => b.peaksOfRows(peaks, zeros(3, 2), { ...scores, inverses: vector(3) }),
      'peaksOfRows: inverses has 3 elements beside products 3×2; expected 2',
    ],
    [
      (b) => b.peaksOfRows(peaks, zeros(3, 2), { ...scores, inverses: vector(2), labels: whole(0, 0, 0) }),
      'peaksOfRows: own has 0 elements beside products 3×2; expected 9',
    ],
    [
      (b) => b.leadersOfRows({ columns: whole(0, 0, 0), leads: vector(3) }, zeros(3, 0), vector(0)),
      'leadersOfRows: nothing leads in scores 3×0',
    ],
    [
      (b) => b.leadersOfRows({ columns: whole(0), leads: vector(3) }, zeros(3, 2), vector(2)),
      'leadersOfRows: 1 columns beside scores 3×2; expected 3',
    ],
    [
      (b) => b.leadersOfRows({ columns: whole(0, 0, 0), leads: vector(2) }, zeros(3, 2), vector(2)),
      'leadersOfRows: leads has 2 elements beside scores 3×2; expected 3',
    ],
    [
      (b) => b.leadersOfRows({ columns: whole(0, 0, 0), leads: vector(3) }, zeros(3, 2), vector(3)),
      'leadersOfRows: offsets has 3 elements beside scores 3×2; expected 2',
    ],
    [(b) => b.copyRows(zeros(2, 2), single(3, 2), whole(0, 1)), 'copyRows: target is float64 but source is float32'],
    [(b) => b.copyRows(zeros(2, 2), zeros(3, 2), whole(0)), 'copyRows: 1 rows of 3×2 do not fill 2×2'],
    [(b) => b.copyRows(zeros(1, 3), zeros(3, 2), whole(0)), 'copyRows: 1 rows of 3×2 do not fill 1×3'],
    [(b) => b.copyRows(zeros(2, 2), zeros(3, 2), whole(0, 3)), 'copyRows: place 1 names row 3 of 3'],
    [(b) => b.copyRows(zeros(1, 2), zeros(3, 2), whole(-1)), 'copyRows: place 0 names row -1 of 3'],
    [(b) => b.addSparse(zeros(3, 2), sparse, single(3, 2)), 'addSparse: target is float64 but source is float32'],
    [(b) => b.addSparse(zeros(3, 2), sparse, zeros(3, 1)), 'addSparse: target is 3×2, source is 3×1'],
    [
      (b) => b.addSparse(zeros(3, 2), { ...sparse, starts: whole(0, 2, 1, 2) }, zeros(3, 2)),
      'addSparse: 3 rows need 4 ascending starts from 0 to at most 2 entries',
    ],
    [(b) => b.addSparse(zeros(3, 2), sparse, zeros(2, 2)), 'addSparse: entry 1 names row 2 of 2'],
    [(b) => b.sparseForm({ ...sparse, columns: whole(-1, 2) }, zeros(3, 2)), 'sparseForm: entry 0 names row -1 of 3'],
    [
      (b) => b.nearestRows(whole(0, 0, 0), vector(3), zeros(3, 2), vector(2)),
      'nearestRows: squaredLengths has 2 elements beside A 3×2; expected 3',
    ],
    [
      (b) => b.nearestRows(new Int32Array(9), vector(9), zeros(3, 2), vector(3)),
      'nearestRows: 9 places and 9 cosines for 3 rows; expected as many of both, the same for each row, and at most 2',
    ],
    [
      (b) => b.nearestRows(new Int32Array(3), vector(6), zeros(3, 2), vector(3)),
      'nearestRows: 3 places and 6 cosines for 3 rows; expected as many of both, the same for each row, and at most 2',
    ],
    [
      (b) => b.visitPowered(zeros(3, 2), { power: 1, dtype: 'float64', centre: vector(3) }, () => {}),
      'visitPowered: centre has 3 elements beside A 3×2; expected 2',
    ],
    [
      (b) => b.visitPowered(zeros(3, 2), { power: 1, dtype: 'float64', order: whole(0, 3) }, () => {}),
      'visitPowered: place 1 names row 3 of 3',
    ],
  ])('are refused by name, case %#', (act, message) => {
    expectRefused(() => act(backend), message);
  });

  it('are not looked for again in a list that passed, but in another one', () => {
    backend.addSparse(zeros(3, 2), sparse, zeros(3, 2));
    backend.addSparse(zeros(3, 2), sparse, zeros(3, 2));
    expect(() => backend.addSparse(zeros(2, 2), sparse, zeros(3, 2))).toThrow('2 rows need 3 ascending starts');
    expect(() => backend.addSparse(zeros(3, 2), { ...sparse, values: vector(1) }, zeros(3, 2))).toThrow('at most 1');
  });
});
