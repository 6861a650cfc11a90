import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../src/cli/run.js';
import { loadModel } from '../../src/fit/index.js';
import { readCsv, readNpz, writeNpy, writeNpz } from '../../src/formats/index.js';
import { Matrix } from '../../src/linalg/index.js';
import { generateProblem, saveProblem } from '../../src/problem/index.js';
import { temporaryFolder } from '../temporary-folder.js';
import { catchOutput } from './output.js';

const folder = temporaryFolder();
const file = (...names: string[]) => join(folder, ...names);
const generated = generateProblem({ seed: 3 });
const names = ['Tern, Arctic', 'the "lesser" tern', ...generated.testNames.slice(2)];
const problem = { ...generated, testNames: names };
const printed = catchOutput();

async function fitInto(out: string, ...words: string[]): Promise<void> {
  const [problemFile, ...options] = words[0]?.endsWith('.npz') ? words : [file('problem.npz'), ...words];
  expect(
    await run(['fit', problemFile, '--out', file(out), '--replace', '--threads', '1', '--quiet', ...options]),
  ).toBe(0);
  [printed.out, printed.errors] = ['', ''];
}

beforeAll(async () => {
  await saveProblem(file('problem.npz'), problem);
});

describe('bowerbird predict', () => {
  it('prints the table that --out writes, and nothing else, on stdout', async () => {
    await fitInto('run');
    expect(await run(['predict', file('run'), file('problem.npz')])).toBe(0);
    expect(printed.errors).toMatch(/^accuracy \d+\.\d\d %\n$/);
    expect(await run(['predict', file('run'), file('problem.npz'), '--out', file('answers.csv')])).toBe(0);
    const written = await readCsv(file('answers.csv'));
    const shown = printed.out.split('\n').slice(0, written.rows.length + 1);
    expect(shown[0]).toBe(readFileSync(file('answers.csv'), 'utf8').split('\n')[0]);
    expect(shown[1]).toContain('"Tern, Arctic",0,');
    expect(written.rows.map(([, name]) => name)).toContain('the "lesser" tern');
    expect(printed.out).toContain('"the ""lesser"" tern"');
  });

  it('reads a problem whose semantic vectors have the name that the fit was given', async () => {
    const arrays = await readNpz(file('problem.npz'));
    for (const set of ['aux', 'test']) {
      arrays.set(`${set}_attributes`, arrays.get(`${set}_semantics`)!);
      arrays.delete(`${set}_semantics`);
    }
    await writeNpz(file('attributes.npz'), Object.fromEntries(arrays));
    await fitInto('attributes', file('attributes.npz'), '--semantics', 'attributes');
    expect(await run(['predict', file('attributes'), file('attributes.npz'), '--json'])).toBe(0);
    expect(JSON.parse(printed.out).predictions).toHaveLength(problem.testFeatures.rows);
  });

  it('takes the model of the last fit of a folder, whatever was fitted there before', async () => {
    await fitInto('twice');
    await fitInto('twice', '--method', 'paper', '--lambda2', '0.1');
    expect(await run(['predict', file('twice'), file('problem.npz'), '--json'])).toBe(0);
    const { predictions } = JSON.parse(printed.out) as { predictions: { category: number; score: number }[] };
    const { scorer, method } = await loadModel(file('twice', 'model.safetensors'));
    expect(method).toBe('paper');
    expect(scorer.map).toBeDefined();
    expect(predictions.every(({ score }) => Number.isFinite(score))).toBe(true);
    await fitInto('twice', '--method', 'knn');
    expect(await run(['predict', file('twice'), file('problem.npz')])).toBe(2);
    expect(printed.errors).toContain('knn classifies only the pictures that it was fitted with');
  });

  it('refuses a fit whose features depend on the pictures of the fit', async () => {
    await fitInto('scored', '--scaling', 'zscore');
    expect(await run(['predict', file('scored'), file('problem.npz')])).toBe(2);
    expect(printed.errors).toContain('Fit with --scaling l2');
    await fitInto('centred', '--method', 'paper', '--centre-features');
    expect(await run(['predict', file('centred'), file('problem.npz')])).toBe(2);
    expect(printed.errors).toContain('Fit without --centre-features');
  });

  it('refuses pictures with features that are no numbers instead of putting them anywhere', async () => {
    await fitInto('run');
    const features = Matrix.zeros(2, problem.testFeatures.cols);
    features.data.fill(1);
    features.set(1, 4, Number.NaN);
    await writeNpy(file('nan.npy'), features);
    expect(await run(['predict', file('run'), file('nan.npy')])).toBe(1);
    expect(printed.errors).toContain('nan.npy, row 1: column 4 is NaN; all values must be finite');
  });

  it('says which files hold features', async () => {
    expect(await run(['predict', file('run'), file('features.csv')])).toBe(2);
    expect(printed.errors).toContain('features.csv: features are read from an .npy file');
  });

  it('says what the folder should be', async () => {
    for (const path of ['nowhere', 'problem.npz']) {
      expect(await run(['predict', file(path), file('problem.npz')])).toBe(2);
      expect(printed.errors).toContain(`${file(path)} holds no finished fit`);
      expect(printed.errors).toContain('bowerbird fit PROBLEM --out DIR');
    }
  });
});
