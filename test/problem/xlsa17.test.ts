import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type MatValue,
  matCellOf,
  matColumnOf,
  matColumnsOf,
  matTexts,
  matToArray,
  readMat,
  toInt32,
  writeMat,
  writeNpz,
} from '../../src/formats/index.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { generateProblem, loadProblem, problemHash, readProblem } from '../../src/problem/index.js';
import { temporaryFolder } from '../temporary-folder.js';

const folder = temporaryFolder();

/** Six pictures of four classes: picture i (from 1) has the features (i, 10 i). */
const labels = [1, 2, 3, 4, 2, 3];
const names = ['crow', 'owl', 'rook', 'tit'];
const features = Matrix.from(labels.map((_, i) => [i + 1, 10 * (i + 1)]));
const semantics = Matrix.from([
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
  [1, 1, 1],
]);
const column = (...values: number[]) => matColumnOf(Float64Array.from(values));

async function pair(name: string, changes: Record<string, MatValue> = {}): Promise<string> {
  const path = join(folder, name);
  await mkdir(path);
  await writeMat(
    join(path, 'res101.mat'),
    { features: matColumnsOf(features), labels: column(...labels) },
    { compress: true },
  );
  await writeMat(join(path, 'att_splits.mat'), {
    att: matColumnsOf(semantics),
    original_att: matColumnsOf(Matrix.from(names.map((_, c) => [c, c, c]))),
    allclasses_names: matCellOf(names),
    trainval_loc: column(4, 2),
    test_seen_loc: column(5),
    test_unseen_loc: column(6, 1, 3),
    ...changes,
  });
  return path;
}

const int32 = (...data: number[]) => ({ shape: [data.length], dtype: 'int32', data: Int32Array.from(data) }) as const;
const text = (...data: string[]) => ({ shape: [data.length], dtype: 'string', data }) as const;

describe('the xlsa17 pair', () => {
  it('takes columns for pictures and counts from 1', async () => {
    const problem = await readProblem(await pair('plain'), { web: 'optional' });
    expect(problem.auxiliaryNames).toEqual(['owl', 'tit']);
    expect(problem.testNames).toEqual(['crow', 'rook']);
    expect([...problem.auxiliaryFeatures.data]).toEqual([4, 40, 2, 20]);
    expect([...problem.auxiliaryLabels]).toEqual([1, 0]);
    expect([...problem.auxiliarySemantics.row(1)]).toEqual([1, 1, 1]);
    expect([...problem.testFeatures.data]).toEqual([6, 60, 1, 10, 3, 30]);
    expect([...problem.testLabels!]).toEqual([1, 0, 1]);
    expect([...problem.testSemantics.row(1)]).toEqual([0, 0, 1]);
  });

  it('is found by the features file too, wherever the splits lie', async () => {
    const path = await pair('by-file');
    const expected = problemHash(await loadProblem(path, { web: 'optional' }));
    expect(problemHash(await loadProblem(join(path, 'res101.mat'), { web: 'optional' }))).toBe(expected);
    const splits = join(path, 'att_splits.mat');
    expect(problemHash(await loadProblem(join(path, 'res101.mat'), { splits, web: 'optional' }))).toBe(expected);
  });

  it('adds the held-out pictures of auxiliary categories in the generalized setting', async () => {
    const problem = await readProblem(await pair('generalized'), { web: 'optional', generalized: true });
    expect(problem.generalized).toBe(true);
    expect([...problem.testLabels!]).toEqual([1, 0, 1, 2]);
    expect([...problem.testFeatures.row(3)]).toEqual([5, 50]);
  });

  it('picks other semantic vectors by the name of their variable', async () => {
    const problem = await readProblem(await pair('original'), { web: 'optional', semantics: 'original_att' });
    expect([...problem.testSemantics.row(1)]).toEqual([2, 2, 2]);
  });

  it('takes web pictures from another file, matched by name where it names its categories', async () => {
    const path = await pair('with-web');
    const web = {
      web_features: Matrix.from([
        [1, 1],
        [2, 1],
        [3, 1],
      ]),
      web_labels: int32(0, 1, 0),
    };
    const plain = join(folder, 'web.npz');
    await writeNpz(plain, web);
    expect([...(await loadProblem(path, { webFile: plain })).webLabels]).toEqual([0, 1, 0]);
    const named = join(folder, 'web-named.npz');
    await writeNpz(named, { ...web, test_names: text('rook', 'crow') });
    expect([...(await loadProblem(path, { webFile: named })).webLabels]).toEqual([1, 0, 1]);
    const other = join(folder, 'web-other.npz');
    await writeNpz(other, { ...web, test_names: text('rook', 'owl') });
    await expect(loadProblem(path, { webFile: other })).rejects.toThrow(
      'web_labels, row 1: "owl" is not a test category',
    );
    await expect(loadProblem(path)).rejects.toThrow('this kind of file has no web pictures');
  });

  it('refuses the label 0: classes count from 1', async () => {
    const path = await pair('zero');
    const zero = column(0, ...labels.slice(1));
    await writeMat(join(path, 'res101.mat'), { features: matColumnsOf(features), labels: zero });
    await expect(readProblem(path, { web: 'optional' })).rejects.toThrow(
      'labels, row 0: label 0 is not one of the classes 1…4',
    );
  });

  it.each([
    ['location', { trainval_loc: column(4, 7) }, 'trainval_loc, row 1: location 7 is not one of the 6 pictures'],
    ['overlap', { trainval_loc: column(4, 1) }, 'class 1 ("crow") is trained on too'],
    ['names', { allclasses_names: matCellOf(['crow']) }, 'has 1 names, att 4 columns'],
    [
      'classes',
      { att: matColumnsOf(semantics.view(0, 3)), allclasses_names: matCellOf(names.slice(0, 3)) },
      'label 4 is not one of the classes 1…3',
    ],
  ])('refuses a wrong %s by name', async (name, changes, message) => {
    await expect(readProblem(await pair(`wrong-${name}`, changes), { web: 'optional' })).rejects.toThrow(message);
  });

  it('says what is missing', async () => {
    const path = join(folder, 'missing');
    await mkdir(path);
    await writeMat(join(path, 'res101.mat'), { x: column(1) });
    await expect(loadProblem(path)).rejects.toThrow('att_splits.mat');
    await writeMat(join(path, 'att_splits.mat'), { att: matColumnsOf(semantics) });
    await expect(loadProblem(path)).rejects.toThrow('there is no variable "allclasses_names"');
  });
});

describe('a problem in one MATLAB file', () => {
  it('reads like any other', async () => {
    const problem = generateProblem({ text: false, validation: false });
    const path = join(folder, 'problem.mat');
    const rows = (matrix: Matrix): MatValue => {
      const data = new Float64Array(matrix.rows * matrix.cols);
      for (let i = 0; i < matrix.rows; i++)
        for (let j = 0; j < matrix.cols; j++) data[i + j * matrix.rows] = matrix.at(i, j);
      return { kind: 'numbers', shape: [matrix.rows, matrix.cols], dtype: 'float64', data };
    };
    await writeMat(path, {
      aux_features: rows(problem.auxiliaryFeatures),
      aux_labels: matColumnOf(problem.auxiliaryLabels),
      aux_semantics: rows(problem.auxiliarySemantics),
      aux_names: matCellOf(problem.auxiliaryNames),
      web_features: rows(problem.webFeatures),
      web_labels: matColumnOf(problem.webLabels),
      web_kind: matCellOf(problem.webKinds!),
      test_features: rows(problem.testFeatures),
      test_labels: matColumnOf(problem.testLabels!),
      test_semantics: rows(problem.testSemantics),
      test_names: matCellOf(problem.testNames),
    });
    expect(problemHash(await loadProblem(path, { scaling: 'none' }))).toBe(problemHash(problem));
  });
});

const splits = '../shared/data/xlsa17/CUB_att_splits.mat';
describe.skipIf(!existsSync(splits))(`the real split of CUB (skipped where ${splits} is absent)`, () => {
  it('has 150 auxiliary and 50 test species', async () => {
    const variables = await readMat(splits);
    const list = (name: string) => toInt32(matToArray(variables.get(name)!));
    // Labels are not part of this file; any that give each location list its own classes will do.
    const labels = new Float64Array(11788);
    list('trainval_loc').forEach((location, i) => {
      labels[location - 1] = 1 + (i % 150);
    });
    list('test_unseen_loc').forEach((location, i) => {
      labels[location - 1] = 151 + (i % 50);
    });
    const features = Matrix.zeros(11788, 2, 'float32').fill(1);
    const path = join(folder, 'cub.mat');
    await writeMat(path, { features: matColumnsOf(features), labels: matColumnOf(labels) });
    const problem = await loadProblem(path, { splits, web: 'optional', dtype: 'float32' });
    expect([problem.auxiliaryFeatures.rows, problem.testFeatures.rows]).toEqual([7057, 2967]);
    expect([problem.auxiliaryNames.length, problem.testNames.length]).toEqual([150, 50]);
    expect(problem.testSemantics.cols).toBe(312);
    expect(problem.testNames[0]).toBe(matTexts(variables.get('allclasses_names')!)[150]);
  });
});
